"""Sinks that are several operators behind an ``INSERT``: their connector's list of steps, made of stand-ins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from checker.extract.runtime.capture.jvm import has_class, java, proxy
from checker.extract.sql.planner.jvm import stand_in
from checker.extract.sql.planner.sinks import stateless_sink


class Behind(Enum):
    """How rows come to an operator."""

    FORWARD = "forward"
    KEY = "key"
    PARTITIONER = "partitioner"


class Chains(Enum):
    """Which operator chains an operator may be part of (``ChainingStrategy``); AS_MADE is left to Flink."""

    AS_MADE = "as made"
    ALWAYS = "always"
    FIRST = "first"


@dataclass(frozen=True, slots=True)
class Kept:
    """A state of an operator without keys. ``kind`` is a constant of ``Types``, or an object of type information."""

    name: str
    type: Any
    union: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One operator. A ``parallelism`` of None is that of the rows, or of the last step that has one of its own."""

    name: str
    behind: Behind = Behind.FORWARD
    chains: Chains = Chains.AS_MADE
    parallelism: int | None = None
    single: bool = False
    """Whether one subtask is all that it ever has: parallelism and maximum parallelism 1."""
    uid: str | None = None
    keeps: Sequence[Kept] | None = None
    """None for a function that maps its input."""


@dataclass(frozen=True, slots=True)
class Written:
    """What makes the operators of a table's sink, None where not one is known."""

    provider: Any
    open: str | None
    """Why the operators behind those of the provider are not known; None where they are all known."""


def provider(steps: Sequence[Step], last: str, *, single: bool) -> Any:
    """The runtime provider of a sink with these operators, and behind them one called ``last`` that drops all."""
    return proxy(["table.connector.sink.DataStreamSinkProvider"], _Provider(tuple(steps), last, single))


@dataclass
class _Provider:
    """``DataStreamSinkProvider``. The names of its methods are Java's."""

    steps: tuple[Step, ...]
    last: str
    single: bool

    def getParallelism(self) -> Any:
        return java("java.util.Optional").empty()

    def consumeDataStream(self, *given: Any) -> Any:
        rows = given[-1]
        parallelism = int(rows.getParallelism())
        for step in self.steps:
            parallelism = step.parallelism or parallelism
            rows = _behind(rows, step).transform(step.name, java("api.common.typeinfo.Types").VOID, _operator(step))
            rows.setParallelism(1 if step.single else parallelism)
            if step.single:
                rows.setMaxParallelism(1)
            if step.uid is not None:
                rows.uid(step.uid)
            if step.chains is not Chains.AS_MADE:
                strategy = java("streaming.api.operators.ChainingStrategy")
                chosen = strategy.ALWAYS if step.chains is Chains.ALWAYS else strategy.HEAD
                rows.getTransformation().setChainingStrategy(chosen)
        if has_class("streaming.api.functions.sink.DiscardingSink"):  # until 1.20
            end = rows.addSink(java("streaming.api.functions.sink.DiscardingSink")())
        else:
            end = rows.sinkTo(stateless_sink())
        return end.name(self.last).setParallelism(1 if self.single else parallelism)


def _behind(rows: Any, step: Step) -> Any:
    if step.behind is Behind.KEY:
        types = java("api.common.typeinfo.Types")
        return rows.keyBy(java("api.java.functions.NullByteKeySelector")(), types.BYTE)
    return rows.rebalance() if step.behind is Behind.PARTITIONER else rows


def _operator(step: Step) -> Any:
    if step.keeps is None:
        return java("streaming.api.operators.StreamMap")(stand_in({}, "api.common.functions.MapFunction"))
    return java("checker.KeepsLists")(_lists(step, union=False), _lists(step, union=True))


def _lists(step: Step, *, union: bool) -> Any:
    import jpype

    descriptor = java("api.common.state.ListStateDescriptor")
    kept = [descriptor(kept.name, kept.type) for kept in step.keeps or () if kept.union is union]
    return jpype.JArray(descriptor)(kept)
