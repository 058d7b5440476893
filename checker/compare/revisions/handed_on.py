"""Ids that were handed on: an operator that is another one by all that the program says of it besides its id.

Uids made of a list's positions move along the list when an entry is put in front or taken out. The operators of a list
run one function; which entry an operator is for shows in its name, in what its function holds, in what it reads, and in
what feeds it.

States, and sides of joins, that trade places: each restores, and code looks for it where the other one is.
"""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from checker.compare.fit.states import type_changes
from checker.compare.fit.types import Fit
from checker.compare.revisions.likeness import Traits, can_be_one
from checker.compare.revisions.programs import AcceptedProgram
from checker.model.declared_state import Meaning, StateDescriptor
from checker.model.nested import unique
from checker.model.stream_graph import StreamGraph, StreamNode
from checker.model.topology import Transformation

_NUMBER = re.compile(r"\d+")
_LONGEST = 20
"""How many steps upstream of operators are looked at for what tells them apart."""


@dataclass(frozen=True, slots=True)
class Side:
    """One revision: its program, and the traits of its operators by node number."""

    program: AcceptedProgram
    traits: Mapping[int, Traits]

    def inputs(self, number: int) -> tuple[int, ...]:
        """The nodes that feed a node."""
        return tuple(edge.source for edge in self.program.graph.inputs_of(self.program.graph.nodes[number]))

    def ends(self, number: int) -> frozenset[str]:
        """What the sinks are called that a node feeds in the end."""
        found, pending = {number}, [number]
        while pending:
            targets = {edge.target for edge in self.program.graph.outputs_of(self.program.graph.nodes[pending.pop()])}
            pending += targets - found
            found |= targets
        nodes = (self.program.graph.nodes[n] for n in found)
        return frozenset(str(n.name) for n in nodes if not self.program.graph.outputs_of(n))

    def family(self, number: int) -> Hashable:
        """What the operators of a list have in common."""
        node = self.traits[number].node if number in self.traits else self.program.graph.nodes[number]
        return (node.kind, node.role, node.declared.operator, node.declared.function)

    def says(self, number: int) -> tuple[str | None, tuple[str, ...], str | None, tuple[str, ...], Meaning | None]:
        """An operator's name, key and reads, what its function holds or SQL computes: all but its id and inputs."""
        declared = self.traits[number].node.declared
        key = declared.key if isinstance(declared.key, str) else None
        return (self.traits[number].given_name, declared.reads, key, declared.function_values, declared.meaning)


def handed_on(base: Side, head: Side, head_of: Mapping[int, int]) -> dict[int, int]:
    """Base node → head node for operators that are not what their id says; ``head_of`` is what ids say.

    Goes along the graph: what feeds an operator decides, so the inputs of all that is compared are settled before.
    """
    moved: dict[int, int] = {}
    settled = dict(head_of)
    bases = {head: base for base, head in head_of.items()}
    alike, alike_before = _alike(head), _alike(base)
    of_alike = {alike_before[number]: counterpart for number, counterpart in head_of.items()}
    keys = {n: _whole(head, n, [alike[i] for i in head.inputs(n)]) for n in head.traits}
    after = unique((key, number) for number, key in keys.items())
    for layer in _layers(base):
        fed = {n: [settled.get(i, of_alike.get(alike_before[i], -1)) for i in base.inputs(n)] for n in layer}
        whole = {n: _whole(base, n, [alike.get(i) for i in inputs]) for n, inputs in fed.items() if n in base.traits}
        before = unique((key, number) for number, key in whole.items())
        for key, number in before.items():
            counterpart = after.get(key)
            rival = head_of.get(number)
            if counterpart is None or rival == counterpart or _ends_as_before(base, number, head, rival, counterpart):
                continue
            fed_by_moved = any(i in moved for i in base.inputs(number))
            if (
                rival in keys
                and keys[rival] not in before
                and not fed_by_moved
                and not _numbered(base, number, head, counterpart)
                and not _named_apart(base, number, head, rival)
                and not _made_at_one_place(head, rival, counterpart)
            ):
                continue  # a setting of an operator may come to be what another one's was
            rivals = [
                *_for_another_entry(head, rival, counterpart),
                *_for_another_entry(base, bases.get(counterpart), number),
            ]
            if rivals and all(rivals) and can_be_one(base.traits[number].node, head.traits[counterpart].node):
                moved[number] = settled[number] = counterpart
                former = bases.get(counterpart)
                if former is not None and former not in moved:
                    del settled[former]
                    of_alike.pop(alike_before[former], None)
    return moved


def _ends_as_before(base: Side, number: int, head: Side, rival: int | None, counterpart: int) -> bool:
    """Whether what an operator of SQL computes goes into the tables that it went into, under its id only.

    Its statement has another filter or key then, which may be what another statement had.
    """
    if rival is None or base.traits[number].node.declared.meaning is None:
        return False
    return base.ends(number) == head.ends(rival) != head.ends(counterpart)


def _numbered(base: Side, number: int, head: Side, counterpart: int) -> bool:
    """Whether the ids of an operator in base and head are equal but for numbers, which are places in a list."""
    uids = (base.traits[number].node.uid, head.traits[counterpart].node.uid)
    return len({_NUMBER.sub("", uid) if isinstance(uid, str) else None for uid in uids}) == 1


def _named_apart(base: Side, number: int, head: Side, rival: int) -> bool:
    """Whether two operators differ in what they are called, by more than a number, or in what they read."""
    names = [(_NUMBER.sub("", name or ""), reads) for name, reads, *_ in (base.says(number), head.says(rival))]
    return names[0] != names[1]


def _made_at_one_place(side: Side, *numbers: int) -> bool:
    """Whether one call makes these operators, so that they are entries of a list."""
    places = {side.traits[number].node.declared.location for number in numbers}
    return len(places) == 1 and None not in places


def _for_another_entry(side: Side, rival: int | None, number: int) -> Iterator[bool]:
    """Whether the operator that has the id stands beside this one in a list, for another entry; nothing for none."""
    if rival is not None:
        yield _beside(side, rival, number, _LONGEST)


def _beside(side: Side, rival: int, number: int, steps: int) -> bool:
    """Whether two operators differ in what the program says of them, or of what feeds them through the same steps."""
    if not steps or side.family(rival) != side.family(number):
        return False
    if number not in side.traits or rival not in side.traits or side.says(rival) != side.says(number):
        return rival in side.traits and number in side.traits
    feeds = side.inputs(rival), side.inputs(number)
    return len(feeds[0]) == len(feeds[1]) and any(_beside(side, *pair, steps - 1) for pair in zip(*feeds, strict=True))


def _whole(side: Side, number: int, inputs: Sequence[int | None]) -> Hashable | None:
    """All that the program says of an operator; None where it is not known what feeds it in the head."""
    if None in inputs:
        return None
    return (side.family(number), side.says(number), frozenset(inputs))


def _alike(side: Side) -> dict[int, int]:
    """Node → the first of those behind the same operators that nothing tells apart from it."""
    firsts: dict[Hashable, int] = {}
    found: dict[int, int] = {}
    for number in (n for layer in _layers(side) for n in sorted(layer)):
        inputs = [found.get(i, i) for i in side.inputs(number)]
        known = number in side.traits and inputs
        found[number] = firsts.setdefault(_whole(side, number, inputs), number) if known else number
    return found


def _layers(side: Side) -> list[set[int]]:
    """The nodes by their greatest distance from a source."""
    depth: dict[int, int] = {}
    for node in side.program.graph.nodes:  # ascending numbers: inputs come first, but for feedback
        depth[node.number] = 1 + max((depth.get(n, -1) for n in side.inputs(node.number)), default=-1)
    layers: list[set[int]] = [set() for _ in range(max(depth.values(), default=-1) + 1)]
    for number, at in depth.items():
        layers[at].add(number)
    return layers


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
    after = {state.name: state for state in head.known_states if isinstance(state.name, str)}
    places = {state.kept_in: state for state in base.known_states if state.kept_in is not None}
    kept_now = {state.kept_in: state for state in head.known_states if state.kept_in is not None}
    found = []
    for old in base.known_states:
        if not isinstance(old.name, str) or old.kept_in is None:
            continue
        new, successor = after.get(old.name), kept_now.get(old.kept_in)
        if new is None or successor is None or new.kept_in == old.kept_in:
            continue
        instead = successor if new.kept_in is None or new.unused else places.get(new.kept_in)
        if (
            instead is not None
            and isinstance(instead.name, str)
            and instead.name != old.name
            and _read_alike(old, instead)
        ):
            found.append(Traded(old, new, instead))
    return tuple(found)


def _read_alike(state: StateDescriptor, kept_there: StateDescriptor) -> bool:
    """Whether code that works on one state can work on the other: else it fails, and no wrong value is read."""
    fits = (change.fit.fit is Fit.SAME for change in type_changes(state, kept_there))
    return state.kind == kept_there.kind and all(fits)


TRADED = "its inputs traded places, and the state of each is read as that of the other"
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
