"""What names and calls in the code of one class stand for, where its program settles that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.nodes import find_field, returned_field
from checker.extract.java.syntax.tree import Node


@dataclass(frozen=True)
class KnownValues:
    """The constants of a class, and the truth values that one of its objects holds: a ``truths.Values``."""

    owner: ClassDecl
    index: ClassIndex
    flags: Mapping[str, bool]
    """Fields whose value the program settles; those of objects in fields behind a dot."""
    given: Mapping[str, bool | None]
    """The parameters of the method in question."""

    def __call__(self, name: str) -> Node | bool | None:
        """What a variable, a field or a call without arguments stands for."""
        name = name.removeprefix("this.")
        if name in self.given:
            return self.given[name]
        if name.endswith("()"):
            return self._called(name.removesuffix("()"))
        name = name.removeprefix(f"{self.owner.name}.")
        if name in self.flags:
            return self.flags[name]
        declared = find_field(self.index, self.owner, name)
        return declared.value if declared is not None and declared.final else None

    def _called(self, name: str) -> Node | bool | None:
        """The field that an accessor gives: of the object itself, or of one in a field."""
        holder, _, method = name.rpartition(".")
        declared = find_field(self.index, self.owner, holder) if holder else None
        around = self.index.resolve_type(declared.type, declared.owner) if declared is not None else self.owner
        if not isinstance(around, ClassDecl) or (holder and declared is None):
            return None
        found = [m for m in around.methods if m.name == method and not m.parameters]
        field = returned_field(found[0]) if found else method  # a record's accessor is not written
        return self.flags.get(f"{holder}.{field}" if holder else field)
