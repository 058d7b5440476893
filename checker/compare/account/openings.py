"""What a part of the program that was not followed may be made of: an edit of that is not understood.

An opening is an unknown that stands for operators, or for the whole graph. What it may run is found by names, wider
than what runs: the methods that are called where it stands, code beside it that was never followed and builds graphs or
registers state, and all that these mention. Methods that Flink calls with records are left out, but for what
registers states in them: what they compute decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from checker.compare.account.both_sides import BothSides, Pair
from checker.model.account import NOT_TAKEN, Explanation, Verdict, Why
from checker.model.nested import gathered, reached
from checker.model.program_code import (
    Declaration,
    Key,
    Part,
    ProgramCode,
    Role,
    Statement,
    by_method,
    method_name,
    simple_name,
)
from checker.model.unknowns import Unknown

_WITH_RECORDS = re.compile(
    r"(?:flatM|m)ap[12]?|flat_map[12]?|filter|process|(?:process|on)(?:Broadcast)?(?:Element|Timer)[12]?"
    r"|process_(?:broadcast_)?element[12]?|on_timer|apply|reduce|add|merge|getResult|get_result|join|coGroup|invoke"
    r"|asyncInvoke|timeout|select|flatSelect|processMatch|write|flush|run|cancel|close|clear|eval|accumulate|retract"
    r"|getValue|get_value|emitValue|emit_value|resetAccumulator|collect|serialize|deserialize|isEndOfStream"
    r"|extractTimestamp|extract_timestamp|onEvent|onPeriodicEmit|toString|__repr__|__str__"
)
"""Methods that Flink calls on functions while records are processed."""
_OF_DATA = frozenset(
    {"Object", "Serializable", "Comparable", "Cloneable", "Record", "Enum", "Exception", "RuntimeException", "object",
     "NamedTuple", "ABC", "Protocol", "Generic", "TypedDict", "BaseModel", "IntEnum", "StrEnum"}
)  # fmt: skip
"""What classes extend whose objects only hold values."""
_BEGINS = frozenset({Part.MODULE, Part.INITIALIZER})
"""What runs without being called."""
_OUTSIDE = frozenset({Part.MODULE, Part.FIELD})
_WORD = re.compile(r"[A-Za-z_]\w*")


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
        sides = ((self._base, pair.base), (self._head, pair.head))
        inside = _holds(sides, statements)
        one_sided = len(pair.sides) == 1 and any(side is not None and opened.of_class(side) for opened, side in sides)
        return opening(self.first) if inside or one_sided or verdict == NOT_TAKEN else verdict

    def beside(self, pair: Pair, statements: Sequence[Statement]) -> bool:
        """Whether an edit is no part of what builds graph, state and keys, wherever that was not followed."""
        facts, (base, head) = self.sides.facts, self._anywhere
        keys_open = any(not isinstance(t.key, str) for t in facts.keyed_transformations)
        return not (facts.all_known or keys_open) and not _holds(((base, pair.base), (head, pair.head)), statements)

    @cached_property
    def _base(self) -> _Opened:
        return _Opened(self.sides.base, self.sides, anywhere=self.sides.facts.unread)

    @cached_property
    def _head(self) -> _Opened:
        return _Opened(self.sides.head, self.sides, anywhere=self.sides.facts.unread)

    @cached_property
    def _anywhere(self) -> tuple[_Opened, _Opened]:
        base, head = (_Opened(code, self.sides, anywhere=True) for code in self.sides.both)
        return base, head


def _holds(sides: Iterable[tuple[_Opened, Declaration | None]], statements: Sequence[Statement]) -> bool:
    return any(side is not None and opened.holds(side.key, statements) for opened, side in sides)


def opening(unknown: Unknown) -> Verdict:
    """How an edit is explained that what was not followed may be made of."""
    place = "" if unknown.location is None else f"{unknown.location}: "
    return Verdict(Why.GRAPH, f"{place}{unknown.reason}", unknown.settled_by)


class _Name(NamedTuple):
    """A name that declarations mention: what it may mean is the same for all of them, and looked up once."""

    text: str
    with_subclasses: bool


_Node = Key | _Name


@dataclass(frozen=True)
class _Opened:
    """What openings may be made of in the code of one revision."""

    code: ProgramCode
    sides: BothSides
    anywhere: bool
    """Whether they may stand wherever the program builds a graph: where none was begun, what begins it is open too."""

    def holds(self, key: Key, statements: Sequence[Statement]) -> bool:
        """Whether a declaration, of which these statements were edited, is among it."""
        if key in self.declarations:
            return not self._with_records(key) or any(map(_asks, statements))
        executed = [s for s in statements if s.executed]
        return bool(executed) and (self.anywhere or (key in self._around and any(map(self._hands, executed))))

    def of_class(self, declaration: Declaration) -> bool:
        """Whether Flink may call it, as a class is among it: a new signature decides types."""
        owner = declaration.key[0]
        among = (owner, "<header>") in self.declarations and self.sides.role(owner) is not Role.DATA
        return among and not declaration.private

    @cached_property
    def declarations(self) -> frozenset[Key]:
        """All declarations among it."""
        found: Iterable[_Node] = reached(self._starts, self._leads_to)
        return frozenset(node for node in found if not isinstance(node, _Name))

    @cached_property
    def _starts(self) -> set[Key]:
        code = self.code
        if self.anywhere:
            return {*code.executed, *code.deciding} if code.executed & code.deciding else self._begun()
        found = {key for name in self._names_at_openings for key in self._called(name)} | self._not_come_to
        files = {code.declarations[key].location.file for key in code.executed}
        found.update(own for file in files for own in self._private_in(file, self._names_at_openings))
        below = (owner for name in self._names_at_openings for owner in code.below.get(name, ()))
        found.update(key for owner in below for key in self._of_class(owner) if self._unfollowed(key))
        if self.sides.facts.graph_open:
            found.update(key for key in code.deciding if self._unfollowed(key))
        for key in self._around:
            for name in code.declarations[key].names:
                found.update(k for k in self._called(name) if k in code.deciding and self._unfollowed(k))
        return found

    def _begun(self) -> set[Key]:
        """What may begin a graph where nothing of it was followed: code that runs by itself, and all that uses it."""
        code = self.code
        if not code.deciding:
            return set(code.declarations)
        found = {k for k, d in code.declarations.items() if d.part in _BEGINS or method_name(k) == "main"}
        nodes: Iterable[_Node] = reached(code.declarations, self._leads_to)
        users = gathered((used, node) for node in nodes for used in self._links[node])
        begun: Iterable[_Node] = reached({*found, *code.deciding, *code.executed}, lambda node: users.get(node, ()))
        return {node for node in begun if not isinstance(node, _Name)}

    @cached_property
    def _not_come_to(self) -> set[Key]:
        """Code of followed scripts, outside of functions, that runs behind what was not followed."""
        code = self.code
        scripts = {owner for owner, _ in code.executed if owner.endswith(".py")}
        outside = {key for key, d in code.declarations.items() if key[0] in scripts and d.part in _OUTSIDE}
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
        places = self.sides.facts.opening_places
        return tuple(
            (key, s)
            for key in self.code.executed
            for s in self._inside(key)
            if (None in places and s.gap)
            or any(p is not None and p[0] == s.location.file and s.location.line <= p[1] <= s.end_line for p in places)
        )

    def _inside(self, key: Key) -> Iterator[Statement]:
        """The statements of a declaration without its own line, which names it and reaches to its end."""
        line, name = self.code.declarations[key].location.line, method_name(key)
        for s in self.code.detail(key).statements:
            if s.executed or name not in s.names or not s.location.line <= line <= s.end_line:
                yield s

    def _unfollowed(self, key: Key) -> bool:
        known = self.sides.facts.is_function(frozenset({simple_name(key[0])}))
        return key not in self.code.executed and not known

    @cached_property
    def _links(self) -> dict[_Node, tuple[_Node, ...]]:
        """What ``_leads_to`` found so far."""
        return {}

    def _leads_to(self, node: _Node) -> tuple[_Node, ...]:
        """What a declaration mentions, and what a name may mean."""
        found = self._links.get(node)
        if found is None:
            found = self._links[node] = tuple(self._meant(node) if isinstance(node, _Name) else self._mentioned(node))
        return found

    def _meant(self, node: _Name) -> Iterator[Key]:
        yield from self._called(node.text)
        if node.with_subclasses and self.code.named(node.text):
            for owner in self.code.below.get(node.text, ()):
                yield from self._of_class(owner)

    def _mentioned(self, key: Key) -> Iterator[_Node]:
        """The names that a declaration uses, and what only its own class may call by them."""
        declaration = self.code.declarations[key]
        if self._with_records(key):
            mentioned = {name for s in self.code.detail(key).statements if _asks(s) for name in s.names}
        else:
            mentioned = {*declaration.names, *(word for text in declaration.strings for word in _WORD.findall(text))}
        names = mentioned & self._meaning
        for name in names:
            yield _Name(name, declaration.part is not Part.HEADER)
        yield from (own for own in self._recorded.get(key[0], ()) if method_name(own) in names)
        yield from self._private_in(declaration.location.file, names)

    def _called(self, name: str) -> Iterator[Key]:
        """What a name may mean: members of any class, and what Flink or Java use of a class where it is a class."""
        found = self._by_name.get(name, ())
        yield from (k for k in found if not (self._with_records(k) or self.code.declarations[k].private))
        for owner in self.code.named(name):
            yield from self._of_class(owner)

    def _private_in(self, file: str, names: AbstractSet[str]) -> Iterator[Key]:
        """The private methods of a file that are called so: code of other files means others by these names."""
        yield from (key for key in self._private.get(file, ()) if method_name(key) in names)

    @cached_property
    def _private(self) -> Mapping[str, Sequence[Key]]:
        return gathered((d.location.file, key) for key, d in self.code.declarations.items() if d.private)

    @cached_property
    def _recorded(self) -> Mapping[str, Sequence[Key]]:
        """By class: its methods that Flink calls with records, which other classes do not call by their names."""
        return gathered((key[0], key) for key in self.code.declarations if self._with_records(key))

    def _of_class(self, owner: str) -> Iterator[Key]:
        role = self.sides.role(owner)
        called = role is not Role.DATA or self._extends_library(owner)
        for key in self.code.by_owner.get(owner, ()):
            declaration = self.code.declarations[key]
            if declaration.part is Part.METHOD:
                name = method_name(key)
                uses = key in self.code.deciding or name in ("<init>", "__init__", "open")
                if uses or (called and not declaration.private and not self._with_records(key)):
                    yield key
            elif declaration.part is not Part.FIELD or (role is not Role.FUNCTION and not declaration.static):
                yield key

    def _extends_library(self, owner: str) -> bool:
        """Whether code outside of the repository may call methods that nothing here names."""
        return any(not self.code.named(name) for name in self.code.ancestors(owner) - _OF_DATA)

    def _with_records(self, key: Key) -> bool:
        is_method = self.code.declarations[key].part is Part.METHOD
        return (
            is_method
            and self.sides.role(key[0]) is Role.FUNCTION
            and _WITH_RECORDS.fullmatch(method_name(key)) is not None
        )

    @cached_property
    def _meaning(self) -> frozenset[str]:
        """The names that mean anything in this code: those of members and classes."""
        return frozenset(self._by_name).union(map(simple_name, self.code.owners))

    @cached_property
    def _by_name(self) -> dict[str, list[Key]]:
        found = by_method(self.code.declarations)
        for key in [key for key in self.code.declarations if "," in key[1] and "(" not in key[1]]:
            for name in key[1].split(","):
                found.setdefault(name, []).append(key)
        return found

    def _hands(self, statement: Statement) -> bool:
        """Whether a followed statement may give an opening what it runs: no operator that is known is made there."""
        makes = bool(statement.typed or statement.elements)
        made = self.sides.facts.transformations
        there = (t.location for t in made if t.location is not None and t.unknown is None)
        place = statement.location
        return makes and not any(at.file == place.file and place.line <= at.line <= statement.end_line for at in there)


def _asks(statement: Statement) -> bool:
    """Whether it registers state, chooses keys or sets serializers."""
    return bool(
        statement.touches_state or statement.registers or statement.keys or statement.in_key or statement.settings
    )
