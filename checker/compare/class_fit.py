"""Whether types that name the program's own classes still fit: class by class, field by field.

Rules of ``PojoSerializerSnapshot``, ``KryoSerializerSnapshot`` and ``EnumSerializerSnapshot`` (Flink 1.13 to 2.3):
every one of them needs the class under its old name. A POJO's fields may come and go but not change their type, keys
apart, which can't be migrated at all. Kryo notices nothing, and reads fields by their place. An enum may gain
constants and lose none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from checker.compare.type_fit import SAME, Fit, TypeFit, classes_in, fit_of_names, is_basic, plain_type, worst
from checker.model.topology import ClassShape, Serialization, Unknown

_WORDS = {
    Serialization.POJO: "a POJO",
    Serialization.GENERIC: "written by Kryo",
    Serialization.ENUM: "an enum",
}
_PLACE = "§"
_OUTER = re.compile(r"([\w$.]+)<")


class ClassFits:
    """The types of one state, or of a key, before and after. ``migrates`` is False for keys."""

    def __init__(self, before: tuple[ClassShape, ...], after: tuple[ClassShape, ...], *, migrates: bool = True) -> None:
        self._before = before
        self._after = after
        self._migrates = migrates
        self._open: set[tuple[str, str]] = set()

    def fit(self, before: str, after: str) -> TypeFit:
        """Whether state written as ``before`` can be read as ``after``."""
        olds, news = classes_in(before, self._before), classes_in(after, self._after)
        one, other = _without_classes(before, olds), _without_classes(after, news)
        if olds and one == other and len(olds) == len(news):
            return worst(self._class(old, new) for old, new in zip(olds, news, strict=True))
        for text, shapes, second in ((one, olds, after), (other, news, before)):
            if text == _PLACE and is_basic(second) and not isinstance(shapes[0].serialization, Unknown):
                return TypeFit(Fit.INCOMPATIBLE)
        return TypeFit(fit_of_names(before, after))

    def _class(self, old: ClassShape, new: ClassShape) -> TypeFit:
        before, after = old.serialization, new.serialization
        if (old.name, new.name) in self._open:
            return SAME
        if isinstance(before, Unknown) or isinstance(after, Unknown):
            if old == new or (old.name, old.fields, old.constants) == (new.name, new.fields, new.constants):
                return SAME
            reason = next(s.reason for s in (before, after) if isinstance(s, Unknown))
            return TypeFit(Fit.OPEN, f"class {old.name} changed{_fields_moved(old, new)}, and {reason}")
        if old.name != new.name:
            return TypeFit(Fit.INCOMPATIBLE, f"class {old.name} is {new.name} now: Flink looks for the old one")
        if before is not after:
            return TypeFit(Fit.INCOMPATIBLE, f"class {old.name} was {_WORDS[before]} and is {_WORDS[after]} now")
        self._open.add((old.name, new.name))
        try:
            if before is Serialization.ENUM:
                return _enum(old, new)
            return self._pojo(old, new) if before is Serialization.POJO else self._generic(old, new)
        finally:
            self._open.discard((old.name, new.name))

    def _pojo(self, old: ClassShape, new: ClassShape) -> TypeFit:
        fields, now = dict(old.fields), dict(new.fields)
        fits = [self._field(old, name, kind, now[name]) for name, kind in fields.items() if name in now]
        if not self._migrates and fields.keys() != now.keys():
            why = f"class {old.name} is a key{_fields_moved(old, new)}: keys can't be migrated"
            fits.append(TypeFit(Fit.INCOMPATIBLE, why))
        return worst(fits)

    def _field(self, owner: ClassShape, name: str, before: str, after: str) -> TypeFit:
        found = self.fit(before, after)
        if found.fit is Fit.SAME or found.why:
            return found
        why = f"field {name} of class {owner.name}: {before} → {after}"
        outer, inner = _OUTER.match(plain_type(before)), _OUTER.match(plain_type(after))
        if outer and inner and outer[1] == inner[1]:
            # Collections in a POJO are Kryo's before Flink 2.0: it does not notice another element type.
            return TypeFit(Fit.OPEN, why)
        return TypeFit(found.fit, why)

    def _generic(self, old: ClassShape, new: ClassShape) -> TypeFit:
        before = [(name, plain_type(kind)) for name, kind in old.fields]
        after = [(name, plain_type(kind)) for name, kind in new.fields]
        if before != after:
            moved = _fields_moved(old, new)
            return TypeFit(Fit.OPEN, f"Kryo reads class {old.name} by the place of its fields, and they changed{moved}")
        nested = (self.fit(kind, dict(new.fields)[name]) for name, kind in old.fields)
        return worst(TypeFit(Fit.OPEN, n.why) if n.fit is not Fit.SAME else SAME for n in nested)


def _enum(old: ClassShape, new: ClassShape) -> TypeFit:
    gone = [c for c in old.constants if c not in new.constants]
    if gone:
        return TypeFit(
            Fit.INCOMPATIBLE, f"constant {', '.join(gone)} of enum {old.name} is gone, and Flink looks for it"
        )
    return SAME


def _fields_moved(old: ClassShape, new: ClassShape) -> str:
    """``: field a removed, b added, c: int → String``, empty where only its name changed."""
    before: Mapping[str, str] = dict(old.fields) or dict.fromkeys(old.constants, "")
    after: Mapping[str, str] = dict(new.fields) or dict.fromkeys(new.constants, "")
    moved = [f"{n} removed" for n in before if n not in after] + [f"{n} added" for n in after if n not in before]
    moved += [f"{n}: {t} → {after[n]}" for n, t in before.items() if n in after and after[n] != t]
    if not moved and list(before) != list(after):
        moved = ["their order changed"]
    return f" ({', '.join(moved)})" if moved else ""


def _without_classes(text: str, classes: tuple[ClassShape, ...]) -> str:
    plain = plain_type(text)
    for shape in classes:
        simple = re.split(r"[.$]", shape.name)[-1]
        plain = re.sub(rf"(?:[\w$]+\.)*\b{re.escape(simple)}\b", _PLACE, plain)
    return plain
