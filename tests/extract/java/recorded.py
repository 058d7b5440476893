"""Compares what the tool makes of a program with what a real Flink made of it.

A recorded graph has ``nodes`` in creation order, ``edges`` as [from, to, input type, partitioner, tag] and
``vertices`` as [id, name, generated operator ids in chain order].
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from checker.model.graphs import StreamNode, Translation

UNSTABLE_NAMES = ("TriggerWindow(", "Window(")
"""Names that hold identity hash codes of the recording JVM."""


class Outcome(StrEnum):
    """How a program's reading compares with the recording."""

    EXACT = "exact"
    UNDECIDED = "undecided"
    SILENT = "differs silently"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcome and its first reason."""

    outcome: Outcome
    reason: str = ""


def compare(translation: Translation, recorded: dict[str, Any]) -> Comparison:
    """Compare with a recorded graph: nodes, edges, vertices and ids.

    Undecided is only what says so and claims no id that Flink did not give.
    """
    nodes = recorded["nodes"]
    truth = {node["operator_id"] for node in nodes if "operator_id" in node}
    truth.update(operator for vertex in recorded["vertices"] for operator in vertex[2])
    if translation.refusal is not None:
        return Comparison(Outcome.SILENT, f"refused: {translation.refusal.kind}: {translation.refusal.message}")
    graph = translation.stream_graph
    if graph is None or translation.job_graph is None:
        return Comparison(Outcome.UNDECIDED, "no graph")
    if not translation.certain:
        for identity in translation.identities:
            if identity.generated is not None and identity.generated not in truth:
                name = graph.nodes[identity.node].name
                return Comparison(Outcome.SILENT, f"claims {identity.generated} for '{name}', which Flink never gave")
        first = translation.undecided[0].unknown
        return Comparison(Outcome.UNDECIDED, f"{first.reason} [{first.cause}] {first.location or ''}")
    return _compare_certain(translation, recorded)


def _compare_certain(translation: Translation, recorded: dict[str, Any]) -> Comparison:
    graph, job = translation.stream_graph, translation.job_graph
    assert graph is not None
    assert job is not None
    ids = {identity.node: identity.generated for identity in translation.identities}
    ours = [_node(node, ids[node.number]) for node in graph.nodes]
    recorded = _aligned(recorded, ours)
    theirs = [{key: node[key] for key in (ours or [node])[0] if key in node} for node in recorded["nodes"]]
    if len(ours) != len(theirs):
        missing = f"{len(theirs)} nodes in Flink {[n['name'] for n in theirs]}, {len(ours)} here"
        return Comparison(Outcome.SILENT, f"{missing} {[n['name'] for n in ours]}")
    for number, (mine, true) in enumerate(zip(ours, theirs, strict=True)):
        for key, value in true.items():
            if key == "name" and str(value).startswith(UNSTABLE_NAMES):
                continue
            if mine[key] != value:
                return Comparison(
                    Outcome.SILENT, f"node {number} '{true['name']}': {key} is {value!r} in Flink, {mine[key]!r} here"
                )
    edges = sorted([e.source, e.target, e.type, str(e.partitioner).split("_FOR")[0], e.tag] for e in graph.edges)
    if edges != sorted(list(edge) for edge in recorded["edges"]):
        return Comparison(Outcome.SILENT, f"edges are {recorded['edges']} in Flink, {edges} here")
    vertices = sorted([ids[v.head], v.name, [ids[operator] for operator in v.operators]] for v in job.vertices)
    for mine_vertex, true_vertex in zip(vertices, sorted(recorded["vertices"]), strict=False):
        named = any(name in true_vertex[1] for name in UNSTABLE_NAMES)
        if [mine_vertex[0], mine_vertex[2]] != [true_vertex[0], true_vertex[2]] or (
            not _same(true_vertex[1], mine_vertex[1]) and not named
        ):
            return Comparison(Outcome.SILENT, f"vertex is {true_vertex} in Flink, {mine_vertex} here")
    if len(vertices) != len(recorded["vertices"]):
        return Comparison(Outcome.SILENT, f"{len(recorded['vertices'])} vertices in Flink, {len(vertices)} here")
    return Comparison(Outcome.EXACT)


def _aligned(recorded: dict[str, Any], ours: list[dict[str, Any]]) -> dict[str, Any]:
    """Iterations number their nodes apart: the recording with its nodes in our order, where they are the same nodes."""
    if not any(node["name"].startswith("Iteration") for node in recorded["nodes"]):
        return recorded
    keys = ("operator_id", "name") if "operator_id" in recorded["nodes"][0] else ("name", "parallelism")
    free = list(enumerate(recorded["nodes"]))
    order: list[int] = []
    for mine in ours:
        match = next((pair for pair in free if all(_same(pair[1][key], mine[key]) for key in keys)), None)
        if match is None:
            return recorded
        free.remove(match)
        order.append(match[0])
    place = {number: rank for rank, number in enumerate(order)}
    if len(place) != len(recorded["nodes"]):
        return recorded
    nodes = [{**recorded["nodes"][n], "name": ours[r]["name"]} for r, n in enumerate(order)]
    edges = [[place[edge[0]], place[edge[1]], *edge[2:]] for edge in recorded["edges"]]
    return {**recorded, "nodes": nodes, "edges": edges}


def _same(theirs: Any, mine: Any) -> bool:
    """Equal but for the number in the name of an iteration's node."""
    return bool(_counted(theirs) == _counted(mine))


def _counted(name: Any) -> Any:
    return re.sub(r"(Iteration(?:Source|Sink))-\d+", r"\1", name) if isinstance(name, str) else name


def _node(node: StreamNode, generated: str | None) -> dict[str, Any]:
    return {
        "operator_id": generated,
        "name": node.name,
        "uid": node.uid,
        "uid_hash": node.uid_hash,
        "parallelism": node.parallelism,
        "max_parallelism": node.max_parallelism,
        "slot_sharing_group": node.slot_sharing_group,
        "chaining": str(node.chaining).upper().replace("-", "_") if node.chaining is not None else None,
    }


def compare_ids(translation: Translation, recorded: list[str]) -> Comparison:
    """Compare only the operator ids, by creation order of the nodes."""
    if translation.refusal is not None:
        return Comparison(Outcome.SILENT, f"refused: {translation.refusal.kind}: {translation.refusal.message}")
    ids = [identity.generated for identity in sorted(translation.identities, key=lambda i: i.node)]
    if not translation.certain:
        wrong = [i for i in ids if i is not None and i not in recorded]
        if wrong:
            return Comparison(Outcome.SILENT, f"claims {wrong[0]}, which Flink never gave")
        return Comparison(Outcome.UNDECIDED, translation.undecided[0].unknown.reason)
    if ids != recorded:
        return Comparison(Outcome.SILENT, f"ids are {recorded} in Flink, {ids} here")
    return Comparison(Outcome.EXACT)
