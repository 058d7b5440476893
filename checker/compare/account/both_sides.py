"""The code of both revisions and what was read of it: questions that all kinds of edits share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from checker.compare.account.facts import Facts
from checker.compare.account.pairs import Pair
from checker.compare.account.verdicts import FOLLOWED, RUN, STATE_READ, Verdict, harmless, undecided
from checker.model.account import Why
from checker.model.program_code import Detail, ProgramCode, Role, Statement, simple_name
from checker.model.reaching import reached


@dataclass(frozen=True)
class BothSides:
    """Two revisions of the code that a program can reach, with the facts about its topologies."""

    base: ProgramCode
    head: ProgramCode
    facts: Facts

    def class_of_one_side(self, pair: Pair) -> bool:
        """Whether only one revision has the class, and the other knows nothing of that name."""
        if len(pair.sides) > 1:
            return False
        opposite = self.base if pair.base is None else self.head
        owner = pair.any.key[0]
        return owner not in opposite.owners and simple_name(owner) not in opposite.names

    def details(self, pair: Pair) -> tuple[Detail | None, Detail | None]:
        """What the two declarations of a pair consist of."""
        return (
            self.base.detail(pair.base.key) if pair.base is not None else None,
            self.head.detail(pair.head.key) if pair.head is not None else None,
        )

    def role(self, owner: str) -> Role:
        """What objects of a class are to Flink, by the head or else by the base."""
        role = self.head.role(owner)
        return role if role is not Role.DATA else self.base.role(owner)

    def in_key_code(self, pair: Pair) -> bool:
        """Whether a declaration is among what either revision makes keys with."""
        return _among(self.base.key_code, self.head.key_code, pair)

    def in_state_code(self, pair: Pair) -> bool:
        """Whether a declaration is among what either revision registers state with."""
        return _among(self.base.state_code, self.head.state_code, pair)

    def may_be_key(self, owner: str) -> bool:
        """Whether objects of a class may be keys."""
        return simple_name(owner) in self.facts.key_classes or not self.facts.key_types_read

    def state(self, pair: Pair, before: Detail | None, after: Detail | None) -> Verdict:
        """Code that registers state: compared where all of it was read."""
        owner = pair.any.key[0]
        family = frozenset({simple_name(owner)})
        own = self.facts.is_function(family)
        unread = self.facts.unread_state(family if own else None)
        if unread is not None:
            return undecided(Why.STATE_NOT_READ, f"a state may depend on it that could not be read ({unread})")
        lines = {
            (s.location.file, line)
            for d in (before, after)
            if d is not None
            for s in d.statements
            for line in s.registers
        }
        if not lines <= self.facts.registrations:
            used = self.base.executed_names | self.head.executed_names
            if own or simple_name(owner) in used or not used:
                return undecided(Why.STATE_NOT_READ, "a state that it registers was not read")
            return harmless(Why.NOT_CALLED, "the program makes no object of its class")
        return STATE_READ

    def followed(self, before: Detail | None, after: Detail | None) -> Verdict | None:
        """What an initializer's execution says, None where it was not executed."""
        statements = [s for d in (before, after) if d is not None for s in d.statements if s.executed]
        if not statements:
            return None
        return next((gap for s in statements if (gap := self.gap(s)) is not None), FOLLOWED)

    def gap(self, statement: Statement) -> Verdict | None:
        """Why following a statement does not show what it does, None where it does.

        What a call outside of the repository may have changed is unknown afterwards, and compared by what it is made
        of. Only operators that such code declares, and code that is looked up by name, are not.
        """
        if statement.gap and (statement.looks_up or self.facts.unknown_operators):
            return undecided(Why.CALL_NOT_FOLLOWED, "it calls code that is not in the repository", RUN)
        return None


def reached_names(first: Iterable[str], mentioned: Mapping[str, AbstractSet[str]]) -> set[str]:
    """Some names, and all that the code of these mentions; ``mentioned`` is by name."""
    return set(reached(first, lambda name: mentioned.get(name, ())))


def _among(before: frozenset[tuple[str, str]], after: frozenset[tuple[str, str]], pair: Pair) -> bool:
    return (pair.base is not None and pair.base.key in before) or (pair.head is not None and pair.head.key in after)
