"""A captured stream graph as a topology: the declarations from which Flink makes exactly that graph."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from checker.errors import ExtractionError
from checker.extract.datastream.table import table
from checker.extract.documents.fields import class_of, state_of
from checker.extract.documents.values import boolean, items, or_unknown
from checker.model.declared_state import StateDescriptor
from checker.model.nested import Json
from checker.model.topology import ChainingStrategy, Kind, Mode, PartitionerKind, Topology, Transformation
from checker.model.unknowns import Cause, Unknown

_SOURCE, _SINK = "Source: ", "Sink: "


def topology_of(job: Json, *, name: str, flink: str) -> Topology:
    """The topology of one captured job. Raises ExtractionError for one with iterations, which Flink 2 has no more.

    Sinks stand as the operators that Flink expanded them to, and each edge that is not what Flink would make by
    itself has its partition or side output declared before it. Two programs with the same graph have equal topologies.
    """
    if any("factory" not in node for node in job["nodes"]):
        raise ExtractionError("the graph of a program with iterations is not taken from a run")
    return Topology(
        name=name,
        transformations=tuple(_Declarations(job).all()),
        flink=flink,
        parallelism=1,
        max_parallelism=job["max_parallelism"] if job["max_parallelism"] > 0 else None,
        chaining=job["chaining"],
        auto_generate_uids=True,  # the capture came past that check, and expanded sinks would not pass it again
        chain_different_max_parallelism=job["chain_different_max_parallelism"],
        mode=Mode.BATCH if job["batch"] else Mode.STREAMING,
        extractor="flink",
    )


def handles_of(job: Json) -> dict[int, str]:
    """Flink's node id → the handle of the transformation, the same for graphs that name their operators alike."""
    used: Counter[str] = Counter()
    handles = {}
    for node in job["nodes"]:
        base = node["uid"] or node["name"] or "operator"
        used[base] += 1
        handles[node["id"]] = base if used[base] == 1 else f"{base} #{used[base]}"
    return handles


@dataclass(slots=True)
class _Declarations:
    """Transformations in an order in which Flink translates them to the same nodes and edges."""

    job: Json
    nodes: dict[int, Json] = field(init=False)
    handles: dict[int, str] = field(init=False)
    declared: list[Transformation] = field(default_factory=list)
    virtual: int = 0

    def __post_init__(self) -> None:
        self.nodes = {node["id"]: node for node in self.job["nodes"]}
        self.handles = handles_of(self.job)

    def all(self) -> list[Transformation]:
        """Sources by Flink's id, which orders hashing; the others so that every edge list comes out in its order."""
        sources = sorted(i for i in self.job["sources"] if i in self.nodes)
        for number in sources:
            self.declared.append(self._physical(self.nodes[number], ()))
        for number in self._in_translation_order(set(sources)):
            node = self.nodes[number]
            self.declared.append(self._physical(node, self._inputs(node)))
        return self.declared

    def _in_translation_order(self, sources: set[int]) -> list[int]:
        """A node comes after its inputs and after every earlier target of each of its inputs."""
        after: dict[int, set[int]] = {i: set() for i in self.nodes if i not in sources}
        for node in self.nodes.values():
            targets = list(dict.fromkeys(e["to"] for e in node["out"] if e["to"] in after))
            for place, target in enumerate(targets):
                if place:
                    after[target].add(targets[place - 1])
                if node["id"] in after:
                    after[target].add(node["id"])
        followers: dict[int, list[int]] = {i: [] for i in after}
        for number, before in after.items():
            for source in before:
                followers[source].append(number)
        waiting = {number: len(before) for number, before in after.items()}
        ready = sorted((n for n, count in waiting.items() if not count), reverse=True)
        order = []
        while ready:
            number = ready.pop()
            order.append(number)
            free = []
            for follower in followers[number]:
                waiting[follower] -= 1
                if not waiting[follower]:
                    free.append(follower)
            ready.extend(sorted(free, reverse=True))
        return order

    def _inputs(self, node: Json) -> tuple[str, ...]:
        """The operator's inputs by number: streams of one input come as a union."""
        by_type: dict[int, list[str]] = {}
        taken: Counter[tuple[int, int]] = Counter()
        for edge in node["in"]:
            by_type.setdefault(edge["type"], []).append(self._edge(edge, node, taken))
        return tuple(streams[0] if len(streams) == 1 else self._union(streams) for streams in by_type.values())

    def _edge(self, in_edge: Json, node: Json, taken: Counter[tuple[int, int]]) -> str:
        """The handle of the stream that an edge reads: the upstream operator, or what is declared in between."""
        source = self.nodes[in_edge["from"]]
        same = [e for e in source["out"] if e["to"] == node["id"] and e["type"] == in_edge["type"]]
        key = (source["id"], in_edge["type"])
        edge = same[taken[key]]
        taken[key] += 1
        handle = self.handles[source["id"]]
        if edge["tag"] is not None:
            side = Transformation(id="", kind=Kind.SIDE_OUTPUT, inputs=(handle,), tag=edge["tag"])
            handle = self._declare(side)
        partitioner = _partitioner(edge)
        equal = source["parallelism"] == node["parallelism"]
        default = PartitionerKind.FORWARD if equal else PartitionerKind.REBALANCE
        if partitioner is not default:
            partition = Transformation(id="", kind=Kind.PARTITION, inputs=(handle,), partitioner=partitioner)
            handle = self._declare(partition)
        return handle

    def _union(self, streams: list[str]) -> str:
        return self._declare(Transformation(id="", kind=Kind.UNION, inputs=tuple(streams)))

    def _declare(self, transformation: Transformation) -> str:
        self.virtual += 1
        numbered = replace(transformation, id=f"@{transformation.kind} {self.virtual}")
        self.declared.append(numbered)
        return numbered.id

    def _physical(self, node: Json, inputs: tuple[str, ...]) -> Transformation:
        kind, name = self._kind_and_name(node)
        known = describe(node)
        return Transformation(
            id=self.handles[node["id"]],
            kind=kind,
            inputs=inputs,
            name=name,
            uid=node["uid"],
            uid_hash=node["uid_hash"],
            parallelism=_positive(node["parallelism"]),
            max_parallelism=_positive(node["max_parallelism"]),
            slot_sharing_group=node["slot_sharing_group"],
            chaining=ChainingStrategy(node["chaining"]),
            keyed=node["keyed"],
            key_type=node.get("key_type"),
            key_classes=tuple(class_of(shape, ("key_classes",)) for shape in node.get("key_classes", ())),
            operator=known.call,
            function=node.get("function"),
            state=known.state,
            stateful=known.stateful,
            yielding=node.get("yielding") if kind is Kind.OPERATOR else None,
        )

    def _kind_and_name(self, node: Json) -> tuple[Kind, str]:
        name: str = node["name"]
        if node["id"] in self.job["sources"]:
            kind = Kind.LEGACY_SOURCE if node["legacy_source"] else Kind.SOURCE
            return kind, name.removeprefix(_SOURCE)
        if node["id"] in self.job["sinks"] and name.startswith(_SINK):
            return Kind.LEGACY_SINK, name.removeprefix(_SINK)
        return Kind.OPERATOR, name


def _partitioner(edge: Json) -> PartitionerKind | Unknown:
    name = edge["partitioner"].partition("[")[0]
    try:
        return PartitionerKind(name.lower())
    except ValueError:
        if edge["partitioner_class"].startswith("ForwardFor"):
            return PartitionerKind.FORWARD
        return Unknown(f"a partitioner of the program's own: {edge['partitioner_class']}", Cause.EXTERNAL)


def _positive(number: int) -> int | None:
    return number if number > 0 else None


CALLS = table("calls_that_make_operators")
"""Simple name of Flink's operator class → the call that makes it."""

_states_of = or_unknown(items(state_of))
_stateful_of = or_unknown(boolean)
_FLINK = "org.apache.flink."


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """``call`` as in ``Transformation.operator``; ``stateful`` None = follows from the call and the state."""

    call: str | None
    state: tuple[StateDescriptor, ...] | Unknown = ()
    stateful: bool | Unknown | None = None


def describe(node: Json) -> Known:
    """What is known of a captured node's operator and state."""
    operator = node.get("operator", "")
    simple = operator.rpartition(".")[2].rpartition("$")[2] or operator.rpartition(".")[2]
    call = CALLS.get(simple) if operator.startswith(_FLINK) else None
    state = _states_of(node.get("state", []), ("state",))
    stateful = None if node.get("stateful") is None else _stateful_of(node["stateful"], ("stateful",))
    if isinstance(stateful, Unknown) and node["keyed"] and operator.startswith("org.apache.flink.table.runtime."):
        stateful = True  # keyed operators of the SQL runtime register state or timers when they open
    return Known(call=call, state=state, stateful=stateful)
