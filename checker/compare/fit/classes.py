"""Whether types that name the program's own classes still fit: class by class, field by field.

Rules of ``PojoSerializerSnapshot``, ``KryoSerializerSnapshot`` and ``EnumSerializerSnapshot`` (Flink 1.13 to 2.3):
every one of them needs the class under its old name. A POJO's fields may come and go but not change their type, keys
apart, which can't be migrated at all; a field that is still declared but no longer written makes Flink throw. Kryo
notices nothing, and reads fields by their place. An enum may gain constants and lose none. Asked of real Flinks in
``tests/types``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from checker.compare.fit.avro import avro_fit
from checker.compare.fit.patterns import pattern_fit
from checker.compare.fit.protobuf import protobuf_fit
from checker.compare.fit.types import (
    SAME,
    Fit,
    TypeFit,
    class_name,
    classes_in,
    fit_of_names,
    is_basic,
    is_container,
    plain_type,
    traded_fields,
    worst,
)
from checker.compare.fit.unknowns import same_unknown
from checker.model.declared_state import ClassShape, FieldShape, Serialization
from checker.model.program_code import simple_name
from checker.model.unknowns import Unknown

_WORDS = {
    Serialization.POJO: "a POJO",
    Serialization.GENERIC: "written by Kryo",
    Serialization.ENUM: "an enum",
    Serialization.AVRO: "written by Avro",
    Serialization.PROTOBUF: "a Protobuf message",
    Serialization.OWN: "written by code of the program",
}
_PLACE = "§"
_GENERIC = re.compile(r"GenericType<(.+)>")
"""What Flink writes by Kryo although another type information of the same class would not."""
_COLLECTION = re.compile(r"(?!Tuple\d|TaggedUnion<|Transaction<|Either<)\w+<")
"""Names with type arguments whose serializer depends on their type information: not those that Flink makes itself."""


@dataclass(frozen=True, slots=True)
class StateType:
    """A type in state and the program's own classes in it: declared by a program, or taken from a serializer snapshot.

    ``kryo_fields`` is False for snapshots: of a class that Kryo writes they hold the name alone.
    """

    text: str
    classes: tuple[ClassShape, ...] = ()
    kryo_fields: bool = True


def fit_of_types(before: StateType, after: StateType, *, migrates: bool = True) -> TypeFit:
    """Whether state written as ``before`` can be read as ``after``. ``migrates`` is False for keys."""
    return _ClassFits(before, after, migrates=migrates).fit(before.text, after.text)


class _ClassFits:
    def __init__(self, before: StateType, after: StateType, *, migrates: bool) -> None:
        self._before, self._after = before.classes, after.classes
        self._kryo_fields = before.kryo_fields and after.kryo_fields
        self._migrates = migrates
        self._open: set[tuple[str, str]] = set()

    def fit(self, before: str, after: str) -> TypeFit:
        old_kryo, new_kryo = _GENERIC.fullmatch(plain_type(before)), _GENERIC.fullmatch(plain_type(after))
        if old_kryo is not None and new_kryo is not None:
            return self._kryo(old_kryo[1], new_kryo[1])
        if (old_kryo is None) != (new_kryo is None):
            return TypeFit(Fit.INCOMPATIBLE, f"{before} → {after}: Kryo writes one of them")
        stages = pattern_fit(before, after)
        if stages is not None:
            return stages
        olds, news = classes_in(before, self._before), classes_in(after, self._after)
        base, head = _without_classes(before, olds), _without_classes(after, news)
        if olds and base == head and len(olds) == len(news):
            found = worst(self._class(old, new) for old, new in zip(olds, news, strict=True))
            if found.fit is Fit.SAME and _COLLECTION.match(base):
                return self._below(before, after)  # whether Kryo writes the collection depends on its type information
            return found
        if bool(olds) != bool(news):
            return _one_known(base, olds, after) if olds else _one_known(head, news, before)
        traded = traded_fields(before, after)
        why = f"the fields {' and '.join(traded)} of the row are read from each other's place" if traded else ""
        return TypeFit(fit_of_names(before, after), why)

    def _kryo(self, before: str, after: str) -> TypeFit:
        """Types that Kryo writes: it asks for the class alone, and does not notice what is inside."""
        if before.partition("<")[0] != after.partition("<")[0]:
            return TypeFit(Fit.INCOMPATIBLE, f"Kryo wrote {before}, and reads {after} now")
        raw = "<" not in before or "<" not in after
        if before != after and not raw:
            return TypeFit(Fit.OPEN, f"Kryo writes what {before} holds as it is: it is {after} now")
        return self._below(before, after)

    def _class(self, old: ClassShape, new: ClassShape) -> TypeFit:
        found = self._written(old, new)
        if found.fit is Fit.SAME and not self._migrates and old.identity != new.identity:
            return _other_identity(old)
        return found

    def _written(self, old: ClassShape, new: ClassShape) -> TypeFit:
        before, after = old.serialization, new.serialization
        if (old.name, new.name) in self._open:
            return SAME
        same = (old.name, old.fields, old.constants) == (new.name, new.fields, new.constants)
        if same and isinstance(before, Unknown) and isinstance(after, Unknown) and same_unknown(before, after):
            return SAME
        if isinstance(before, Unknown) or isinstance(after, Unknown):
            reason = next(s.reason for s in (before, after) if isinstance(s, Unknown))
            return TypeFit(Fit.OPEN, f"class {old.name} changed{_moved(old, new)}, and {reason}")
        if old.name != new.name:
            return TypeFit(Fit.INCOMPATIBLE, f"class {old.name} is {new.name} now: Flink looks for the old one")
        if before is not after:
            words = f"class {old.name} was {_WORDS[before]} and is {_WORDS[after]} now"
            own = Serialization.OWN in (before, after)
            return TypeFit(Fit.OPEN if own else Fit.INCOMPATIBLE, words)
        if before is Serialization.AVRO and old.schema is not None and new.schema is not None:
            return avro_fit(old.schema, new.schema, migrates=self._migrates)
        if before is Serialization.PROTOBUF and old.schema is not None and new.schema is not None:
            return protobuf_fit(old.schema, new.schema)
        if old.code != new.code:
            return TypeFit(Fit.OPEN, f"the code that writes class {old.name} changed")
        if before is Serialization.AVRO:  # forced Avro writes POJOs without a schema of their own
            same = (old.fields, old.constants) == (new.fields, new.constants)
            return SAME if same else TypeFit(Fit.OPEN, f"Avro writes class {old.name} by its fields, and they changed")
        if before is Serialization.OWN and not self._kryo_fields:
            return SAME
        self._open.add((old.name, new.name))
        try:
            if before is Serialization.OWN:
                return self._own(old.name, self._generic(old, new))
            if before is Serialization.ENUM:
                return _enum(old, new)
            return self._pojo(old, new) if before is Serialization.POJO else self._generic(old, new)
        finally:
            self._open.discard((old.name, new.name))

    @staticmethod
    def _own(name: str, below: TypeFit) -> TypeFit:
        """A class that the program's type information writes, which may leave its fields to Kryo or Flink."""
        if below.fit is Fit.SAME:
            return SAME
        why = f"{name} has type information of its own, and its fields changed: whether that writes them is not decided"
        return TypeFit(Fit.OPEN, why)

    def _pojo(self, old: ClassShape, new: ClassShape) -> TypeFit:
        now = {_identity(new, f): f for f in new.fields}
        gone = [f for f in old.fields if _identity(old, f) not in now]
        fits = [self._gone(old, new, f) for f in gone]
        fits += [self._field(old, f, now[_identity(old, f)]) for f in old.fields if _identity(old, f) in now]
        if not self._migrates and (gone or len(old.fields) != len(new.fields)):
            why = f"class {old.name} is a key{_moved(old, new)}: keys can't be migrated"
            fits.append(TypeFit(Fit.INCOMPATIBLE, why))
        return worst(fits)

    def _gone(self, old: ClassShape, new: ClassShape, field: FieldShape) -> TypeFit:
        subject = f"field {field.name} of class {old.name}"
        if _identity(old, field) in {_identity(new, f) for f in new.unwritten}:
            return TypeFit(Fit.INCOMPATIBLE, f"{subject} is transient or static now: Flink can't leave it out")
        lineage = {new.name, *(f.declared_by for f in (*new.fields, *new.unwritten))}
        if field.declared_by is not None and field.declared_by not in lineage:
            why = f"{subject} was declared by {field.declared_by}, which is not its superclass any more"
            return TypeFit(Fit.OPEN, why)
        return self._still_read(subject, field) or TypeFit(Fit.SAME, dropped=(subject,))

    def _still_read(self, subject: str, field: FieldShape) -> TypeFit | None:
        """Flink reads the serializer of a field that is gone: its classes must be there, and enums keep constants.

        Asked of 1.20.5 on both backends: without them it fails with *field serializer snapshots should be present*.
        """
        there = {shape.name: shape for shape in self._after}
        for shape in classes_in(field.type, self._before):
            after = there.get(shape.name)
            if after is None and self._kryo_fields:
                return TypeFit(
                    Fit.OPEN, f"{subject} is gone: Flink still reads its class {shape.name}, which must stay"
                )
            if after is not None and set(shape.constants) - set(after.constants):
                return TypeFit(
                    Fit.INCOMPATIBLE, f"{subject} is gone: Flink still reads its enum {shape.name}, which changed"
                )
        return None

    def _field(self, owner: ClassShape, field: FieldShape, after: FieldShape) -> TypeFit:
        why = f"field {field.name} of class {owner.name}: {field.type} → {after.type}"
        if field.code is not None or after.code is not None:
            same = field.code == after.code and plain_type(field.type) == plain_type(after.type)
            if same and self._kryo_fields:
                return self._own(field.type, self._below(field.type, after.type))
            return SAME if same else TypeFit(Fit.OPEN, f"{why}, with type information of its own")
        if field.generic and after.generic:
            same = plain_type(field.type) == plain_type(after.type)
            return self._below(field.type, after.type) if same else TypeFit(Fit.OPEN, f"{why}, written by Kryo")
        if field.generic or after.generic:
            return TypeFit(Fit.OPEN, f"{why}, written by Kryo {'before' if field.generic else 'now'}")
        found = self.fit(field.type, after.type)
        return found if found.fit is Fit.SAME or found.why else TypeFit(found.fit, why)

    def _generic(self, old: ClassShape, new: ClassShape) -> TypeFit:
        """Kryo writes everything below the class as well, whatever it would be on its own; enums by their ordinal."""
        if not self._migrates and old.identity != new.identity:
            return _other_identity(old)
        if not self._kryo_fields:
            return TypeFit(Fit.OPEN, "Kryo wrote it, and does not notice whether the fields still fit")
        before = [(_identity(old, f), plain_type(f.type)) for f in old.fields]
        after = [(_identity(new, f), plain_type(f.type)) for f in new.fields]
        if old.code != new.code:
            return TypeFit(Fit.OPEN, f"the classes below {old.name}, or code that writes it, changed")
        if before != after or old.constants != new.constants[: len(old.constants)]:
            moved = _moved(old, new)
            return TypeFit(Fit.OPEN, f"Kryo reads class {old.name} by the place of its fields, and they changed{moved}")
        return worst(
            self._below(base_field.type, head_field.type)
            for base_field, head_field in zip(old.fields, new.fields, strict=True)
        )

    def _below(self, before: str, after: str) -> TypeFit:
        olds, news = classes_in(before, self._before), classes_in(after, self._after)
        pairs = [(o, n) for o, n in zip(olds, news, strict=False) if (o.name, n.name) not in self._open]
        found = []
        for old, new in pairs:
            if old.name != new.name:
                found.append(TypeFit(Fit.OPEN, f"Kryo finds classes by their names: {old.name} is {new.name} now"))
                continue
            self._open.add((old.name, new.name))
            found.append(self._generic(old, new))
            self._open.discard((old.name, new.name))
        return worst(found)


def _one_known(text: str, shapes: tuple[ClassShape, ...], foreign: str) -> TypeFit:
    """A type with classes of the program against one without: a class of another name is another type."""
    known = shapes[0]
    another = is_basic(foreign) or is_container(foreign) or class_name(foreign) not in (None, simple_name(known.name))
    if another and text == _PLACE and not isinstance(known.serialization, Unknown):
        return TypeFit(Fit.INCOMPATIBLE)
    if class_name(foreign) == simple_name(known.name):
        return TypeFit(Fit.OPEN, f"same class; whether the fields of {known.name} still fit is not compared")
    found = fit_of_names(known.name if text == _PLACE else text, foreign)
    return TypeFit(Fit.OPEN if found is Fit.SAME else found)


def _identity(owner: ClassShape, field: FieldShape) -> tuple[str, str]:
    return field.declared_by or owner.name, field.name


def _other_identity(old: ClassShape) -> TypeFit:
    return TypeFit(Fit.OPEN, f"equals, hashCode or compareTo of class {old.name} changed: keys may not be found again")


def _enum(old: ClassShape, new: ClassShape) -> TypeFit:
    gone = [c for c in old.constants if c not in new.constants]
    if gone:
        return TypeFit(
            Fit.INCOMPATIBLE, f"constant {', '.join(gone)} of enum {old.name} is gone, and Flink looks for it"
        )
    return SAME


def _moved(old: ClassShape, new: ClassShape) -> str:
    """`` (a removed, b added, c: int → String)``; empty where only the class's name changed."""
    before: Mapping[str, str] = {f.name: f.type for f in old.fields} or dict.fromkeys(old.constants, "")
    after: Mapping[str, str] = {f.name: f.type for f in new.fields} or dict.fromkeys(new.constants, "")
    moved = [f"{n} removed" for n in before if n not in after] + [f"{n} added" for n in after if n not in before]
    moved += [f"{n}: {t} → {after[n]}" for n, t in before.items() if n in after and after[n] != t]
    return f" ({', '.join(moved)})" if moved else ""


def _without_classes(text: str, classes: tuple[ClassShape, ...]) -> str:
    plain = plain_type(text)
    for shape in classes:
        simple = re.escape(simple_name(shape.name))
        plain = re.sub(rf"(?:[\w$]+\.)*\b{simple}\b", _PLACE, plain)
    return plain
