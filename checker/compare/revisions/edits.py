"""The edits between two programs that can move an id, each found where it was made."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from checker.compare.revisions.matching import Matching
from checker.compare.revisions.programs import AcceptedProgram
from checker.model.comparison import CauseKind
from checker.model.stream_graph import StreamEdge, StreamNode
from checker.model.topology import Kind
from checker.model.translation import Basis, NotChained
from checker.model.unknowns import Unknown


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: its kind, the operator that was edited (None = the job), and what it did, as a clause."""

    kind: CauseKind
    operator: StreamNode | None
    text: str


@dataclass(frozen=True, eq=False)
class Side:
    """One of two matched programs, as the opposite one is found from it."""

    program: AcceptedProgram
    opposite: AcceptedProgram
    counterparts: Mapping[int, int]
    """Number of a node → number of its counterpart."""
    only_here: CauseKind
    """What an operator is that the opposite program does not have."""

    def counterpart(self, node: StreamNode) -> StreamNode | None:
        """The same operator in the opposite program."""
        number = self.counterparts.get(node.number)
        return None if number is None else self.opposite.graph.nodes[number]

    def chained(self, edge: StreamEdge) -> bool:
        """Whether an edge chains."""
        return self.program.translation.decisions[edge.number].chained

    @cached_property
    def alone(self) -> tuple[StreamNode, ...]:
        """The operators of the walk that the opposite program does not have."""
        return tuple(n for n in self.program.walk if self.counterpart(n) is None)

    @cached_property
    def matched(self) -> frozenset[str]:
        """Declarations with a counterpart: what else they make is their expansion."""
        return frozenset(self.program.graph.nodes[number].declared.id for number in self.counterparts)

    @cached_property
    def unused_opposite(self) -> frozenset[tuple[str, Kind]]:
        """What the opposite program declares and does not use: Flink makes no operator for an unused source."""
        declared = frozenset((t.id, t.kind) for t in self.opposite.translation.topology.operators())
        return declared - {(n.declared.id, n.declared.kind) for n in self.opposite.graph.nodes}


@dataclass(frozen=True, eq=False)
class Edits:
    """Edits between two matched programs."""

    base: AcceptedProgram
    head: AcceptedProgram
    matching: Matching

    @cached_property
    def before(self) -> Side:
        """The base, whose further operators were removed."""
        return Side(self.base, self.head, self.matching.head_of, CauseKind.OPERATOR_REMOVED)

    @cached_property
    def after(self) -> Side:
        """The head, whose further operators were inserted."""
        return Side(self.head, self.base, self.matching.base_of, CauseKind.OPERATOR_INSERTED)

    def base_of(self, head: StreamNode) -> StreamNode | None:
        """The counterpart in the base."""
        return self.after.counterpart(head)

    def only_in(self, side: Side, node: StreamNode) -> Edit:
        """An operator that the opposite program does not have.

        Where that declares it, and nothing reads it there, the edit is that of what reads it here.
        """
        plain, of_sink, of_reader = (text.format(node.name) for text in _ONLY_HERE[side.only_here])
        if node.declared.id in side.matched:
            return self.expansion(node, of_sink)
        if (node.declared.id, node.declared.kind) not in side.unused_opposite:
            return Edit(side.only_here, node, plain)
        for edge in side.program.graph.outputs_of(node):
            reader = side.program.graph.nodes[edge.target]
            there = side.counterpart(reader)
            if there is None:
                return self.only_in(side, reader)
            return self.rewired(reader if side is self.after else there)
        return Edit(side.only_here, node, of_reader)

    def rewired(self, head: StreamNode) -> Edit:
        """An operator that reads another stream."""
        return Edit(CauseKind.REWIRED, head, f"'{head.name}' reads another stream")

    def expansion(self, node: StreamNode, text: str) -> Edit:
        """Another set of operators for one declaration: because of Flink's version, else of the sink's own settings."""
        before, after = (side.translation.topology.flink for side in (self.base, self.head))
        if before != after:
            return Edit(CauseKind.FLINK_VERSION, node, f"{text}, because Flink changed from {before} to {after}")
        return Edit(CauseKind.SINK_EXPANSION, node, text)

    def of_inputs(self, base: StreamNode, head: StreamNode) -> Edit | None:
        """The edit that gave a matched operator other inputs, None where they are the same in the same order."""
        before = [self.base.graph.nodes[e.source] for e in self.base.graph.inputs_of(base)]
        after = [self.head.graph.nodes[e.source] for e in self.head.graph.inputs_of(head)]
        images = [self.before.counterpart(node) for node in before]
        if [None if i is None else i.number for i in images] == [n.number for n in after]:
            return None
        added = next((n for n in after if self.base_of(n) is None), None)
        if added is not None:
            return self.only_in(self.after, added)
        gone = next((n for n, image in zip(before, images, strict=True) if image is None), None)
        if gone is not None:
            return self.only_in(self.before, gone)
        if sorted(n.number for n in after) == sorted(i.number for i in images if i is not None):
            return Edit(CauseKind.OPERATORS_REORDERED, head, f"the inputs of '{head.name}' changed their order")
        return self.rewired(head)

    def of_chaining(self, base: StreamEdge, head: StreamEdge) -> Edit | None:
        """The edit that made an edge chain, or no longer chain."""
        before = set(self.base.translation.decisions[base.number].reasons)
        after = set(self.head.translation.decisions[head.number].reasons)
        reasons = (after or before) - (before if after else set())
        source, target = self.head.graph.nodes[head.source], self.head.graph.nodes[head.target]
        if NotChained.SEVERAL_INPUTS in reasons:
            counterpart = self.base_of(target)
            return (counterpart and self.of_inputs(counterpart, target)) or self.rewired(target)
        if NotChained.CHAINING_DISABLED in reasons:
            state = "off" if after else "on"
            return Edit(CauseKind.CHAINING_CHANGED, None, f"operator chaining was switched {state} for the job")
        setting = next((setting for setting, (_, forbids) in _SETTINGS.items() if reasons & forbids), None)
        edit = None if setting is None else self._set(setting, target) or self._set(setting, source)
        if edit is not None:
            return edit
        if NotChained.PARTITIONER in reasons:
            changed = f"changed from {base.partitioner.name} to {head.partitioner.name}"
            return Edit(CauseKind.PARTITIONER_CHANGED, target, f"the partitioner before '{target.name}' {changed}")
        return Edit(CauseKind.CHAINING_CHANGED, target, f"whether '{target.name}' chains to a legacy source changed")

    def _set(self, setting: str, node: StreamNode) -> Edit | None:
        """The edit that gave an operator another value of a setting: its own, or that of the job where it has none."""
        old = self.base_of(node)
        if old is None or getattr(old, setting) == getattr(node, setting):
            return None
        what, kind = setting.replace("_", " "), _SETTINGS[setting][0]
        declared = [getattr(side.declared, setting) for side in (old, node)]
        of_job = [getattr(side.translation.topology, setting, None) for side in (self.base, self.head)]
        if declared == [None, None] and of_job[0] != of_job[1]:
            values = ("what the deployment gives" if isinstance(value, Unknown) else str(value) for value in of_job)
            return Edit(kind, None, f"the job's default {what} changed from {' to '.join(values)}")
        text = f"the {what} of '{node.name}' changed from {getattr(old, setting)} to {getattr(node, setting)}"
        return Edit(kind, node, text)

    @cached_property
    def only(self) -> Edit | None:
        """The first edit of all: for ids whose own ingredients explain nothing."""
        return next(iter(self.all()), None)

    def all(self) -> Iterator[Edit]:
        """Every edit that can move an id, in the order of Flink's walk, insertions first."""
        yield from (self.only_in(side, n) for side in (self.after, self.before) for n in side.alone)
        yield from self.reordering()
        for node in self.head.walk:
            old = self.base_of(node)
            if old is None:
                continue
            yield from (edit for setting in _SETTINGS if (edit := self._set(setting, node)) is not None)

    def reordering(self) -> Iterator[Edit]:
        """Edits that can change the order of Flink's walk without adding or removing anything."""
        for node in self.head.walk:
            old = self.base_of(node)
            if old is None:
                continue
            edit = self.of_inputs(old, node) or self.of_basis(old, node)
            if edit is not None:
                yield edit

    def of_basis(self, base: StreamNode, head: StreamNode) -> Edit | None:
        """A uid that was added or removed: an operator with a uid does not wait for its inputs in the walk."""
        before, after = self.base.identity(base).ingredients.basis, self.head.identity(head).ingredients.basis
        if before is after:
            return None
        added = after is Basis.UID
        verb = "added to" if added else "removed from"
        return Edit(CauseKind.UID_ADDED if added else CauseKind.UID_REMOVED, head, f"a uid was {verb} '{head.name}'")


_ONLY_HERE = {
    CauseKind.OPERATOR_REMOVED: ("'{}' was removed", "the sink no longer makes '{}'", "nothing reads '{}' any more"),
    CauseKind.OPERATOR_INSERTED: ("'{}' was inserted", "the sink now also makes '{}'", "'{}' is used now"),
}
"""How that is said of an operator, of one that a sink makes, and of one that its program declares on either side."""
_SETTINGS = {
    "parallelism": (CauseKind.PARALLELISM_CHANGED, {NotChained.PARALLELISM}),
    "slot_sharing_group": (CauseKind.SLOT_SHARING_GROUP_CHANGED, {NotChained.SLOT_SHARING_GROUP}),
    "max_parallelism": (CauseKind.MAX_PARALLELISM_CHANGED, {NotChained.MAX_PARALLELISM}),
    "chaining": (CauseKind.CHAINING_CHANGED, {
        NotChained.UPSTREAM_NEVER, NotChained.DOWNSTREAM_NEVER, NotChained.DOWNSTREAM_HEAD,
        NotChained.DOWNSTREAM_HEAD_WITH_SOURCES,
    }),
}  # fmt: skip
"""The settings of operators on which chaining depends, in the order in which they are named, and what each forbids.

Nodes and transformations call them so, and jobs their defaults.
"""
