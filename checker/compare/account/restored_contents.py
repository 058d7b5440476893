"""What functions, sources and sinks do with restored state: the code that Flink calls to restore and to snapshot it.

A state that is registered and used is lost all the same where this code no longer takes its contents over, or writes
others. What such code computes is not known, so it is compared: all that acts on restored values must be the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from checker.compare.account.handle_uses import without_getters
from checker.compare.account.plain_statements import inside, plain
from checker.model.program_code import Key, Part, ProgramCode, Role, simple_name
from checker.model.used_states import GIVEN, RESTORING, by_method, method_name

_LATER: Final = ("open", "run", "start")
"""Methods that run after it was restored, and may overwrite it."""
_CONSTRUCTOR: Final = "<init>"
_LOCAL: Final = re.compile(r"\$\d+(?:@\d+)?")
_WORD: Final = re.compile(r"\$\d+@\d+|(?<![\w$.])(?<!\. )[A-Za-z_]\w*\b(?! \()")
_CONTEXT: Final = re.compile(
    r"[\w$@]+ \. (?:isRestored|getRestoredCheckpointId|getCheckpointId|getCheckpointTimestamp|getOperatorStateStore"
    r"|getKeyedStateStore) \( \)"
)
_IF_RESTORED: Final = re.compile(r"if \( [\w$@]+ \. isRestored \( \) \)")
"""A condition that holds for all that is restored."""
_SET: Final = re.compile(r"([\w$@]+) (?:[-+*/|&^%] )?= (?!= )(.*)", re.DOTALL)
_COUNTED: Final = re.compile(r"([\w$@]+) (?:\+ \+|- -)|(?:\+ \+|- -) ([\w$@]+)")
_ADDED: Final = re.compile(r"([\w$@]+) \. (?:add|put|offer|push|set|update|append)\w* \((.*)", re.DOTALL)
_CLEARED: Final = r"{} \. (?:clear|remove\w*|retainAll|poll\w*|pop|drainTo|reset) \("
_FOR_EACH: Final = re.compile(
    r"(.*) \. forEach \( (?:\( )?(\$[\d@]+)(?: , (\$[\d@]+))? (?:\) )?- > ?(.*?) ?\)", re.DOTALL
)
_EACH: Final = re.compile(r"for \( .*?(\$\d+@\d+) : (.*)", re.DOTALL)
_CONTROL: Final = re.compile(r"(?:if|for|while|do|try|synchronized|return|throw|break|continue|yield)\b")
_EXIT: Final = re.compile(r"(?:return|throw|break|continue|yield)\b")
_LOOP: Final = re.compile(r"(?:for|while|do)\b")
_CALL: Final = re.compile(r"(?:(super|\w+) \. )?(\w+) \((.*)\)", re.DOTALL)
_CALLED: Final = re.compile(r"(?<![\w$.@])(?<!\. )(?:(\w+) \. )?(\w+) \(")
_LITERAL: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_WHERE_RESTORED: Final = re.compile(r"if \( [\w$@]+ \. isRestored \( \) \)")
_METRIC: Final = re.compile(r"\bgetMetricGroup\b|\b\w+ \. (?:inc|dec|mark|markEvent) \(")
_ABSENT: Final = r"if \( (?:{0} = = null|null = = {0}) \)"
_BODY: Final = re.compile(r"\) (?:throws [\w. ,]+? )?\{ ")
_FIELD: Final = re.compile(r"(?<![\w$.])(?<!\. )[A-Za-z_]\w*\b(?! \()")
_TYPED: Final = re.compile(r"(\bnew [\w.]+(?: \. \w+)*) < [^()]*> (?=\()")
"""A new object with its type arguments: they mean nothing when code runs."""
_LISTED: Final = re.compile(r"\b(?:Collections \. singletonList|Arrays \. asList) \(")
"""A list of some values, in other words."""
_HANDLE: Final = "STATE"


@dataclass(frozen=True, slots=True)
class _Line:
    """A statement of a method that Flink calls, or of one that this calls."""

    key: Key
    text: str
    """Local variables with the number of their method."""
    depth: int
    inlined: bool
    binds: bool = False
    """The method's own line, with its parameters."""


@dataclass(frozen=True, slots=True)
class Restoring:
    """What one revision's class does with restored values, by the method that Flink calls."""

    methods: Mapping[str, tuple[_Line, ...]]
    fields: frozenset[str]

    def __bool__(self) -> bool:
        return any(name in RESTORING for name in self.methods)

    def keys(self, name: str) -> frozenset[Key]:
        """The declarations that run in one of the methods."""
        return frozenset(line.key for line in self.methods.get(name, ()))


def changed_in(base: Restoring, head: Restoring) -> frozenset[Key]:
    """The declarations of either revision in which something else becomes of restored values."""
    if not base or not head:
        return frozenset()
    asking = [sum(_HANDLE in line.text for name in RESTORING for line in r.methods.get(name, ())) for r in (base, head)]
    common = base.fields & head.fields
    before = _Values(base, None if asking[0] <= asking[1] else common)
    after = _Values(head, None if asking[1] <= asking[0] else common, frozenset(before.holding) & common)
    found: set[Key] = set()
    for name in base.methods.keys() | head.methods.keys():
        extracted = len(base.keys(name)) != len(head.keys(name))
        old, new = (_normal(values.acting(name), values.fields, common, each=extracted) for values in (before, after))
        if old != new:
            found |= base.keys(name) | head.keys(name)
    return frozenset(found)


def restoring(code: ProgramCode, classes: Mapping[str, int]) -> Restoring:
    """What a class does; ``classes`` are it and its super classes, ranked."""
    own = members_of(code, classes)
    by_name = by_method(key for key in own if code.declarations[key].part is Part.METHOD)
    reader = _Reader(code, by_name, _helping(code, own))
    roots = [name for name in (*RESTORING, *_LATER) if name in by_name]
    methods = {name: tuple(_with_loops(reader.read(by_name[name][0]))) for name in roots}
    if _CONSTRUCTOR in by_name and "initializeState" not in by_name and "restoreState" not in by_name:
        read = (line for key in by_name[_CONSTRUCTOR] for line in reader.read(key))
        methods[_CONSTRUCTOR] = tuple(_with_loops(read))
    within = {*classes, *reader.used}
    members = (key for owner in within for key in code.by_owner.get(owner, ()))
    fields = {w for key in members if code.declarations[key].part is Part.FIELD for w in key[1].split(",")}
    return Restoring(methods, frozenset(fields))


def _helping(code: ProgramCode, own: list[Key]) -> dict[str, str]:
    """The classes of the objects that a function has in fields, by the field: those that hold data."""
    data = {simple_name(owner): owner for owner in sorted(code.owners) if code.role(owner) is Role.DATA}
    found: dict[str, str] = {}
    for key in own:
        named = code.declarations[key].names & data.keys() if code.declarations[key].part is Part.FIELD else ()
        found.update((key[1], data[name]) for name in sorted(named))
    return found


def ranked(code: ProgramCode, owner: str) -> dict[str, int]:
    """A class and those of its super classes that are the program's, the class itself first."""
    names = code.ancestors(owner)
    found = (o for name in names for o in code.named(name) if code.ancestors(o) <= names)
    return {o: -len(code.ancestors(o)) for o in found}


def members_of(code: ProgramCode, classes: Mapping[str, int]) -> list[Key]:
    """The declarations of some ranked classes, in the order of these."""
    return [key for owner in sorted(classes, key=lambda o: (classes[o], o)) for key in code.by_owner.get(owner, ())]


def restores(code: ProgramCode, owner: str) -> bool:
    """Whether a class is one that Flink gives restored values."""
    if code.role(owner) not in (Role.FUNCTION, Role.TRANSACTIONS):
        return False
    classes = ranked(code, owner)
    return any(method_name(key) in RESTORING for owner in classes for key in code.by_owner.get(owner, ()))


@dataclass
class _Reader:
    code: ProgramCode
    by_name: Mapping[str, list[Key]]
    helping: Mapping[str, str]
    used: set[str] = field(default_factory=set)
    """The classes of helping objects whose code runs."""
    _numbers: dict[Key, int] = field(default_factory=dict)

    def read(self, key: Key, depth: int = 0, above: tuple[Key, ...] = ()) -> Iterator[_Line]:
        """The statements of a method, with those of the methods that it calls by a statement of their own."""
        number = self._numbers.setdefault(key, len(self._numbers))
        first, *rest = self.code.detail(key).statements
        body = _BODY.split(first.tokens, 1)[-1].strip("{} ;") if " { " in first.tokens else ""
        if body:  # a switch is no statement of its own
            yield _Line(key, self._text(body, number), depth, bool(above))
        else:
            yield _Line(key, self._text(first.tokens, number), depth, bool(above), binds=True)
        for statement in rest:
            if statement.logs or _METRIC.search(statement.tokens):
                continue
            text = self._text(statement.tokens, number)
            call = _CALL.fullmatch(text)
            called = self._called(key, call[2], call[1]) if call is not None else None
            if call is None or called is None or called == key or called in above:
                yield _Line(key, text, depth + statement.depth, bool(above))
                for inside in _CALLED.finditer(text):
                    asked = self._called(key, inside[2], inside[1])
                    if asked is not None and asked != key and asked not in above:
                        yield from (
                            replace(line, inlined=bool(above))
                            for line in self.read(asked, depth + statement.depth + 1, (*above, key))
                        )
                continue
            numbered = self._numbers.setdefault(called, len(self._numbers))
            signature = _BODY.split(self.code.detail(called).statements[0].tokens, 1)[0]
            parameters = _LOCAL.findall(self._text(signature, numbered))
            arguments = _arguments(call[3])
            given = dict(zip(parameters, arguments, strict=True)) if len(parameters) == len(arguments) else {}
            for line in self.read(called, depth + statement.depth, (*above, key)):
                yield replace(line, text=_filled(line.text, given))

    def _called(self, key: Key, name: str, on: str | None) -> Key | None:
        """The method that a call runs: of the object itself, of its super class, or of one in a field."""
        if on is not None and on != "super":
            owner = self.helping.get(on)
            there = [k for k in self.code.by_owner.get(owner or "", ()) if method_name(k) == name]
            self.used.update(k[0] for k in there)
            return there[0] if len(there) == 1 else None
        there = self.by_name.get(name, [])
        if on is not None:
            there = there[there.index(key) + 1 :] if key in there else []
        return there[0] if there else None

    def _text(self, tokens: str, number: int) -> str:
        text = _LISTED.sub("List . of (", _TYPED.sub(r"\1 ", without_getters(tokens, _HANDLE)))
        return _LOCAL.sub(lambda found: f"{found[0]}@{number}", text).replace(" { }", "").replace(" ;", "")


class _Values:
    """Which names hold what is restored, or what a snapshot takes."""

    def __init__(
        self, restoring: Restoring, handles: frozenset[str] | None, known: frozenset[str] = frozenset()
    ) -> None:
        """``handles`` are the fields whose states count, None for all; ``known`` hold such values anyway."""
        self.fields = restoring.fields
        self._methods = restoring.methods
        self._handles = handles
        self.holding = set(known)
        for name in restoring.methods.keys() & (GIVEN | {"toSplitType"}):
            first = restoring.methods[name][0]
            self.holding.update(_LOCAL.findall(first.text) if first.binds else ())
        before = -1
        while before != len(self.holding):
            before = len(self.holding)
            for name, lines in restoring.methods.items():
                for line in lines if name in RESTORING else ():
                    self._follow(name, line.text)

    def _words(self, text: str) -> set[str]:
        text = _LITERAL.sub('""', _CONTEXT.sub("", text))
        return {word for word in _WORD.findall(text) if word.startswith("$") or word in self.fields}

    def _follow(self, name: str, text: str) -> None:
        made = _SET.search(text)
        if made is not None:
            target = made[1]
            if made[2].endswith(_HANDLE):
                if self._handles is None or target in self._handles:
                    self.holding.add(target)
                return
            if not self._words(made[2]).isdisjoint(self.holding):
                self.holding.update(self._words(text[: made.end(1)].rpartition("(")[2]))
            elif target.startswith("$") and target in self.holding:
                self.holding |= self._words(made[2])
        each = _EACH.match(text)
        if each is not None and (each[1] in self.holding or not self._words(each[2]).isdisjoint(self.holding)):
            self.holding.add(each[1])
            self.holding |= self._words(each[2])
        added = _ADDED.search(text)
        if added is not None:
            given = self._words(added[2])
            if added[1] in self.holding:
                self.holding |= given
            elif not given.isdisjoint(self.holding):
                self.holding |= self._words(added[1])
        if name == "snapshotState" and text.startswith("return "):
            self.holding |= self._words(text)

    def acting(self, name: str) -> list[_Line]:
        """The statements of a method that act on restored values, with all that decides whether they run."""
        lines = [line for line in self._methods.get(name, ()) if line.text and not line.binds]
        if name == "run":  # what follows handles records
            lines = lines[: next((i for i, line in enumerate(lines) if _LOOP.match(line.text)), len(lines))]
        acts = [not _EXIT.match(line.text) and self._acts(name, line) for line in lines]
        if name not in RESTORING:
            acts = [found and not self._where_absent(lines, place) for place, found in enumerate(acts)]
        for place, line in enumerate(lines):
            returns = name in RESTORING and line.text.startswith("return ") and not line.inlined
            if _EXIT.match(line.text) and (any(acts) or returns):
                acts[place] = True
        plainly = [(line.depth, line.text) for line in lines]
        for place in range(len(lines) - 1, -1, -1):
            if _CONTROL.match(lines[place].text) and not acts[place]:
                acts[place] = any(acts[place + 1 : place + 1 + len(inside(plainly, place))])
        return self._unguarded([line for line, found in zip(lines, acts, strict=True) if found])

    def _unguarded(self, lines: list[_Line]) -> list[_Line]:
        """Without conditions around loops over what was restored: where nothing was, these do nothing anyway."""
        found, plainly = list(lines), [(line.depth, line.text) for line in lines]
        for place, line in enumerate(lines):
            if _WHERE_RESTORED.fullmatch(line.text):
                end = place + 1 + len(inside(plainly, place))
                direct = [inner for inner in lines[place + 1 : end] if inner.depth == line.depth + 1]
                otherwise = any(after.text == "else" for after in lines[end : end + 1])
                if direct and not otherwise and all(self._goes_over_restored(inner.text) for inner in direct):
                    found[place] = replace(line, text="")
                    found[place + 1 : end] = [replace(i, depth=i.depth - 1) for i in found[place + 1 : end]]
        return [line for line in found if line.text]

    def _goes_over_restored(self, text: str) -> bool:
        each = _EACH.match(text)
        return each is not None and not self._words(each[2]).isdisjoint(self.holding)

    def _acts(self, name: str, line: _Line) -> bool:
        text = line.text
        made = _SET.search(text)
        if made is not None and made[2].endswith(_HANDLE):
            return False
        if name in RESTORING and not line.inlined:
            return f"super . {name} (" in text or _HANDLE in text or not self._words(text).isdisjoint(self.holding)
        changed = [word for pattern in (_SET, _COUNTED, _ADDED) for found in pattern.finditer(text)
                   for word in found.groups()[:2] if word in self.holding]  # fmt: skip
        changed += [
            word for word in self._words(text) & self.holding if re.search(_CLEARED.format(re.escape(word)), text)
        ]
        return any(not word.startswith("$") or name in RESTORING for word in changed)

    def _where_absent(self, lines: list[_Line], place: int) -> bool:
        """Whether a statement only sets what nothing was restored to."""
        made = _SET.search(lines[place].text)
        around = [line for line in lines[:place] if line.depth < lines[place].depth]
        return (
            made is not None
            and bool(around)
            and re.match(_ABSENT.format(re.escape(made[1])), around[-1].text) is not None
        )


def _normal(lines: list[_Line], fields: frozenset[str], common: frozenset[str], *, each: bool) -> list[tuple[int, str]]:
    """Statements with local variables, and fields that only one revision has, by the order of their first use."""
    found: list[tuple[int, str]] = []
    numbers: dict[str, str] = {}
    names: dict[str, str] = {}

    def local(word: re.Match[str]) -> str:
        return numbers.setdefault(word[0], f"${len(numbers)}")

    def own(word: re.Match[str]) -> str:
        name = word[0]
        return names.setdefault(name, f"#{len(names)}") if name in fields and name not in common else name

    for depth, line in plain([(line.depth, line.text) for line in lines]):
        if each:
            numbers = {}
        text = "throw" if line.startswith("throw ") else line
        found.append((depth, _LOCAL.sub(local, _FIELD.sub(own, text))))
    return found


def _with_loops(lines: Iterable[_Line]) -> Iterator[_Line]:
    """Statements with a loop for each call that hands all of a collection to a lambda, as they run when restoring."""
    given: dict[str, str] = {}
    guards: list[int] = []
    for written in lines:
        guards = [depth for depth in guards if depth < written.depth]
        line = replace(written, depth=written.depth - len(guards))
        if _IF_RESTORED.fullmatch(line.text):
            guards.append(written.depth)
            continue
        each = _FOR_EACH.fullmatch(line.text)
        if each is None:
            yield replace(line, text=_filled(line.text, given))
            continue
        over, first, second, body = each.groups()
        if second is not None:
            over += " . entrySet ( )"
            given |= {first: f"{first} . getKey ( )", second: f"{first} . getValue ( )"}
        yield replace(line, text=f"for ( {first} : {_filled(over, given)} )")
        if body:
            yield replace(line, text=_filled(body, given), depth=line.depth + 1)


def _filled(text: str, given: Mapping[str, str]) -> str:
    """A statement with the arguments of a call in the place of parameters."""
    return _LOCAL.sub(lambda word: given.get(word[0], word[0]), text)


def _arguments(text: str) -> list[str]:
    """The arguments of a call."""
    found, depth = [""], 0
    for word in text.split():
        depth += (word in "([{<") - (word in ")]}>")
        if word == "," and depth == 0:
            found.append("")
        else:
            found[-1] = f"{found[-1]} {word}".strip()
    return [argument for argument in found if argument]
