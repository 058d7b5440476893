"""The states of one operator before and after: what was added, removed, renamed or given another kind or type."""

from __future__ import annotations

import re
from dataclasses import dataclass

from checker.compare.fit.serializers import serializer_fit
from checker.compare.fit.states import KindFit, fit_of_maybe, kind_fit, ttl_fit, ttl_switched, type_changes
from checker.compare.fit.types import SAME, Fit, TypeFit
from checker.compare.fit.unknowns import made_alike
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
    moved = computed_name_change(base.declared, head.declared) is not None
    removed = not moved or not _computed_names(head.declared)
    changes = [
        StateChange(base=one, head=after.get(key))
        for key, one in before.items()
        if (key in after or (removed and isinstance(one.name, str))) and _differs(one, after.get(key))
    ]
    if not moved or not _computed_names(base.declared):
        changes += [
            StateChange(base=None, head=one)
            for key, one in after.items()
            if key not in before and isinstance(one.name, str)
        ]
    return tuple(changes)


def _named(declared: Transformation) -> dict[tuple[str, bool], StateDescriptor] | None:
    """By name, keyed and operator state apart: Flink keeps them apart too."""
    if isinstance(declared.state, Unknown):
        return None
    found: dict[tuple[str, bool], StateDescriptor] = {}
    for one in declared.state:
        if isinstance(one.kind, Unknown) or one.kind in (StateKind.TIMERS, StateKind.COORDINATOR):
            continue
        found[_known_by(one), one.kind.keyed] = one
    return found


def _known_by(state: StateDescriptor) -> str:
    """A state's name; one that is computed is known by what it is made of."""
    return state.name if isinstance(state.name, str) else f"computed: {state.name.made_of or state.name.reason}"


def _computed_names(declared: Transformation) -> list[tuple[str, str]]:
    """What the names of states are made of that are not known, and why they are not."""
    states = () if isinstance(declared.state, Unknown) else declared.state
    unread = [s.name for s in states if isinstance(s.name, Unknown)]
    return sorted((name.made_of or name.reason, name.reason) for name in unread)


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


_GRAVEST = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.MISASSIGNED, Verdict.DROPPED, Verdict.STARTS_EMPTY)


def worst_effect(
    changes: tuple[StateChange, ...], base: StreamNode, head: StreamNode, flink: str | None
) -> Effect | None:
    """The gravest effect of changed states in the head's Flink, None when everything restores."""
    of_operator = (
        _key_effect(base.declared, head.declared),
        _key_part_effect(base.declared, head.declared),
        _states_effect(base.declared, head.declared),
        _window_effect(base.declared, head.declared),
        _connector_effect(base.declared, head.declared),
        _names_effect(base.declared, head.declared),
        _plan_effect(base.declared, head.declared),
        _dropped_effect(changes, base.declared),
    )
    effects = [e for e in (*of_operator, *(_effect(c, flink) for c in changes)) if e is not None]
    for verdict in _GRAVEST:
        for effect in effects:
            if effect.verdict is verdict:
                return effect
    return None


def _plan_effect(base: Transformation, head: Transformation) -> Effect | None:
    """What only operators of a SQL plan tell: what they compute, and that nothing is known of their states."""
    if base.meaning is None and head.meaning is None:
        return None
    unread = next((t.state for t in (base, head) if isinstance(t.state, Unknown)), None)
    if unread is not None and base.stateful is not False:
        return Effect(Verdict.UNDECIDED, f"which states the operator keeps is not known: {unread.reason}")
    if meaning_changed(base, head):
        reason = f"the state of {base.meaning} is taken over by {head.meaning}, and Flink says nothing"
        return Effect(Verdict.MISASSIGNED, reason)
    return None


def _dropped_effect(changes: tuple[StateChange, ...], base: Transformation) -> Effect | None:
    """A state of a SQL operator that it does not ask for any more: nobody decided that, the planner did."""
    gone = [c.base.name for c in changes if c.base is not None and c.head is None and base.meaning is not None]
    if not gone:
        return None
    return Effect(Verdict.DROPPED, f"the operator does not ask for state '{gone[0]}' any more: it is dropped silently")


def meaning_changed(base: Transformation, head: Transformation) -> bool:
    """Whether both are operators of a SQL plan that compute different things."""
    return base.meaning is not None and head.meaning is not None and base.meaning != head.meaning


def key_fit(base: Transformation, head: Transformation) -> TypeFit:
    """Whether keyed state can be found again under the head's key type."""
    if base.key_serializer is not None and head.key_serializer is not None:
        return serializer_fit(base.key_serializer, head.key_serializer)
    if base.key_type is None or head.key_type is None:
        return SAME
    return fit_of_maybe(base.key_type, base.key_classes, head.key_type, head.key_classes, migrates=False)


_PART = re.compile(r"[.\w()]+")
"""A key that is a plain part of an element: getters and fields only."""


def key_part_fit(base: Transformation, head: Transformation) -> TypeFit:
    """Whether the elements have the keys that they had: other plain parts are others, other code may be."""
    before, after = base.key, head.key
    if before is None or after is None or before == after:
        return SAME
    if isinstance(before, Unknown) and isinstance(after, Unknown) and made_alike(before, after):
        return SAME
    if isinstance(before, str) and isinstance(after, str):
        if _PART.fullmatch(before) or _PART.fullmatch(after):
            return TypeFit(Fit.INCOMPATIBLE, f"the key was {before} and is {after} now")
        return TypeFit(Fit.OPEN, f"the key was {before} and is {after} now: whether the two agree is not decided")
    return TypeFit(
        Fit.OPEN, "the code that gives the keys changed: whether elements have their old keys is not decided"
    )


def _key_part_effect(base: Transformation, head: Transformation) -> Effect | None:
    found = key_part_fit(base, head)
    return Effect(Verdict.UNDECIDED, found.why) if found.fit is Fit.OPEN else None


def _states_effect(base: Transformation, head: Transformation) -> Effect | None:
    """States that nobody could read: the same only if they are made alike."""
    before, after = base.state, head.state
    if isinstance(before, Unknown) and isinstance(after, Unknown):
        if made_alike(before, after):
            return None
        return Effect(Verdict.UNDECIDED, f"the operator's states are not known, and may have changed: {after.reason}")
    if isinstance(after, Unknown) and before:
        return Effect(Verdict.UNDECIDED, f"the operator's states are not known any more: {after.reason}")
    if isinstance(before, Unknown):
        return Effect(Verdict.UNDECIDED, f"the operator's states were not known before: {before.reason}")
    return None


def _key_effect(base: Transformation, head: Transformation) -> Effect | None:
    found = key_fit(base, head)
    changed = found.why or f"the key type changed from {base.key_type} to {head.key_type}"
    if found.fit is Fit.INCOMPATIBLE:
        return Effect(Verdict.FAILS, changed if found.why else f"{changed}: keys can't be migrated")
    if found.fit is Fit.OPEN:
        why = found.why or f"{changed}: whether its serializer still fits depends on the classes"
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
    if isinstance(base.state, Unknown) or isinstance(head.state, Unknown):
        return None
    made_before, made_after = [made for made, _ in before], [made for made, _ in after]
    if made_before == made_after:
        return None
    changed = [why for made, why in after if made not in made_before]
    changed += [why for made, why in before if made not in made_after]
    return f"a state may have another name now: {changed[0] if changed else (after or before)[0][1]}"


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


def open_effects(base: Transformation, head: Transformation, changes: tuple[StateChange, ...]) -> list[str]:
    """What besides types leaves open whether state is read and found: names, keys, time-to-live, states not read."""
    effects = [_names_effect(base, head), _key_part_effect(base, head), _states_effect(base, head)]
    both = ((c.base, c.head) for c in changes if c.base is not None and c.head is not None)
    effects += [_ttl_effect(before, after, None) for before, after in both if ttl_unread(before, after)]
    return [effect.reason for effect in effects if effect is not None and effect.verdict is Verdict.UNDECIDED]


def ttl_unread(before: StateDescriptor, after: StateDescriptor) -> bool:
    """Whether nobody knows if time-to-live was switched."""
    return ttl_switched(before, after) and (isinstance(before.ttl, Unknown) or isinstance(after.ttl, Unknown))


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
    unread = next((ttl for ttl in (after.ttl, before.ttl) if isinstance(ttl, Unknown)), None)
    if unread is not None:
        switched = f"time-to-live of state '{before.name}' may have been switched: {unread.reason}"
    found = ttl_fit(before.ttl, after.ttl, flink)
    if found is Fit.INCOMPATIBLE:
        return Effect(Verdict.FAILS, f"{switched}, which Flink {flink} takes for another type")
    if found is Fit.OPEN:
        why = f"{switched}: Flink takes the state over from 2.1 (RocksDB) and 2.2 (heap) on, and refuses it before"
        return Effect(Verdict.UNDECIDED, why)
    return None
