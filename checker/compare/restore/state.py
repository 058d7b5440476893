"""One state of a snapshot against the descriptor that asks for it: kind, then time-to-live, then serializers.

That is Flink's order. Established on Flink 1.18.1, 1.20.5 and 2.3.0.
"""

from dataclasses import dataclass
from typing import TypeAlias

from checker.compare.fit.serializers import serializer_fit
from checker.compare.fit.states import KindFit, kind_fit, ttl_fit
from checker.compare.fit.types import Fit
from checker.compare.restore.backends import fit_of_written, on_heap, written_as
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.findings import Verdict
from checker.model.restore import Moment, RestoreRule
from checker.model.state_handles import BackendStateType, SerializerSnapshot, StateMeta
from checker.model.unknowns import Unknown

KEYED_KINDS: dict[StateKind, str] = {
    kind: kind.name for kind in StateKind if kind.keyed and kind is not StateKind.TIMERS
}
MODES = {
    StateKind.OPERATOR_LIST: "SPLIT_DISTRIBUTE",
    StateKind.OPERATOR_UNION_LIST: "UNION",
    StateKind.BROADCAST: "BROADCAST",
}
"""How a snapshot spells the kinds of keyed and of operator state."""
KIND_WORDS = {
    "VALUE": "ValueState", "LIST": "ListState", "MAP": "MapState", "REDUCING": "ReducingState",
    "AGGREGATING": "AggregatingState", "SPLIT_DISTRIBUTE": "operator ListState", "UNION": "union ListState",
    "BROADCAST": "BroadcastState", "PRIORITY_QUEUE": "timers",
}  # fmt: skip
_KINDS = {spelled: kind for kind, spelled in (*KEYED_KINDS.items(), *MODES.items())}
Part: TypeAlias = "tuple[str | Unknown | None, SerializerSnapshot | None]"
"""A declared type and the serializer that wrote it: the user key or the value of a map, an element, a value."""


@dataclass(frozen=True, slots=True)
class StateFit:
    """The answer; ``rule`` and ``moment`` are those of a refusal.

    Dropped are list and broadcast state swapped under one name: what was written is not found, without a message.
    """

    verdict: Verdict
    reason: str
    rule: RestoreRule | None = None
    moment: Moment = Moment.STATE_REGISTRATION
    open: bool = False
    """Nothing speaks against it, and not everything could be looked at."""


def _open(why: str) -> StateFit:
    return StateFit(Verdict.RESTORES, why, open=True)


def fit_state(meta: StateMeta, descriptor: StateDescriptor, flink: str | None, state_backend: str | None) -> StateFit:
    """What becomes of a state when the candidate asks for it. The descriptor's kind must be known."""
    kind = descriptor.kind
    assert isinstance(kind, StateKind)
    return (
        _operator_state(meta, descriptor, kind)
        if kind in MODES
        else _keyed_state(meta, descriptor, kind, flink, state_backend)
    )


def keyed(meta: StateMeta) -> bool:
    """Whether the state lies in key groups."""
    return meta.backend_type not in (BackendStateType.OPERATOR, BackendStateType.BROADCAST)


def _keyed_state(
    meta: StateMeta, descriptor: StateDescriptor, kind: StateKind, flink: str | None, state_backend: str | None
) -> StateFit:
    new, written_kind = KEYED_KINDS.get(kind), _KINDS.get(meta.kind, kind)
    if new is not None and kind_fit(written_kind, kind) is KindFit.REFUSED:
        message = f"Incompatible key/value state types. Was [{meta.kind}], registered with [{new}]."
        return StateFit(Verdict.FAILS, message, RestoreRule.STATE_KIND_CHANGED)
    value = meta.serializer("VALUE_SERIALIZER")
    if value is None:
        return _open("the serializer that wrote it could not be read")
    parts: list[Part] = [(descriptor.value_type, value)]
    if kind is StateKind.MAP:
        user_key = meta.serializer("USER_KEY_SERIALIZER") or _nested(value, 0)
        written = _nested(value, 1) if value.nested else value
        parts = [(descriptor.key_type, user_key), (descriptor.value_type, written)]
    elif kind is StateKind.LIST and value.nested:
        parts = [(descriptor.value_type, _nested(value, 0))]
    heap = on_heap(state_backend) if state_backend else None
    return _time_to_live(meta, descriptor, parts[-1][1], flink, heap) or _types(meta, descriptor, parts, heap)


def _operator_state(meta: StateMeta, descriptor: StateDescriptor, kind: StateKind) -> StateFit:
    new = MODES[kind]
    found = kind_fit(_KINDS.get(meta.kind, kind), kind)
    if found is KindFit.STARTS_EMPTY:
        before, after = KIND_WORDS[meta.kind], KIND_WORDS[new]
        reason = f"was {before}, is registered as {after}: starts empty, and is not detected"
        return StateFit(Verdict.DROPPED, reason)
    if found is KindFit.REFUSED:
        message = f"Incompatible state assignment modes. Was [{meta.kind}], registered with [{new}]."
        return StateFit(Verdict.FAILS, message, RestoreRule.DISTRIBUTION_MODE_CHANGED)
    parts: list[Part] = [(descriptor.value_type, meta.serializer("VALUE_SERIALIZER"))]
    if kind is StateKind.BROADCAST:
        parts.insert(0, (descriptor.key_type, meta.serializer("KEY_SERIALIZER")))
    return _types(meta, descriptor, parts, None)


def _time_to_live(
    meta: StateMeta,
    descriptor: StateDescriptor,
    written: SerializerSnapshot | None,
    flink: str | None,
    heap: bool | None,
) -> StateFit | None:
    """The outcome that time-to-live decides; None where the types decide it."""
    had = _expires(written)
    if not isinstance(descriptor.ttl, bool):
        why = "it was written with TTL, and may no longer have one"
        return _open(why) if had else None
    fit = ttl_fit(had, descriptor.ttl, flink, heap)
    if fit is Fit.SAME:
        return None
    now, before = ("on" if on else "off" for on in (descriptor.ttl, had))
    if fit is Fit.INCOMPATIBLE:
        message = _incompatible(meta, f"TTL {now}", f"TTL {before}")
        return StateFit(Verdict.FAILS, message, RestoreRule.STATE_TTL_CHANGED)
    return StateFit(
        Verdict.UNDECIDED,
        f"TTL of state `{meta.name}` is switched {now}: Flink takes the state over from 2.1 (RocksDB) and 2.2 (heap) "
        "on, and refuses it before. Say which with --flink and --state-backend.",
        RestoreRule.STATE_TTL_CHANGED,
    )


def _types(meta: StateMeta, descriptor: StateDescriptor, parts: list[Part], heap: bool | None) -> StateFit:
    if descriptor.value_serializer is not None:
        return _registered(meta, descriptor)
    if descriptor.serializer is not None:
        return _open("the program names a serializer of its own for it")
    reasons: list[str] = []
    for spelled, written in parts:
        text = spelled if isinstance(spelled, str) else None
        found = fit_of_written(_without_ttl(written), text, descriptor.classes)
        if found.fit is Fit.INCOMPATIBLE:
            message = _incompatible(meta, text or "?", written_as(written) if written else "?")
            because = f" {found.why}." if found.why else ""
            # The heap backend reads objects with the old serializer at once: a POJO that does not fit fails there.
            at_once = heap is True and written is not None and bool(written.fields)
            moment = Moment.TASK_RESTORE if at_once else Moment.STATE_REGISTRATION
            return StateFit(Verdict.FAILS, message + because, RestoreRule.STATE_TYPE_CHANGED, moment)
        if found.fit is Fit.OPEN:
            reasons.append(found.why)
    if reasons:
        return _open(reasons[0])
    return StateFit(Verdict.RESTORES, "same name, kind and serializer")


def _registered(meta: StateMeta, descriptor: StateDescriptor) -> StateFit:
    """The serializers that Flink registers for a state of a SQL operator against those that wrote it."""
    pairs = (
        (meta.serializer("NAMESPACE_SERIALIZER"), descriptor.namespace_serializer),
        (meta.serializer("USER_KEY_SERIALIZER"), descriptor.user_key_serializer),
        (meta.serializer("VALUE_SERIALIZER"), descriptor.value_serializer),
    )
    for written, now in pairs:
        if written is None or now is None:
            continue
        found = serializer_fit(written.tree, now)
        if found.fit is Fit.INCOMPATIBLE:
            message = f"{_incompatible(meta, str(now), str(written.tree))} {found.why}."
            return StateFit(Verdict.FAILS, message, RestoreRule.STATE_TYPE_CHANGED)
    return StateFit(Verdict.RESTORES, "same name, kind and serializer")


def _incompatible(meta: StateMeta, new: str, old: str) -> str:
    if not keyed(meta):
        return (
            f"The new state typeSerializer for operator state must not be incompatible. (`{meta.name}`: {old} → {new})"
        )
    return (
        f"The new state serializer ({new}) must not be incompatible with the old state serializer ({old}). "
        f"(`{meta.name}`)"
    )


def _nested(snapshot: SerializerSnapshot, place: int) -> SerializerSnapshot | None:
    return snapshot.nested[place] if place < len(snapshot.nested) else None


def _expires(snapshot: SerializerSnapshot | None) -> bool:
    return snapshot is not None and snapshot.class_name.endswith("TtlSerializerSnapshot")


def _without_ttl(snapshot: SerializerSnapshot | None) -> SerializerSnapshot | None:
    """``TtlSerializer`` wraps (timestamp, value): the serializer of the value."""
    return _nested(snapshot, 1) if snapshot is not None and _expires(snapshot) else snapshot
