"""One named state before and after: whether Flink hands it over when the program asks for it.

Flink looks at the kind, then at time-to-live, then at the types. Established on Flink 1.18.1 to 2.3.0
(``tests/gate/java/RestoreLab.java``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from checker.compare.fit.classes import StateType, fit_of_types
from checker.compare.fit.serializers import serializer_fit
from checker.compare.fit.types import SAME, Fit, TypeFit, is_basic
from checker.compare.fit.unknowns import made_alike
from checker.flink.versions import semantics_of
from checker.model.topology import ClassShape, Maybe, StateDescriptor, StateKind, Unknown


class KindFit(StrEnum):
    """What Flink does when a name is registered with another kind than it was written with."""

    SAME = "same"
    REFUSED = "refused"
    STARTS_EMPTY = "starts-empty"
    """List and broadcast state: what was written is not found, and the next snapshot can't be restored."""


def kind_fit(before: StateKind, after: StateKind) -> KindFit:
    """Keyed and operator states of one name are two states: the caller keeps them apart."""
    if before is after:
        return KindFit.SAME
    return KindFit.STARTS_EMPTY if StateKind.BROADCAST in (before, after) else KindFit.REFUSED


def ttl_switched(before: StateDescriptor, after: StateDescriptor) -> bool:
    """Whether time-to-live changes or may change: two unknown settings are one only if they are made alike."""
    if before.ttl is None or after.ttl is None:
        return False
    if isinstance(before.ttl, Unknown) and isinstance(after.ttl, Unknown):
        return not made_alike(before.ttl, after.ttl)
    return before.ttl != after.ttl


def ttl_fit(
    before: Maybe[bool] | None, after: Maybe[bool] | None, flink: str | None, on_heap: bool | None = None
) -> Fit:
    """Whether state whose setting is switched is taken over by a version of Flink; None = not known."""
    if before is None or after is None or before == after:
        return Fit.SAME
    if flink is None:
        return Fit.OPEN
    semantics = semantics_of(flink)
    on_either = {semantics.ttl_switch_on_heap, semantics.ttl_switch_on_rocksdb}
    unread = isinstance(before, Unknown) or isinstance(after, Unknown)
    if unread and on_either != {True}:
        return Fit.OPEN
    if on_heap is not None:
        on_either = {semantics.ttl_switch_on_heap if on_heap else semantics.ttl_switch_on_rocksdb}
    return Fit.OPEN if len(on_either) > 1 else Fit.SAME if on_either.pop() else Fit.INCOMPATIBLE


@dataclass(frozen=True, slots=True)
class TypeChange:
    """One type of a state on both sides: ``key type``, ``type`` or ``serializer``, and whether it fits."""

    what: str
    before: str
    after: str
    fit: TypeFit


def type_changes(before: StateDescriptor, after: StateDescriptor) -> tuple[TypeChange, ...]:
    """The types of a state, the user key of a map first, and its serializer. A type that is None is not compared."""
    if before.value_serializer is not None and after.value_serializer is not None:
        return tuple(_registered_changes(before, after))
    pairs = (("key type", before.key_type, after.key_type), ("type", before.value_type, after.value_type))
    found = [
        TypeChange(what, _spelled(old), _spelled(new), fit_of_maybe(old, before.classes, new, after.classes))
        for what, old, new in pairs
        if old is not None and new is not None
    ]
    return (*found, *_serializer_change(before, after))


def fit_of_maybe(
    before: Maybe[str],
    old: tuple[ClassShape, ...],
    after: Maybe[str],
    new: tuple[ClassShape, ...],
    *,
    migrates: bool = True,
) -> TypeFit:
    """Whether types fit that may be unknown: two unknown ones only if they are made alike."""
    if isinstance(before, str) and isinstance(after, str):
        return fit_of_types(StateType(before, old), StateType(after, new), migrates=migrates)
    if isinstance(before, Unknown) and isinstance(after, Unknown):
        if made_alike(before, after):
            return SAME
        return TypeFit(Fit.OPEN, f"{after.reason}, and what decides it changed")
    unread = before if isinstance(before, Unknown) else after
    known, when = (after, "now") if isinstance(before, Unknown) else (before, "before")
    assert isinstance(unread, Unknown)
    return TypeFit(Fit.OPEN, f"it is {known} {when}; on the other side {unread.reason}")


def _spelled(type_: Maybe[str]) -> str:
    return "a type that is not known" if isinstance(type_, Unknown) else type_


def _registered_changes(before: StateDescriptor, after: StateDescriptor) -> Iterator[TypeChange]:
    """The serializers that Flink registers, where they are known exactly."""
    pairs = (
        ("namespace", before.namespace_serializer, after.namespace_serializer),
        ("key type", before.user_key_serializer, after.user_key_serializer),
        ("type", before.value_serializer, after.value_serializer),
    )
    for what, old, new in pairs:
        if old is not None and new is not None and old != new:
            yield TypeChange(what, str(old), str(new), serializer_fit(old, new))


_DEFAULT = "Flink's own for the type"
ELEMENTS_WITH_TIMESTAMPS = "StreamElementSerializer"
"""What windows with an evictor keep their contents with."""


def _serializer_change(before: StateDescriptor, after: StateDescriptor) -> Iterator[TypeChange]:
    """A serializer that the program names itself, where the other side names another one or none."""
    old, new = _serializer_of(before), _serializer_of(after)
    if isinstance(old, str) and old == new:
        fit = fit_of_types(StateType(old, before.classes), StateType(old, after.classes))
        if fit.fit is not Fit.SAME:
            yield TypeChange("serializer", old, old, fit)
        return
    alike = isinstance(old, Unknown) and isinstance(new, Unknown) and made_alike(old, new)
    if alike or old == new:
        return
    wrapped = [s for s in (old, new) if isinstance(s, str) and s.endswith(ELEMENTS_WITH_TIMESTAMPS)]
    shown = [_DEFAULT if s is None else "one that is not known" if isinstance(s, Unknown) else s for s in (old, new)]
    why = f"the serializer changed from {shown[0]} to {shown[1]}"
    fit = TypeFit(Fit.INCOMPATIBLE if len(wrapped) == 1 else Fit.OPEN, why)
    yield TypeChange("serializer", shown[0], shown[1], fit)


def _serializer_of(state: StateDescriptor) -> str | Unknown | None:
    """The serializer that the program names; None for the one that the type has anyway."""
    named = state.serializer
    if not isinstance(named, str):
        return named
    simple = named.split("<")[0].rpartition(".")[2].removesuffix("Serializer")
    plain = {"Int": "Integer", "Char": "Character", "BigDec": "BigDecimal", "BigInt": "BigInteger"}.get(simple, simple)
    return None if is_basic(plain) else named
