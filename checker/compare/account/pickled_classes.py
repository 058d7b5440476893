"""Objects of a script's classes in state: Python pickles them by module, class and attributes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.both_sides import BothSides, reached_names
from checker.compare.account.pairs import Pair
from checker.model.program_code import Declaration, Part, Role, simple_name

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_MAKES_CLASS = re.compile(r"=\s*(?:\w+\.)*(?:namedtuple|NamedTuple|make_dataclass|Enum|IntEnum|StrEnum|Flag|IntFlag)\(")
_PICKLING = frozenset({"__getstate__", "__setstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__new__"})
_COMPARING = re.compile(r"(?:, )?\b(?:eq|order|repr|frozen|unsafe_hash|match_args)=(?:True|False)\b")
"""Arguments of ``dataclass`` that decide nothing about how an object without slots is pickled."""
_REDUCING = frozenset({"__reduce__", "__reduce_ex__"})
_ATTRIBUTE = re.compile(r"\bself\.(\w+)\s*(?::[^=\n]+)?=(?!=)")


@dataclass(frozen=True)
class PickledClasses:
    """Which classes of both revisions may be pickled."""

    sides: BothSides

    def changed_by(self, pair: Pair) -> bool:
        """Whether objects of a class may lie in state that Python pickled in another way, or under another name."""
        declaration, owner = pair.any, pair.any.key[0]
        if pair.base is not None and pair.base.part is Part.METHOD and pair.base.key[1] in self._rebuilding:
            return True
        if declaration.part is Part.FIELD and pair.base is not None and _MAKES_CLASS.search(pair.base.tokens):
            named = [re.findall(r"\w+", side.tokens) for side in pair.sides if "namedtuple(" in side.tokens]
            if len(named) == 2 and named[0] == named[1]:  # its names in one text, or in a list
                return False
            return any(name in self._with_records for name in declaration.key[1].split(","))
        of_class = (owner, "<header>") in self.sides.base.declarations
        if not of_class or self.sides.role(owner) is Role.FUNCTION or simple_name(owner) not in self._with_records:
            return False
        if declaration.part is Part.HEADER:
            return len({_written_as(side.tokens) for side in pair.sides}) > 1 or pair.base is None or pair.head is None
        if declaration.part is Part.FIELD:
            if declaration.key[1] == "__slots__":
                return pair.head is not None and _slots_gone(pair.base, pair.head)
            if pair.base is None:
                return "=" not in declaration.tokens
            return pair.head is None or not _ENUMS.isdisjoint(self.sides.base.ancestors(owner))
        if declaration.key[1] in _PICKLING:
            return True
        sides = [_ATTRIBUTE.findall(side.tokens) for side in (pair.base, pair.head) if side is not None]
        return declaration.key[1] == "__init__" and len(sides) == 2 and not set(sides[0]) <= set(sides[1])

    @cached_property
    def _rebuilding(self) -> frozenset[str]:
        """The functions by which objects that lie in state were pickled: unpickling calls what these name."""
        code = self.sides.base.declarations.values()
        given = frozenset().union(*(d.names for d in code if "copyreg" in d.names))
        reducers = [d for d in code if d.key[1] in _REDUCING or (d.part is Part.METHOD and d.key[1] in given)]
        return frozenset().union(*(d.names for d in reducers)) - _PICKLING

    @cached_property
    def _with_records(self) -> frozenset[str]:
        """Names that functions mention which run with records, or collections of elements, and what these mention."""
        found: set[str] = set()
        for code in (self.sides.base, self.sides.head):
            pending: set[str] = set()
            by_owner: dict[str, set[str]] = {}
            for key, declaration in code.declarations.items():
                if declaration.part is Part.METHOD and not code.detail(key).executed:
                    pending |= declaration.names
                elif declaration.part in (Part.HEADER, Part.FIELD):
                    by_owner.setdefault(simple_name(key[0]), set()).update(declaration.names)
                for statement in code.detail(key).statements:
                    pending |= statement.names if "from_collection" in statement.calls else set()
            found |= reached_names(pending, by_owner)
        return frozenset(found)


def _written_as(header: str) -> str:
    """A class' header without what only says how objects are compared and shown."""
    return header if "slots" in header else _COMPARING.sub("", header).replace("dataclass()", "dataclass")


def _slots_gone(base: Declaration | None, head: Declaration) -> bool:
    """Whether a class has no place for something that an old pickle holds; without slots it takes anything."""
    computed = any(not side.names <= {"__slots__"} for side in (base, head) if side is not None)
    return base is None or computed or not base.strings <= head.strings
