"""The states of one operator before and after: what was added, removed, renamed or given another kind or type."""

from __future__ import annotations

from dataclasses import dataclass

from checker.compare.fit.classes import StateType, fit_of_types
from checker.compare.fit.states import KindFit, kind_fit, ttl_fit, ttl_switched, type_changes
from checker.compare.fit.types import SAME, Fit, TypeFit
from checker.compare.revisions.connector_fit import connector_fit, starts_over
from checker.model.comparison import StateChange
from checker.model.findings import Verdict
from checker.model.graphs import StreamNode
from checker.model.topology import StateDescriptor, StateKind, Transformation, Unknown


def state_changes(base: StreamNode, head: StreamNode) -> tuple[StateChange, ...]:
    """The descriptors that differ, by name; nothing where either side's states are not known.

    A state whose name is computed may be any: then none counts as removed or added.
    """
    before, after = _named(base.declared), _named(head.declared)
    if before is None or after is None:
        return ()
    removed = not _computed_names(head.declared)
    changes = [
        StateChange(base=one, head=after.get(name))
        for name, one in before.items()
        if (name in after or removed) and _differs(one, after.get(name))
    ]
    if not _computed_names(base.declared):
        changes += [StateChange(base=None, head=one) for name, one in after.items() if name not in before]
    return tuple(changes)


def _named(declared: Transformation) -> dict[tuple[str, bool], StateDescriptor] | None:
    """By name, keyed and operator state apart: Flink keeps them apart too."""
    if isinstance(declared.state, Unknown):
        return None
    found: dict[tuple[str, bool], StateDescriptor] = {}
    for one in declared.state:
        if isinstance(one.name, Unknown) or isinstance(one.kind, Unknown):
            continue
        if one.kind not in (StateKind.TIMERS, StateKind.COORDINATOR):
            found[one.name, one.kind.keyed] = one
    return found


def _computed_names(declared: Transformation) -> list[str]:
    """Why the names of some states are not known."""
    states = () if isinstance(declared.state, Unknown) else declared.state
    return sorted(s.name.reason for s in states if isinstance(s.name, Unknown))


def _differs(before: StateDescriptor, after: StateDescriptor | None) -> bool:
    if after is None or before.kind is not after.kind:
        return True
    return ttl_switched(before, after) or any(change.fit != SAME for change in type_changes(before, after))


_NAMESPACES = {
    "TimeWindow": ("Tumbling", "Sliding", "EventTimeSession", "ProcessingTimeSession", "DynamicEventTime",
                   "DynamicProcessingTime"),
    "GlobalWindow": ("GlobalWindow", "CountWindow"),
}  # fmt: skip
"""Window kinds by how the names of their assigners begin."""


def same_namespace(before: str, after: str) -> bool:
    """Whether two window assigners make windows of one kind, as far as their names are known: True when in doubt."""
    one, other = _window_kind(before), _window_kind(after)
    return one is None or other is None or one == other


def _window_kind(assigner: str) -> str | None:
    return next((kind for kind, starts in _NAMESPACES.items() if assigner.startswith(starts)), None)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change of states does to a restore that finds the operator."""

    verdict: Verdict
    reason: str


def worst_effect(
    changes: tuple[StateChange, ...], base: StreamNode, head: StreamNode, flink: str | None
) -> Effect | None:
    """The gravest effect of changed states in the head's Flink, None when everything restores."""
    of_operator = (
        _key_effect(base.declared, head.declared),
        _window_effect(base.declared, head.declared),
        _connector_effect(base.declared, head.declared),
        _names_effect(base.declared, head.declared),
    )
    effects = [e for e in (*of_operator, *(_effect(c, flink) for c in changes)) if e is not None]
    for verdict in (Verdict.FAILS, Verdict.UNDECIDED, Verdict.STARTS_EMPTY):
        for effect in effects:
            if effect.verdict is verdict:
                return effect
    return None


def key_fit(base: Transformation, head: Transformation) -> TypeFit:
    """Whether keyed state can be found again under the head's key type."""
    if not isinstance(base.key_type, str) or not isinstance(head.key_type, str):
        return SAME
    before, after = StateType(base.key_type, base.key_classes), StateType(head.key_type, head.key_classes)
    return fit_of_types(before, after, migrates=False)


def _key_effect(base: Transformation, head: Transformation) -> Effect | None:
    found = key_fit(base, head)
    changed = found.why or f"the key type changed from {base.key_type} to {head.key_type}"
    if found.fit is Fit.INCOMPATIBLE:
        return Effect(Verdict.FAILS, changed if found.why else f"{changed}: keys can't be migrated")
    if found.fit is Fit.OPEN:
        why = f"{changed}: whether its serializer still fits depends on the classes"
        return Effect(Verdict.UNDECIDED, why)
    return None


def _window_effect(base: Transformation, head: Transformation) -> Effect | None:
    before, after = base.window, head.window
    if isinstance(before, str) and isinstance(after, str) and not same_namespace(before, after):
        return Effect(Verdict.FAILS, f"the windows changed from {before} to {after}: state is kept per window")
    return None


def computed_name_change(base: Transformation, head: Transformation) -> str | None:
    """Why a state may have another name: its name is computed, and not as before."""
    before, after = _computed_names(base), _computed_names(head)
    if before == after or isinstance(base.state, Unknown) or isinstance(head.state, Unknown):
        return None
    changed = [*(r for r in after if r not in before), *(r for r in before if r not in after)]
    return f"a state may have another name now: {changed[0] if changed else after[0]}"


def _names_effect(base: Transformation, head: Transformation) -> Effect | None:
    why = computed_name_change(base, head)
    return None if why is None else Effect(Verdict.UNDECIDED, why)


def _connector_effect(base: Transformation, head: Transformation) -> Effect | None:
    found = connector_fit(base, head)
    if found.fit is Fit.SAME:
        return None
    if starts_over(base, head):
        return Effect(Verdict.STARTS_EMPTY, found.why)
    return Effect(Verdict.FAILS if found.fit is Fit.INCOMPATIBLE else Verdict.UNDECIDED, found.why)


def _effect(change: StateChange, flink: str | None) -> Effect | None:
    before, after = change.base, change.head
    if before is None or after is None:
        return None
    assert isinstance(before.kind, StateKind), "states of unknown kind are not paired"
    assert isinstance(after.kind, StateKind), "states of unknown kind are not paired"
    kinds = kind_fit(before.kind, after.kind)
    if kinds is KindFit.STARTS_EMPTY:
        return Effect(
            Verdict.STARTS_EMPTY,
            f"state '{before.name}' changed from {before.kind} to {after.kind}: it starts empty without a message, "
            "and the next savepoint can't be restored any more",
        )
    if kinds is KindFit.REFUSED:
        return Effect(Verdict.FAILS, f"state '{before.name}' was {before.kind} and is registered as {after.kind}")
    for one in type_changes(before, after):
        changed = f"the {one.what} of state '{before.name}' changed from {one.before} to {one.after}"
        if one.fit.why:
            changed = f"the {one.what} of state '{before.name}' changed: {one.fit.why}"
        if one.fit.fit is Fit.INCOMPATIBLE:
            return Effect(Verdict.FAILS, changed)
        if one.fit.fit is Fit.OPEN:
            why = changed if one.fit.why else f"{changed}: whether the serializers fit depends on the classes"
            return Effect(Verdict.UNDECIDED, why)
    return _ttl_effect(before, after, flink) if ttl_switched(before, after) else None


def _ttl_effect(before: StateDescriptor, after: StateDescriptor, flink: str | None) -> Effect | None:
    switched = f"time-to-live of state '{before.name}' was switched {'on' if after.ttl else 'off'}"
    found = ttl_fit(before.ttl, after.ttl, flink)
    if found is Fit.INCOMPATIBLE:
        return Effect(Verdict.FAILS, f"{switched}, which Flink {flink} takes for another type")
    if found is Fit.OPEN:
        why = f"{switched}: Flink takes the state over from 2.1 (RocksDB) and 2.2 (heap) on, and refuses it before"
        return Effect(Verdict.UNDECIDED, why)
    return None
