"""Through which handles a function reads and writes its states: fields, local variables, and calls on what it asks for.

A state that stays registered is lost all the same where nothing reads it any more, nothing writes it any more, or where
the handle that the code works with holds another state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from checker.compare.fit.types import simple_name
from checker.model.program_code import READ, WRITE, Key, Part, ProgramCode, StateHandle, Statement

_USES = {
    **dict.fromkeys(
        ("value", "get", "iterator", "entries", "values", "keys", "contains", "isEmpty", "immutableEntries"), READ
    ),
    **dict.fromkeys(("add", "addAll", "update", "put", "putAll"), WRITE),
}
"""Methods of states: what each does. ``clear`` and ``remove`` keep nothing and are no sign that a state is used."""
_ALL_USES = frozenset(_USES.values())
"""What other code may do with a state that it is given."""
_GETTER = re.compile(
    r"\b(get(?:State|ListState|MapState|ReducingState|AggregatingState|UnionListState|BroadcastState"
    r"|PartitionedState)|getOrCreateKeyedState) \("
)
_NOTHING = re.compile(
    r" ?(?:[\w. ]*\b(?:(?:List|Set|Map) \. of|Collections \. empty\w+)(?: < [\w ,.]* >)? \( \)"
    r"|new [\w. ]+(?: < [\w ,.]*>)? \( \)|null) \)"
)
"""An argument that leaves nothing in a state: an empty collection, or null."""
_CALL = re.compile(r" \. (\w+) \(")
_TARGET = re.compile(r"(?:^|.* )([\w$]+) = [^=]*$", re.DOTALL)
_SET = re.compile(r"(?:^|.* )([\w$]+) = (?!=)(.+?)(?: ;)?$", re.DOTALL)
_WORD = re.compile(r"(?<!\. )(?<![\w$.])([\w$]+)(?![\w.])")
_THIS = re.compile(r"(?:\b[\w.]+ \. )?\bthis \. ")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_LOCAL = re.compile(r"\$\d+")
_STATE_FIELD = re.compile(r"^[^<=(]*\b(?:Value|List|Map|Reducing|Aggregating|Broadcast)State\b")
_COMPARED = (" = = ", " ! = ")

Name = tuple[str, str]
"""A handle: the class of a field, or the declaration of a local variable, and the name."""


@dataclass(frozen=True, slots=True)
class Handles:
    """All handles of one revision's function."""

    by_name: dict[Name, StateHandle]

    def states(self) -> set[str]:
        """All states that a handle holds."""
        return {state for handle in self.by_name.values() for state in handle.states}

    def renamed(self, own: frozenset[str]) -> Handles:
        """The same for a function whose classes are called otherwise in the other revision: ``own`` are these."""
        plain: dict[Name, StateHandle] = {}
        for (owner, name), handle in self.by_name.items():
            first, mark, rest = owner.partition("#")
            plain[(f"{'' if first in own else first}{mark}{rest}", name)] = handle
        return Handles(plain)

    def uses(self, state: str, known: AbstractSet[str]) -> set[str]:
        """What is done with a state, by handles that hold nothing but it and ``known`` ones."""
        holding = (h for h in self.by_name.values() if state in h.states and h.states <= known)
        return {use for handle in holding for use in handle.uses}

    def beside(self, state: str) -> set[str]:
        """The states that handles of a state hold, it among them."""
        holding = (handle.states for handle in self.by_name.values() if state in handle.states)
        return set().union(*holding)


def left(base: Handles, head: Handles, adds_state: Callable[[], bool]) -> bool:
    """Whether a state that the base's function reads, or writes, is no longer read, or written, by the head's.

    A state that is asked for in other words is distinguished from another state by what was read of the program:
    ``adds_state`` says whether the function has a state that it did not have.
    """
    before, after = base.states(), head.states()
    new = {use for h in head.by_name.values() if not h.states <= before for use in h.uses}
    for state in before & after:
        beside = base.beside(state)
        missing = base.uses(state, beside) - head.uses(state, beside)
        if missing and not (missing <= new and not adds_state()):
            return True
    for name in base.by_name.keys() & head.by_name.keys():
        old, now = base.by_name[name], head.by_name[name]
        if not old.states or not now.states or old.states & now.states:
            continue
        if old.states <= after and now.states <= before and old.states | now.states <= before & after:
            return True  # the handles changed places
        if not old.states & after and not now.states & before and not old.uses <= now.uses:
            return True
    return False


def handles(code: ProgramCode, owners: Iterable[str], reached: Iterable[Key]) -> Handles:
    """The handles of a function: ``owners`` are its class and super classes, ``reached`` what runs of them."""
    own = frozenset(owners)
    fields = frozenset(key for key, found in code.declarations.items() if key[0] in own and found.part is Part.FIELD)
    return Handles(_Reader(code, own, fields, frozenset(reached)).read())


@dataclass
class _Reader:
    code: ProgramCode
    owners: frozenset[str]
    fields: frozenset[Key]
    reached: frozenset[Key]
    found: dict[Name, StateHandle] = field(default_factory=dict)

    def read(self) -> dict[Name, StateHandle]:
        texts = [(key, [_text(s) for s in self.code.detail(key).statements]) for key in sorted(self.reached)]
        for key in self.fields:
            if _STATE_FIELD.match(self.code.declarations[key].tokens):
                self.found[key] = StateHandle()
        for key, statements in texts:
            locals_: dict[str, str] = {}
            for text in statements:
                self._asked(key, text, locals_)
                made = _SET.match(text)
                if made is not None and _LOCAL.fullmatch(made[1]):
                    locals_[made[1]] = _filled(made[2], locals_)
        for key, statements in texts:
            for text in statements:
                self._used(key, text)
        self._given_away()
        return self.found

    def _name(self, key: Key, word: str) -> Name | None:
        """What a word in a declaration names: a local variable, or the field of the nearest class that has it."""
        if _LOCAL.fullmatch(word):
            return ("#".join(key), word)
        above = self.code.ancestors(key[0])
        holding = [f for f in self.fields if f[1] == word and (f[0] == key[0] or simple_name(f[0]) in above)]
        return max(holding, key=lambda f: (f[0] == key[0], len(self.code.ancestors(f[0]))), default=None)

    def _asked(self, key: Key, text: str, locals_: dict[str, str]) -> None:
        """States that a statement asks for, and what it does with each."""
        code = _without_literals(text)
        for found in _GETTER.finditer(code):
            end = _closed(code, found.end())
            state = _filled(text[found.start() : end], locals_)
            call = _CALL.match(text, end)
            target = _TARGET.match(text[: found.start()])
            name = self._name(key, target[1]) if target is not None and call is None else None
            if call is not None:
                handle = self.found.setdefault(("", state), StateHandle())
                handle.uses.update({_USES[call[1]]} if call[1] in _USES else ())
            elif name is not None:
                handle = self.found.setdefault(name, StateHandle())
            else:
                handle = self.found.setdefault(("", state), StateHandle())
                handle.uses |= _ALL_USES
            handle.states.add(state)
        made = _SET.match(text)
        if made is not None and not _GETTER.search(text):
            name = self._name(key, made[1])
            if name is not None and name in self.found:
                self.found[name].states.add(_filled(made[2], locals_))

    def _used(self, key: Key, text: str) -> None:
        text = _without_literals(text)
        handled = {name for _, name in self.found}
        for word in _WORD.finditer(text):
            name = self._name(key, word[1]) if word[1] in handled else None
            if name is None or name not in self.found or name == key:
                continue
            rest = text[word.end() : word.end() + 80]
            call = _CALL.match(rest)
            if call is not None:
                kept = call[1] in _USES and not _NOTHING.match(rest, call.end())
                self.found[name].uses.update({_USES[call[1]]} if kept else ())
            elif not rest.startswith((" = ", " (", *_COMPARED)) and not text[: word.start()].endswith(_COMPARED):
                self.found[name].uses |= _ALL_USES

    def _given_away(self) -> None:
        """Fields that classes inside of the function's work with, or other classes that name it."""
        nested = tuple(f"{owner}{mark}" for owner in self.owners for mark in ".$")
        classes = {simple_name(owner) for owner in self.owners}
        fields = {
            key: self.code.declarations[key].tokens.startswith("private ") for key in self.found.keys() & self.fields
        }
        for key, declaration in self.code.declarations.items() if fields else ():
            if key[0] in self.owners:
                continue
            inside, naming = key[0].startswith(nested), not classes.isdisjoint(declaration.names)
            for name, private in fields.items():
                if name[1] in declaration.names and (inside or (naming and not private)):
                    self.found[name].uses |= _ALL_USES


def without_getters(tokens: str, instead: str) -> str:
    """A statement without ``this`` and with some other word for each call that asks for a state."""
    text = _THIS.sub("", tokens)
    while (found := _GETTER.search(_without_literals(text))) is not None:
        text = text[: found.start()] + instead + text[_closed(_without_literals(text), found.end()) :]
    return text


def _text(statement: Statement) -> str:
    return _THIS.sub("", statement.tokens)


def _without_literals(text: str) -> str:
    """A text with its literals blanked out, all positions unchanged."""
    return _LITERAL.sub(lambda found: " " * len(found[0]), text)


def _closed(text: str, start: int) -> int:
    """Where the parenthesis that opens before ``start`` is closed."""
    depth = 1
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place + 1
    return len(text)


def _filled(text: str, locals_: dict[str, str]) -> str:
    """An expression with what its local variables were set to."""
    return _LOCAL.sub(lambda found: locals_.get(found[0], found[0]), text)
