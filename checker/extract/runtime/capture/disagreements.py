"""What differs between two computations of one job: Flink's and our core's."""

from __future__ import annotations

from collections.abc import Iterator
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
