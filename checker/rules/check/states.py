"""Rules about single states of an operator that keeps its id: gone, or of another name, kind, type or lifetime."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from checker.compare.fit.states import expiry_fit, spelled, ttl_fit
from checker.compare.fit.states import type_changes as types_of
from checker.compare.fit.types import Fit, worst
from checker.compare.restore.states import BUILT_IN
from checker.compare.revisions.states import Aspect, effects, key_fit, quoted
from checker.model.comparison import OperatorComparison, StateChange
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.findings import Evidence, Severity, Verdict
from checker.model.unknowns import Unknown
from checker.rules.base import Category, Hit, RuleContext, kept, kept_pairs, rule, stable_key, title_of

_OF_FLINK = BUILT_IN - {"count", "splits", "state"}
"""Names that are Flink's alone: documents say nothing of where a state is registered."""
_KEPT_BY_FLINK = (
    "Flink's operator keeps this state, and no code of the program names it: undo the edit that changed what it holds, "
    "or give the operator a new uid and let it start empty"
)


def restored(context: RuleContext) -> Iterator[OperatorComparison]:
    """Operators whose state reaches them, and whose states changed."""
    return (row for row in context.pairs if row.state_changes and kept(row))


def renamed_and_removed(row: OperatorComparison) -> tuple[list[StateChange], list[StateChange]]:
    """States that came back under another name, of the same kind and type, and those that are gone."""
    added = [c.head for c in row.state_changes if c.base is None and c.head is not None]
    renamed, removed = [], []
    for change in row.state_changes:
        if change.base is None or change.head is not None:
            continue
        match = next((a for a in added if _alike(change.base, a)), None)
        if match is None:
            removed.append(change)
        else:
            added.remove(match)
            renamed.append(StateChange(base=change.base, head=match))
    return renamed, removed


def _of_pyflink(context: RuleContext) -> bool:
    head = context.head.translation
    return head is not None and head.topology.extractor == "python"


def _alike(before: StateDescriptor, after: StateDescriptor) -> bool:
    return before.kind == after.kind and all(c.fit.fit is Fit.SAME for c in types_of(before, after))


def kind_changes(row: OperatorComparison) -> list[StateChange]:
    """States of one name and another kind."""
    return [
        c
        for c in row.state_changes
        if c.base is not None
        and c.head is not None
        and isinstance(c.base.kind, StateKind)
        and isinstance(c.head.kind, StateKind)
        and c.base.kind is not c.head.kind
    ]


def type_changes(row: OperatorComparison, wanted: Fit) -> list[StateChange]:
    """States of one name and kind whose types fit in the wanted way, judged by the worst of key and value."""
    found = []
    for change in row.state_changes:
        if change.base is None or change.head is None or change.base.kind is not change.head.kind:
            continue
        if worst(c.fit for c in types_of(change.base, change.head)).fit is wanted:
            found.append(change)
    return found


def state_hit(row: OperatorComparison, message: str, changes: Sequence[StateChange], repair: str) -> Hit:
    """One hit for some states of an operator; ``{0}`` in the message are their names, ``{why}`` what decides inside."""
    assert row.head is not None
    inside = [w for c in changes for w in _inside(c)]
    named = [c.base for c in changes if c.base is not None]
    names = ", ".join(dict.fromkeys(map(quoted, named)))
    if named and all(state.location is None and state.name in _OF_FLINK for state in named):
        repair = _KEPT_BY_FLINK
    location = next((c.head.location for c in changes if c.head is not None and c.head.location is not None), None)
    return Hit(
        message=message.format(names, operator=title_of(row.head), why=f" ({inside[0]})" if inside else ""),
        operator_key=stable_key(row.head),
        base=row.base,
        head=row.head,
        evidence=tuple(dict.fromkeys(e for c in changes for e in evidence_of(c))),
        repair=repair,
        location=location or row.head.location,
    )


def evidence_of(change: StateChange) -> tuple[Evidence, ...]:
    """The state on both sides."""
    return (Evidence("state", described(change.base), described(change.head)),)


def _inside(change: StateChange) -> list[str]:
    types = types_of(change.base, change.head) if change.base is not None and change.head is not None else ()
    return [c.fit.why for c in types if c.fit.why and c.fit.fit is not Fit.SAME]


def described(state: StateDescriptor | None) -> str | None:
    """A descriptor as people would write it."""
    if state is None:
        return None
    types = ", ".join(t for t in (state.key_type, state.value_type) if isinstance(t, str))
    name, kind = ("(computed)" if isinstance(v, Unknown) else v for v in (state.name, state.kind))
    return f"{name}: {kind}" + (f"<{types}>" if types else "")


@rule("A state was removed", Severity.ERROR, Category.STATE)
def state_removed(context: RuleContext) -> Iterable[Hit]:
    """A state descriptor is gone while its operator stays: the state is carried along for ever.

    One hit per operator.
    """
    for row in restored(context):
        _, removed = renamed_and_removed(row)
        if removed:
            yield state_hit(
                row,
                "state {0} of {operator} is no longer registered: it stays in every snapshot and blocks its name",
                removed,
                "clear it with the State Processor API, or register it for one release and clear it there",
            )


@rule("A state was renamed", Severity.ERROR, Category.STATE)
def state_renamed(context: RuleContext) -> Iterable[Hit]:
    """A state descriptor got another name: the old state stays inside and comes back stale.

    One hit per operator.
    """
    for row in restored(context):
        renamed, _ = renamed_and_removed(row)
        if renamed:
            yield state_hit(
                row,
                "state {0} of {operator} was renamed: the new one starts empty, the old one stays in "
                "every snapshot and "
                "comes back stale if its name is ever used again",
                renamed,
                "keep the old name in the descriptor, or rename the state inside the savepoint with "
                "the State Processor API",
            )


_BAGS = (StateKind.VALUE, StateKind.LIST, StateKind.REDUCING, StateKind.AGGREGATING)
_READ = "PyFlink takes a value for a list of one element, and of a list only the first one for a value"
_FAILS = "the job fails when it asks for it, or starts it empty where Flink does not notice"


@rule("The kind of a state changed", Severity.ERROR, Category.STATE)
def state_kind_changed(context: RuleContext) -> Iterable[Hit]:
    """A state name is registered as another kind of state.

    One hit per operator. PyFlink keeps all kinds but maps as lists of bytes (``BeamBagStateHandler``).
    """
    pyflink = _of_pyflink(context)
    for row in restored(context):
        changed = kind_changes(row)
        if changed:
            alike = pyflink and all(side.kind in _BAGS for c in changed for side in (c.base, c.head) if side)
            yield state_hit(
                row,
                f"state {{0}} of {{operator}} is registered as another kind: {_READ if alike else _FAILS}",
                changed,
                "give the new state a name of its own and migrate in the code",
            )


@rule("The type of a state changed", Severity.ERROR, Category.STATE)
def value_type_changed(context: RuleContext) -> Iterable[Hit]:
    """A state is registered with a type whose serializer can not read what was written.

    One hit per operator. PyFlink keeps arrays of bytes in the JVM (``BeamKeyedStateStore``).
    """
    effect = "Flink refuses it when the operator asks for the state"
    if _of_pyflink(context):
        effect = "PyFlink reads what lies there as the new type: it fails, or gives other values"
    for row in restored(context):
        changed = type_changes(row, Fit.INCOMPATIBLE)
        if changed:
            yield state_hit(
                row,
                f"the type of state {{0}} of {{operator}} changed{{why}}: {effect}",
                changed,
                "give the new state a name of its own and convert in the code",
            )


_SERIALIZERS = "check the serializers: POJOs may gain and lose fields, renamed classes and Kryo types don't restore"
_KEY = (
    "look whether every element has the key that it had, equal and with the same hash code: keyed state is never moved "
    "to other keys. If not, keep the old key, or give the operator a new uid"
)
_WINDOW = "look whether the new assigner makes the same windows: open ones stay under the windows they were kept for"
_STATES = (
    "look whether it registers the states that it did, by name, kind and type: what it does not ask for stays behind"
)
_ADVICE = {Aspect.STATES: _STATES, Aspect.KEY: _KEY, Aspect.KEY_PART: _KEY, Aspect.WINDOW: _WINDOW}
_TOLD_ELSEWHERE = (Aspect.CONNECTOR, Aspect.TIME_TO_LIVE)


@rule("Whether a state can still be read is open", Severity.ERROR, Category.STATE)
def type_change_to_check(context: RuleContext) -> Iterable[Hit]:
    """Whether states can still be read depends on something that the source does not settle.

    One hit per operator that finds its state and of which some effect is open.
    """
    for row, side, base, head in kept_pairs(context):
        if base.stateful is False:
            continue
        found = effects(row.state_changes, base, head, context.comparison.head_flink)
        opened = [e for e in found if e.verdict is Verdict.UNDECIDED and e.aspect not in _TOLD_ELSEWHERE]
        if not opened:
            continue
        reasons = "; ".join(e.reason for e in opened)
        evidence = [e for c in type_changes(row, Fit.OPEN) for e in evidence_of(c)]
        key = key_fit(base.declared, head.declared)
        if key.fit is Fit.OPEN:
            after = spelled(head.declared.key_type) + (f": {key.why}" if key.why else "")
            evidence.insert(0, Evidence("key type", spelled(base.declared.key_type), after))
        yield Hit(
            message=f"whether the state of {title_of(side)} can still be read is open: {reasons}",
            base=row.base,
            head=side,
            evidence=tuple(evidence),
            repair="\n".join(dict.fromkeys(_ADVICE.get(e.aspect, _SERIALIZERS) for e in opened)),
        )


@rule("A class in state lost a field", Severity.WARNING, Category.STATE)
def state_field_dropped(context: RuleContext) -> Iterable[Hit]:
    """A class in state lost a field: the values that were written for it do not come back.

    One hit per operator, where its states restore otherwise.
    """
    for row in restored(context):
        assert row.head is not None
        both = [(c.base, c.head) for c in row.state_changes if c.base is not None and c.head is not None]
        types = [t for base, head in both if base.kind is head.kind for t in types_of(base, head)]
        dropped = tuple(dict.fromkeys(field for t in types if t.fit.fit is Fit.SAME for field in t.fit.dropped))
        if dropped:
            location = next((head.location for _, head in both if head.location is not None), None)
            yield Hit(
                message=f"a class in the state of {title_of(row.head)} lost a field: Flink restores the rest and drops "
                "what was written for it, without a message",
                base=row.base,
                head=row.head,
                evidence=tuple(Evidence("dropped", field, None) for field in dropped),
                repair="keep the field until its values are not needed any more; a renamed or moved one is a new field",
                location=location or row.head.location,
            )


@rule("Time-to-live of a state was switched on or off", Severity.ERROR, Category.STATE)
def state_ttl_changed(context: RuleContext) -> Iterable[Hit]:
    """Time-to-live of a state is switched on or off, which older Flinks take for another type.

    One hit per operator: refused, or open where the version, the backend or the setting is not known.
    """
    flink = context.comparison.head_flink
    for row in restored(context):
        both = [c for c in row.state_changes if c.base and c.head]
        switched = [c for c in both if c.base and c.head and ttl_fit(c.base.ttl, c.head.ttl, flink) is not Fit.SAME]
        if switched:
            yield state_hit(
                row,
                "time-to-live of state {0} of {operator} was switched, or may have been: Flink refuses the state until "
                "2.0, in 2.1 on the heap backend too",
                switched,
                "give the new state a name of its own and copy, or deploy Flink 2.2 or newer first",
            )


_SAYS = {Fit.INCOMPATIBLE: "expire earlier", Fit.OPEN: "may expire earlier"}


@rule("Values in state expire earlier", Severity.WARNING, Category.STATE)
def state_expires_earlier(context: RuleContext) -> Iterable[Hit]:
    """Values that lie in state expire earlier: its time-to-live got shorter, or reads refresh it no longer.

    One hit per operator.
    """
    for row in restored(context):
        both = [(c, expiry_fit(c.base, c.head)) for c in row.state_changes if c.base and c.head]
        for wanted, expire in _SAYS.items():
            earlier = [(change, why) for change, (fit, why) in both if fit is wanted]
            if earlier:
                why = earlier[0][1].replace("{", "{{").replace("}", "}}")
                yield state_hit(
                    row,
                    f"values of state {{0}} of {{operator}} {expire}: {why}. What is older is gone as soon "
                    "as the new version runs",
                    [change for change, _ in earlier],
                    "keep the old length until all that may expire has expired, or accept that it is dropped",
                )
