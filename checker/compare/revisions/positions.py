"""Why an operator's place in Flink's walk changed: what came before it, what is gone, what overtook it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from checker.compare.revisions.edits import Edit, Edits
from checker.compare.revisions.programs import AcceptedProgram
from checker.model.comparison import CauseKind
from checker.model.operator_ids import Basis
from checker.model.stream_graph import StreamNode

MAX_SCAN = 4000
"""With more operators the one that overtook is not searched for: the first reordering edit is named."""


@dataclass(frozen=True, eq=False)
class Positions:
    """Places in the walk of both programs."""

    edits: Edits

    def edit(self, base: StreamNode, head: StreamNode) -> Edit | None:
        """The edit that moved an operator's position, None where the position is the same or unknown."""
        before = self.edits.base.identity(base).ingredients.position
        after = self.edits.head.identity(head).ingredients.position
        if before is None or after is None or before == after:
            return None
        edit = self._before(base, head, before, after)
        if edit is None:
            return None
        return replace(edit, text=f"its position moved from {before} to {after}: {edit.text}")

    def _before(self, base: StreamNode, head: StreamNode, before: int, after: int) -> Edit | None:
        side, place = (self.edits.after, after) if after > before else (self.edits.before, before)
        if side.alone and self._place(side.program, side.alone[0]) < place:
            return self.edits.only_in(side, side.alone[0])
        return self._overtaking(base, head, before, after)

    def _place(self, program: AcceptedProgram, node: StreamNode) -> int:
        position = program.identity(node).ingredients.position
        return -1 if position is None else position

    def _overtaking(self, base: StreamNode, head: StreamNode, before: int, after: int) -> Edit | None:
        """An operator that is hashed on the other side of this one than it was."""
        walk = self.edits.head.walk
        if len(walk) > MAX_SCAN:
            return next(self.edits.reordering(), None)
        overtakers: list[StreamNode] = []
        for node in walk:
            old = self.edits.base_of(node)
            if old is None or node.number == head.number:
                continue
            was_before, is_before = (
                self._place(self.edits.base, old) < before,
                self._place(self.edits.head, node) < after,
            )
            if was_before != is_before and is_before == (after > before):
                overtakers.append(node)
        for node in (*overtakers, head):
            edit = self._root(node)
            if edit is not None:
                return edit
        edit = next(self.edits.reordering(), None)
        if edit is not None or not overtakers:
            return edit
        return Edit(
            CauseKind.OPERATORS_REORDERED, overtakers[0], f"'{overtakers[0].name}' now comes on the other side of it"
        )

    def _root(self, node: StreamNode) -> Edit | None:
        """What moved an operator in the walk: an edit of its own or of what it waits for."""
        seen: set[int] = set()
        while node.number not in seen:
            seen.add(node.number)
            old = self.edits.base_of(node)
            if old is None:
                return self.edits.only_in(self.edits.after, node)
            edit = self.edits.of_inputs(old, node)
            if edit is None and len(node.in_edges) > 1:
                edit = self.edits.of_basis(old, node)
            if edit is not None:
                return edit
            sources = [self.edits.head.graph.nodes[e.source] for e in self.edits.head.graph.inputs_of(node)]
            if not sources or (self.edits.head.identity(node).ingredients.basis is Basis.UID and len(sources) > 1):
                return None
            node = max(sources, key=lambda n: self._place(self.edits.head, n))
        return None
