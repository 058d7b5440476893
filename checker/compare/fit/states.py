"""One named state before and after: whether Flink hands it over when the program asks for it.

Flink looks at the kind, then at time-to-live, then at the types. Established on Flink 1.18.1 to 2.3.0
(``tests/gate/java/RestoreLab.java``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from checker.compare.fit.classes import StateType, fit_of_types
from checker.compare.fit.types import Fit, TypeFit, is_basic
from checker.flink.versions import semantics_of
from checker.model.topology import StateDescriptor, StateKind, Unknown


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
    """Whether both sides are known and differ."""
    return before.ttl is not None and after.ttl is not None and before.ttl != after.ttl


def ttl_fit(before: bool | None, after: bool | None, flink: str | None, on_heap: bool | None = None) -> Fit:
    """Whether state is taken over by a version of Flink; None = not known: the setting, the version, the backend."""
    if before is None or after is None or before == after:
        return Fit.SAME
    if flink is None:
        return Fit.OPEN
    semantics = semantics_of(flink)
    on_either = {semantics.ttl_switch_on_heap, semantics.ttl_switch_on_rocksdb}
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
    """The types of a state that both sides know, the user key of a map first, and its serializer."""
    pairs = (("key type", before.key_type, after.key_type), ("type", before.value_type, after.value_type))
    found = [
        TypeChange(what, old, new, fit_of_types(StateType(old, before.classes), StateType(new, after.classes)))
        for what, old, new in pairs
        if isinstance(old, str) and isinstance(new, str)
    ]
    return (*found, *_serializer_change(before, after))


_DEFAULT = "Flink's own for the type"
ELEMENTS_WITH_TIMESTAMPS = "StreamElementSerializer"
"""What windows with an evictor keep their contents with."""


def _serializer_change(before: StateDescriptor, after: StateDescriptor) -> Iterator[TypeChange]:
    """A serializer that the program names itself, where the other side names another one or none."""
    old, new = _serializer_of(before), _serializer_of(after)
    if isinstance(old, Unknown) or isinstance(new, Unknown) or old == new:
        return
    wrapped = [s for s in (old, new) if s is not None and s.endswith(ELEMENTS_WITH_TIMESTAMPS)]
    why = f"the serializer changed from {old or _DEFAULT} to {new or _DEFAULT}"
    fit = TypeFit(Fit.INCOMPATIBLE if len(wrapped) == 1 else Fit.OPEN, why)
    yield TypeChange("serializer", old or _DEFAULT, new or _DEFAULT, fit)


def _serializer_of(state: StateDescriptor) -> str | Unknown | None:
    """The serializer that the program names; None for the one that the type has anyway."""
    named = state.serializer
    if not isinstance(named, str):
        return named
    simple = named.split("<")[0].rpartition(".")[2].removesuffix("Serializer")
    plain = {"Int": "Integer", "Char": "Character", "BigDec": "BigDecimal", "BigInt": "BigInteger"}.get(simple, simple)
    return None if is_basic(plain) else named
