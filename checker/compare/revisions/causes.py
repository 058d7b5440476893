"""Why an operator's id changed: the first edit that explains it, and the way from there to the operator.

A generated id has three ingredients (``Ingredients``): the ids of the inputs, the number of chained outputs, and
the position in Flink's walk. Whichever of them differs leads to an edit, or to an input whose id changed before.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from checker.compare.revisions.edits import Edit, Edits, Side
from checker.compare.revisions.identities import Identities
from checker.compare.revisions.matching import Matching
from checker.model.comparison import Cause, CauseKind
from checker.model.stream_graph import StreamEdge, StreamNode
from checker.model.translation import Basis
from checker.model.unknowns import Cause as UnknownCause
from checker.model.unknowns import Unknown

_UID_EDITS = {
    (Basis.UID, Basis.UID): CauseKind.UID_RENAMED,
    (Basis.POSITION, Basis.UID): CauseKind.UID_ADDED,
    (Basis.UID, Basis.POSITION): CauseKind.UID_REMOVED,
}


MAX_PATH = 12
"""Longer paths are shown by their ends only."""


def _moved_along(root: StreamNode, node: StreamNode, text: str) -> Cause:
    return Cause(
        kind=CauseKind.MOVED_ALONG, operator=root.declared.id, operator_name=node.name, text=text, path=(node.name,),
        location=node.declared.location,
    )  # fmt: skip


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

    def explain(self, head: StreamNode) -> Cause | None:
        """The cause of a changed id, None where nothing explains it."""
        return self._causes.get(head.number)

    def _cause(self, base: StreamNode, head: StreamNode, known: dict[int, Cause]) -> Cause | None:
        uid = self._uid_edit(base, head)
        if uid is not None:
            moved = self._moved_along(base, head) if uid.kind is CauseKind.UID_RENAMED else None
            return moved or self._caused_by(uid, head)
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
        edit = self._chained_outputs(base, head) or self._position(base, head) or self.edits.only
        return None if edit is None else self._caused_by(edit, head)

    def _moved_along(self, base: StreamNode, head: StreamNode) -> Cause | None:
        """What was put in, taken out or moved, if this operator's uid was another's, or is, and so on up to an end."""
        sides = (self.edits.after, head, base), (self.edits.before, base, head)
        for side, own, node in sides:
            seen = {own.number}
            known = side.opposite.identity(node).generated
            there = None if known is None else side.program.by_generated(known)
            while there is not None and there.number not in seen:
                seen.add(there.number)
                counterpart = side.counterpart(there)
                if counterpart is None:
                    return self._put_in(side, there)
                known = side.opposite.identity(counterpart).generated
                there = None if known is None else side.program.by_generated(known)
            if there is own and own.declared.location is not None:
                nodes = [side.program.graph.nodes[number] for number in sorted(seen)]
                if len({node.declared.location for node in nodes}) == 1:
                    names = " and ".join(f"'{node.name}'" for node in nodes[:2])
                    return _moved_along(nodes[0], nodes[0], f"{names} changed places, from which their uids are built")
        return None

    def taken_by(self, taker: StreamNode) -> Cause | None:
        """The cause where the state of an operator that is gone is taken by one whose uid moved along."""
        cause = self.explain(taker)
        return cause if cause is not None and cause.kind is CauseKind.MOVED_ALONG else None

    def _put_in(self, side: Side, node: StreamNode) -> Cause:
        """An operator of one side, and with it those before it that are only there, as the cause of a moved uid."""
        root, before = node, [node]
        while before:
            root = before[0]
            inputs = (side.program.graph.nodes[edge.source] for edge in side.program.graph.inputs_of(root))
            before = [n for n in inputs if side.counterpart(n) is None]
        done = "inserted" if side is self.edits.after else "removed"
        text = f"'{node.name}' with the uid '{node.uid}' was {done}, and the uids after it shifted"
        return _moved_along(root, node, text)

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
                return Edit(kind, head, f"{text} ({uid.reason})")
        if base.declared.uid == head.declared.uid and base.declared.uid is not None:
            return self.edits.expansion(head, f"Flink calls its uid '{head.uid}' and no longer '{base.uid}'")
        texts = {
            CauseKind.UID_RENAMED: f"its uid was renamed from '{base.uid}' to '{head.uid}'",
            CauseKind.UID_ADDED: f"the uid '{head.uid}' was added, which replaces its generated id",
            CauseKind.UID_REMOVED: f"its uid '{base.uid}' was removed, so its id is generated",
        }
        return Edit(kind, head, texts[kind])

    def _chained_outputs(self, base: StreamNode, head: StreamNode) -> Edit | None:
        """The edit that changed how many outputs are chained."""
        sides = (self.edits.before, base), (self.edits.after, head)
        before, after = ([e for e in s.program.graph.outputs_of(node) if s.chained(e)] for s, node in sides)
        if len(before) == len(after):
            return None
        gained = len(after) > len(before)
        edit = self._chained_only(sides[gained][0], sides[not gained][1], after if gained else before)
        if edit is None:
            return None
        return replace(edit, text=f"{edit.text} (chained outputs: {len(before)} → {len(after)})")

    def _chained_only(self, side: Side, opposite: StreamNode, chained: list[StreamEdge]) -> Edit | None:
        """The first chained output that is none of the counterpart: of the head it was gained, of the base lost."""
        for edge in chained:
            target = side.program.graph.nodes[edge.target]
            there = side.counterpart(target)
            if there is None:
                return self.edits.only_in(side, target)
            found = next((e for e in side.opposite.graph.outputs_of(opposite) if e.target == there.number), None)
            base, head = (there, target) if side is self.edits.after else (target, there)
            if found is None:
                return self.edits.of_inputs(base, head) or self.edits.rewired(head)
            if not side.opposite.translation.decisions[found.number].chained:
                edges = (found, edge) if side is self.edits.after else (edge, found)
                return self.edits.of_chaining(*edges)
        return None

    def _position(self, base: StreamNode, head: StreamNode) -> Edit | None:
        """The edit that moved an operator's place in the walk, None where that is the same or unknown."""
        before = self.identities.base.identity(base).ingredients.position
        after = self.identities.head.identity(head).ingredients.position
        if before is None or after is None or before == after:
            return None
        side, place = (self.edits.after, after) if after > before else (self.edits.before, before)
        if side.alone and (side.program.identity(side.alone[0]).ingredients.position or 0) < place:
            edit = self.edits.only_in(side, side.alone[0])
        else:
            moved = Edit(CauseKind.OPERATORS_REORDERED, head, "operators are declared in another order")
            edit = next(self.edits.reordering(), moved)
        return replace(edit, text=f"{edit.text} (position: {before} → {after})")

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
