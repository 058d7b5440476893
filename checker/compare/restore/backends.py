"""Refusals while the state backend is built from a snapshot, before the program asks for any state."""

from checker.compare.fit.classes import StateType, fit_of_types
from checker.compare.fit.serializers import serializer_fit
from checker.compare.fit.types import SAME, Fit, TypeFit
from checker.compare.restore.refusals import Refusal
from checker.model.declared_state import ClassShape, FieldShape, Serialization
from checker.model.findings import Severity
from checker.model.program_code import simple_name
from checker.model.restore import CandidateOperator, Moment, RestoreRule, RestoreWarning, WarningRule
from checker.model.savepoint import OperatorState
from checker.model.state_handles import BackendStateType, KeyedKind, SerializerSnapshot, StateHeaders

_HEAP = ("heap", "hashmap", "memory", "filesystem", "jobmanager")
"""Names of the backend that keeps keyed state on the heap, old and new."""


def backend_refusals(
    state: OperatorState, operator: CandidateOperator, state_backend: str | None
) -> tuple[list[Refusal], list[RestoreWarning]]:
    """Formats, clashing names and the key serializer of one operator, and what could not be compared."""
    warnings = _unknown_backend(state) if state_backend is None else []
    refusals = [] if state_backend is None else _format(state, state_backend)
    return [*refusals, *_name_in_both_kinds(state), *_key(state, operator)], warnings


def on_heap(state_backend: str) -> bool:
    """Whether the backend of that name, old or new, keeps keyed state on the heap."""
    return state_backend.lower() in _HEAP


def _own_formats(state: OperatorState) -> list[KeyedKind]:
    """Formats that only one backend reads; a changelog hides them."""
    if KeyedKind.CHANGELOG in state.keyed_kinds:
        return []
    return [k for k in state.keyed_kinds if k in (KeyedKind.HEAP, KeyedKind.INCREMENTAL)]


def _refusal(state: OperatorState, rule: RestoreRule, message: str) -> Refusal:
    return Refusal(rule, message, operator=state.operator_id, moment=Moment.TASK_RESTORE, concerns=(state.operator_id,))


def _unknown_backend(state: OperatorState) -> list[RestoreWarning]:
    kinds = _own_formats(state)
    if not kinds:
        return []
    written = "the heap backend" if kinds[0] is KeyedKind.HEAP else "RocksDB or ForSt"
    return [
        RestoreWarning(
            WarningRule.STATE_BACKEND_NOT_COMPARED,
            Severity.INFO,
            f"Keyed state is in the own format of {written}: it restores on the same backend only, and which one "
            "the candidate runs on was not given (--state-backend).",
            operator=state.operator_id,
        )
    ]


def _format(state: OperatorState, state_backend: str) -> list[Refusal]:
    kinds = _own_formats(state)
    heap = on_heap(state_backend)
    if heap and KeyedKind.INCREMENTAL in kinds:
        message = (
            "Unexpected state handle type, expected one of: class org.apache.flink.runtime.state.KeyGroupsStateHandle, "
            "but found: class org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle. This can mostly happen "
            "when a different StateBackend from the one that was used for taking a checkpoint/savepoint is used when "
            "restoring."
        )
    elif not heap and KeyedKind.HEAP in kinds:
        message = (
            f"Keyed state is in the heap backend's own format, which {state_backend} can't read: Flink fails with an "
            "EOFException or an index out of bounds. Take a canonical savepoint to change the backend."
        )
    else:
        return []
    return [_refusal(state, RestoreRule.STATE_BACKEND_MISMATCH, message)]


def _name_in_both_kinds(state: OperatorState) -> list[Refusal]:
    headers = state.headers or StateHeaders()
    lists = {m.name for m in headers.states if m.backend_type is BackendStateType.OPERATOR}
    return [
        _refusal(
            state,
            RestoreRule.NAME_IN_BOTH_KINDS,
            f"State {meta.name!r} is stored as list and as broadcast state, of which the handle keeps one: Flink fails "
            "with NullPointerException: You cannot add null to a ListState. Remove the operator's state with the State "
            "Processor API, or give the operator another uid.",
        )
        for meta in headers.states
        if meta.backend_type is BackendStateType.BROADCAST and meta.name in lists
    ]


def key_fit(state: OperatorState, operator: CandidateOperator) -> TypeFit:
    """Whether the candidate's key is read as the snapshot's was written; as before where that one is not known."""
    old = state.headers.key_serializer if state.headers else None
    if old is None:
        return SAME
    if operator.key_serializer is not None:
        return serializer_fit(old.tree, operator.key_serializer)
    return fit_of_written(old, operator.key_type, operator.key_classes, migrates=False)


def _key(state: OperatorState, operator: CandidateOperator) -> list[Refusal]:
    old = state.headers.key_serializer if state.headers else None
    found = key_fit(state, operator)
    if old is None or found.fit is not Fit.INCOMPATIBLE:
        return []
    now, before, why = f"for {operator.key_type}", f"for {written_as(old)}", ""
    if operator.key_serializer is not None:
        now, before, why = f"{operator.key_serializer}", f"{old.tree}", f": {found.why}"
    message = f"The new key serializer ({now}) must be compatible with the previous key serializer ({before}){why}."
    return [_refusal(state, RestoreRule.KEY_SERIALIZER_CHANGED, message)]


_BASIC_PACKAGE = "org.apache.flink.api.common.typeutils.base."
_BASIC = {
    f"{serializer}Serializer": name
    for name, serializer in {
        "Integer": "Int", "Character": "Char", "BigDecimal": "BigDec", "BigInteger": "BigInt",
        **{name: name for name in ("String", "Boolean", "Byte", "Short", "Long", "Float", "Double", "Date", "Instant",
                                   "LocalDate", "LocalDateTime", "LocalTime")},
    }.items()
}  # fmt: skip
"""Serializers that ``BasicTypeInfo`` and ``LocalTimeTypeInfo`` give to exactly one type."""
_CLASSES = {
    "PojoSerializerSnapshot": Serialization.POJO,
    "KryoSerializerSnapshot": Serialization.GENERIC,
    "EnumSerializerSnapshot": Serialization.ENUM,
}
_NOT_NAMED = "?"


def fit_of_written(
    snapshot: SerializerSnapshot | None,
    declared: str | None,
    classes: tuple[ClassShape, ...] = (),
    *,
    migrates: bool = True,
) -> TypeFit:
    """Whether a declared type reads what a serializer wrote. ``classes`` are the program's own."""
    if snapshot is None or not snapshot.read:
        return TypeFit(Fit.OPEN, "the serializer that wrote it could not be read")
    if declared is None:
        return TypeFit(Fit.OPEN, "its new type is not certain (not given)")
    shapes: dict[str, ClassShape] = {}
    text = _type_text(snapshot, shapes)
    if text == _NOT_NAMED:
        return TypeFit(Fit.OPEN, f"written by {snapshot.short_name}, which is not compared with {declared}")
    before = StateType(text, tuple(shapes.values()), kryo_fields=False)
    found = fit_of_types(before, StateType(declared, classes), migrates=migrates)
    uncertain = found.fit is Fit.OPEN and not found.why
    return TypeFit(Fit.OPEN, f"its new type is not certain ({declared})") if uncertain else found


def _type_text(snapshot: SerializerSnapshot | None, shapes: dict[str, ClassShape]) -> str:
    """The type as source would spell it, the shapes of its classes added; ``?`` where the snapshot does not tell."""
    if snapshot is None or not snapshot.read:
        return _NOT_NAMED
    outer = snapshot.class_name.rsplit(".", 1)[-1]
    basic = _BASIC.get(outer.split("$", 1)[0])
    if basic is not None and snapshot.class_name.startswith(_BASIC_PACKAGE):
        return basic
    if outer == "TupleSerializerSnapshot":
        inner = [_type_text(nested, shapes) for nested in snapshot.nested]
        own = _NOT_NAMED in inner or simple_name(snapshot.type_name or "") != f"Tuple{len(inner)}"
        return _NOT_NAMED if own else f"Tuple{len(inner)}<{', '.join(inner)}>"
    serialization = _CLASSES.get(outer.rsplit("$", 1)[-1])
    if serialization is None or snapshot.type_name is None:
        return _NOT_NAMED
    name = snapshot.type_name
    if name not in shapes:
        # Flink writes a class inside of itself by Kryo: the shape that came first is the class's own.
        shape = ClassShape(name=name, serialization=serialization, constants=snapshot.constants)
        shapes[name] = shape
        fields = tuple(
            FieldShape(name=f.name, type=_type_text(f.serializer, shapes), declared_by=f.declared_by)
            for f in snapshot.fields
        )
        shapes[name] = ClassShape(name=name, serialization=serialization, fields=fields, constants=snapshot.constants)
    return simple_name(name)


def written_as(snapshot: SerializerSnapshot) -> str:
    """The type that a serializer writes, for people: ``Long``, ``POJO lab.Person {age: Int, name: String}``."""
    if snapshot.fields:
        fields = ", ".join(f"{f.name}: {f.serializer.short_name if f.serializer else '?'}" for f in snapshot.fields)
        return f"POJO {snapshot.type_name} {{{fields}}}"
    if snapshot.type_name:
        return f"{snapshot.short_name} {snapshot.type_name}"
    if snapshot.nested:
        return f"{snapshot.short_name}<{', '.join(written_as(n) for n in snapshot.nested)}>"
    return snapshot.short_name
