"""Explains the edit of a class header, a field or a constant."""

from __future__ import annotations

import re
from dataclasses import dataclass

from checker.compare.account.both_sides import BothSides
from checker.compare.account.data_classes import DataClasses
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import Verdict, harmless, undecided
from checker.model.account import Why
from checker.model.program_code import Detail, Part, Role, simple_name


@dataclass(frozen=True)
class Members:
    """Headers, fields and constants of both revisions."""

    sides: BothSides
    data: DataClasses

    def edited(self, pair: Pair, before: Detail | None, after: Detail | None) -> Verdict:
        """How the edit of one is explained."""
        declaration = pair.any
        owner = declaration.key[0]
        role = self.sides.role(owner)
        if role is Role.SERIALIZER:
            return undecided(Why.SERIALIZER, f"{simple_name(owner)} decides how state is written")
        facts = self.sides.facts
        if facts.keyed and not (facts.key_types_read and facts.keys_read) and self.sides.in_key_code(pair):
            return undecided(Why.KEY_NOT_READ, "keys are computed with it, and how was not read")
        if self.sides.in_state_code(pair):
            edited = before is not None and after is not None and _flag(before) != _flag(after)
            if declaration.part is Part.FIELD and edited and self.sides.facts.same_states:
                return undecided(
                    Why.STATE_NOT_READ, "code that registers state looks at this flag, and no state differs"
                )
            return self.sides.state(pair, before, after)
        followed = self.sides.followed(before, after)
        if declaration.part is Part.FIELD and declaration.static:
            if followed is not None:
                return followed
            return harmless(Why.STATIC_FIELD, "a static field that neither the graph nor a state depends on")
        if role is Role.TRANSACTIONS:
            return undecided(Why.STATE_NOT_READ, f"transactions of {simple_name(owner)} lie in state")
        if role is not Role.DATA:
            if declaration.part is not Part.HEADER:
                return harmless(Why.FIELD_OF_FUNCTION, "a field of a function, which is never written to state")
            if len(pair.sides) > 1 and simple_name(owner) in self.sides.facts.feeding_functions:
                return undecided(Why.MAY_LIE_IN_STATE, "the elements that it handles may lie in state of unknown type")
            return self.sides.state(pair, before, after)
        if declaration.part is Part.FIELD and self._part_of_key(pair):
            return undecided(Why.KEY_NOT_READ, "it is a part of a key whose type was not read")
        return self.data.edited(owner, followed)

    def _part_of_key(self, pair: Pair) -> bool:
        """Whether a key that is known by its expression only may take this field."""
        if not self.sides.facts.keyed or self.sides.facts.key_types_read:
            return False
        return any(name in self.sides.facts.key_words for d in pair.sides for name in d.key[1].split(","))


def _flag(detail: Detail | None) -> frozenset[str]:
    """The truth values that a declaration mentions."""
    words = re.findall(r"\b(?:true|false|True|False)\b", detail.normal) if detail is not None else ()
    return frozenset(word.lower() for word in words)
