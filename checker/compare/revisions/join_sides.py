"""Joins whose inputs trade places: what is kept of the elements of one side is read as that of the other."""

from __future__ import annotations

from collections.abc import Mapping

from checker.model.stream_graph import StreamGraph, StreamNode

TRADED = "its inputs trade places, and what was kept of either one is read as the other's"
_MARKING = ("#tag1", "#tag2")
"""In the handles of the maps that mark the elements of either side, in front of the window of a join."""
_Side = frozenset[tuple[int, str | None]]
"""The operators that feed one side of a join, each with the side output that is taken of it."""


def sides_traded(
    base: StreamGraph, before: StreamNode, head: StreamGraph, after: StreamNode, head_of: Mapping[int, int]
) -> bool:
    """Whether each side of a join is fed by what fed the other one; ``head_of`` are the operators of the head."""
    left, right = (frozenset((head_of.get(n, -1), tag) for n, tag in side) for side in _sides(base, before))
    return left != right and _sides(head, after) == [right, left]


def _sides(graph: StreamGraph, join: StreamNode) -> list[_Side]:
    """What feeds the two sides of an operator that keeps elements by side; of other operators nothing."""
    inputs = graph.inputs_of(join)
    if join.declared.operator == "interval-join":
        return [frozenset((edge.source, edge.tag) for edge in inputs if edge.type == side) for side in (1, 2)]
    maps = [graph.nodes[edge.source] for edge in inputs]
    marked = [[node for node in maps if mark in node.declared.id] for mark in _MARKING]
    return [frozenset((e.source, e.tag) for node in side for e in graph.inputs_of(node)) for side in marked]
