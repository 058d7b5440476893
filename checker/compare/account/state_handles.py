"""Through which handles a function reads and writes its states: fields, local variables, and calls on what it asks for.

A state that stays registered is lost all the same where nothing reads it any more, nothing writes it any more, or where
the handle that the code works with holds another state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from checker.compare.account.erased_states import CALL, GETTER, LOCAL, NOTHING, WORD, Erasing, Line, Name
from checker.compare.account.traded_states import Effects, traded
from checker.compare.fit.types import simple_name
from checker.model.program_code import READ, STATE_FIELD, WRITE, Goes, Key, Part, ProgramCode, Runs, StateHandle

_USES = {
    **dict.fromkeys(
        ("value", "get", "iterator", "entries", "values", "keys", "contains", "isEmpty", "immutableEntries"), READ
    ),
    **dict.fromkeys(("add", "addAll", "update", "put", "putAll"), WRITE),
}
"""Methods of states: what each does. ``clear`` and ``remove`` keep nothing and are no sign that a state is used."""
_ALL_USES = frozenset(_USES.values())
"""What other code may do with a state that it is given."""
_TARGET = re.compile(r"(?:^|.* )([\w$]+) = [^=]*$", re.DOTALL)
_SET = re.compile(r"(?:^|.* )([\w$]+) = (?!=)(.+?)(?: ;)?$", re.DOTALL)
_THIS = re.compile(r"(?:\b[\w.]+ \. )?\bthis \. ")
_RECEIVER = re.compile(r"(?:[\w$]+ (?:\( \) )?\. )+$")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMPARED = (" = = ", " ! = ")

_PER_RECORD = frozenset(
    {"processElement", "processElement1", "processElement2", "processBroadcastElement", "map", "map1", "map2",
     "flatMap", "flatMap1", "flatMap2", "filter", "reduce", "apply", "process", "join", "coGroup", "invoke",
     "asyncInvoke", "onElement", "processMatch", "write"}
)  # fmt: skip
"""Methods that Flink calls with each record, or with each window or match."""


@dataclass(frozen=True, slots=True)
class Handles:
    """All handles of one revision's function."""

    by_name: dict[Name, StateHandle]
    effects: Effects = field(default_factory=Effects)

    def states(self) -> set[str]:
        """All states that a handle holds."""
        return {state for handle in self.by_name.values() for state in handle.states}

    def renamed(self, own: frozenset[str]) -> Handles:
        """The same for a function whose classes are called otherwise in the other revision: ``own`` are these."""
        plain: dict[Name, StateHandle] = {}
        for (owner, name), handle in self.by_name.items():
            first, mark, rest = owner.partition("#")
            plain[(f"{'' if first in own else first}{mark}{rest}", name)] = handle
        return Handles(plain, self.effects)

    def uses(self, state: str, known: AbstractSet[str]) -> set[str]:
        """What is done with a state, by handles that hold nothing but it and ``known`` ones."""
        holding = (h for h in self.by_name.values() if state in h.states and h.states <= known)
        return {use for handle in holding for use in handle.uses}

    def beside(self, state: str) -> set[str]:
        """The states that handles of a state hold, it among them."""
        holding = (handle.states for handle in self.by_name.values() if state in handle.states)
        return set().union(*holding)

    def accumulates(self, state: str) -> bool:
        """Whether something is added to what a state holds."""
        return any(handle.accumulates for handle in self.by_name.values() if state in handle.states)

    def in_methods(self, state: str, which: Callable[[StateHandle], set[str]]) -> set[str]:
        """Some methods of the handles of a state."""
        return set().union(*(which(handle) for handle in self.by_name.values() if state in handle.states))


def left(base: Handles, head: Handles, adds_state: Callable[[], bool]) -> bool:
    """Whether a state that the base's function reads, or writes, is no longer read, or written, by the head's.

    A state that is asked for in other words is distinguished from another state by what was read of the program:
    ``adds_state`` says whether the function has a state that it did not have.
    """
    if traded(base.effects, head.effects):
        return True
    before, after = base.states(), head.states()
    new = {use for h in head.by_name.values() if not h.states <= before for use in h.uses}
    for state in before & after:
        beside = base.beside(state)
        missing = base.uses(state, beside) - head.uses(state, beside)
        if missing and not (missing <= new and not adds_state()):
            return True
        kept = any(h.may_accumulate for h in head.by_name.values() if state in h.states)
        if WRITE in head.uses(state, beside) and not kept and base.accumulates(state):
            return True
        erased = head.in_methods(state, lambda handle: handle.erased_in)
        known = base.in_methods(state, lambda handle: handle.erased_in)
        if (erased - known) & base.in_methods(state, lambda handle: handle.used_in):
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


def handles(
    code: ProgramCode, owners: Iterable[str], helpers: frozenset[str], reached: Iterable[Key], called: Iterable[Key]
) -> Handles:
    """The handles of a function: ``owners`` are its class and super classes, ``reached`` what runs of them.

    ``helpers`` are classes of objects that it keeps states in, ``called`` what Flink calls.
    """
    own = frozenset(owners)
    among = own | helpers
    members = (key for owner in among for key in code.by_owner.get(owner, ()))
    fields = frozenset(key for key in members if code.declarations[key].part is Part.FIELD)
    reader = _Reader(code, among, helpers, fields, frozenset(reached), frozenset(called))
    found = reader.read()
    return Handles(found, reader.effects())


@dataclass
class _Reader:
    code: ProgramCode
    owners: frozenset[str]
    helpers: frozenset[str]
    fields: frozenset[Key]
    reached: frozenset[Key]
    called: frozenset[Key]
    found: dict[Name, StateHandle] = field(default_factory=dict)
    wanted: frozenset[str] = frozenset()
    """Methods whose results are used."""
    _asking: dict[str, Name] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    """The statements that do something, with what their local variables are set to."""

    def read(self) -> dict[Name, StateHandle]:
        texts = [
            (key, [_THIS.sub("", s.tokens) for s in self.code.detail(key).statements]) for key in sorted(self.reached)
        ]
        for key in self.fields:
            if STATE_FIELD.match(self.code.declarations[key].tokens):
                self.found[key] = StateHandle()
        lines = {key: self._lines(key) for key in sorted(self.reached)}
        self.wanted = self._wanted(lines)
        for key, statements in texts:
            locals_: dict[str, str] = {}
            for text, line in zip(statements, lines[key], strict=True):
                self._asked(key, text, line, locals_)
                made = _SET.match(text)
                if made is not None and LOCAL.fullmatch(made[1]):
                    locals_[made[1]] = _filled(made[2], locals_)
                elif not line.signature and line.outcome.goes is not Goes.NOWHERE:
                    self.done.add(_filled(text, locals_))
        for key, found in lines.items():
            for line in found:
                self._used(key, line)
        self._given_away()
        self._erased(lines)
        return self.found

    def effects(self) -> Effects:
        """What the function does, and the fields that it does this with."""
        kept = {name for owner, name in self.found.keys() & self.fields if owner not in self.helpers}
        classes = {simple_name(helper) for helper in self.helpers}
        own = [key for key in self.fields if key[0] not in self.helpers]
        kept |= {key[1] for key in own if not classes.isdisjoint(self.code.declarations[key].names)}
        return Effects(frozenset(self.done), frozenset(kept))

    def _lines(self, key: Key) -> list[Line]:
        return [
            Line(
                text=_without_literals(_THIS.sub("", statement.tokens)),
                names=statement.names,
                outcome=self.code.outcome(key, statement),
                depth=statement.depth,
                signature=place == 0,
            )
            for place, statement in enumerate(self.code.detail(key).statements)
        ]

    def _wanted(self, lines: Mapping[Key, list[Line]]) -> frozenset[str]:
        """The methods whose results are used, those that Flink calls among them."""
        methods = {_method(key) for key in lines}
        found = frozenset(_method(key) for key in self.called)
        while True:
            self.wanted = found
            for key, statements in lines.items():
                for line in statements:
                    if self._takes(key, line):
                        names = line.names & methods - ({_method(key)} if line.signature else set())
                        found |= {name for name in names if not _dropped(line.text, name)}
            if found == self.wanted:
                return found

    def _takes(self, key: Key, line: Line) -> bool:
        """Whether any code makes use of the values that a statement takes."""
        if line.outcome.runs is Runs.NEVER or line.outcome.goes is Goes.NOWHERE:
            return False
        return line.outcome.goes is Goes.SOMEWHERE or _method(key) in self.wanted

    def _erased(self, lines: dict[Key, list[Line]]) -> None:
        """Note which methods use states, and which of them erase these."""
        by_name: dict[str, list[Key]] = {}
        for key in lines:
            by_name.setdefault(_method(key), []).append(key)
        for key, statements in lines.items():
            lines[key] = [replace(line, text=self._with_names(line.text)) for line in statements]
        erasing = Erasing(lines, by_name, self._handle)
        for name, handle in self.found.items():
            handle.accumulates = erasing.accumulates(name, certainly=True)
            handle.may_accumulate = erasing.accumulates(name, certainly=False)
        for key in self.called & lines.keys():
            if _method(key) in _PER_RECORD:
                for name in erasing.used(key):
                    self.found[name].used_in.add(_method(key))
                for name in erasing.erased(key):
                    self.found[name].erased_in.add(_method(key))

    def _handle(self, key: Key, word: str) -> Name | None:
        name = self._asking.get(word) or self._name(key, word)
        return name if name in self.found else None

    def _with_names(self, text: str) -> str:
        """A statement with a name for each call that asks for a state, where nothing keeps what that gives."""
        for found in list(GETTER.finditer(text))[::-1]:
            end = _closed(text, found.end())
            name = ("", text[found.start() : end])
            if name in self.found:
                word = f"STATE{len(self._asking)}"
                self._asking[word] = name
                text = _RECEIVER.sub("", text[: found.start()]) + word + text[end:]
        return text

    def _name(self, key: Key, word: str) -> Name | None:
        """What a word in a declaration names: a local variable, or the field of the nearest class that has it."""
        if LOCAL.fullmatch(word):
            return ("#".join(key), word)
        above = self.code.ancestors(key[0])
        holding = [f for f in self.fields if f[1] == word and (f[0] == key[0] or simple_name(f[0]) in above)]
        return max(holding, key=lambda f: (f[0] == key[0], len(self.code.ancestors(f[0]))), default=None)

    def _asked(self, key: Key, text: str, line: Line, locals_: dict[str, str]) -> None:
        """States that a statement asks for, and what it does with each."""
        code = _without_literals(text)
        for found in GETTER.finditer(code):
            end = _closed(code, found.end())
            state = _filled(text[found.start() : end], locals_)
            call = CALL.match(text, end)
            target = _TARGET.match(text[: found.start()])
            name = self._name(key, target[1]) if target is not None and call is None else None
            if call is not None:
                handle = self.found.setdefault(("", state), StateHandle())
                handle.uses.update(self._use(key, line, call[1]))
            elif name is not None:
                handle = self.found.setdefault(name, StateHandle())
            else:
                handle = self.found.setdefault(("", state), StateHandle())
                handle.uses |= _ALL_USES
            handle.states.add(state)
        made = _SET.match(text)
        if made is not None and not GETTER.search(text):
            name = self._name(key, made[1])
            if name is not None and name in self.found:
                self.found[name].states.add(_filled(made[2], locals_))

    def _use(self, key: Key, line: Line, call: str) -> set[str]:
        """What a call on a state does with it."""
        use = _USES.get(call)
        unused = use is None or line.outcome.runs is Runs.NEVER or (use == READ and not self._takes(key, line))
        return set() if use is None or unused else {use}

    def _used(self, key: Key, line: Line) -> None:
        text = line.text
        handled = {name for _, name in self.found}
        for word in WORD.finditer(text):
            name = self._handle(key, word[1]) if word[1] in handled else None
            if name is None or name == key or line.outcome.runs is Runs.NEVER:
                continue
            rest = text[word.end() : word.end() + 80]
            call = CALL.match(rest)
            if call is not None:
                use = self._use(key, line, call[1])
                nothing = NOTHING.match(rest, call.end()) or (use == {READ} and _dropped(text, call[1]))
                self.found[name].uses.update(set() if nothing else use)
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
            own = key[0] in self.owners
            inside = key[0].startswith(nested) and not own
            naming = not classes.isdisjoint(declaration.names)
            for name, private in fields.items():
                if own and (key[0] == name[0] or name[0] not in self.helpers):
                    continue
                if name[1] in declaration.names and (inside or (naming and not private)):
                    self.found[name].uses |= _ALL_USES


def without_getters(tokens: str, instead: str) -> str:
    """A statement without ``this`` and with some other word for each call that asks for a state."""
    text = _THIS.sub("", tokens)
    while (found := GETTER.search(_without_literals(text))) is not None:
        text = text[: found.start()] + instead + text[_closed(_without_literals(text), found.end()) :]
    return text


def _method(key: Key) -> str:
    return key[1].partition("(")[0]


def _dropped(text: str, name: str) -> bool:
    """Whether a statement is a call of a method, and nothing takes the result."""
    call = re.match(rf"(?:[\w$]+ \. )*{re.escape(name)} \(", text)
    return call is not None and text[_closed(text, call.end()) :].strip(" ;") == ""


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
    return LOCAL.sub(lambda found: locals_.get(found[0], found[0]), text)
