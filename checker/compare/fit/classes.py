"""Whether types that name the program's own classes still fit: class by class, field by field.

Rules of ``PojoSerializerSnapshot``, ``KryoSerializerSnapshot`` and ``EnumSerializerSnapshot`` (Flink 1.13 to 2.3):
every one of them needs the class under its old name. A POJO's fields may come and go but not change their type, keys
apart, which can't be migrated at all; a field that is still declared but no longer written makes Flink throw. Kryo
notices nothing, and reads fields by their place. An enum may gain constants and lose none. Serializers of another kind
never take what one wrote. Asked of real Flinks in ``tests/types``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import chain

from checker.compare.fit.serializers import OwnClasses, pattern_fit, read_by_newer_kryo, unwrapped
from checker.compare.fit.types import (
    ARRAY,
    BASIC,
    KRYO,
    SAME,
    Fit,
    Spelled,
    TypeFit,
    avro_fit,
    spelled,
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
    Serialization.OWN: "written by code of the program",
}
_CONTAINERS = frozenset(
    {"List", "Map", "NullableList", "NullableMap", "NullableSet", "Row", "Either", "TaggedUnion", "Transaction", ARRAY,
     *(f"Tuple{n}" for n in range(26))}
)  # fmt: skip
_CLASS = re.compile(r"(?!Object$)[A-Z][\w$]*(?:\.[A-Z][\w$]*)*")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,4}")
"""How type variables are called: a class of such a name is taken for one."""
_RELATED = frozenset({"Date", "Time", "Timestamp"})
"""Basic types of which one may be another one's subclass."""
_KRYO_SERIALIZER = "KryoSerializer"


class _Writer(Enum):
    """Who writes values of a type."""

    FLINK = auto()
    """A serializer that is made for the type."""
    CLASS = auto()
    """The serializer of a class of the program."""
    KRYO = auto()
    LIBRARY = auto()
    """A class that is not in the repository: POJO, Kryo, Avro."""
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class StateType:
    """A type in state and the program's own classes in it: declared by a program, or taken from a serializer snapshot.

    ``kryo_fields`` is False for snapshots: of a class that Kryo writes they hold the name alone.
    """

    text: str
    classes: tuple[ClassShape, ...] = ()
    kryo_fields: bool = True


def fit_of_types(before: StateType, after: StateType, *, migrates: bool = True, newer_kryo: bool = False) -> TypeFit:
    """Whether state written as ``before`` can be read as ``after``.

    ``migrates`` is False for keys; ``newer_kryo``: Flink 2 reads with Kryo 5 what Flink 1 wrote with Kryo 2.
    """
    stages = pattern_fit(before.text, after.text)
    if stages is not None:
        return stages
    return _ClassFits(before, after, migrates=migrates, newer_kryo=newer_kryo).fit(before.text, after.text)


class _ClassFits:
    def __init__(self, before: StateType, after: StateType, *, migrates: bool, newer_kryo: bool) -> None:
        self._before, self._after = OwnClasses(before.classes), OwnClasses(after.classes)
        self._kryo_fields = before.kryo_fields and after.kryo_fields
        self._migrates = migrates
        self._newer_kryo = newer_kryo
        self._open: set[tuple[str, str]] = set()

    def fit(self, before: str, after: str) -> TypeFit:
        return self._fit(spelled(before), spelled(after))

    def _fit(self, old: Spelled, new: Spelled) -> TypeFit:
        before, after = self._before.named(old), self._after.named(new)
        if before is not None and after is not None:
            return worst((self._class(before, after), self._arguments(old, new)))
        writer, reader = _writer(old, before), _writer(new, after)
        if writer is reader is _Writer.KRYO:
            return self._kryo(_inside(old, before), _inside(new, after))
        if before is not None or after is not None:
            shown = before or after
            assert shown is not None
            return _one_shown(shown, *((new, reader) if before is not None else (old, writer)))
        if _Writer.UNKNOWN in (writer, reader) or writer is reader is _Writer.LIBRARY:
            if old.name != new.name or len(old.arguments) != len(new.arguments):
                return TypeFit(Fit.OPEN)
            if writer is _Writer.LIBRARY and self._newer_kryo:
                return TypeFit(Fit.OPEN, f"cannot tell whether Kryo writes {old}, whose values Flink 2 may misread")
            return self._each(old, new)
        if writer is not reader:
            kryo = _Writer.KRYO in (writer, reader)
            unsure = kryo and _Writer.LIBRARY in (writer, reader)
            why = f"{old} → {new}: Kryo writes one of them" if kryo else ""
            return TypeFit(Fit.OPEN if unsure else Fit.INCOMPATIBLE, why)
        if old.name != new.name or len(old.arguments) != len(new.arguments):
            return TypeFit(Fit.INCOMPATIBLE)
        return self._row(old, new) if old.name == "Row" else self._each(old, new)

    def _each(self, old: Spelled, new: Spelled) -> TypeFit:
        return worst(self._fit(a, b) for a, b in zip(old.arguments, new.arguments, strict=True))

    def _row(self, old: Spelled, new: Spelled) -> TypeFit:
        """Rows are written by places: names decide nothing for Flink, but a place is read by the name that it has."""
        found = self._each(old, new)
        traded = traded_fields(old, new)
        if found.fit is not Fit.SAME or not traded:
            return found
        return TypeFit(Fit.OPEN, f"the fields {' and '.join(traded)} of the row are read from each other's place")

    def _arguments(self, old: Spelled, new: Spelled) -> TypeFit:
        """Type arguments of a class of the program, which its fields may be made of."""
        return SAME if old.arguments == new.arguments else TypeFit(Fit.OPEN, f"{old} → {new}")

    def _kryo(self, old: Spelled, new: Spelled) -> TypeFit:
        """Types that Kryo writes: it asks for the class alone, and does not notice what is inside."""
        if old.name != new.name:
            return TypeFit(Fit.INCOMPATIBLE, f"Kryo wrote {old} and looks for that class, but it became {new}")
        if self._newer_kryo:
            return read_by_newer_kryo(old)
        if old != new and old.arguments and new.arguments:
            for a, b in zip(old.arguments, new.arguments, strict=False):
                if a.name != b.name and {a.name, b.name} <= BASIC - _RELATED:
                    why = f"Kryo writes with each content of {old} the class that it has"
                    return TypeFit(Fit.INCOMPATIBLE, why, effect=f"a {a} comes back as one, where a {b} is expected")
            return TypeFit(Fit.OPEN, f"Kryo writes the contents of {old} without a schema, and they became {new}")
        return self._below(old, new)

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
        if isinstance(before, Unknown) or isinstance(after, Unknown):
            reason = next(s.reason for s in (before, after) if isinstance(s, Unknown))
            if same and isinstance(before, Unknown) and isinstance(after, Unknown) and same_unknown(before, after):
                why = f"cannot tell whether Kryo writes class {old.name}, whose values Flink 2 does not read: {reason}"
                return TypeFit(Fit.OPEN, why) if self._newer_kryo else self._below_all(old, new)
            return TypeFit(Fit.OPEN, f"class {old.name} changed{_moved(old, new)}, and {reason}")
        if old.name != new.name:
            return TypeFit(Fit.INCOMPATIBLE, f"class {old.name} became {new.name}, and Flink looks for the old one")
        if before is not after:
            words = f"class {old.name} was {_WORDS[before]} and became {_WORDS[after]}"
            own = Serialization.OWN in (before, after)
            return TypeFit(Fit.OPEN if own else Fit.INCOMPATIBLE, words)
        if before is Serialization.AVRO and old.schema is not None and new.schema is not None:
            return avro_fit(old.schema, new.schema, migrates=self._migrates)
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
        return TypeFit(Fit.OPEN, f"{name} has type information of its own, which may write the fields that changed")

    def _pojo(self, old: ClassShape, new: ClassShape) -> TypeFit:
        found = [(f, _found_again(old, f, new, new.fields)) for f in old.fields]
        gone = [f for f, now in found if now is None]
        fits = [self._gone(old, new, f) for f in gone]
        fits += [self._field(old, f, now) for f, now in found if now is not None]
        if not self._migrates and (gone or len(old.fields) != len(new.fields)):
            why = f"class {old.name} is a key{_moved(old, new)}: keys can't be migrated"
            fits.append(TypeFit(Fit.INCOMPATIBLE, why))
        return worst(fits)

    def _gone(self, old: ClassShape, new: ClassShape, field: FieldShape) -> TypeFit:
        subject = f"field {field.name} of class {old.name}"
        if _found_again(old, field, new, new.unwritten) is not None:
            why = "is no longer written (transient, static or not accessible), and Flink can't skip its old values"
            return TypeFit(Fit.INCOMPATIBLE, f"{subject} {why}")
        lineage = {new.name, *(f.declared_by for f in (*new.fields, *new.unwritten))}
        if field.declared_by is not None and field.declared_by not in lineage:
            why = f"{subject} was declared by {field.declared_by}, which is no longer its superclass"
            return TypeFit(Fit.OPEN, why)
        below = next((f for f in new.fields if f.name == field.name and f.declared_by != field.declared_by), None)
        if below is not None and field.declared_by is not None and spelled(below.type) == spelled(field.type):
            moved = f"{subject} moved from class {field.declared_by} to {below.declared_by or new.name}"
            return TypeFit(Fit.INCOMPATIBLE, moved, effect="Flink drops what was written and leaves the field empty")
        return self._still_read(subject, field) or TypeFit(Fit.SAME, dropped=(subject,))

    def _still_read(self, subject: str, field: FieldShape) -> TypeFit | None:
        """Flink reads the serializer of a field that is gone: its classes must be there, and enums keep constants.

        Asked of 1.20.5 on both backends: without them it fails with *field serializer snapshots should be present*.
        """
        there = {shape.name: shape for shape in self._after.shapes}
        for shape in self._before.within(spelled(field.type)):
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
            same = field.code == after.code and spelled(field.type) == spelled(after.type)
            if same and self._kryo_fields:
                return self._own(field.type, self._below(spelled(field.type), spelled(after.type)))
            return SAME if same else TypeFit(Fit.OPEN, f"{why}, with type information of its own")
        found = self.fit(field.type, after.type)
        if found.fit is Fit.SAME or owner.name in found.why:
            return found
        inside = f": {found.why}" if found.why else ""
        return replace(found, why=f"field {field.name} of class {owner.name}{inside}" if found.why else why)

    def _generic(self, old: ClassShape, new: ClassShape) -> TypeFit:
        """Kryo writes everything below the class as well, whatever it would be on its own; enums by their ordinal."""
        if not self._migrates and old.identity != new.identity:
            return _other_identity(old)
        if not self._kryo_fields:
            return TypeFit(Fit.OPEN, "Kryo wrote it, and does not notice whether the fields still fit")
        if self._newer_kryo:
            return read_by_newer_kryo(f"class {old.name}")
        before = [(_identity(old, f), unwrapped(spelled(f.type))) for f in old.fields]
        after = [(_identity(new, f), unwrapped(spelled(f.type))) for f in new.fields]
        if old.code != new.code:
            return TypeFit(Fit.OPEN, f"the classes below {old.name}, or code that writes it, changed")
        if old.constants != new.constants[: len(old.constants)]:
            return _other_constants(old, new)
        if before != after:
            moved = _moved(old, new)
            return TypeFit(Fit.OPEN, f"Kryo reads class {old.name} by the place of its fields, and they changed{moved}")
        return self._below_all(old, new)

    def _below_all(self, old: ClassShape, new: ClassShape) -> TypeFit:
        pairs = zip(old.fields, new.fields, strict=True)
        return worst(self._below(spelled(before.type), spelled(after.type)) for before, after in pairs)

    def _below(self, before: Spelled, after: Spelled) -> TypeFit:
        olds, news = self._before.within(before), self._after.within(after)
        pairs = [(o, n) for o, n in zip(olds, news, strict=False) if (o.name, n.name) not in self._open]
        found = []
        for old, new in pairs:
            if old.name != new.name:
                found.append(TypeFit(Fit.OPEN, f"Kryo finds classes by their names, and {old.name} became {new.name}"))
                continue
            self._open.add((old.name, new.name))
            found.append(self._generic(old, new))
            self._open.discard((old.name, new.name))
        return worst(found)


def _other_constants(old: ClassShape, new: ClassShape) -> TypeFit:
    """Kryo's ``EnumSerializer`` writes the ordinal, and looks it up among the constants that there are."""
    place = next(i for i, constant in enumerate(old.constants) if new.constants[i : i + 1] != (constant,))
    now = f"comes back as {new.constants[place]}" if place < len(new.constants) else "can't be read"
    why = f"Kryo writes the constants of enum {old.name} by their place, which changed"
    return TypeFit(Fit.INCOMPATIBLE, why, effect=f"what was written as {old.constants[place]} {now}")


def _writer(type_: Spelled, shape: ClassShape | None) -> _Writer:
    if type_.name in (KRYO, _KRYO_SERIALIZER) or (shape is not None and shape.serialization is Serialization.GENERIC):
        return _Writer.KRYO
    if shape is not None:
        return _Writer.CLASS
    if type_.name == ARRAY and _writer(type_.arguments[0], None) is _Writer.UNKNOWN:
        return _Writer.UNKNOWN
    if type_.name in BASIC or type_.name in _CONTAINERS or type_.name.endswith("Serializer"):
        return _Writer.FLINK
    known = _CLASS.fullmatch(type_.name) is not None and _VARIABLE.fullmatch(type_.name) is None
    return _Writer.LIBRARY if known else _Writer.UNKNOWN


def _inside(type_: Spelled, shape: ClassShape | None) -> Spelled:
    """The class that Kryo writes."""
    return unwrapped(type_ if shape is not None or not type_.arguments else type_.arguments[0])


def _one_shown(shape: ClassShape, beside: Spelled, writer: _Writer) -> TypeFit:
    """A class of the program against another type: every serializer needs the class that it was made for."""
    name, how = simple_name(shape.name), shape.serialization
    if writer is _Writer.LIBRARY and simple_name(beside.name) == name:
        return TypeFit(Fit.OPEN, f"the fields of class {shape.name} were not compared")
    if writer is _Writer.UNKNOWN or how is Serialization.OWN or isinstance(how, Unknown):
        return TypeFit(Fit.INCOMPATIBLE if beside.name in BASIC and isinstance(how, Unknown) else Fit.OPEN)
    if writer is _Writer.KRYO and _inside(beside, None).name == name:
        return TypeFit(
            Fit.INCOMPATIBLE, f"Kryo writes class {shape.name} on one side, which is {_WORDS[how]} on the other"
        )
    return TypeFit(Fit.INCOMPATIBLE)


def _found_again(
    old: ClassShape, before: FieldShape, new: ClassShape, among: tuple[FieldShape, ...]
) -> FieldShape | None:
    """The POJO's field that Flink looks up: by its name in the class that declared it, then in the classes above."""
    named = [field for field in among if field.name == before.name]
    above = named if before.declared_by in (None, old.name) else []
    same = (field for field in named if _identity(old, before) == _identity(new, field))
    return next(chain(same, above), None)


def _identity(owner: ClassShape, field: FieldShape) -> tuple[str, str]:
    return field.declared_by or owner.name, field.name


def _other_identity(old: ClassShape) -> TypeFit:
    return TypeFit(Fit.OPEN, f"equals, hashCode or compareTo of class {old.name} changed")


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
