"""The type that a state was written with, from its serializer snapshot: for ``compare.fit`` and for people."""

from __future__ import annotations

from checker.compare.fit.classes import StateType, fit_of_types
from checker.compare.fit.types import Fit, TypeFit
from checker.model.declared_state import ClassShape, FieldShape, Serialization
from checker.model.program_code import simple_name
from checker.model.state_headers import SerializerSnapshot

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
