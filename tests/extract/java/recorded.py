"""Compares what the tool makes of a program with what a real Flink made of it.

A recorded graph has ``nodes`` in creation order, ``edges`` as [from, to, input type, partitioner, tag] and
``vertices`` as [id, name, generated operator ids in chain order].
"""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from checker.flink.operator_ids import operator_id
from checker.model.stream_graph import StreamNode
from checker.model.translation import Translation

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
    truth.update(str(operator_id(node["uid"])) for node in nodes if node.get("uid"))  # also of sources in a chain
    if translation.refusal is not None:
        return Comparison(Outcome.SILENT, f"refused: {translation.refusal.kind}: {translation.refusal.message}")
    graph = translation.stream_graph
    if graph is None or translation.job_graph is None:
        return Comparison(Outcome.UNDECIDED, "no graph")
    if not translation.certain:
        everything = any(not undecided.nodes for undecided in translation.undecided)
        for identity in () if everything else translation.identities:
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
    edges = sorted([e.source, e.target, e.type, e.partitioner.name, e.tag] for e in graph.edges)
    recorded = _aligned(recorded, ours, edges)
    for node, mine in zip(graph.nodes, ours, strict=True):
        if node.key in translation.open_parallelism:
            del mine["parallelism"]  # said not to be known
    theirs = [{key: node[key] for key in _COMPARED if key in node} for node in recorded["nodes"]]
    if len(ours) != len(theirs):
        missing = f"{len(theirs)} nodes in Flink {[n['name'] for n in theirs]}, {len(ours)} here"
        return Comparison(Outcome.SILENT, f"{missing} {[n['name'] for n in ours]}")
    for number, (mine, true) in enumerate(zip(ours, theirs, strict=True)):
        for key, value in true.items():
            if key not in mine:
                continue
            if key == "name" and str(value).startswith(UNSTABLE_NAMES):
                continue
            if mine[key] != value:
                return Comparison(
                    Outcome.SILENT, f"node {number} '{true['name']}': {key} is {value!r} in Flink, {mine[key]!r} here"
                )
    if translation.open_partitioners:
        edges, recorded = [e[:3] for e in edges], {**recorded, "edges": [e[:3] for e in recorded["edges"]]}
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


_COMPARED = (
    "operator_id", "name", "uid", "uid_hash", "parallelism", "max_parallelism", "slot_sharing_group", "chaining",
)  # fmt: skip


def _aligned(recorded: dict[str, Any], ours: list[dict[str, Any]], edges: list[list[Any]]) -> dict[str, Any]:
    """The recording with its nodes in our order, where that order says nothing.

    A transformation may be created before its inputs are.
    """
    theirs = recorded["nodes"]
    if [node["name"] for node in theirs] == [node["name"] for node in ours]:
        return recorded
    identified = "operator_id" in theirs[0]
    labels = _labels(ours, edges, identified)
    free = list(enumerate(_labels(theirs, recorded["edges"], identified)))
    order: list[int] = []
    for label in labels:
        match = next((pair for pair in free if pair[1] == label), None)
        if match is None:
            return recorded
        free.remove(match)
        order.append(match[0])
    if free:
        return recorded
    place = {number: rank for rank, number in enumerate(order)}
    nodes = [{**theirs[n], "name": ours[r]["name"]} for r, n in enumerate(order)]
    moved = [[place[edge[0]], place[edge[1]], *edge[2:]] for edge in recorded["edges"]]
    return {**recorded, "nodes": nodes, "edges": moved}


def _labels(nodes: list[dict[str, Any]], edges: list[list[Any]], identified: bool) -> list[str]:
    """A name of each node made of its own name and those around it, four steps far."""
    labels = [
        f"{_counted(node['name'])}|{node.get('operator_id') if identified else ''}|{node['uid']}" for node in nodes
    ]
    for _ in range(4):
        around: list[list[str]] = [[label] for label in labels]
        for source, target, kind, partitioner, tag in edges:
            around[source].append(f">{labels[target]}{kind}{partitioner}{tag}")
            around[target].append(f"<{labels[source]}{kind}{partitioner}{tag}")
        labels = [hashlib.sha1("".join([first, *sorted(rest)]).encode()).hexdigest() for first, *rest in around]
    return labels


def _same(theirs: Any, mine: Any) -> bool:
    """Equal but for the number in the name of an iteration's node."""
    return bool(_counted(theirs) == _counted(mine))


def _counted(name: Any) -> Any:
    return re.sub(r"(Iteration(?:Source|Sink))-\d+", r"\1", name) if isinstance(name, str) else name


def _node(node: StreamNode, generated: str | None) -> dict[str, Any]:
    return {
        "operator_id": generated,
        "name": node.name,
        "uid": node.uid.encode("utf-8", "replace").decode() if isinstance(node.uid, str) else node.uid,
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
        everything = any(not undecided.nodes for undecided in translation.undecided)
        wrong = [i for i in ids if i is not None and i not in recorded]
        if wrong and not everything:
            return Comparison(Outcome.SILENT, f"claims {wrong[0]}, which Flink never gave")
        return Comparison(Outcome.UNDECIDED, translation.undecided[0].unknown.reason)
    if ids != recorded:
        return Comparison(Outcome.SILENT, f"ids are {recorded} in Flink, {ids} here")
    return Comparison(Outcome.EXACT)
