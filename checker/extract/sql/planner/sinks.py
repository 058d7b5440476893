"""Sinks without their connector: of the shape that it would give them, keeping nothing, so that a job can run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from checker.extract.runtime.capture.jvm import always, array_list, has_class, java, proxy
from checker.extract.sql.planner.jvm import stand_in
from checker.extract.sql.planner.sources import Table, by_option, changelog_mode, has_key, metadata, with_abilities

_PACKAGE = "table.connector.sink"


@dataclass
class Sink(Table):
    """A table that is written."""

    provider: Any = None
    """What makes its operators, where they are more than a sink."""

    def getChangelogMode(self, requested: Any) -> Any:
        keyed = has_key(self.context)
        named = "keyed_sink_mode" if keyed and "keyed_sink_mode" in self.spec else "sink_mode"
        mode = by_option(self.spec, named, self.options, "any")
        if mode == "by-key":
            mode = "no-update-before" if keyed else "insert"
        return requested if mode == "any" else changelog_mode(mode)

    def getSinkRuntimeProvider(self, context: Any) -> Any:
        if self.provider is not None:
            return self.provider
        shape = by_option(self.spec, "sink", self.options, "stateless")
        parallelism = self.options.get("sink.parallelism")
        arguments = [] if parallelism is None else [java("java.lang.Integer").valueOf(int(parallelism))]
        if shape.startswith("legacy"):
            legacy = f"{_PACKAGE}.legacy"  # from 2.0 on
            prefix = legacy if has_class(f"{legacy}.SinkFunctionProvider") else _PACKAGE
            function = legacy_sink(stateful=shape == "legacy-stateful")
            return java(f"{prefix}.SinkFunctionProvider").of(function, *arguments)
        provider = java(f"{_PACKAGE}.{'SinkV2Provider' if has_class(f'{_PACKAGE}.SinkV2Provider') else 'SinkProvider'}")
        if shape == "stateless":
            return provider.of(stateless_sink(), *arguments)
        return provider.of(stateful_sink(committer=shape == "committing"), *arguments)

    def listWritableMetadata(self) -> Any:
        return metadata(self.context, self.spec.get("written_metadata", ()))

    applyWritableMetadata = applyStaticPartition = applyOverwrite = always(None)
    requiresPartitionGrouping = requiresBucketCount = always(False)
    applyTargetColumns = always(True)

    def listAlgorithms(self) -> Any:
        kinds = java("table.catalog.TableDistribution$Kind")
        return java("java.util.HashSet")(array_list(kinds.values()))

    def copy(self) -> Any:
        return sink(replace(self))


def sink(instance: Sink) -> Any:
    """The object for the planner."""
    more = ["WritingMetadata"] if metadata(instance.context, ()).size() else []
    abilities = ["Overwrite", "Partitioning", "Bucketing", *instance.spec.get("sink_abilities", ()), *more]
    return with_abilities(instance, [f"{_PACKAGE}.DynamicTableSink"], abilities)


def legacy_sink(*, stateful: bool) -> Any:
    """A sink function that does nothing; the state of one that has some is not known."""
    package = "streaming.api.functions.sink"
    if stateful:  # what it keeps its connector knows
        return stand_in({}, f"{package}.SinkFunction", "streaming.api.checkpoint.CheckpointedFunction")
    name = f"{package}.DiscardingSink"
    return java(name if has_class(name) else f"{package}.legacy.DiscardingSink")()


def stateful_sink(*, committer: bool) -> Any:
    """A sink with writer state, and with a committer, which keeps nothing."""
    serializer = stand_in({"getVersion": java("java.lang.Integer").valueOf(1)}, "core.io.SimpleVersionedSerializer")
    empty = array_list([])
    package, sinks, writers, committers = _sink_interfaces(committer=committer)
    writer = stand_in({"snapshotState": empty, "prepareCommit": empty}, *writers)
    answers = {"createWriter": writer, "restoreWriter": writer, "getWriterStateSerializer": serializer,
               "getCompatibleStateNames": empty}  # fmt: skip
    if committer:
        answers |= {"createCommitter": stand_in({}, *committers), "getCommittableSerializer": serializer}
    return stand_in(answers, f"{package}.Sink", *sinks)


def _sink_interfaces(*, committer: bool) -> tuple[str, list[str], list[str], list[str]]:
    """The package of sinks in this Flink; what a sink with state is, its writer, and its committer."""
    package = _sink_package()
    committers = [f"{package}.Committer"]
    if package.endswith("sink"):  # until 1.14
        return package, [], [f"{package}.SinkWriter"], committers
    if has_class(f"{package}.SupportsCommitter"):  # from 1.19 on
        abilities = ["SupportsWriterState", *(["SupportsCommitter"] if committer else [])]
        writers = [f"{package}.StatefulSinkWriter", f"{package}.CommittingSinkWriter"]
        return package, [f"{package}.{ability}" for ability in abilities], writers, committers
    sinks = ["checker.CommittingSink" if committer else f"{package}.StatefulSink"]
    return package, sinks, ["checker.CommittingSink$Writer"], committers


def stateless_sink() -> Any:
    """A sink that keeps nothing: Flink has one of its own from 1.20 on only."""
    package = _sink_package()
    empty = array_list([])
    writer = stand_in({"snapshotState": empty, "prepareCommit": empty}, f"{package}.SinkWriter")
    return stand_in({"createWriter": writer, "getCompatibleStateNames": empty}, f"{package}.Sink")


def _sink_package() -> str:
    return "api.connector.sink2" if has_class("api.connector.sink2.Sink") else "api.connector.sink"


Behind = Literal["forward", "key", "partitioner"]
"""How rows come to an operator."""


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
    behind: Behind = "forward"
    chains: Literal["ALWAYS", "HEAD"] | None = None
    """Its ``ChainingStrategy``; None is left to Flink."""
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
            if step.chains is not None:
                strategy = java("streaming.api.operators.ChainingStrategy").valueOf(step.chains)
                rows.getTransformation().setChainingStrategy(strategy)
        if has_class("streaming.api.functions.sink.DiscardingSink"):  # until 1.20
            end = rows.addSink(java("streaming.api.functions.sink.DiscardingSink")())
        else:
            end = rows.sinkTo(stateless_sink())
        return end.name(self.last).setParallelism(1 if self.single else parallelism)


def _behind(rows: Any, step: Step) -> Any:
    if step.behind == "key":
        types = java("api.common.typeinfo.Types")
        return rows.keyBy(java("api.java.functions.NullByteKeySelector")(), types.BYTE)
    return rows.rebalance() if step.behind == "partitioner" else rows


def _operator(step: Step) -> Any:
    if step.keeps is None:
        return java("streaming.api.operators.StreamMap")(stand_in({}, "api.common.functions.MapFunction"))
    return java("checker.KeepsLists")(_lists(step, union=False), _lists(step, union=True))


def _lists(step: Step, *, union: bool) -> Any:
    import jpype

    descriptor = java("api.common.state.ListStateDescriptor")
    kept = [descriptor(kept.name, kept.type) for kept in step.keeps or () if kept.union is union]
    return jpype.JArray(descriptor)(kept)
