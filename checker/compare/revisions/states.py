"""The states of one operator before and after: what was added, removed, renamed or given another kind or type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checker.compare.fit.classes import ClassFits
from checker.compare.fit.time_to_live import ttl_fit, ttl_switched
from checker.compare.fit.types import SAME, Fit, TypeFit, is_basic
from checker.compare.revisions.connector_fit import connector_fit, starts_over
from checker.model.comparison import StateChange
from checker.model.findings import Verdict
from checker.model.graphs import StreamNode
from checker.model.topology import StateDescriptor, StateKind, Transformation, Unknown


@dataclass(frozen=True, slots=True)
class TypeChange:
    """One type of a state on both sides: ``key type`` or ``type``, and whether it fits."""

    what: str
    before: str
    after: str
    fit: TypeFit


def type_changes(before: StateDescriptor, after: StateDescriptor) -> tuple[TypeChange, ...]:
    """The types of a state that both sides tell, the user key of a map first."""
    classes = ClassFits(before.classes, after.classes)
    pairs = (("key type", before.key_type, after.key_type), ("type", before.value_type, after.value_type))
    found = [
        TypeChange(what, one, other, classes.fit(one, other))
        for what, one, other in pairs
        if isinstance(one, str) and isinstance(other, str)
    ]
    return (*found, *_serializer_change(before, after))


_DEFAULT = "Flink's own for the type"


def _serializer_change(before: StateDescriptor, after: StateDescriptor) -> Iterator[TypeChange]:
    """A serializer that the program names itself, where the other side names another one or none."""
    one, other = _serializer_of(before), _serializer_of(after)
    if isinstance(one, Unknown) or isinstance(other, Unknown) or one == other:
        return
    wrapped = [s for s in (one, other) if s is not None and s.endswith(ELEMENTS_WITH_TIMESTAMPS)]
    why = f"the serializer changed from {one or _DEFAULT} to {other or _DEFAULT}"
    fit = TypeFit(Fit.INCOMPATIBLE if len(wrapped) == 1 else Fit.OPEN, why)
    yield TypeChange("serializer", one or _DEFAULT, other or _DEFAULT, fit)


ELEMENTS_WITH_TIMESTAMPS = "StreamElementSerializer"
"""What windows with an evictor keep their contents with."""


def _serializer_of(state: StateDescriptor) -> str | Unknown | None:
    """The serializer that the program names; None for the one that the type has anyway."""
    named = state.serializer
    if not isinstance(named, str):
        return named
    simple = named.split("<")[0].rpartition(".")[2].removesuffix("Serializer")
    plain = {"Int": "Integer", "Char": "Character", "BigDec": "BigDecimal", "BigInt": "BigInteger"}.get(simple, simple)
    return None if is_basic(plain) else named


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
    return ClassFits(base.key_classes, head.key_classes, migrates=False).fit(base.key_type, head.key_type)


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
    if before.kind is not after.kind:
        if StateKind.BROADCAST in (before.kind, after.kind):
            return Effect(
                Verdict.STARTS_EMPTY,
                f"state '{before.name}' changed from {before.kind} to {after.kind}: it starts empty without a message, "
                "and the next savepoint can't be restored any more",
            )
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
    found = ttl_fit(flink)
    if found is Fit.INCOMPATIBLE:
        return Effect(Verdict.FAILS, f"{switched}, which Flink {flink} takes for another type")
    if found is Fit.OPEN:
        why = f"{switched}: Flink takes the state over from 2.1 (RocksDB) and 2.2 (heap) on, and refuses it before"
        return Effect(Verdict.UNDECIDED, why)
    return None
