"""Reads through which handles a function's code works with its states, and what it does with each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from checker.compare.account.erased_states import CALL, GETTER, LOCAL, WORD, Erasing, Name
from checker.compare.account.kept_writes import Line, argument_at, arguments, cleared, leaves_nothing, undone
from checker.compare.account.state_handles import Handles
from checker.compare.account.traded_states import Effects
from checker.model.program_code import STATE_FIELD, Goes, Key, Part, ProgramCode, Runs, simple_name
from checker.model.used_states import FEEDS, READ, WRITE, StateHandle, by_method, method_name

_USES = {
    **dict.fromkeys(
        ("value", "get", "iterator", "entries", "values", "keys", "contains", "isEmpty", "immutableEntries"), READ
    ),
    **dict.fromkeys(("add", "addAll", "update", "put", "putAll"), WRITE),
}
"""Methods of states: what each does. ``clear`` and ``remove`` keep nothing and are no sign that a state is used."""
_ALL_USES = frozenset({READ, WRITE, FEEDS})
"""What other code may do with a state that it is given."""
_TARGET = re.compile(r"(?:^|.* )([\w$]+) = [^=]*$", re.DOTALL)
_SET = re.compile(r"(?:^|.* )([\w$]+) = (?!=)(.+?)(?: ;)?$", re.DOTALL)
_THIS = re.compile(r"(?:\b[\w.]+ \. )?\bthis \. ")
_APPLIED = re.compile(r"\bapplyToKeyedState \( (.*) , \( [\w$]+ , ([\w$]+) \) - >", re.DOTALL)
"""What a broadcast function does with a state of all keys."""
_RECEIVER = re.compile(r"(?:[\w$]+ (?:\( \) )?\. )+$")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMPARED = (" = = ", " ! = ")
_BODY = re.compile(r"\) (?:throws [\w. ,]+? )?\{")

_PER_RECORD = frozenset(
    {"processElement", "processElement1", "processElement2", "processBroadcastElement", "map", "map1", "map2",
     "flatMap", "flatMap1", "flatMap2", "filter", "reduce", "apply", "process", "join", "coGroup", "invoke",
     "asyncInvoke", "onElement", "processMatch", "write"}
)  # fmt: skip
"""Methods that Flink calls with each record, or with each window or match."""


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


class _View:
    """The statements of a function, and the methods whose results are used."""

    def __init__(self, lines: dict[Key, list[Line]], called: frozenset[str]) -> None:
        """``called`` are the methods that Flink calls."""
        self.lines = lines
        self._wanted = called
        methods = {method_name(key) for key in lines}
        before = None
        while before != self._wanted:
            before = self._wanted
            for key, statements in lines.items():
                for place, line in enumerate(statements):
                    if self.takes(key, place):
                        names = line.names & methods - ({method_name(key)} if line.signature else set())
                        self._wanted |= {name for name in names if not _dropped(line.text, name)}

    def takes(self, key: Key, place: int) -> bool:
        """Whether any code makes use of the values that a statement takes."""
        outcome = self.lines[key][place].outcome
        if outcome.runs is Runs.NEVER or outcome.goes is Goes.NOWHERE:
            return False
        return outcome.goes is Goes.SOMEWHERE or method_name(key) in self._wanted


@dataclass
class _Reader:
    code: ProgramCode
    owners: frozenset[str]
    helpers: frozenset[str]
    fields: frozenset[Key]
    reached: frozenset[Key]
    called: frozenset[Key]
    found: dict[Name, StateHandle] = field(default_factory=dict)
    _views: dict[str, _View] = field(default_factory=dict)
    """The statements by what becomes of them, where values that go into one state only go nowhere."""
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
        lines = self._view("").lines
        for key, statements in texts:
            locals_: dict[str, str] = {}
            for place, (text, line) in enumerate(zip(statements, lines[key], strict=True)):
                self._asked(key, text, place, locals_)
                made = _SET.match(text)
                if made is not None and LOCAL.fullmatch(made[1]):
                    locals_[made[1]] = _filled(made[2], locals_)
                elif not line.signature and line.outcome.goes is not Goes.NOWHERE:
                    self.done.add(_filled(text, locals_))
        for key, found in lines.items():
            for place in range(len(found)):
                self._used(key, place)
        self._given_away()
        self._erased(dict(lines))
        return self.found

    def effects(self) -> Effects:
        """What the function does, and the fields that it does this with."""
        kept = {name for owner, name in self.found.keys() & self.fields if owner not in self.helpers}
        classes = {simple_name(helper) for helper in self.helpers}
        own = [key for key in self.fields if key[0] not in self.helpers]
        kept |= {key[1] for key in own if not classes.isdisjoint(self.code.declarations[key].names)}
        return Effects(frozenset(self.done), frozenset(kept))

    def _view(self, own: str) -> _View:
        if own not in self._views:
            lines = {key: lines_of(self.code, key, own) for key in sorted(self.reached)}
            self._views[own] = _View(lines, frozenset(method_name(key) for key in self.called))
        return self._views[own]

    def _erased(self, lines: dict[Key, list[Line]]) -> None:
        """Note which methods use states, and which of them erase these."""
        by_name = by_method(lines)
        for key, statements in lines.items():
            lines[key] = [replace(line, text=self._with_names(line.text)) for line in statements]
        erasing = Erasing(lines, by_name, self._handle, self._may_share)
        for name, handle in self.found.items():
            handle.accumulates = erasing.accumulates(name, certainly=True)
            handle.may_accumulate = erasing.accumulates(name, certainly=False)
            handle.folds = erasing.folds(name, certainly=True)
            handle.may_fold = erasing.folds(name, certainly=False)
            handle.numbers, handle.only_numbers = erasing.numbers(name)
        for key in self.called & lines.keys():
            if method_name(key) in {*_PER_RECORD, "onTimer"}:
                for name in erasing.used(key):
                    self.found[name].touched_in.add(method_name(key))
                for name in erasing.written(key):
                    self.found[name].written_in.add(method_name(key))
            if method_name(key) in _PER_RECORD:
                for name in erasing.used(key):
                    self.found[name].used_in.add(method_name(key))
                for name in erasing.erased(key):
                    self.found[name].erased_in.add(method_name(key))
                for name, replaced in erasing.set_or_added(key):
                    handle = self.found[name]
                    (handle.replaced_in if replaced else handle.added_in).add(method_name(key))

    def _may_share(self, first: Name, second: Name) -> bool:
        states = [self.found[name].states for name in (first, second)]
        return not all(states) or not states[0].isdisjoint(states[1])

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
            return key, word
        above = self.code.ancestors(key[0])
        holding = [f for f in self.fields if f[1] == word and (f[0] == key[0] or simple_name(f[0]) in above)]
        return max(holding, key=lambda f: (f[0] == key[0], len(self.code.ancestors(f[0]))), default=None)

    def _asked(self, key: Key, text: str, place: int, locals_: dict[str, str]) -> None:
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
                lines, given = self._view("").lines[key], code[call.end() :]
                lost = leaves_nothing(call[1], given, lines) and _USES.get(call[1]) == WRITE
                handle.uses.update(set() if lost else self._use(key, place, call[1]))
            elif name is not None:
                handle = self.found.setdefault(name, StateHandle())
            else:
                handle = self.found.setdefault(("", state), StateHandle())
                handle.uses |= _ALL_USES
            handle.states.add(state)
        applied = _APPLIED.search(text)
        if applied is not None:
            self.found.setdefault((key, applied[2]), StateHandle()).states.add(applied[1])
        made = _SET.match(text)
        if made is not None and not GETTER.search(text):
            name = self._name(key, made[1])
            if name is not None and name in self.found:
                self.found[name].states.add(_filled(made[2], locals_))

    def _use(self, key: Key, place: int, call: str, own: str = "") -> set[str]:
        """What a call on a state does with it."""
        use, view = _USES.get(call), self._view("")
        if use is None or view.lines[key][place].outcome.runs is Runs.NEVER:
            return set()
        if use == WRITE:
            return {WRITE}
        if not view.takes(key, place):
            return set()
        return {READ, FEEDS} if self._view(own).takes(key, place) else {READ}

    def _used(self, key: Key, place: int) -> None:
        lines = self._view("").lines[key]
        line, text = lines[place], lines[place].text
        handled = {name for _, name in self.found}
        methods = {method_name(key) for key in self.reached}
        for word in WORD.finditer(text):
            name = self._handle(key, word[1]) if word[1] in handled else None
            if name is None or name == key or line.outcome.runs is Runs.NEVER:
                continue
            rest = text[word.end() :]
            call = CALL.match(rest)
            if call is not None:
                use = self._use(key, place, call[1], "" if LOCAL.fullmatch(word[1]) else word[1])
                given = rest[call.end() :]
                nothing = WRITE in use and (
                    leaves_nothing(call[1], given, lines) or undone(lines, place, *_ends(word[1], call[1], given))
                )
                empty = cleared(lines, place, word[1], methods)
                dropped = READ in use and (empty or _dropped(text, call[1]))
                self.found[name].uses.update(set() if nothing or dropped else use)
                continue
            compared = rest.startswith((" = ", " (", " ) - >", *_COMPARED)) or text[: word.start()].endswith(_COMPARED)
            if not compared and not self._ignored(text, word.start()):
                self.found[name].uses |= _ALL_USES

    def _ignored(self, text: str, start: int) -> bool:
        """Whether an argument is given to code of the program that has no use for it."""
        name, number, count = argument_at(text, start)
        methods = [
            key
            for key, declared in self.code.declarations.items()
            if declared.part is Part.METHOD and name in (method_name(key), f"new {simple_name(key[0])}")
            if method_name(key) == "<init>" or not name.startswith("new ")
        ]
        for key in methods:
            signature, *body = self.code.detail(key).statements
            parameters = LOCAL.findall(_BODY.split(signature.tokens)[0])
            if len(parameters) != count or any(parameters[number] in s.tokens.split() for s in body):
                return False
        return bool(methods)

    def _given_away(self) -> None:
        """Fields that classes inside of the function's work with, or other classes that name it."""
        nested = tuple(f"{owner}{mark}" for owner in self.owners for mark in ".$")
        classes = {simple_name(owner) for owner in self.owners}
        fields = {
            key: self.code.declarations[key].tokens.startswith("private ") for key in self.fields & self.found.keys()
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


def _ends(handle: str, call: str, given: str) -> list[str]:
    """The statements that take out again what a call writes to a state."""
    removed = [f"{handle} . remove ( {first} )" for first in arguments(given)[:1] if call == "put"]
    return [f"{handle} . clear ( )", *removed]


def lines_of(code: ProgramCode, key: Key, own: str = "") -> list[Line]:
    """The statements of a declaration; ``own`` is the name of a state that values may go into without effect."""
    return [
        Line(
            text=_without_literals(_THIS.sub("", statement.tokens)),
            names=statement.names,
            outcome=code.outcome(key, statement, own),
            depth=statement.depth,
            signature=place == 0,
        )
        for place, statement in enumerate(code.detail(key).statements)
    ]


def without_getters(tokens: str, instead: str) -> str:
    """A statement without ``this`` and with some other word for each call that asks for a state."""
    text = _THIS.sub("", tokens)
    while (found := GETTER.search(_without_literals(text))) is not None:
        text = text[: found.start()] + instead + text[_closed(_without_literals(text), found.end()) :]
    return text


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
