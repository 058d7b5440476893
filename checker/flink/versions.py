"""What differs between the graphs and ids of Flink versions, as data (of calls: ``model/flink_releases.py``).

Each field of ``Semantics`` is one difference; the table below gives its value for every supported minor
version. Sources: class by class comparison of StreamGraphGenerator, SinkTransformationTranslator and
StreamingJobGraphGenerator of the named releases, each confirmed by running them.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from checker.errors import UnsupportedFlinkError
from checker.model.flink_releases import NEWEST, SUPPORTED, judged_as
from checker.model.stream_graph import NodeKey
from checker.model.topology import ChainingStrategy
from checker.model.translation import Refusal, RefusalKind

_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.\d+)?(?:[-.].*)?")


class SinkShape(StrEnum):
    """How ``sinkTo`` becomes nodes."""

    WRITER_AND_COMMITTERS = "writer-and-committers"
    """1.13: ``Sink Writer: S``, ``Sink Committer: S``, ``Sink Global Committer: S``."""
    ONE_OPERATOR = "one-operator"
    """1.14: ``Sink S`` writes and commits; ``Sink S Global Committer``."""
    EXPANDED = "expanded"
    """1.15 and newer: pre-write, writer, pre-commit, committer, post-commit topologies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Semantics:
    """The differences that matter to graphs and ids, for one minor version."""

    version: str
    two_input_chaining: ChainingStrategy
    """Default strategy of two-input operators: visible in the graph, without effect on chains."""
    sink_shape: SinkShape
    sink_writer_yields: bool
    """The writer never chains behind a legacy source."""
    global_committer_keeps_chaining: bool
    """``disableChaining`` on a sink does not reach its global committer."""
    sink_topologies_need_committer: bool
    """A sink with a pre- or post-commit topology and no committer is refused."""
    max_parallelism_chaining_option: bool
    """``chain-operators-with-different-max-parallelism`` exists."""
    chained_source_names_everywhere: bool
    """Every chain head's name lists all chained sources of the job (a bug until 1.15)."""
    empty_names_allowed: bool
    """An empty uid hashes to 16 zero bytes and an empty name is taken; refused from 2.0."""
    ttl_switch_on_rocksdb: bool
    """State is taken over when time-to-live was switched on or off under it, by RocksDB and ForSt."""
    ttl_switch_on_heap: bool
    """The same by the heap backend."""
    kryo: int
    """The major version of Kryo, which writes types without a serializer of their own."""
    newest_metadata: int | None
    """The newest metadata version that it reads and writes (``MetadataSerializers``); None = not established."""


def _semantics(version: str) -> Semantics:
    major, minor = (int(part) for part in version.split("."))
    at = (major, minor)
    return Semantics(
        version=version,
        two_input_chaining=ChainingStrategy.HEAD if major == 1 else ChainingStrategy.ALWAYS,
        sink_shape=SinkShape.WRITER_AND_COMMITTERS
        if at == (1, 13)
        else SinkShape.ONE_OPERATOR
        if at == (1, 14)
        else SinkShape.EXPANDED,
        sink_writer_yields=at >= (1, 14),
        global_committer_keeps_chaining=at >= (1, 19),
        sink_topologies_need_committer=at >= (1, 19),
        max_parallelism_chaining_option=at >= (1, 18),
        chained_source_names_everywhere=at <= (1, 15),
        empty_names_allowed=major == 1,
        ttl_switch_on_rocksdb=at >= (2, 1),
        ttl_switch_on_heap=at >= (2, 2),
        kryo=2 if major == 1 else 5,
        newest_metadata=3
        if at <= (1, 14)
        else None
        if at == (1, 15)
        else 4
        if major == 1
        else 5
        if at == (2, 0)
        else 6,
    )


TABLE: dict[str, Semantics] = {version: _semantics(version) for version in SUPPORTED}


@cache
def semantics_of(version: str | None) -> Semantics:
    """The semantics of ``"1.20"`` or ``"1.20.5"``; None means the newest supported, 1.13 stands for 1.9 to 1.12.

    Raises UnsupportedFlinkError for anything else that is not between 1.13 and the newest supported minor.
    """
    if version is None:
        return TABLE[NEWEST]
    match = _VERSION.fullmatch(version)
    minor = judged_as(version) or (f"{match[1]}.{match[2]}" if match else version)
    if minor not in TABLE:
        nearest = nearest_supported(version)
        raise UnsupportedFlinkError(
            f"Flink version '{version}' is not supported; supported are {SUPPORTED[0]} to {NEWEST} "
            f'(judge it by the nearest one with flink = "{nearest}" or --flink {nearest})'
        )
    return TABLE[minor]


def nearest_supported(version: str) -> str:
    """The minor release that is supported and nearest to one that is not."""
    match = _VERSION.fullmatch(version)
    older = match is not None and (int(match[1]), int(match[2])) < tuple(map(int, SUPPORTED[0].split(".")))
    return SUPPORTED[0] if older else NEWEST


class RefusedError(Exception):
    """Flink would refuse the program here. Never leaves ``checker.flink``: it becomes ``Translation.refusal``."""

    def __init__(self, kind: RefusalKind, message: str, *operators: NodeKey) -> None:
        super().__init__(message)
        self.refusal = Refusal(kind=kind, message=message, operators=operators)
