"""What a part of the program that was not followed may be made of: an edit of that is not understood.

An opening is an unknown that stands for operators, or for the whole graph. What it may run is found by names, wider
than what runs: the methods that are called where it stands, code beside it that was never followed and builds graphs or
registers state, and all that these mention. Methods that Flink calls with records are left out, but for what
registers states in them: what they compute decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.both_sides import BothSides, Pair
from checker.compare.account.facts import Facts
from checker.compare.account.uses import Uses, asks
from checker.model.account import NOT_TAKEN, UNUSED, Explanation, Verdict, Why
from checker.model.program_code import Declaration, Key, Part, ProgramCode, Role, Statement, method_name, simple_name
from checker.model.unknowns import Unknown

_BEGINS = frozenset({Part.MODULE, Part.INITIALIZER})
"""What runs without being called."""
_FINAL = re.compile(r"\bfinal\b")
_OUTSIDE = frozenset({Part.MODULE, Part.FIELD})


@dataclass(frozen=True)
class Openings:
    """The openings of a pipeline, and what either revision's code may be a part of them."""

    sides: BothSides

    @property
    def first(self) -> Unknown | None:
        """What is told of: the head's, where both revisions have the opening."""
        found = self.sides.facts.openings
        return found[-1] if found else None

    def explained(self, pair: Pair, verdict: Verdict, statements: Sequence[Statement]) -> Verdict:
        """The explanation of an edit, or that it is not understood as it may be a part of what was not followed."""
        if self.first is None or verdict.explanation is Explanation.NOT_UNDERSTOOD or verdict.why is Why.SAME_PROGRAM:
            return verdict
        if self._unused(pair):
            return UNUSED
        sides = tuple(zip(self._where_they_stand, (pair.base, pair.head), strict=True))
        inside = _holds(sides, statements)
        one_sided = len(pair.sides) == 1 and any(side is not None and opened.of_class(side) for opened, side in sides)
        return opening(self.first) if inside or one_sided or verdict == NOT_TAKEN else verdict

    def beside(self, pair: Pair, statements: Sequence[Statement]) -> bool:
        """Whether an edit is no part of what builds graph, state and keys, wherever that was not followed."""
        facts, sides = self.sides.facts, tuple(zip(self._anywhere, (pair.base, pair.head), strict=True))
        if facts.all_known or (_holds(sides, statements) and not self._unused(pair)):
            return False
        there = [(opened, side) for opened, side in sides if side is not None]
        alone = facts.keys_spelled or self._unused(pair)
        return alone or all(opened.uses.with_records(side.key) for opened, side in there)

    def _unused(self, pair: Pair) -> bool:
        """Whether it is a constant that is new or gone, which nothing mentions and which calls nothing."""
        key, made = pair.any.key, pair.any.part is not Part.FIELD or not pair.any.static or "(" in pair.any.tokens
        return len(pair.sides) == 1 and not made and self.sides.uses[pair.base is None].users({key}) == {key}

    @cached_property
    def _where_they_stand(self) -> tuple[_Opened, ...]:
        return self._opened(anywhere=self.sides.facts.unread)

    @cached_property
    def _anywhere(self) -> tuple[_Opened, ...]:
        return self._opened(anywhere=True)

    def _opened(self, *, anywhere: bool) -> tuple[_Opened, ...]:
        both = zip(self.sides.both, self.sides.uses, strict=True)
        return tuple(_Opened(code, uses, self.sides.facts, anywhere) for code, uses in both)


def _holds(sides: Iterable[tuple[_Opened, Declaration | None]], statements: Sequence[Statement]) -> bool:
    return any(side is not None and opened.holds(side.key, statements) for opened, side in sides)


def opening(unknown: Unknown) -> Verdict:
    """How an edit is explained that what was not followed may be made of."""
    place = "" if unknown.location is None else f"{unknown.location}: "
    return Verdict(Why.GRAPH, f"{place}{unknown.reason}", unknown.settled_by)


@dataclass(frozen=True)
class _Opened:
    """What openings may be made of in the code of one revision."""

    code: ProgramCode
    uses: Uses
    facts: Facts
    anywhere: bool
    """Whether they may stand wherever the program builds a graph: where none was begun, what begins it is open too."""

    def holds(self, key: Key, statements: Sequence[Statement]) -> bool:
        """Whether a declaration, of which these statements were edited, is among it."""
        recorded, of_class = self.uses.with_records(key), (key[0], "<header>") in self.declarations
        if recorded and of_class and any(self.uses.asks(key, s) for s in statements):
            return True
        if key in self.declarations:
            return not recorded or any(map(asks, statements))
        executed = [s for s in statements if s.executed]
        return bool(executed) and (self.anywhere or (key in self._around and any(map(self._hands, executed))))

    def of_class(self, declaration: Declaration) -> bool:
        """Whether Flink may call it, as a class is among it: a new signature decides types."""
        owner = declaration.key[0]
        among = (owner, "<header>") in self.declarations and self.uses.role(owner) is not Role.DATA
        return among and not declaration.private

    @cached_property
    def declarations(self) -> Container[object]:
        """All declarations among it."""
        code = self.code
        if not self.anywhere:
            return self.uses.within(self._starts)
        if code.executed & code.reached.deciding:
            return self.uses.within(code.executed | code.reached.deciding)
        return self._begun()

    @cached_property
    def _starts(self) -> set[Key]:
        code = self.code
        found = {key for name in self._names_at_openings for key in self.uses.called(name)} | self._not_come_to
        files = {code.reached.declarations[key].location.file for key in code.executed}
        found.update(own for file in files for own in self.uses.private_in(file, self._names_at_openings))
        below = (owner for name in self._names_at_openings for owner in code.reached.below.get(name, ()))
        found.update(key for owner in below for key in self.uses.of_class(owner) if self._unfollowed(key))
        if self.facts.graph_open:
            found.update(key for key in code.reached.deciding if self._unfollowed(key))
        for key in self._around:
            for name in code.reached.declarations[key].names:
                found.update(k for k in self.uses.called(name) if k in code.reached.deciding and self._unfollowed(k))
        return found

    def _begun(self) -> Container[object]:
        """What may begin a graph where nothing of it was followed: code that runs by itself, and all that uses it."""
        declarations, deciding = self.code.reached.declarations, self.code.reached.deciding
        if not deciding:
            return declarations
        first = {k for k, d in declarations.items() if d.part in _BEGINS or method_name(k) == "main"}
        begun = self.uses.users({*first, *deciding, *self.code.executed})
        started = any(method_name(key) == "main" for key in first)
        return self.uses.within(begun if started else begun | self._before(begun))

    def _before(self, begun: set[Key]) -> set[Key]:
        """What may run before the start, which is not seen: code that names a class whose static fields are changed."""
        declarations = self.code.reached.declarations
        used = [d for key in self.uses.all_within(begun) if (d := declarations[key]).part is Part.FIELD and d.static]
        shared = {simple_name(field.key[0]) for field in used if not _FINAL.search(field.tokens)}
        return self.uses.users(key for key, d in declarations.items() if d.part is Part.METHOD and d.names & shared)

    @cached_property
    def _not_come_to(self) -> set[Key]:
        """Code of followed scripts, outside of functions, that runs behind what was not followed."""
        code = self.code
        scripts = {owner for owner, _ in code.executed if owner.endswith(".py")}
        outside = {key for key, d in code.reached.declarations.items() if key[0] in scripts and d.part in _OUTSIDE}
        return {k for k in outside if any(not (s.executed or s.deferred) for s in code.detail(k).statements)}

    @cached_property
    def _around(self) -> frozenset[Key]:
        """The declarations that openings stand in."""
        return frozenset(key for key, _ in self._at_openings)

    @cached_property
    def _names_at_openings(self) -> frozenset[str]:
        """What is mentioned at openings, and by statements beside followed ones that were not come to."""
        names = {name for _, s in self._at_openings for name in s.names}
        for key in self.code.executed:
            names.update(name for s in self._inside(key) if not s.executed and not s.deferred for name in s.names)
        return frozenset(names)

    @cached_property
    def _at_openings(self) -> tuple[tuple[Key, Statement], ...]:
        places = self.facts.opening_places
        return tuple(
            (key, s)
            for key in self.code.executed
            for s in self._inside(key)
            if (None in places and s.gap)
            or any(p is not None and p[0] == s.location.file and s.location.line <= p[1] <= s.end_line for p in places)
        )

    def _inside(self, key: Key) -> Iterator[Statement]:
        """The statements of a declaration without its own line, which names it and reaches to its end."""
        line, name = self.code.reached.declarations[key].location.line, method_name(key)
        for s in self.code.detail(key).statements:
            if s.executed or name not in s.names or not s.location.line <= line <= s.end_line:
                yield s

    def _unfollowed(self, key: Key) -> bool:
        known = self.facts.is_function(frozenset({simple_name(key[0])}))
        return key not in self.code.executed and not known

    def _hands(self, statement: Statement) -> bool:
        """Whether a followed statement may give an opening what it runs: no operator that is known is made there."""
        made = self.facts.transformations
        there = (t.location for t in made if t.location is not None and t.unknown is None)
        place = statement.location
        return bool(statement.given) and not any(
            at.file == place.file and place.line <= at.line <= statement.end_line for at in there
        )
