"""A captured stream graph as a topology: the declarations from which Flink makes exactly that graph.

What differs between Flink's computation of the job and that of our core.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from checker.errors import ExtractionError
from checker.extract.datastream.table import table
from checker.extract.documents.fields import class_of, state_of
from checker.extract.documents.values import boolean, items, or_unknown
from checker.model.nested import Json
from checker.model.topology import ChainingStrategy, Kind, Mode, PartitionerKind, Topology, Transformation
from checker.model.translation import Translation
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
        return tuple(
            streams[0] if len(streams) == 1
            else self._declare(Transformation(id="", kind=Kind.UNION, inputs=tuple(streams)))
            for streams in by_type.values()
        )  # fmt: skip

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

    def _declare(self, transformation: Transformation) -> str:
        self.virtual += 1
        numbered = replace(transformation, id=f"@{transformation.kind} {self.virtual}")
        self.declared.append(numbered)
        return numbered.id

    def _physical(self, node: Json, inputs: tuple[str, ...]) -> Transformation:
        kind, name = self._kind_and_name(node)
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
            function=node.get("function"),
            yielding=node.get("yielding") if kind is Kind.OPERATOR else None,
            **_operator_and_state(node),
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


def _operator_and_state(node: Json) -> dict[str, Any]:
    """What is known of a captured node's operator and state. ``stateful`` None = follows from these."""
    operator = node.get("operator", "")
    simple = operator.rpartition(".")[2].rpartition("$")[2] or operator.rpartition(".")[2]
    stateful = None if node.get("stateful") is None else _stateful_of(node["stateful"], ("stateful",))
    if isinstance(stateful, Unknown) and node["keyed"] and operator.startswith("org.apache.flink.table.runtime."):
        stateful = True  # keyed operators of the SQL runtime register state or timers when they open
    return {
        "operator": CALLS.get(simple) if operator.startswith(_FLINK) else None,
        "state": _states_of(node.get("state", []), ("state",)),
        "stateful": stateful,
    }


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One value on which Flink and our core differ: Flink is right, and our core has a defect."""

    operator: str
    """The transformation's handle, or the name of a job vertex."""
    what: str
    flink: str
    ours: str

    def __str__(self) -> str:
        return f"{self.operator}: {self.what} is {self.flink} in Flink, {self.ours} in our core"


def disagreements(job: Json, translation: Translation) -> tuple[Disagreement, ...]:
    """Every value of ids, chains and job vertices that differs; empty when our core is exact.

    Graphs of batch jobs, which take no savepoints, are not compared: their exchanges and schedulers decide on chains.
    """
    if job.get("batch"):
        return ()
    if "refused" in job:
        if translation.refusal is not None:
            return ()
        cause = job["refused"][-1]
        return (Disagreement(translation.topology.name, "the job", f"refused ({cause['message']})", "accepted"),)
    if translation.stream_graph is None or translation.job_graph is None:
        reason = translation.refusal.message if translation.refusal else "not translated"
        return (Disagreement(translation.topology.name, "the job", "accepted", f"refused ({reason})"),)
    return (*_of_nodes(job, translation), *_of_vertices(job, translation))


def _of_nodes(job: Json, translation: Translation) -> Iterator[Disagreement]:
    assert translation.stream_graph is not None
    handles = handles_of(job)
    ids = {identity.node: identity.generated for identity in translation.identities}
    ours = {n.transformation: ids[n.number] for n in translation.stream_graph.nodes if n.transformation is not None}
    for node in job["nodes"]:
        flinks, mine = job["operator_ids"][str(node["id"])], ours.get(handles[node["id"]])
        if flinks != mine:
            yield Disagreement(handles[node["id"]], "the operator id", flinks, str(mine or "missing"))


def _of_vertices(job: Json, translation: Translation) -> Iterator[Disagreement]:
    job_graph = translation.job_graph
    assert job_graph is not None
    ids = [identity.generated for identity in translation.identities]
    users = [identity.user for identity in translation.identities]
    ours: dict[str | None, list[tuple[str, Any]]] = {}
    for place, vertex in enumerate(job_graph.vertices):
        inputs = [
            (ids[job_graph.vertices[e.source].head], e.ship.name, e.pattern.value) for e in job_graph.inputs_of(place)
        ]
        ours[ids[vertex.head]] = [
            ("parallelism", vertex.parallelism),
            ("max parallelism", vertex.max_parallelism),
            ("operators", [(ids[o], users[o]) for o in vertex.operators]),
            ("inputs", inputs),
        ]
    for vertex in job["vertices"]:
        mine = ours.pop(vertex["id"], None)
        if mine is None:
            yield Disagreement(vertex["name"], "the vertex", vertex["id"], "missing")
            continue
        flinks = (
            vertex["parallelism"],
            vertex["max_parallelism"],
            [(o["generated"], o["user"]) for o in vertex["operators"]],
            [(e["from"], e["ship"].partition("[")[0], e["pattern"]) for e in vertex["inputs"]],
        )
        for (what, value), flink in zip(mine, flinks, strict=True):
            if value != flink:
                yield Disagreement(vertex["name"], what, str(flink), str(value))
    for left in ours:
        yield Disagreement(str(left), "the vertex", "missing", "there")
