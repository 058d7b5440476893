"""Explains the edits of one declaration after the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property

from checker.compare.account.facts import Facts
from checker.compare.account.pairs import Pair, differing
from checker.model.account import Edit, Explanation, Thing, Why
from checker.model.program_code import Declaration, Detail, Part, ProgramCode, Role, Statement


@dataclass(frozen=True, slots=True)
class _Verdict:
    explanation: Explanation
    why: Why
    reason: str
    settled_by: str | None = None


def _compared(why: Why, reason: str) -> _Verdict:
    return _Verdict(Explanation.COMPARED, why, reason)


def _harmless(why: Why, reason: str) -> _Verdict:
    return _Verdict(Explanation.WITHOUT_EFFECT, why, reason)


def _open(why: Why, reason: str, settled_by: str | None = None) -> _Verdict:
    return _Verdict(Explanation.NOT_UNDERSTOOD, why, reason, settled_by)


_RUN = "--allow-exec"
_MAKES_CLASS = re.compile(r"=\s*(?:\w+\.)*(?:namedtuple|NamedTuple|make_dataclass|Enum|IntEnum|StrEnum|Flag|IntFlag)\(")
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_PICKLING = frozenset({"__getstate__", "__setstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__new__"})
_ATTRIBUTE = re.compile(r"\bself\.(\w+)\s*(?::[^=\n]+)?=(?!=)")
_FOLLOWED = _compared(Why.FOLLOWED, "it was followed while the graph was built: its result was compared")
_STATE_READ = _compared(Why.STATE_READ, "the states that it registers were read in both revisions and compared")
_CLASS_READ = _compared(Why.CLASS_READ, "its class lies in state and was compared field by field")
_RECORDS = _harmless(Why.PROCESSES_RECORDS, "it only runs while records are processed, and registers no state")
_OTHER_CLASS = _harmless(Why.NEW_CLASS, "only one revision has its class: what uses it is an edit of its own")
_KEY_READ = _compared(Why.KEY_READ, "the key that it chooses was read in both revisions and compared")
_UNREAD = _open(Why.PIPELINE_UNREADABLE, "the pipeline could not be read, so nothing that it became was compared")
_RESTS_ON_READING = frozenset({Why.STATIC_FIELD, Why.NOT_CALLED, Why.IN_NO_STATE, Why.NEW_CLASS, Why.PROCESSES_RECORDS})
"""Reasons that say nothing where no graph was read."""
_NOT_TAKEN = _compared(Why.NOT_TAKEN, "the program does not come to it with these arguments")


def code_edits(base: ProgramCode, head: ProgramCode, facts: Facts) -> Iterator[Edit]:
    """Every edit of the code that either revision can reach."""
    explainer = _Explainer(base, head, facts)
    for pair in differing(base, head):
        yield from explainer.edits(pair)


class _Explainer:
    def __init__(self, base: ProgramCode, head: ProgramCode, facts: Facts) -> None:
        self.base = base
        self.head = head
        self.facts = facts
        self._arguments: dict[tuple[int, str], frozenset[str]] = {}

    def edits(self, pair: Pair) -> Iterator[Edit]:
        if self.facts.pickles and self._pickled(pair):
            owner = _simple(pair.any.key[0])
            yield self._edit(pair, _open(Why.MAY_LIE_IN_STATE, f"state may hold pickled objects of {owner}"))
            return
        if pair.moved:
            yield self._edit(pair, _harmless(Why.MOVED, "the same code stands elsewhere"))
            return
        if self._written_subclass(pair):
            why = f"a super class of {_simple(pair.any.key[0])} lies in state, and objects of it are found by its name"
            yield self._edit(pair, _open(Why.MAY_LIE_IN_STATE, why))
            return
        if self._class_of_one_side(pair):
            yield self._edit(pair, _OTHER_CLASS)
            return
        before, after = self._details(pair)
        if before is not None and after is not None and before.normal == after.normal:
            yield self._edit(pair, _harmless(Why.RENAMED_LOCAL, "only local variables have other names"))
            return
        if pair.any.part in (Part.HEADER, Part.FIELD, Part.CONSTANT):
            yield self._edit(pair, self._member(pair, before, after))
            return
        yield from self._statements(pair, before, after)

    def _pickled(self, pair: Pair) -> bool:
        """Whether objects of a class may lie in state that Python pickled in another way, or under another name."""
        declaration, owner = pair.any, pair.any.key[0]
        if declaration.part is Part.FIELD and pair.base is not None and _MAKES_CLASS.search(pair.base.tokens):
            return any(name in self._with_records for name in declaration.key[1].split(","))
        of_class = (owner, "<header>") in self.base.declarations
        if not of_class or self._role(owner) is Role.FUNCTION or _simple(owner) not in self._with_records:
            return False
        if declaration.part is Part.HEADER:
            return True
        if declaration.part is Part.FIELD:
            if pair.base is None:
                return "=" not in declaration.tokens
            return pair.head is None or not _ENUMS.isdisjoint(self.base.ancestors(owner))
        if declaration.key[1] in _PICKLING:
            return True
        sides = [_ATTRIBUTE.findall(side.tokens) for side in (pair.base, pair.head) if side is not None]
        return declaration.key[1] == "__init__" and len(sides) == 2 and not set(sides[0]) <= set(sides[1])

    @cached_property
    def _with_records(self) -> frozenset[str]:
        """Names that functions mention which run with records, or collections of elements, and what these mention."""
        found: set[str] = set()
        for code in (self.base, self.head):
            pending: set[str] = set()
            by_owner: dict[str, set[str]] = {}
            for key, declaration in code.declarations.items():
                if declaration.part is Part.METHOD and not code.detail(key).executed:
                    pending |= declaration.names
                elif declaration.part in (Part.HEADER, Part.FIELD):
                    by_owner.setdefault(_simple(key[0]), set()).update(declaration.names)
                for statement in code.detail(key).statements:
                    pending |= statement.names if "from_collection" in statement.calls else set()
            while pending:
                name = pending.pop()
                if name not in found:
                    found.add(name)
                    pending |= by_owner.get(name, set()) - found
        return frozenset(found)

    def _written_subclass(self, pair: Pair) -> bool:
        """Whether a class is gone, or has another name, of which there may be objects in state."""
        if pair.head is not None or pair.any.part is not Part.HEADER or self._role(pair.any.key[0]) is not Role.DATA:
            return False
        owner = _simple(pair.any.key[0])
        above = self.base.ancestors(pair.any.key[0]) - {owner}
        return owner not in self.facts.shapes and bool(above & (self.facts.shapes | self.facts.polymorphic))

    def _class_of_one_side(self, pair: Pair) -> bool:
        """Whether only one revision has the class, and the other knows nothing of that name."""
        if len(pair.sides) > 1:
            return False
        other = self.base if pair.base is None else self.head
        owner = pair.any.key[0]
        return owner not in other.owners and _simple(owner) not in other.names

    def _edit(self, pair: Pair, verdict: _Verdict) -> Edit:
        if self.facts.unread and self._rests_on_reading(pair, verdict):
            verdict = _UNREAD
        return Edit(
            thing=Thing.DECLARATION,
            name=_name(pair.any),
            base=pair.base.location if pair.base is not None else None,
            head=pair.head.location if pair.head is not None else None,
            explanation=verdict.explanation,
            why=verdict.why,
            reason=verdict.reason,
            settled_by=verdict.settled_by,
        )

    def _rests_on_reading(self, pair: Pair, verdict: _Verdict) -> bool:
        if verdict.why is Why.PROCESSES_RECORDS and self._role(pair.any.key[0]) is Role.FUNCTION:
            return False
        return verdict.explanation is Explanation.COMPARED or verdict.why in _RESTS_ON_READING

    # -- headers, fields, constants ------------------------------------------------------------------------------

    def _member(self, pair: Pair, before: Detail | None, after: Detail | None) -> _Verdict:
        declaration = pair.any
        owner = declaration.key[0]
        role = self._role(owner)
        if role is Role.SERIALIZER:
            return _open(Why.SERIALIZER, f"{_simple(owner)} decides how state is written")
        if (
            self.facts.keyed
            and not self.facts.key_types_read
            and self._in(self.base.key_code, self.head.key_code, pair)
        ):
            return _open(Why.KEY_NOT_READ, "keys are made with it, and what they are made of was not read")
        if self._in(self.base.state_code, self.head.state_code, pair):
            edited = before is not None and after is not None and _flag(before) != _flag(after)
            if declaration.part is Part.FIELD and edited and self.facts.same_states:
                return _open(Why.STATE_NOT_READ, "code that registers state looks at this flag, and no state differs")
            return self._state(pair, before, after)
        followed = self._followed(before, after)
        if declaration.part is Part.FIELD and declaration.static:
            if followed is not None:
                return followed
            return _harmless(Why.STATIC_FIELD, "a static field that neither the graph nor a state depends on")
        if role is Role.TRANSACTIONS:
            return _open(Why.STATE_NOT_READ, f"transactions of {_simple(owner)} lie in state")
        if role is not Role.DATA:
            if declaration.part is not Part.HEADER:
                return _harmless(Why.FIELD_OF_FUNCTION, "a field of a function, which is never written to state")
            if len(pair.sides) > 1 and _simple(owner) in self.facts.feeding_functions:
                return _open(Why.MAY_LIE_IN_STATE, "the elements that it handles may lie in state of unknown type")
            return self._state(pair, before, after)
        if declaration.part is Part.FIELD and self._part_of_key(pair):
            return _open(Why.KEY_NOT_READ, "it is a part of a key whose type was not read")
        return self._data(owner, followed)

    def _part_of_key(self, pair: Pair) -> bool:
        """Whether a key that is known by its expression only may take this field."""
        if not self.facts.keyed or self.facts.key_types_read:
            return False
        return any(name in self.facts.key_words for d in pair.sides for name in d.key[1].split(","))

    def _data(self, owner: str, followed: _Verdict | None) -> _Verdict:
        """A class that may be an element, a key, a configuration."""
        names = self.base.ancestors(owner) | self.head.ancestors(owner) | {_simple(owner)}
        if _simple(owner) in self.facts.shapes:
            return _CLASS_READ
        if names & self.facts.polymorphic:
            return _open(Why.MAY_LIE_IN_STATE, f"{_simple(owner)} may lie in state in a way that is not known")
        if not self.facts.elements_read and followed is not _FOLLOWED and _simple(owner) in self._elements:
            return _open(Why.MAY_LIE_IN_STATE, f"objects of {_simple(owner)} may lie in state whose type is not known")
        if names & self.facts.shapes:
            return _open(Why.MAY_LIE_IN_STATE, f"a super class of {_simple(owner)} lies in state")
        return _harmless(Why.IN_NO_STATE, f"no state and no key holds objects of {_simple(owner)}")

    @cached_property
    def _elements(self) -> frozenset[str]:
        """Names of classes whose objects may lie in state of unknown type."""
        found: set[str] = set()
        for code in (self.base, self.head):
            pending = set(code.executed_elements)
            builders = {
                key[0]
                for key, d in code.declarations.items()
                if d.part is Part.METHOD and not (d.static or d.accessor) and code.detail(key).executed
            }
            pending -= {_simple(owner) for owner in builders}
            by_owner: dict[str, set[str]] = {}
            for key, declaration in code.declarations.items():
                if _simple(key[0]) in self.facts.feeding_functions and declaration.part is Part.HEADER:
                    pending |= declaration.names
                elif declaration.part is not Part.METHOD and key[0] not in builders and code.role(key[0]) is Role.DATA:
                    by_owner.setdefault(_simple(key[0]), set()).update(declaration.names)
            while pending:
                name = pending.pop()
                if name not in found:
                    found.add(name)
                    pending |= by_owner.get(name, set()) - found
        return frozenset(found)

    def _feeds(self, statement: Statement) -> bool:
        return self.facts.feeds(statement.location.file, statement.location.line, statement.end_line)

    # -- methods and initializers --------------------------------------------------------------------------------

    def _statements(self, pair: Pair, before: Detail | None, after: Detail | None) -> Iterator[Edit]:
        left = before.statements if before is not None else ()
        right = after.statements if after is not None else ()
        matcher = SequenceMatcher(None, [s.tokens for s in left], [s.tokens for s in right], autojunk=False)
        found = False
        for kind, i, j, k, m in matcher.get_opcodes():
            if kind == "equal":
                continue
            found = True
            old, new = left[i:j], right[k:m]
            verdict = self._group(pair, before, after, old, new)
            base, head = (part[0].location if part else None for part in (old, new))
            yield replace(self._edit(pair, verdict), thing=Thing.STATEMENT, base=base, head=head)
        if not found:
            yield self._edit(pair, self._group(pair, before, after, left, right))

    def _group(
        self,
        pair: Pair,
        before: Detail | None,
        after: Detail | None,
        old: tuple[Statement, ...],
        new: tuple[Statement, ...],
    ) -> _Verdict:
        """Some statements that became some others: the gravest explanation of any."""
        verdicts = [self._statement(pair, s, before) for s in old] + [self._statement(pair, s, after) for s in new]
        both = (*old, *new)
        if any(s.executed for s in both):
            if self.facts.keyed and not self.facts.keys_read and self._differ("keys", old, new):
                verdicts.append(_open(Why.KEY_NOT_READ, "it chooses keys, and what they are made of was not read"))
            if any(self._feeds(s) for s in both) and self._differ("typed", old, new):
                verdicts.append(
                    _open(
                        Why.MAY_LIE_IN_STATE, "it may change the type of elements, and state holds some of unknown type"
                    )
                )
        if sum("enableAsyncState" in s.calls for s in old) != sum("enableAsyncState" in s.calls for s in new):
            verdicts.append(_open(Why.STATE_NOT_READ, "Flink refuses state of the API v2 where it is not asynchronous"))
        return max(verdicts, key=lambda v: _GRAVITY[v.explanation])

    def _differ(self, what: str, old: tuple[Statement, ...], new: tuple[Statement, ...]) -> bool:
        """Whether statements have such arguments that the other revision has nowhere."""
        return not (_texts(new, what) <= self._all(self.base, what) and _texts(old, what) <= self._all(self.head, what))

    def _all(self, code: ProgramCode, what: str) -> frozenset[str]:
        place = (id(code), what)
        if place not in self._arguments:
            self._arguments[place] = _texts((s for key in code.declarations for s in code.detail(key).statements), what)
        return self._arguments[place]

    def _statement(self, pair: Pair, statement: Statement, detail: Detail | None) -> _Verdict:
        declaration = pair.any
        if statement.logs:
            return _harmless(Why.LOGS, "it only writes to a log")
        if statement.serializes and not statement.registers:
            return _open(Why.SERIALIZER, "it configures by which serializers state is written")
        if statement.executed:
            followed = self._gap(statement) or _FOLLOWED
            return (
                self._state(pair, *self._details(pair))
                if statement.touches_state and followed is _FOLLOWED
                else followed
            )
        if not statement.deferred and detail is not None and detail.executed:
            return _NOT_TAKEN
        owner = declaration.key[0]
        role = self._role(owner)
        if role is Role.SERIALIZER:
            return _open(Why.SERIALIZER, f"{_simple(owner)} decides how state is written")
        if role is Role.TRANSACTIONS and declaration.key[1].startswith("<init>"):
            return _open(Why.STATE_NOT_READ, f"transactions of {_simple(owner)} lie in state")
        if self.facts.keyed and not statement.in_key and self._in(self.base.key_code, self.head.key_code, pair):
            return _open(Why.KEY_NOT_READ, "keys are made with it, and what they are made of was not read")
        if self.facts.keyed and (statement.in_key or role is Role.KEY_SELECTOR):
            if not self.facts.keys_read:
                return _open(Why.KEY_NOT_READ, "it chooses keys, and what they are made of was not read")
            return _KEY_READ
        if declaration.identity and self.facts.keyed and self._may_be_key(owner):
            return _open(Why.KEY_NOT_READ, f"it decides where keys of class {_simple(owner)} are looked for")
        registering = statement.touches_state or self._in(self.base.state_code, self.head.state_code, pair)
        if registering:
            return self._state(pair, *self._details(pair))
        if statement.builds_graph and not statement.deferred:
            return self._graph(declaration)
        if not statement.deferred and role is not Role.FUNCTION and self._called(declaration):
            return _open(Why.CALL_NOT_FOLLOWED, "code that builds the graph calls it, and it was not followed", _RUN)
        if declaration.accessor and role is Role.DATA and not self.facts.elements_read:
            return self._data(owner, None)
        return _RECORDS

    def _called(self, declaration: Declaration) -> bool:
        """Whether followed code seems to call a method that was not followed, on a class whose other code was."""
        owner, name = declaration.key[0], declaration.key[1].partition("(")[0]
        if declaration.accessor or declaration.identity or name == "toString":
            return False
        for code in (self.base, self.head):
            if name in code.executed_calls:
                followed = {key for key in code.declarations if code.detail(key).executed}
                named = {key[0] for key in followed if key[1].partition("(")[0] == name}
                of_class = (owner, "<header>") in code.declarations
                overridden = of_class and any(_simple(owner) in code.ancestors(below) for below in named)
                if not overridden and owner not in named and any(key[0] == owner for key in followed):
                    return True
        return False

    def _graph(self, declaration: Declaration) -> _Verdict:
        """Code that would build a part of a graph and was not followed."""
        name = declaration.key[1].partition("(")[0]
        called = {name, _simple(declaration.key[0])} & (self.base.gaps | self.head.gaps)
        if called or self.facts.graph_open:
            return _open(Why.GRAPH_NOT_FOLLOWED, "it may build a part of the graph, and was not followed", _RUN)
        return _harmless(Why.NOT_CALLED, "the program does not call it")

    # -- what they rest on ---------------------------------------------------------------------------------------

    def _state(self, pair: Pair, before: Detail | None, after: Detail | None) -> _Verdict:
        """Code that registers state: compared where all of it was read."""
        owner = pair.any.key[0]
        family = frozenset({_simple(owner)})
        own = self.facts.is_function(family)
        unread = self.facts.unread_state(family if own else None)
        if unread is not None:
            return _open(Why.STATE_NOT_READ, f"a state may depend on it that could not be read ({unread})")
        lines = {
            (s.location.file, line)
            for d in (before, after)
            if d is not None
            for s in d.statements
            for line in s.registers
        }
        if not lines <= self.facts.registrations:
            used = self.base.executed_names | self.head.executed_names
            if own or _simple(owner) in used or not used:
                return _open(Why.STATE_NOT_READ, "a state that it registers was not read")
            return _harmless(Why.NOT_CALLED, "the program makes no object of its class")
        return _STATE_READ

    def _followed(self, before: Detail | None, after: Detail | None) -> _Verdict | None:
        """What an initializer's execution says, None where it was not executed."""
        statements = [s for d in (before, after) if d is not None for s in d.statements if s.executed]
        if not statements:
            return None
        return next((gap for s in statements if (gap := self._gap(s)) is not None), _FOLLOWED)

    def _gap(self, statement: Statement) -> _Verdict | None:
        """Why following a statement does not tell what it does, None where it does.

        What a call outside of the repository may have changed is unknown afterwards, and compared by what it is made
        of. Only operators that such code declares, and code that is looked up by name, are not.
        """
        if statement.gap and (statement.looks_up or self.facts.unknown_operators):
            return _open(Why.CALL_NOT_FOLLOWED, "it calls code that is not in the repository", _RUN)
        return None

    def _details(self, pair: Pair) -> tuple[Detail | None, Detail | None]:
        return (
            self.base.detail(pair.base.key) if pair.base is not None else None,
            self.head.detail(pair.head.key) if pair.head is not None else None,
        )

    def _role(self, owner: str) -> Role:
        role = self.head.role(owner)
        return role if role is not Role.DATA else self.base.role(owner)

    def _may_be_key(self, owner: str) -> bool:
        return _simple(owner) in self.facts.key_classes or not self.facts.key_types_read

    @staticmethod
    def _in(before: frozenset[tuple[str, str]], after: frozenset[tuple[str, str]], pair: Pair) -> bool:
        return (pair.base is not None and pair.base.key in before) or (pair.head is not None and pair.head.key in after)


_GRAVITY = {Explanation.WITHOUT_EFFECT: 0, Explanation.COMPARED: 1, Explanation.NOT_UNDERSTOOD: 2}


def _texts(statements: Iterable[Statement], what: str) -> frozenset[str]:
    """Arguments of some statements, with the local variables of each numbered on its own."""
    return frozenset(_renumbered(text) for s in statements for text in getattr(s, what))


def _renumbered(text: str) -> str:
    numbers: dict[str, str] = {}
    return re.sub(r"\$\d+", lambda found: numbers.setdefault(found.group(), f"${len(numbers)}"), text)


def _flag(detail: Detail | None) -> frozenset[str]:
    """The truth values that a declaration mentions."""
    words = re.findall(r"\b(?:true|false|True|False)\b", detail.normal) if detail is not None else ()
    return frozenset(word.lower() for word in words)


def _simple(name: str) -> str:
    return name.rpartition(".")[2]


def _name(declaration: Declaration) -> str:
    owner, name = declaration.key
    return owner if name == "<header>" else f"{owner}.{name}"
