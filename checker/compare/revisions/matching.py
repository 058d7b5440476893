"""Which operator of the head is which of the base: exact reasons first, then the most alike."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from checker.compare.revisions.declared_fit import reads_state_of
from checker.compare.revisions.handed_on import Side, handed_on
from checker.compare.revisions.identities import Identities
from checker.compare.revisions.likeness import (
    ENOUGH,
    ENOUGH_AGAINST_ODDS,
    ENOUGH_WITHOUT_NAME,
    Likeness,
    Traits,
    can_be_one,
    conflict,
    folded,
    labels,
    likeness,
    shifting_handles,
    traits_of,
)
from checker.compare.revisions.mapping import MappingEntry
from checker.compare.revisions.programs import AcceptedProgram
from checker.model.comparison import Match, MatchBasis
from checker.model.nested import unique
from checker.model.stream_graph import StreamNode
from checker.model.unknowns import Unknown

MAX_NEARBY = 200
"""How many indistinguishable operators are compared with each other."""


@dataclass(slots=True)
class Matching:
    """The pairs of one comparison by node number, both ways, and on what each rests."""

    head_of: dict[int, int] = field(default_factory=dict)
    base_of: dict[int, int] = field(default_factory=dict)
    matches: dict[int, Match] = field(default_factory=dict)
    """By base node number."""
    dropped: set[int] = field(default_factory=set)
    """Base operators that the mapping file declares dropped: never matched."""

    def pair(self, base: StreamNode, head: StreamNode, basis: MatchBasis, like: Likeness | None = None) -> None:
        """Record a pair."""
        self.head_of[base.number] = head.number
        self.base_of[head.number] = base.number
        self.matches[base.number] = Match(
            basis=basis,
            likeness=1.0 if like is None else round(like.share, 3),
            evidence=() if like is None else like.evidence,
        )

    def drop(self, base: int) -> None:
        """Forget a pair."""
        self.base_of.pop(self.head_of.pop(base))
        self.matches.pop(base)


class _Matcher:
    def __init__(self, identities: Identities, mapping: Iterable[MappingEntry]) -> None:
        self.identities = identities
        self.base, self.head = identities.base, identities.head
        shifting = shifting_handles(self.base, self.head)
        self.base_traits, self.head_traits = traits_of(self.base, shifting), traits_of(self.head, shifting)
        self.found = Matching()
        self.mapping = tuple(mapping)

    def run(self) -> Matching:
        self._by_mapping()
        self._by_uid()
        self._by_pin()
        self._unique(lambda t: None if t.shifting else (t.node.key, _signature(t)), MatchBasis.DECLARATION)
        self._unique(_telling_signature, MatchBasis.LIKENESS)
        self._by_id()
        self._by_handle()
        self._by_structure()
        self._by_likeness()
        self._by_inputs()
        self._by_former_states()
        self._handed_on()
        return self.found

    def _open(self, program: AcceptedProgram, taken: dict[int, int]) -> list[StreamNode]:
        return [n for n in program.nodes if n.number not in taken and not (
            program is self.base and n.number in self.found.dropped
        )]  # fmt: skip

    def open_base(self) -> list[StreamNode]:
        return self._open(self.base, self.found.head_of)

    def open_head(self) -> list[StreamNode]:
        return self._open(self.head, self.found.base_of)

    def like(self, base: StreamNode, head: StreamNode) -> Likeness:
        return likeness(
            self.base_traits[base.number],
            self.head_traits[head.number],
            same_id=self.identities.same(base, head) is True,
            shared_neighbours=self._shared_neighbours(base, head),
        )

    def _shared_neighbours(self, base: StreamNode, head: StreamNode) -> int:
        inputs = {self.found.head_of.get(e.source) for e in self.base.graph.inputs_of(base)}
        outputs = {self.found.head_of.get(e.target) for e in self.base.graph.outputs_of(base)}
        return bool(inputs & {e.source for e in self.head.graph.inputs_of(head)}) + bool(
            outputs & {e.target for e in self.head.graph.outputs_of(head)}
        )

    def _by_mapping(self) -> None:
        for entry in self.mapping:
            for base in self.base.nodes:
                if entry.old not in names_of(base, self.base):
                    continue
                if entry.new is None:
                    self.found.dropped.add(base.number)
                    continue
                for head in self.head.nodes:
                    if entry.new in names_of(head, self.head) and can_be_one(base, head):
                        self.found.pair(base, head, MatchBasis.MAPPING)
                        break

    def _by_uid(self) -> None:
        by_uid = {n.uid: n for n in self.open_head() if isinstance(n.uid, str)}
        for base in self.open_base():
            if isinstance(base.uid, str):
                head = by_uid.get(base.uid)
                if head is not None and can_be_one(base, head):
                    self.found.pair(base, head, MatchBasis.UID)
            elif base.uid is not None:
                for head in self.open_head():
                    if self.identities.same(base, head):
                        self.found.pair(base, head, MatchBasis.UID)
                        break
        self._exchange_swapped()

    def _exchange_swapped(self) -> None:
        """Uids that were handed on: the function says which operator is which, where it says so beyond doubt."""
        base_functions, head_functions = (
            unique((_function(traits), number) for number, traits in side.items())
            for side in (self.base_traits, self.head_traits)
        )
        wrong = [
            base for base, head in self.found.head_of.items()
            if _function(self.head_traits[head]) not in (None, _function(self.base_traits[base]))
            and base_functions.get(_function(self.base_traits[base])) == base
            and head_functions.get(_function(self.base_traits[base])) not in (None, head)
        ]  # fmt: skip
        moves = {base: head_functions[_function(self.base_traits[base])] for base in wrong}
        for base in moves:
            self.found.drop(base)
        for base, head in moves.items():
            if head not in self.found.base_of:
                base_node, head_node = self.base.graph.nodes[base], self.head.graph.nodes[head]
                self.found.pair(base_node, head_node, MatchBasis.LIKENESS, self.like(base_node, head_node))

    def _handed_on(self) -> None:
        """Operators of a list whose ids moved along it."""
        sides = Side(self.base, self.base_traits), Side(self.head, self.head_traits)
        declared = {base for base, match in self.found.matches.items() if match.basis is MatchBasis.MAPPING}
        moves = {b: h for b, h in handed_on(*sides, self.found.head_of).items() if b not in declared}
        for base, head in moves.items():
            rivals = [n for n in {base, self.found.base_of.get(head, base)} if n in self.found.head_of]
            for rival in rivals:
                self.found.drop(rival)
        for base, head in moves.items():
            nodes = self.base.graph.nodes[base], self.head.graph.nodes[head]
            self.found.pair(*nodes, MatchBasis.LIKENESS, self.like(*nodes))

    def _by_pin(self) -> None:
        """``setUidHash("<id of the base>")``: the author says which operator this was."""
        pinned = {self.head.identity(n).user: n for n in self.open_head() if self.head.identity(n).user}
        for base in self.open_base():
            head = pinned.get(self.base.identity(base).generated)
            if head is None or head.number in self.found.base_of or not can_be_one(base, head):
                continue
            own = self.head.by_key.get(base.key)
            if (
                own is not None
                and own.number != head.number
                and not conflict(self.base_traits[base.number], self.head_traits[own.number])
            ):
                continue  # the operator itself is still there: the pin names somebody else's state
            self.found.pair(base, head, MatchBasis.ID)

    def _by_id(self) -> None:
        for base in self.open_base():
            known = self.base.identity(base).generated
            head = self.head.by_generated(known) if known else self._head_named(base)
            if head is None or head.number in self.found.base_of or not can_be_one(base, head):
                continue
            if self.identities.same(base, head) and not self._looks_like_another(base, head):
                self.found.pair(base, head, MatchBasis.ID)

    def _looks_like_another(self, base: StreamNode, head: StreamNode) -> bool:
        """The id stayed but the operator behind it looks foreign: leave it to the assignment."""
        if conflict(self.base_traits[base.number], self.head_traits[head.number]):
            return True
        by_key = self._head_named(base), self._base_named(head)
        others = [n for n in by_key if n is not None and n not in (base, head)]
        return bool(others)

    def _head_named(self, base: StreamNode) -> StreamNode | None:
        """The head operator of the same handle, where handles mean anything."""
        found = None if self.base_traits[base.number].shifting else self.head.by_key.get(base.key)
        return found if found is not None and found.number in self.head_traits else None

    def _base_named(self, head: StreamNode) -> StreamNode | None:
        found = None if self.head_traits[head.number].shifting else self.base.by_key.get(head.key)
        return found if found is not None and found.number in self.base_traits else None

    def _by_structure(self) -> None:
        """Place in the graph: the same above and below, the same id, the same on one side, next to a pair."""
        own = labels(self.base_traits), labels(self.head_traits)
        sides = tuple(zip((self.base, self.head), own, strict=True))
        above = [folded(program, own, lambda p, n: [e.source for e in p.graph.inputs_of(n)]) for program, own in sides]
        below = [folded(program, own, lambda p, n: [e.target for e in p.graph.outputs_of(n)]) for program, own in sides]
        self._unique_places(lambda side, n: (above[side][n], below[side][n]))
        self._unique_places(lambda side, n: below[side][n])
        self._unique_places(lambda side, n: above[side][n])
        self._beside_pairs(*own)

    def _unique_places(self, key: Callable[[int, int], Hashable]) -> None:
        """Pair what has one counterpart only under ``key``, by side (base is 0) and number of a node."""
        bases = unique((key(0, n.number), n.number) for n in self.open_base() if not self._named(n, self.head))
        heads = unique((key(1, n.number), n.number) for n in self.open_head() if not self._named(n, self.base))
        for value, base in bases.items():
            if value in heads:
                self._pair_alike(base, heads[value])

    def _named(self, node: StreamNode, other_program: AcceptedProgram) -> bool:
        """Its handle names an operator of the other side that is still open: that one is asked first."""
        traits = self.head_traits if other_program is self.base else self.base_traits
        return not traits[node.number].shifting and node.key in other_program.by_key

    def _pair_alike(self, base: int, head: int) -> None:
        base_node, head_node = self.base.graph.nodes[base], self.head.graph.nodes[head]
        if can_be_one(base_node, head_node) and base not in self.found.head_of and head not in self.found.base_of:
            self.found.pair(base_node, head_node, MatchBasis.LIKENESS, self.like(base_node, head_node))

    def _beside_pairs(self, base_labels: Mapping[int, int], head_labels: Mapping[int, int]) -> None:
        """What the operators of a pair read or feed, place by place, as long as it is alike."""
        pending = list(self.found.head_of.items())
        while pending:
            base, head = pending.pop()
            nodes = self.base.graph.nodes[base], self.head.graph.nodes[head]
            beside = [
                *zip(self.base.graph.inputs_of(nodes[0]), self.head.graph.inputs_of(nodes[1]), strict=False),
                *zip(self.base.graph.outputs_of(nodes[0]), self.head.graph.outputs_of(nodes[1]), strict=False),
            ]
            for before, after in beside:
                for left, right in ((before.source, after.source), (before.target, after.target)):
                    free = left not in self.found.head_of and right not in self.found.base_of
                    if not free or left in self.found.dropped or base_labels.get(left) != head_labels.get(right):
                        continue
                    if base_labels.get(left) is not None:
                        self._pair_alike(left, right)
                    if self.found.head_of.get(left) == right:
                        pending.append((left, right))

    def _by_handle(self) -> None:
        for base in self.open_base():
            head = self._head_named(base)
            if (
                head is not None
                and head.number not in self.found.base_of
                and can_be_one(base, head)
                and not conflict(self.base_traits[base.number], self.head_traits[head.number])
            ):
                self.found.pair(base, head, MatchBasis.DECLARATION)

    def _unique(self, key: Callable[[Traits], Hashable | None], basis: MatchBasis) -> None:
        """Pair what has one counterpart only under ``key``."""
        bases = unique((key(self.base_traits[n.number]), n) for n in self.open_base())
        heads = unique((key(self.head_traits[n.number]), n) for n in self.open_head())
        for value, base in bases.items():
            head = heads.get(value)
            if head is not None and can_be_one(base, head):
                like = None if basis is MatchBasis.DECLARATION else self.like(base, head)
                self.found.pair(base, head, basis, like)

    def _nearby(self, base: StreamNode, heads: list[StreamNode]) -> list[StreamNode]:
        """All heads where they are few, else those around the same place in the order of declaration."""
        if len(heads) <= MAX_NEARBY:
            return heads
        middle = int(self.base_traits[base.number].rank * len(heads))
        first = max(0, min(middle - MAX_NEARBY // 2, len(heads) - MAX_NEARBY))
        return heads[first : first + MAX_NEARBY]

    def _by_likeness(self) -> None:
        bases, heads = self.open_base(), self.open_head()
        scored: dict[tuple[int, int], Likeness] = {}
        for base in bases:
            for head in self._nearby(base, heads):
                if can_be_one(base, head):
                    like = self.like(base, head)
                    against = conflict(self.base_traits[base.number], self.head_traits[head.number])
                    without = ENOUGH if like.telling else ENOUGH_WITHOUT_NAME
                    if like.score >= (ENOUGH_AGAINST_ODDS if against else without):
                        scored[base.number, head.number] = like
        for pair in sorted(scored, key=lambda pair: (-scored[pair].score, pair)):
            base, head = self.base.graph.nodes[pair[0]], self.head.graph.nodes[pair[1]]
            if base.number not in self.found.head_of and head.number not in self.found.base_of:
                self.found.pair(base, head, MatchBasis.LIKENESS, scored[pair])

    def _by_inputs(self) -> None:
        """Nameless operators that read the same, are alike but for their uid, and are the only such on both sides."""
        while True:
            known = [(n, frozenset(map(self.found.head_of.get, _inputs(self.base, n)))) for n in self.open_base()]
            base = unique((_traits_and_inputs(n, inputs), n) for n, inputs in known)
            head = unique((_traits_and_inputs(n, _inputs(self.head, n)), n) for n in self.open_head())
            alike = [(node, head[key]) for key, node in base.items() if key in head]
            if not alike:
                return
            for before, after in alike:
                self.found.pair(before, after, MatchBasis.LIKENESS, self.like(before, after))

    def _by_former_states(self) -> None:
        """The only operator that reads what another class kept, and the only one of that class: a FileSink reads
        the state of a StreamingFileSink.
        """
        found = [
            (base, head) for base in self.open_base() for head in self.open_head()
            if can_be_one(base, head) and reads_state_of(base.declared, head.declared)
        ]  # fmt: skip
        if len(found) == 1:
            self.found.pair(*found[0], MatchBasis.LIKENESS, self.like(*found[0]))


def _inputs(program: AcceptedProgram, node: StreamNode) -> frozenset[int]:
    return frozenset(edge.source for edge in program.graph.inputs_of(node))


def _traits_and_inputs(node: StreamNode, inputs: AbstractSet[int | None]) -> Hashable | None:
    """What one operator only may have; None where its inputs are not known, or it has a function."""
    declared = node.declared
    if None in inputs or declared.function is not None:
        return None
    states = declared.state if isinstance(declared.state, Unknown) else tuple(s.name for s in declared.state)
    return (inputs, declared.kind, declared.operator, node.name, node.role, str(states))


def names_of(node: StreamNode, program: AcceptedProgram) -> frozenset[str]:
    """Everything a person may call an operator by in a mapping file: uid, id, handle, name."""
    names = {str(node.key), node.name, program.identity(node).generated, node.declared.display_name, node.uid}
    return frozenset(n for n in names if isinstance(n, str))


def _signature(traits: Traits) -> Hashable:
    declared = traits.node.declared
    return (declared.kind, declared.operator, declared.function, traits.given_name, traits.node.role)


def _telling_signature(traits: Traits) -> Hashable | None:
    """What identifies an operator; None for those that have neither a name nor a function."""
    declared = traits.node.declared
    if traits.given_name is None and declared.function is None:
        return None
    return (declared.operator, declared.function, traits.given_name, traits.node.role)


def _function(traits: Traits) -> Hashable | None:
    return (traits.node.declared.function, traits.node.role) if traits.node.declared.function else None


def match_operators(identities: Identities, mapping: Iterable[MappingEntry] = ()) -> Matching:
    """Pair the operators of two programs; ``mapping`` says what a mapping file has decided already."""
    return _Matcher(identities, mapping).run()
