"""One named state before and after: whether Flink hands it over when the program asks for it.

Flink looks at the kind, then at time-to-live, then at the types. Established on Flink 1.18.1 to 2.3.0
(``tests/gate/java/RestoreLab.java``).

Who asks for which state, and whether its key groups fit: ``StateAssignmentOperation``, the same for all versions.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from checker.compare.fit.classes import StateType, fit_of_types
from checker.compare.fit.serializers import pattern_fit, serializer_fit
from checker.compare.fit.types import SAME, Fit, TypeFit, is_basic
from checker.compare.fit.unknowns import not_comparable
from checker.flink.versions import semantics_of
from checker.model.declared_state import ClassShape, StateDescriptor, StateKind
from checker.model.translation import OperatorId
from checker.model.unknowns import Maybe, Unknown


def claimed_id(user: OperatorId | None, generated: OperatorId | None, there: Container[object]) -> OperatorId | None:
    """The id under which an operator takes state: the one it is pinned to where such state is there, else its own."""
    return user if user is not None and user in there else generated


class MaxParallelismFit(StrEnum):
    """Whether a vertex can take state that was written with some maximum parallelism."""

    FITS = "fits"
    TOO_LOW = "too-low"
    MISMATCH = "mismatch"


def max_parallelism_fit(recorded: int, parallelism: int, configured: int | None) -> MaxParallelismFit:
    """``checkParallelismPreconditions``: ``recorded`` with the state; ``configured`` None = the program sets none."""
    if recorded < parallelism:
        return MaxParallelismFit.TOO_LOW
    return MaxParallelismFit.FITS if configured in (None, recorded) else MaxParallelismFit.MISMATCH


@dataclass(frozen=True, slots=True)
class Releases:
    """The releases of Flink that wrote the state and that reads it; None = not known."""

    before: str | None
    after: str | None
    extractor: str | None = None
    """By which reader the head was read."""
    backend: Maybe[str] | None = None
    """What the head keeps keyed state in."""

    @property
    def on_heap(self) -> bool | None:
        """Whether the head keeps keyed state on the heap; None where that is not known."""
        return {"hashmap": True, "rocksdb": False}.get(str(self.backend))

    @property
    def newer_kryo(self) -> bool:
        """Whether Kryo 5 reads what Kryo 2 wrote: PyFlink and SQL keep no objects that it writes."""
        known = self.before is not None and self.after is not None and self.extractor not in ("python", "sql")
        return known and semantics_of(self.before).kryo < semantics_of(self.after).kryo


class KindFit(StrEnum):
    """What Flink does when a state is registered with a kind other than the one it was written with."""

    SAME = "same"
    REFUSED = "refused"
    STARTS_EMPTY = "starts-empty"
    """List and broadcast state: what was written is not found, and the next snapshot can't be restored."""


def kind_fit(before: StateKind, after: StateKind) -> KindFit:
    """Keyed and operator states of one name are two states: the caller keeps them apart."""
    if before is after:
        return KindFit.SAME
    return KindFit.STARTS_EMPTY if StateKind.BROADCAST in (before, after) else KindFit.REFUSED


def ttl_fit(
    before: Maybe[bool] | None, after: Maybe[bool] | None, flink: str | None, on_heap: bool | None = None
) -> Fit:
    """Whether state is taken over; ``flink`` and ``on_heap`` None = the version, the state backend is not known."""
    if before == after if isinstance(before, bool) and isinstance(after, bool) else not not_comparable(before, after):
        return Fit.SAME
    semantics = semantics_of(flink) if flink is not None else None
    if semantics is None:
        return Fit.OPEN
    taken_over = {semantics.ttl_switch_on_heap, semantics.ttl_switch_on_rocksdb}
    if on_heap is not None:
        taken_over = {semantics.ttl_switch_on_heap if on_heap else semantics.ttl_switch_on_rocksdb}
    if taken_over == {True}:
        return Fit.SAME
    switched = isinstance(before, bool) and isinstance(after, bool)
    return Fit.INCOMPATIBLE if switched and taken_over == {False} else Fit.OPEN


def expiry_fit(before: StateDescriptor, after: StateDescriptor) -> tuple[Fit, str]:
    """Whether values that lie in state expire earlier than before (INCOMPATIBLE), with what says so.

    Flink keeps when a value was last used, and compares that with the length that holds when it is read
    (``TtlUtils.expired``): a shorter one counts for what the savepoint has. OPEN where a length is not known, and not
    known to be made as before. A reader that did not look knows nothing. What had no time-to-live gets the time of
    the restore where Flink takes it over (``TtlAwareSerializer.migrateValueFromPriorSerializer``).
    """
    old, new = before.expiry, after.expiry
    if before.ttl is False and after.ttl is True:
        length = None if new is None else new.milliseconds
        after_restore = _length(length) if isinstance(length, int) else "some time"
        return Fit.INCOMPATIBLE, f"{after_restore} after the restore, where they were kept for good"
    if before.ttl is not True or after.ttl is not True or old is None or new is None or old == new:
        return Fit.SAME, ""
    if isinstance(old.milliseconds, int) and isinstance(new.milliseconds, int):
        if new.milliseconds < old.milliseconds:
            return Fit.INCOMPATIBLE, f"after {_length(new.milliseconds)} instead of {_length(old.milliseconds)}"
    elif (why := not_comparable(old.milliseconds, new.milliseconds)) is not None:
        return Fit.OPEN, why
    pairs = (
        (old.refreshed_by_reads, new.refreshed_by_reads, "reads keep them no longer"),
        (
            old.visible_until_cleaned,
            new.visible_until_cleaned,
            "expired ones are not returned until they are cleaned up",
        ),
    )
    for was, now, says in pairs:
        if was is True and now is False:
            return Fit.INCOMPATIBLE, says
        if was != now and (why := not_comparable(was, now)) is not None:
            return Fit.OPEN, why
    return Fit.SAME, ""


_UNITS = (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000), ("millisecond", 1))


def _length(milliseconds: int) -> str:
    """A length in the largest unit that divides it."""
    unit, size = next((unit, size) for unit, size in _UNITS if milliseconds % size == 0)
    count = milliseconds // size
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class TypeChange:
    """One type of a state on both sides: ``key type``, ``type`` or ``serializer``, and whether it fits."""

    what: str
    before: str
    after: str
    fit: TypeFit


def type_changes(
    before: StateDescriptor, after: StateDescriptor, *, newer_kryo: bool = False, on_heap: bool | None = None
) -> tuple[TypeChange, ...]:
    """The types of a state, the user key of a map first, and its serializer, as far as they are not simply equal.

    ``newer_kryo``: the state is read by Flink 2, and was written by Flink 1 (``Releases``). ``on_heap``: user keys
    are written anew; RocksDB refuses that (``RocksDBMapState``). None = the state backend is not known.
    """
    if before.value_serializer is not None and after.value_serializer is not None:
        return tuple(_registered_changes(before, after))
    pairs = (("key type", before.key_type, after.key_type), ("type", before.value_type, after.value_type))
    found = []
    if before.per_window is not None and after.per_window is not None and before.per_window != after.per_window:
        spelling = {True: "one per window", False: "one per key"}
        why = f"it was {spelling[before.per_window]} and is {spelling[after.per_window]}: another namespace serializer"
        found.append(TypeChange("namespace", spelling[before.per_window], spelling[after.per_window],
                                TypeFit(Fit.INCOMPATIBLE, why)))  # fmt: skip
    for what, old, new in pairs:
        fit = fit_of_declared(old, before.classes, new, after.classes, newer_kryo=newer_kryo)
        if what == "key type" and before.kind is StateKind.MAP and fit.fit is Fit.SAME and not on_heap:
            as_key = fit_of_declared(old, before.classes, new, after.classes, migrates=False)
            if as_key.fit is Fit.INCOMPATIBLE:
                unless = "" if on_heap is False else ", unless the backend keeps them on the heap"
                fit = replace(as_key, fit=Fit.INCOMPATIBLE if not unless else Fit.OPEN, why=as_key.why + unless)
        if fit != SAME:
            found.append(TypeChange(what, spelled(old), spelled(new), fit))
    return (*found, *_serializer_change(before, after, newer_kryo=newer_kryo))


def fit_of_declared(
    before: Maybe[str] | None,
    classes_before: tuple[ClassShape, ...],
    after: Maybe[str] | None,
    classes_after: tuple[ClassShape, ...],
    *,
    migrates: bool = True,
    newer_kryo: bool = False,
) -> TypeFit:
    """The same for types that a reader may not know: what is not known to be one type is open."""
    if isinstance(before, str) and isinstance(after, str):
        old, new = StateType(before, classes_before), StateType(after, classes_after)
        return fit_of_types(old, new, migrates=migrates, newer_kryo=newer_kryo)
    why = not_comparable(before, after)
    return SAME if why is None else TypeFit(Fit.OPEN, why)


def spelled(value: Maybe[str] | None) -> str:
    """A type for people."""
    return value if isinstance(value, str) else "(unknown)"


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
    stages = pattern_fit(str(before.value_type), str(after.value_type)) or SAME
    if stages != SAME:
        yield TypeChange("type", str(before.value_type), str(after.value_type), stages)


_DEFAULT = "Flink's own for the type"
ELEMENTS_WITH_TIMESTAMPS = "StreamElementSerializer"
"""What windows with an evictor keep their contents with."""


def _serializer_change(before: StateDescriptor, after: StateDescriptor, *, newer_kryo: bool) -> Iterator[TypeChange]:
    """A serializer that the program names itself, where the other side names another one or none."""
    old, new = _serializer_of(before), _serializer_of(after)
    if isinstance(old, Unknown) or isinstance(new, Unknown):
        open_why = not_comparable(old or _DEFAULT, new or _DEFAULT)
        if open_why is not None:
            yield TypeChange("serializer", spelled(old), spelled(new), TypeFit(Fit.OPEN, open_why))
        return
    if old == new:
        own = fit_of_declared(old, before.classes, old, after.classes, newer_kryo=newer_kryo)
        if own.fit is not Fit.SAME and old is not None:
            yield TypeChange("serializer", old, old, own)
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
