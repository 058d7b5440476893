"""Classes of elements, keys and configuration: what an edit of such a class does to state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.both_sides import BothSides, reached_names
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import READ, UNUSED, Verdict
from checker.model.account import Why
from checker.model.program_code import Part, Role, simple_name


@dataclass(frozen=True)
class DataClasses:
    """Which classes of both revisions may lie in state."""

    sides: BothSides

    def written_subclass(self, pair: Pair) -> bool:
        """Whether a class is gone, or has another name, of which there may be objects in state."""
        class_name, facts = pair.any.key[0], self.sides.facts
        if pair.head is not None or self.sides.head.has_class(class_name):
            return False
        if pair.any.part is not Part.HEADER or self.sides.role(class_name) is not Role.DATA:
            return False
        owner = simple_name(class_name)
        above = self.sides.base.ancestors(class_name) - {owner}
        return owner not in facts.shapes and bool(above & (facts.shapes | facts.polymorphic))

    def edited(self, owner: str, *, followed: bool) -> Verdict:
        """A class that may be an element, a key, a configuration. ``followed``: the edit was, and is in no element."""
        name, facts = simple_name(owner), self.sides.facts
        family = self.sides.base.ancestors(owner) | self.sides.head.ancestors(owner) | {name}
        if name in facts.shapes:
            return READ
        unknown = not facts.elements_read and not followed and name in self._elements
        if unknown or family & (facts.polymorphic | facts.shapes):
            return Verdict(Why.TYPE, f"objects of {name} may lie in state")
        return UNUSED

    @cached_property
    def _elements(self) -> frozenset[str]:
        """Names of classes whose objects may lie in state of unknown type."""
        found: set[str] = set()
        for code in (self.sides.base, self.sides.head):
            pending = set(code.executed_elements)
            builders = {
                key[0]
                for key, d in code.declarations.items()
                if d.part is Part.METHOD and not (d.static or d.accessor) and code.detail(key).executed
            }
            pending -= {simple_name(owner) for owner in builders}
            by_owner: dict[str, set[str]] = {}
            for key, declaration in code.declarations.items():
                if simple_name(key[0]) in self.sides.facts.feeding_functions and declaration.part is Part.HEADER:
                    pending |= declaration.names
                elif declaration.part is not Part.METHOD and key[0] not in builders and code.role(key[0]) is Role.DATA:
                    by_owner.setdefault(simple_name(key[0]), set()).update(declaration.names)
            found |= reached_names(pending, by_owner)
        return frozenset(found)
