"""States, and sides of joins, that trade places: each restores, and code looks for it where the other one is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from checker.compare.fit.states import type_changes
from checker.compare.fit.types import Fit
from checker.model.declared_state import StateDescriptor
from checker.model.stream_graph import StreamGraph, StreamNode
from checker.model.topology import Transformation
from checker.model.unknowns import Unknown


@dataclass(frozen=True, slots=True)
class Traded:
    """A state before and after, and the one that takes its place or whose place it takes."""

    before: StateDescriptor
    after: StateDescriptor
    instead: StateDescriptor


def traded_states(base: Transformation, head: Transformation) -> tuple[Traded, ...]:
    """The states that the head's code finds another one instead of, where its base looked for them.

    A field that is merely renamed is none of the head's. Only where the field of before still keeps a state, the code
    that works on it meets another one: here the state is in the field of a third, or in none that code uses.
    """
    if isinstance(base.state, Unknown) or isinstance(head.state, Unknown):
        return ()
    after = {state.name: state for state in head.state if isinstance(state.name, str)}
    places = {state.kept_in: state for state in base.state if state.kept_in is not None}
    kept_now = {state.kept_in: state for state in head.state if state.kept_in is not None}
    found = []
    for old in base.state:
        if not isinstance(old.name, str) or old.kept_in is None:
            continue
        new, successor = after.get(old.name), kept_now.get(old.kept_in)
        if new is None or successor is None or new.kept_in == old.kept_in:
            continue
        instead = successor if new.kept_in is None or new.unused else places.get(new.kept_in)
        if instead is not None and isinstance(instead.name, str) and instead.name != old.name and _alike(old, instead):
            found.append(Traded(old, new, instead))
    return tuple(found)


def _alike(state: StateDescriptor, kept_there: StateDescriptor) -> bool:
    """Whether code that works on one state can work on the other: else it fails, and no wrong value is read."""
    fits = (change.fit.fit is Fit.SAME for change in type_changes(state, kept_there))
    return state.kind == kept_there.kind and all(fits)


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
