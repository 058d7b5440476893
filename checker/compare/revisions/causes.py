"""Why an operator's id changed: the first edit that explains it, and the way from there to the operator.

A generated id has three ingredients (``Ingredients``): the ids of the inputs, the number of chained outputs, and
the position in Flink's walk. Whichever of them differs leads to an edit, or to an input whose id changed before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from checker.compare.revisions.edits import Edit, Edits
from checker.compare.revisions.identities import Identities
from checker.compare.revisions.matching import Matching
from checker.compare.revisions.positions import Positions
from checker.model.comparison import Cause, CauseKind
from checker.model.operator_ids import Basis
from checker.model.stream_graph import StreamEdge, StreamNode
from checker.model.unknowns import Cause as UnknownCause
from checker.model.unknowns import Unknown

_UID_EDITS = {
    (Basis.UID, Basis.UID): CauseKind.UID_RENAMED,
    (Basis.POSITION, Basis.UID): CauseKind.UID_ADDED,
    (Basis.UID, Basis.POSITION): CauseKind.UID_REMOVED,
}


MAX_PATH = 12
"""Longer paths are shown by their ends only."""


def _shortened(path: tuple[str, ...]) -> tuple[str, ...]:
    if len(path) <= MAX_PATH:
        return path
    half = MAX_PATH // 2
    return (*path[:half], "…", *path[-half + 1 :])


@dataclass(frozen=True, eq=False)
class Explainer:
    """Causes over one pair of programs."""

    identities: Identities
    matching: Matching

    @cached_property
    def edits(self) -> Edits:
        """The edits of the whole pipeline."""
        return Edits(self.identities.base, self.identities.head, self.matching)

    @cached_property
    def _positions(self) -> Positions:
        return Positions(self.edits)

    @cached_property
    def _causes(self) -> dict[int, Cause]:
        """Head node number → cause, for every operator whose id changed; inputs come before what consumes them."""
        causes: dict[int, Cause] = {}
        head = self.identities.head
        walked = {n.number for n in head.walk}
        for node in (*head.walk, *(n for n in head.nodes if n.number not in walked)):
            number = self.matching.base_of.get(node.number)
            if number is None:
                continue
            base = self.identities.base.graph.nodes[number]
            if self.identities.same(base, node) is not True:
                cause = self._cause(base, node, causes)
                if cause is not None:
                    causes[node.number] = cause
        return causes

    def explain(self, base: StreamNode, head: StreamNode) -> Cause | None:
        """The cause of a changed id, None where nothing explains it."""
        del base
        return self._causes.get(head.number)

    def _cause(self, base: StreamNode, head: StreamNode, known: dict[int, Cause]) -> Cause | None:
        uid = self._uid_edit(base, head)
        if uid is not None:
            return self._caused_by(uid, head)
        edit = self.edits.of_inputs(base, head)
        if edit is not None:
            return self._caused_by(edit, head)
        for edge in self.identities.head.graph.inputs_of(head):
            upstream = known.get(edge.source)
            if upstream is not None:
                path = _shortened((*upstream.path, head.name))
                root = upstream.root or upstream.text
                source = self.identities.head.graph.nodes[edge.source].name
                text = f"the id of its input '{source}' changed, because {root}"
                return replace(upstream, text=text, root=root, path=path)
        edit = self._chained_outputs(base, head) or self._positions.edit(base, head) or self.edits.only
        return None if edit is None else self._caused_by(edit, head)

    def _uid_edit(self, base: StreamNode, head: StreamNode) -> Edit | None:
        bases = tuple(
            p.identity(n).ingredients.basis for p, n in ((self.identities.base, base), (self.identities.head, head))
        )
        kind = _UID_EDITS.get((bases[0], bases[1]))
        if kind is None:
            return None
        for uid in (head.uid, base.uid):
            if isinstance(uid, Unknown):
                changing = uid.cause is UnknownCause.NON_DETERMINISTIC
                text = "its uid is different in every run" if changing else "its uid could not be read"
                return Edit(kind, head, f"{text}: {uid.reason}")
        if base.declared.uid == head.declared.uid and base.declared.uid is not None:
            return self.edits.expansion(head, f"Flink calls its uid '{head.uid}' and no longer '{base.uid}'")
        texts = {
            CauseKind.UID_RENAMED: f"its uid was renamed from '{base.uid}' to '{head.uid}'",
            CauseKind.UID_ADDED: f"the uid '{head.uid}' was added: the id no longer rests on its position",
            CauseKind.UID_REMOVED: f"its uid '{base.uid}' was removed: the id now rests on its position",
        }
        return Edit(kind, head, texts[kind])

    def _chained_outputs(self, base: StreamNode, head: StreamNode) -> Edit | None:
        """The edit that changed how many outputs are chained."""
        before = [e for e in self.identities.base.graph.outputs_of(base) if self.edits.base_chained(e)]
        after = [e for e in self.identities.head.graph.outputs_of(head) if self.edits.head_chained(e)]
        if len(before) == len(after):
            return None
        edit = self._gained(base, after) if len(after) > len(before) else self._lost(head, before)
        if edit is None:
            return None
        return replace(edit, text=f"chained outputs went from {len(before)} to {len(after)}: {edit.text}")

    def _gained(self, base: StreamNode, after: list[StreamEdge]) -> Edit | None:
        """The first chained output that was none before."""
        nodes = self.identities.head.graph.nodes
        for edge in after:
            target = nodes[edge.target]
            counterpart = self.edits.base_of(target)
            if counterpart is None:
                return self.edits.inserted(target)
            old = self.edits.edge_between(self.identities.base, base, counterpart)
            if old is None:
                return self.edits.of_inputs(counterpart, target) or self.edits.rewired(target)
            if not self.edits.base_chained(old):
                return self.edits.of_chaining(old, edge)
        return None

    def _lost(self, head: StreamNode, before: list[StreamEdge]) -> Edit | None:
        """The first chained output that is none any more."""
        nodes = self.identities.base.graph.nodes
        for edge in before:
            target = nodes[edge.target]
            counterpart = self.edits.head_of(target)
            if counterpart is None:
                return self.edits.removed(target)
            new = self.edits.edge_between(self.identities.head, head, counterpart)
            if new is None:
                return self.edits.of_inputs(target, counterpart) or self.edits.rewired(counterpart)
            if not self.edits.head_chained(new):
                return self.edits.of_chaining(edge, new)
        return None

    def _caused_by(self, edit: Edit, head: StreamNode) -> Cause:
        operator = edit.operator
        path: tuple[str, ...] = (head.name,)
        if operator is not None and operator.declared.id != head.declared.id:
            path = (operator.name, head.name)
        return Cause(
            kind=edit.kind,
            operator=None if operator is None else operator.declared.id,
            operator_name=None if operator is None else operator.name,
            text=edit.text,
            path=path,
            location=None if operator is None else operator.declared.location,
        )
