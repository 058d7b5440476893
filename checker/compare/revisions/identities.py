"""Whether an operator of the base and one of the head have the same id: yes, no, or not known.

Ids that both sides know are compared as they are. Where an id rests on something an extractor could not determine,
its ingredients are compared instead: the same unknown on both sides is the same value, whatever it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from checker.compare.fit.states import Releases
from checker.compare.fit.unknowns import same_unknown
from checker.compare.revisions.programs import AcceptedProgram, id_shape
from checker.model.nested import gathered
from checker.model.stream_graph import StreamNode
from checker.model.topology import Kind
from checker.model.translation import Basis, OperatorId
from checker.model.unknowns import Cause, Unknown


@dataclass(frozen=True, eq=False)
class Identities:
    """The ids of one program of the base against those of one of the head."""

    base: AcceptedProgram
    head: AcceptedProgram
    _memo: dict[tuple[int, int], bool | None] = field(default_factory=dict)

    @cached_property
    def same_shape(self) -> bool:
        """Both programs give every id the same ingredients, known or not."""
        topologies = (self.base.translation.topology, self.head.translation.topology)
        return id_shape(topologies[0]) == id_shape(topologies[1])

    @cached_property
    def releases(self) -> Releases:
        """The releases of Flink on both sides."""
        before, after = self.base.translation.topology, self.head.translation.topology
        return Releases(before.flink, after.flink, after.extractor, after.state_backend)

    def same(self, base: StreamNode, head: StreamNode) -> bool | None:
        """Whether the generated ids are equal; None when that is open."""
        stack = [(base.number, head.number)]
        while stack:
            pair = stack[-1]
            if pair in self._memo:
                stack.pop()
                continue
            waiting = self._inputs_to_compare(*pair)
            missing = [p for p in waiting if p not in self._memo]
            if missing:
                stack.extend(missing)
                continue
            self._memo[pair] = self._compare(*pair, waiting)
            stack.pop()
        return self._memo[base.number, head.number]

    def _certain(self, base: int, head: int) -> tuple[OperatorId, OperatorId] | None:
        base_identity, head_identity = self.base.translation.identities[base], self.head.translation.identities[head]
        return (
            (base_identity.generated, head_identity.generated)
            if base_identity.generated and head_identity.generated
            else None
        )

    def _inputs_to_compare(self, base: int, head: int) -> list[tuple[int, int]]:
        if self._certain(base, head) or self.base.open or self.head.open:
            return []
        before = self.base.translation.identities[base].ingredients
        after = self.head.translation.identities[head].ingredients
        if Basis.UID in (before.basis, after.basis) or before.position is None or before.position != after.position:
            return []
        if not self._same_outputs(base, head) or len(before.inputs) != len(after.inputs):
            return []
        return list(zip(before.inputs, after.inputs, strict=True))

    def _compare(self, base: int, head: int, inputs: list[tuple[int, int]]) -> bool | None:
        known = self._certain(base, head)
        if known:
            return known[0] == known[1]
        before = self.base.translation.identities[base].ingredients
        after = self.head.translation.identities[head].ingredients
        if before.basis is not after.basis:
            return False  # a uid's hash never equals one of a position
        node, counterpart = self.base.graph.nodes[base], self.head.graph.nodes[head]
        if before.basis is Basis.UID:
            return self._same_uid(node, counterpart)
        if self.base.open or self.head.open or before.position is None or after.position is None:
            return (node.key == counterpart.key) if self.same_shape else None
        same_outputs = self._same_outputs(base, head)
        if before.position != after.position or same_outputs is False or len(before.inputs) != len(after.inputs):
            return False
        if same_outputs is None:
            return None
        answers = [self._memo[pair] for pair in inputs]
        if False in answers:
            return False
        return None if None in answers else True

    def _same_outputs(self, base: int, head: int) -> bool | None:
        """Whether two operators have equally many chained outputs: open where one has others that could not be read."""
        gaps = [
            [program.graph.nodes[edge.target] for edge in program.graph.outputs_of(program.graph.nodes[number])]
            for program, number in ((self.base, base), (self.head, head))
        ]
        before, after = ([n.declared.unknown for n in nodes if n.kind is Kind.UNKNOWN] for nodes in gaps)
        if len(before) != len(after) or not all(
            b is not None and a is not None and same_unknown(b, a) for b, a in zip(before, after, strict=True)
        ):
            return None
        counts = (
            len(program.translation.identities[number].ingredients.chained_outputs)
            for program, number in ((self.base, base), (self.head, head))
        )
        return len(set(counts)) == 1

    def _same_uid(self, base: StreamNode, head: StreamNode) -> bool | None:
        base_uid, head_uid = base.uid, head.uid
        for uid in (base_uid, head_uid):
            if isinstance(uid, Unknown) and uid.cause is Cause.NON_DETERMINISTIC:
                return False
        if isinstance(base_uid, Unknown) and isinstance(head_uid, Unknown):
            return self._same_unknown(base, head, base_uid) if same_unknown(base_uid, head_uid) else None
        for unknown, uid in ((base_uid, head_uid), (head_uid, base_uid)):
            if isinstance(unknown, Unknown) and unknown.options and uid not in unknown.options:
                return False
        return None

    def _same_unknown(self, base: StreamNode, head: StreamNode, uid: Unknown) -> bool | None:
        """Two operators whose uid is one and the same unknown: of one declaration, or the only one on each side."""
        if base.role is not head.role:
            return False  # Flink puts another prefix before each operator of a sink
        if base.declared.id == head.declared.id:
            return True
        alone = all(
            len({n.declared.id for n in p.nodes if isinstance(n.uid, Unknown) and same_unknown(uid, n.uid)}) == 1
            for p in (self.base, self.head)
        )
        return True if alone else None

    @cached_property
    def _kept_unknowns(self) -> frozenset[tuple[int, int]]:
        """Pairs of nodes with one unknown uid on both sides: whatever it is, it is no other operator's uid."""
        open_base = [n for n in self.base.nodes if isinstance(n.uid, Unknown)]
        open_head = [n for n in self.head.nodes if isinstance(n.uid, Unknown)]
        return frozenset((b.number, h.number) for b in open_base for h in open_head if self.same(b, h))

    def claimants(self, base: StreamNode) -> Claimants:
        """The head's operators that take the state of a base operator, certainly and possibly."""
        known = self.base.identity(base).generated
        by_user = self._pinned.get(known, []) if known is not None else []
        by_generated: list[StreamNode] = []
        possibly = list(self._unknown_pins)
        if known is None and not self._never_pinned(base):
            possibly.extend(n for pinned in self._pinned.values() for n in pinned)
        if known is not None and not self._open_head:
            found = self.head.by_generated(known)
            by_generated = [found] if found is not None else []
        else:
            for head in self.head.nodes:
                answer = self.same(base, head)
                if answer:
                    by_generated.append(head)
                elif answer is None and not self._taken(base, head):
                    possibly.append(head)
        if not by_generated and not by_user:
            possibly.extend(self._unreadable())
        return Claimants(tuple(by_user), tuple(by_generated), tuple(possibly))

    @cached_property
    def _pinned(self) -> dict[OperatorId, list[StreamNode]]:
        """Head operators by the hash they are pinned to."""
        pins = ((self.head.identity(node).user, node) for node in self.head.nodes)
        return gathered((user, node) for user, node in pins if user is not None)

    @cached_property
    def _unknown_pins(self) -> tuple[StreamNode, ...]:
        return tuple(n for n in self.head.nodes if isinstance(n.uid_hash, Unknown))

    def _never_pinned(self, base: StreamNode) -> bool:
        """An unknown uid that changes in every run is no operator's pinned hash."""
        return isinstance(base.uid, Unknown) and base.uid.cause is Cause.NON_DETERMINISTIC

    @cached_property
    def _open_head(self) -> bool:
        return any(self.head.identity(n).generated is None for n in self.head.nodes)

    def _taken(self, base: StreamNode, head: StreamNode) -> bool:
        """One side's unknown uid is known to be another operator's on both sides: it can't be this one."""
        return any(
            (h == head.number and b != base.number) or (b == base.number and h != head.number)
            for b, h in self._kept_unknowns
        )

    def _unreadable(self) -> tuple[StreamNode, ...]:
        """Operators of the head that could not be read, unless the base has the very same gap."""
        return tuple(n for n in self.head.unreadable if not any(_same_gap(gap, n) for gap in self.base.unreadable))


@dataclass(frozen=True, slots=True)
class Claimants:
    """The operators that claim a state: pinned to its id, with this id of their own, or possibly one of these."""

    by_user: tuple[StreamNode, ...]
    by_generated: tuple[StreamNode, ...]
    possibly: tuple[StreamNode, ...]

    @property
    def certain(self) -> tuple[StreamNode, ...]:
        """Certain claimants, each once, pinned ones first: Flink asks for the pinned id first."""
        return tuple(dict.fromkeys((*self.by_user, *self.by_generated)))


def _same_gap(base: StreamNode, head: StreamNode) -> bool:
    before, after = base.declared.unknown, head.declared.unknown
    if base.declared is head.declared:
        return True
    return base.key == head.key and before is not None and after is not None and same_unknown(before, after)
