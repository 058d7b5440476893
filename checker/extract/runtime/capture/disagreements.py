"""What differs between two computations of one job: Flink's and our core's, or two runs of one program.

What differs between runs in fresh JVMs will differ in every deployment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from checker.extract.runtime.capture.topologies import handles_of
from checker.model.nested import Json
from checker.model.translation import Translation


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
    """Every value of ids, edges, chains and job vertices that differs; empty when our core is exact."""
    if "refused" in job:
        if translation.refusal is not None:
            return ()
        cause = job["refused"][-1]
        return (Disagreement(translation.topology.name, "the job", f"refused ({cause['message']})", "accepted"),)
    if translation.stream_graph is None or translation.job_graph is None:
        reason = translation.refusal.message if translation.refusal else "not translated"
        return (Disagreement(translation.topology.name, "the job", "accepted", f"refused ({reason})"),)
    return (*_of_nodes(job, translation), *_of_vertices(job, translation))


def _of_nodes(job: Json, translation: Translation) -> list[Disagreement]:
    graph = translation.stream_graph
    assert graph is not None
    handles = handles_of(job)
    several = {n["id"] for n in job["nodes"] if len({e["type"] for e in n["in"]}) > 1}
    found: list[Disagreement] = []
    ours = {node.transformation: node for node in graph.nodes if node.transformation is not None}
    ids = {identity.node: identity.generated for identity in translation.identities}
    numbers = {node.number: node.transformation for node in graph.nodes}
    for node in job["nodes"]:
        handle = handles[node["id"]]
        if node["chaining"] is None:  # the two ends of an iteration: our core names them by itself
            continue
        mine = ours.get(handle)
        if mine is None:
            found.append(Disagreement(handle, "the operator", "there", "missing"))
            continue
        pairs: list[tuple[str, Any, Any]] = [
            (field, node[field], getattr(mine, field))
            for field in ("name", "uid", "parallelism", "max_parallelism", "slot_sharing_group")
        ]
        pairs.append(("operator id", job["operator_ids"][str(node["id"])], ids[mine.number]))
        flinks = [_edge(handles[e["to"]], e, e["to"] in several) for e in node["out"] if not _iteration(e["to"], job)]
        mines = [
            (
                numbers[edge.target],
                edge.type if len(graph.nodes[edge.target].declared.inputs) > 1 else 0,
                str(edge.partitioner.value).partition("_FOR_")[0],
                edge.exchange.value,
                edge.tag,
                translation.decisions[edge.number].chained,
            )
            for edge in graph.outputs_of(mine)
            if numbers[edge.target] in ours and graph.nodes[edge.target].chaining is not None
        ]
        pairs.append(("edges", flinks, mines))
        found.extend(Disagreement(handle, what, str(a), str(b)) for what, a, b in pairs if a != b)
    return found


def _iteration(number: int, job: Json) -> bool:
    return any(n["id"] == number and n["chaining"] is None for n in job["nodes"])


def _edge(target: str, edge: Json, several: bool) -> tuple[Any, ...]:
    """An edge as both sides say it; a multi-input operator may have one input, which Flink then calls 1."""
    partitioner = edge["partitioner"].partition("[")[0]
    return (target, edge["type"] if several else 0, partitioner, edge["exchange"], edge["tag"], edge["chainable"])


def _of_vertices(job: Json, translation: Translation) -> list[Disagreement]:
    graph, job_graph = translation.stream_graph, translation.job_graph
    assert graph is not None
    assert job_graph is not None
    ids = [identity.generated for identity in translation.identities]
    users = [identity.user for identity in translation.identities]
    ours: dict[str | None, list[tuple[str, Any]]] = {}
    for place, vertex in enumerate(job_graph.vertices):
        ours[ids[vertex.head]] = [
            ("parallelism", vertex.parallelism),
            ("max parallelism", vertex.max_parallelism),
            ("operators", [(ids[o], users[o]) for o in vertex.operators]),
            (
                "inputs",
                [
                    (ids[job_graph.vertices[e.source].head], str(e.ship.value).partition("_FOR_")[0], e.pattern.value)
                    for e in job_graph.inputs_of(place)
                ],
            ),
        ]
    found: list[Disagreement] = []
    for vertex in job["vertices"]:
        mine = ours.pop(vertex["id"], None)
        if mine is None:
            found.append(Disagreement(vertex["name"], "the vertex", vertex["id"], "missing"))
            continue
        flinks: Sequence[Any] = (
            vertex["parallelism"],
            vertex["max_parallelism"],
            [(o["generated"], o["user"]) for o in vertex["operators"]],
            [(e["from"], e["ship"].partition("[")[0], e["pattern"]) for e in vertex["inputs"]],
        )
        for (what, value), flink in zip(mine, flinks, strict=True):
            if job["batch"] and what != "operators":
                continue  # the batch scheduler decides it when the job runs
            if value != flink:
                found.append(Disagreement(vertex["name"], what, str(flink), str(value)))
    found.extend(Disagreement(str(left), "the vertex", "missing", "there") for left in ours)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Unstable:
    """One operator whose identity, or a job whose shape, differs from run to run."""

    job: int
    operator: str
    """The operator's name in the first run, empty where the whole graph differs."""
    what: str
    first: str
    second: str

    def __str__(self) -> str:
        subject = f"operator '{self.operator}'" if self.operator else "the job"
        return f"{subject}: {self.what} is {self.first} in one run and {self.second} in the next of the same program"


def unstable(first: tuple[Json, ...], second: tuple[Json, ...]) -> tuple[Unstable, ...]:
    """Uids, ids and shapes that differ between two runs, by operator; empty when a program is deterministic."""
    if len(first) != len(second):
        return (
            Unstable(job=0, operator="", what="the number of jobs", first=str(len(first)), second=str(len(second))),
        )
    found: list[Unstable] = []
    for number, (first_job, second_job) in enumerate(zip(first, second, strict=True)):
        found.extend(_of_job(number, first_job, second_job))
    return tuple(found)


def _of_job(number: int, first: Json, second: Json) -> list[Unstable]:
    names = [[node["name"] for node in job["nodes"]] for job in (first, second)]
    if len(names[0]) != len(names[1]):
        sizes = [f"{len(n)} operators" for n in names]
        return [Unstable(job=number, operator="", what="its size", first=sizes[0], second=sizes[1])]
    ids = [job.get("operator_ids", {}) for job in (first, second)]
    found = []
    for a, b in zip(first["nodes"], second["nodes"], strict=True):
        pairs = [(field, a[field], b[field]) for field in ("uid", "uid_hash")]
        pairs.append(("operator id", ids[0].get(str(a["id"])), ids[1].get(str(b["id"]))))
        different = next(((what, x, y) for what, x, y in pairs if x != y), None)
        if different:
            what, x, y = different
            found.append(Unstable(job=number, operator=a["name"], what=what, first=str(x), second=str(y)))
    return found
