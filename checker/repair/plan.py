"""The smallest edits that keep all state, each verified by computing everything again before it is offered."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from checker.compare import compare_pipelines
from checker.compare.revisions.mapping import MappingEntry
from checker.flink import translate
from checker.flink.versions import SinkShape, semantics_of
from checker.model.changed_files import ChangedText, renamed_by
from checker.model.comparison import CauseKind, Comparison, OperatorComparison
from checker.model.findings import RestorePath, Verdict
from checker.model.stream_graph import NodeKey, Role, StreamNode
from checker.model.topology import Kind
from checker.model.translation import Translation
from checker.model.unknowns import Cause, Unknown, settle
from checker.repair.advice import is_planned, kind_of_plan
from checker.repair.repairs import (
    MOVED_ALONG,
    NO_PIN,
    OF_PLANNER,
    REASONS,
    SINK_HASHES,
    Edit,
    Field,
    Names,
    Repair,
    Spelling,
    edited,
    fluent,
    is_inner,
    rewrite_command,
    spelling_of,
)


def plan_repairs(
    base: Translation,
    head: Translation,
    comparison: Comparison,
    mapping: Iterable[MappingEntry] = (),
    texts: Sequence[ChangedText] = (),
) -> tuple[Repair, ...]:
    """One repair for every operator whose state does not restore, in the order of the comparison.

    ``texts`` are those that were changed in the program: a uid made of one gets it back where it stands. There are no
    repairs of a head that Flink refuses, whose operators are not known.
    """
    if head.refusal is not None:
        return ()
    return _Planner(base, head, comparison, tuple(mapping), texts).run()


@dataclass
class _Planner:
    base: Translation
    head: Translation
    comparison: Comparison
    mapping: tuple[MappingEntry, ...]
    texts: Sequence[ChangedText]
    edits: dict[Edit, None] = field(default_factory=dict)
    """Edits that hold so far, in order."""
    bundles: dict[NodeKey, list[Edit]] = field(default_factory=dict)
    """The same by the operator whose state they save."""
    harmed: dict[NodeKey, OperatorComparison] = field(default_factory=dict)
    """Operators that were whole and are pinned because of the uid of another one."""
    uids: dict[str, str] = field(default_factory=dict)
    """Declaration → the uid that gets it out of the way of somebody's state."""

    def __post_init__(self) -> None:
        self.flink = self.head.topology.flink
        self.spelling = spelling_of(self.head.topology)
        self.titles = {t.id: t.display_name for t in self.head.topology.operators()}
        self.names = Names(self.head.topology)

    def run(self) -> tuple[Repair, ...]:
        asked = {_key(row): row for row in self.comparison.operators if broken(row)}
        current = self.comparison
        for step in (self._uid_edits, self._pins, self._pins_and_max_parallelism, self._max_parallelism):
            lost = {_key(row) for row in current.operators if broken(row)}
            wanted = {
                _key(row): step(row, lost)
                for row in current.operators
                if broken(row) and not self._listed(row) and not self._planned(row)
            }
            current = self._keep_what_helps(current, {k: e for k, e in wanted.items() if e})
        left = {_key(row): row for row in current.operators if broken(row)}
        asked.update({key: row for key, row in self.harmed.items() if key not in asked})
        return tuple(self._repair(row, key not in left) for key, row in asked.items())

    def _listed(self, row: OperatorComparison) -> bool:
        """Whether one call makes it and others, with uids of their places: no edit of that call gives each its own."""
        return row.cause is not None and row.cause.kind is CauseKind.MOVED_ALONG and self._shares_call(row)

    def _planned(self, row: OperatorComparison) -> bool:
        """Whether Flink's planner made the operator, which takes no ids."""
        return is_planned(self.head.topology) and any(
            node is not None and kind_of_plan(node.declared) is not None for node in self._nodes(row)
        )

    def _shares_call(self, row: OperatorComparison) -> bool:
        """Whether one call makes it and others."""
        places = [t.location for t in self.head.topology.operators() if not t.kind.virtual]
        return row.head is not None and places.count(row.head.location) > 1

    def _keep_what_helps(self, current: Comparison, wanted: dict[NodeKey, tuple[Edit, ...]]) -> Comparison:
        """Make the edits, compute again, and take back those whose operator is still broken, until all help.

        An operator that was whole and is broken by a uid of another one is pinned as well; where that can't be, the
        uids are taken back.
        """
        before = {_key(r) for r in current.operators if broken(r)}
        harmed_rows: dict[NodeKey, OperatorComparison] = {}
        while wanted:
            proposed = [e for edits in wanted.values() for e in edits]
            compared = self._compare((*self.edits, *proposed))
            uids = [key for key, edits in wanted.items() if any(e.field is Field.UID for e in edits)]
            if compared is None:
                for key in uids or [next(reversed(wanted))]:
                    del wanted[key]
                continue
            after = {_key(r): r for r in compared.operators if broken(r)}
            useless = [key for key in wanted if key in after]
            harmed = {key: self._pins(row, set(after)) for key, row in after.items() if key not in before}
            if not useless and not harmed:
                self.edits.update(dict.fromkeys(proposed))
                for key, edits in wanted.items():
                    self.bundles.setdefault(key, []).extend(edits)
                self.harmed.update({k: r for k, r in harmed_rows.items() if k in wanted})
                return compared
            if not useless and all(harmed.values()) and not harmed.keys() & (wanted.keys() | harmed_rows.keys()):
                wanted.update(harmed)
                harmed_rows.update({key: after[key] for key in harmed})
                continue
            for key in useless or uids or [next(reversed(wanted))]:
                del wanted[key]
        return current

    def _compare(self, edits: Iterable[Edit]) -> Comparison | None:
        """The comparison after the edits, None where Flink would refuse the result."""
        repaired = translate(edited(self.head.topology, edits), self.flink)
        if repaired.refusal is not None:
            return None
        return compare_pipelines(self.comparison.pipeline, self.base, repaired, self.mapping)

    def _nodes(self, row: OperatorComparison) -> tuple[StreamNode | None, StreamNode | None]:
        return (
            self.base.node_by_key.get(row.base.key) if row.base else None,
            self.head.node_by_key.get(row.head.key) if row.head else None,
        )

    def _uid_edits(self, row: OperatorComparison, lost: set[NodeKey]) -> tuple[Edit, ...]:
        """Give the declaration back the uid it had, or take away one that moved a source."""
        del lost
        before, after = self._nodes(row)
        if before is None or after is None or row.cause is None or len(row.cause.path) > 1:
            return ()
        old, new = before.declared.uid, after.declared.uid
        if isinstance(old, Unknown) or old == new:
            return ()
        if old is None and not before.has_coordinator:
            return ()  # a pin beside the new uid is smaller and better
        return (Edit(after.declared.id, Field.UID, old),)

    def _pins(self, row: OperatorComparison, lost: set[NodeKey]) -> tuple[Edit, ...]:
        """Pin the id under which the state lies."""
        before, after = self._nodes(row)
        if before is None or after is None or row.base is None or row.base.id is None or before.has_coordinator:
            return ()
        if is_inner(self.head.topology, after.declared):
            return ()
        if row.id_changed is False and row.claimed_by is None:
            return ()
        if after.role is Role.MAIN and after.declared.kind is not Kind.SINK:
            pin = Edit(after.declared.id, Field.UID_HASH, row.base.id)
            return (*self._out_of_the_way(row, lost), *self._constant(after), pin)
        if self.spelling is Spelling.PYTHON:
            return ()  # PyFlink's sink_to takes no hashes
        expanded = semantics_of(self.flink).sink_shape is SinkShape.EXPANDED
        if after.role in SINK_HASHES and after.declared.kind is Kind.SINK and expanded:
            return (*self._out_of_the_way(row, lost), Edit(after.declared.id, SINK_HASHES[after.role], row.base.id))
        return ()

    def _out_of_the_way(self, row: OperatorComparison, lost: set[NodeKey]) -> tuple[Edit, ...]:
        """A uid for the operator that has the id now, if it has no state of its own to lose by that.

        As long as two operators claim one state, which of them gets it is left to chance.
        """
        taker = None if row.claimed_by is None else self.head.node_by_key.get(row.claimed_by.key)
        if taker is None or taker.declared.uid is not None or taker.role not in (Role.MAIN, Role.WRITER):
            return ()
        both = (r for r in self.comparison.operators if r.base is not None and r.head is not None)
        own = [r for r in both if r.head and self.head.node_by_key[r.head.key].declared is taker.declared]
        for neighbour in own:
            itself = neighbour.head is not None and neighbour.head.key == taker.key
            if neighbour.stateful is not False and (itself or _key(neighbour) not in lost):
                return ()  # it is pinned to its own state instead, or the id is its own
        uid = self.uids.get(taker.declared.id) or self.names.give(taker.declared)
        self.uids[taker.declared.id] = uid
        return (Edit(taker.declared.id, Field.UID, uid),)

    def _constant(self, node: StreamNode) -> tuple[Edit, ...]:
        """A constant in place of a uid that is different in every run: else the next savepoint is lost again."""
        uid = node.declared.uid
        if not isinstance(uid, Unknown) or uid.cause is not Cause.NON_DETERMINISTIC:
            return ()
        given = self.uids.setdefault(node.declared.id, self.names.give(node.declared))
        return (Edit(node.declared.id, Field.UID, given),)

    def _pins_and_max_parallelism(self, row: OperatorComparison, lost: set[NodeKey]) -> tuple[Edit, ...]:
        """Both, where the pinned state then turns out to have another max parallelism."""
        pins, others = self._pins(row, lost), self._max_parallelism(row, lost)
        return (*pins, *others) if pins and others else ()

    def _max_parallelism(self, row: OperatorComparison, lost: set[NodeKey]) -> tuple[Edit, ...]:
        """Give the head of the chain the max parallelism that the state was written with."""
        del lost
        before, after = self._nodes(row)
        if before is None or after is None or self.base.job_graph is None or self.head.job_graph is None:
            return ()
        old = self.base.job_graph.vertices[self.base.job_graph.vertex_of[before.number]]
        new = self.head.job_graph.vertices[self.head.job_graph.vertex_of[after.number]]
        if new.configured_max_parallelism in (None, old.configured_max_parallelism):
            return ()
        assert self.head.stream_graph is not None
        declared = self.head.stream_graph.nodes[new.head].declared
        value = old.configured_max_parallelism
        if value is None and declared.max_parallelism is None:
            return ()  # the environment or the configuration sets it: there is no call to remove
        if declared.kept_at_one:
            return ()
        return (Edit(declared.id, Field.MAX_PARALLELISM, value),)

    def _repair(self, row: OperatorComparison, repaired: bool) -> Repair:
        before, after = self._nodes(row)
        handle = after.declared.id if after is not None else None
        # All edits of one declaration are one: a sink takes the hashes of all its operators in one argument.
        own = [e for e in self.edits if e.transformation == handle] if self.bundles.get(_key(row)) else []
        both = {*self.bundles.get(_key(row), ()), *own}
        concerning = tuple(sorted(both, key=lambda e: (e.transformation, _ORDER[e.field])))
        if repaired and concerning:
            back = self._text_of(row, concerning)
            last = next((e for e in reversed(concerning) if e.transformation == handle), concerning[0])
            return Repair(
                base=row.base,
                head=row.head,
                edits=concerning,
                text=_BACK.format(back.before, back.after, back.location) if back else self._text(concerning, handle),
                reason=REASONS[last.field],
                back=back,
            )
        if repaired:
            return Repair(
                base=row.base,
                head=row.head,
                edits=tuple(self.edits),
                text=self._text(tuple(self.edits), handle),
                reason="restores with the edits of the operators it depends on",
            )
        return self._without_edit(row, before, after)

    def _text_of(self, row: OperatorComparison, edits: tuple[Edit, ...]) -> ChangedText | None:
        """The changed text that a uid, or the max parallelism of the job, is made of, where no more is to give back."""
        new = None if row.head is None else row.head.uid
        if len(edits) == 1 and edits[0].field is Field.MAX_PARALLELISM:
            return renamed_by(self.texts, str(edits[0].value), str(self.head.topology.max_parallelism))
        if len(edits) != 1 or edits[0].field is not Field.UID or not isinstance(edits[0].value, str) or new is None:
            return None
        text = renamed_by(self.texts, edits[0].value, new)
        if text is None or row.head is None or row.head.uid_location is None or self._shares_call(row):
            return text
        own = row.head.uid_location.file, row.head.uid_location.line
        return None if own == (text.location.file, text.location.line) else text

    def _text(self, edits: tuple[Edit, ...], handle: str | None) -> str:
        """The edits as source, those on other declarations with their names."""
        lines = [fluent([e for e in edits if e.transformation == handle], self.spelling)]
        others = [e for e in edits if e.transformation != handle]
        lines += [f"on '{self.titles[e.transformation]}': {fluent([e], self.spelling)}" for e in others]
        return "\n".join(line for line in lines if line)

    def _without_edit(self, row: OperatorComparison, before: StreamNode | None, after: StreamNode | None) -> Repair:
        """What to say where no edit of the program keeps all of the state."""
        base, head = row.base, row.head
        if self._planned(row):
            reason = OF_PLANNER
        elif row.cause is not None and row.cause.kind is CauseKind.MOVED_ALONG:
            reason = MOVED_ALONG
        elif head is None:
            reason = "the operator is gone: nothing can take its state. Declare it as dropped in savepoint-mapping.toml"
        elif row.undecided:
            unknown = row.undecided[0]
            reason = f"its id is undecided: {unknown.reason}{settle(unknown.settled_by)}"
        elif row.id_changed is False:
            reason = f"its id is the same; {row.on(RestorePath.SAVEPOINT).reason}: no edit of ids can help"
        elif after is None or base is None or base.id is None or head.id is None:
            reason = "its id depends on an unknown value: give the value with --arg, or set a constant uid"
        else:
            source = before is not None and before.has_coordinator
            inner = is_inner(self.head.topology, after.declared)
            why = NO_PIN[
                "source" if source else "sink" if after.role in _SINK_STAGES else "inner" if inner else "claimed"
            ]
            text = rewrite_command(base.id, head.id)
            return Repair(base=base, head=head, text=text, reason=why)
        return Repair(base=base, head=head, reason=reason)


def broken(row: OperatorComparison) -> bool:
    """The base left state here (as far as is known) and a savepoint does not give all of it back."""
    if row.base is None or row.stateful is False or not row.verdicts:
        return False
    verdict = row.verdict(RestorePath.SAVEPOINT)
    if verdict is Verdict.STARTS_EMPTY:
        return row.head is not None and row.head.uid_hash == row.base.id
    return verdict in (Verdict.FAILS, Verdict.DROPPED, Verdict.MISASSIGNED)


def _key(row: OperatorComparison) -> NodeKey:
    assert row.base is not None
    return row.base.key


_BACK = 'put "{}" back in place of "{}" at {}'
_ORDER = {field: place for place, field in enumerate(Field)}
_SINK_STAGES = frozenset({Role.PRE_WRITE, Role.PRE_COMMIT, Role.POST_COMMIT, *SINK_HASHES})
