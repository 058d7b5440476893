"""The code of both revisions and what was read of it: questions that all kinds of edits share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.facts import Facts
from checker.compare.account.uses import Uses, uses_in
from checker.model.nested import reached
from checker.model.program_code import Declaration, Detail, Part, ProgramCode, Role, Statement, simple_name


@dataclass(frozen=True)
class BothSides:
    """Two revisions of the code that a program can reach, with the facts about its topologies."""

    base: ProgramCode
    head: ProgramCode
    facts: Facts

    @property
    def both(self) -> tuple[ProgramCode, ProgramCode]:
        """Base and head."""
        return self.base, self.head

    @cached_property
    def uses(self) -> tuple[Uses, Uses]:
        """What declarations may use, in base and head."""
        return uses_in(self.base.reached, self.head.reached)

    def class_of_one_side(self, pair: Pair) -> bool:
        """Whether only one revision has the class, and the other knows nothing of that name."""
        if len(pair.sides) > 1:
            return False
        opposite = self.base if pair.base is None else self.head
        owner = pair.any.key[0]
        return owner not in opposite.reached.owners and simple_name(owner) not in opposite.reached.names

    def details(self, pair: Pair) -> tuple[Detail | None, Detail | None]:
        """What the two declarations of a pair consist of."""
        return (
            self.base.detail(pair.base.key) if pair.base is not None else None,
            self.head.detail(pair.head.key) if pair.head is not None else None,
        )

    def role(self, owner: str) -> Role:
        """What objects of a class are to Flink, by the head or else by the base."""
        return self.uses[1].role(owner)

    def in_key_code(self, pair: Pair) -> bool:
        """Whether a declaration is among what either revision makes keys with."""
        return any(side.key in uses.key_code for side, uses in self._sides(pair))

    def in_state_code(self, pair: Pair) -> bool:
        """Whether a declaration is among what either revision registers state with."""
        return any(side.key in uses.state_code for side, uses in self._sides(pair))

    def asks_for_state(self, pair: Pair, statement: Statement) -> bool:
        """Whether a statement of a declaration asks for state, in either revision."""
        return any(uses.asks(side.key, statement) for side, uses in self._sides(pair))

    def _sides(self, pair: Pair) -> list[tuple[Declaration, Uses]]:
        both = zip((pair.base, pair.head), self.uses, strict=True)
        return [(side, uses) for side, uses in both if side is not None]

    @cached_property
    def not_followed(self) -> frozenset[str]:
        """Names in statements that call something which was not followed."""
        return self.base.gaps | self.head.gaps

    @cached_property
    def partly_followed(self) -> frozenset[str]:
        """Classes and scripts some of whose code was followed."""
        return frozenset(key[0] for code in self.both for key in code.reached.declarations if code.detail(key).executed)


def reached_names(first: Iterable[str], mentioned: Mapping[str, AbstractSet[str]]) -> set[str]:
    """Some names, and all that the code of these mentions; ``mentioned`` is by name."""
    return set(reached(first, lambda name: mentioned.get(name, ())))


@dataclass(frozen=True, slots=True)
class Pair:
    """One declaration in both revisions, None where it is not there."""

    base: Declaration | None
    head: Declaration | None
    moved: bool = False
    """The same code in another class or file."""

    @property
    def sides(self) -> tuple[Declaration, ...]:
        """The declarations that are there."""
        return tuple(side for side in (self.base, self.head) if side is not None)

    @property
    def any(self) -> Declaration:
        """The head's declaration, else the base's."""
        return self.sides[-1]


def differing(base: ProgramCode, head: ProgramCode) -> Iterator[Pair]:
    """The declarations that are not the same in both revisions, moved ones together."""
    old, new = base.reached.declarations, head.reached.declarations
    removed = [old[key] for key in sorted(old.keys() - new.keys())]
    for key in sorted(new.keys() - old.keys()):
        twin = next((d for d in removed if _moved(d, new[key])), None)
        if twin is not None:
            removed.remove(twin)
        yield Pair(twin, new[key], moved=twin is not None)
    for key, before in old.items():
        after = new.get(key)
        if after is not None and before is not after and before.tokens != after.tokens:
            yield Pair(before, after)
    for before in removed:
        yield Pair(before, None)


def _moved(before: Declaration, after: Declaration) -> bool:
    return before.part is Part.METHOD and before.key[1] == after.key[1] and before.tokens == after.tokens
