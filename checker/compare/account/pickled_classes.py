"""Objects of a script's classes in state: Python pickles them by module, class and attributes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.both_sides import BothSides, reached_names
from checker.compare.account.pairs import Pair
from checker.model.program_code import Part, Pickled, ProgramCode, Role, simple_name

_REDUCING = frozenset({"__reduce__", "__reduce_ex__"})


@dataclass(frozen=True)
class PickledClasses:
    """Which classes of both revisions may be pickled."""

    sides: BothSides

    def changed_by(self, pair: Pair) -> bool:
        """Whether objects may lie in state that Python does not unpickle any more, or as another one."""
        declaration, owner = pair.any, pair.any.key[0]
        if pair.base is not None and pair.base.part is Part.METHOD and pair.base.key[1] in self._rebuilding:
            return True
        made = pair.base.pickled if pair.base is not None and pair.base.part is Part.FIELD else None
        if made is not None:
            kept = pair.head is not None and pair.head.pickled is not None and pair.head.pickled.unpickles(made)
            return not kept and any(name in self._with_records for name in declaration.key[1].split(","))
        if declaration.part is Part.METHOD and not declaration.key[1].startswith("__"):
            return False
        old, new = (_pickled(code, owner) for code in (self.sides.base, self.sides.head))
        if old is None or self.sides.role(owner) is Role.FUNCTION or simple_name(owner) not in self._with_records:
            return False
        return new is None or not new.unpickles(old)

    @cached_property
    def _rebuilding(self) -> frozenset[str]:
        """The functions by which objects that lie in state were pickled: unpickling calls what these name."""
        code = self.sides.base.declarations.values()
        given = frozenset().union(*(d.names for d in code if "copyreg" in d.names))
        reducers = [d for d in code if d.key[1] in _REDUCING or (d.part is Part.METHOD and d.key[1] in given)]
        return frozenset().union(*(d.names for d in reducers)) - _REDUCING

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
                    pending |= statement.names if "from_collection" in statement.names else set()
            found |= reached_names(pending, by_owner)
        return frozenset(found)


def _pickled(code: ProgramCode, owner: str) -> Pickled | None:
    header = code.declarations.get((owner, "<header>"))
    return None if header is None else header.pickled
