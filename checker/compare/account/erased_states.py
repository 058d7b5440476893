"""States that each record erases: they are cleared, or overwritten with what is not made of them, on every way.

Where that is in doubt, a value counts as made of a state: of all that its variables, fields and calls may have taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from checker.compare.account.kept_writes import Line, arguments, leaves_nothing
from checker.model.program_code import Key, Runs
from checker.model.reaching import reached
from checker.model.used_states import method_name

Name = tuple[str | Key, str]
"""A handle: the class of a field, or the declaration of a local variable, and the name."""

LOCAL: Final = re.compile(r"\$\d+")
WORD: Final = re.compile(r"(?<!\. )(?<![\w$.])([\w$]+)(?![\w.])")
CALL: Final = re.compile(r" \. (\w+) \(")
GETTER: Final = re.compile(
    r"\b(get(?:State|ListState|MapState|ReducingState|AggregatingState|UnionListState|BroadcastState"
    r"|PartitionedState)|getOrCreateKeyedState) \("
)
_CALLED: Final = re.compile(r"(\w+) \(|: : (\w+)")
_WRITES: Final = frozenset({"add", "addAll", "update", "put", "putAll"})
_NUMBER: Final = re.compile(r"(?:- )?\d[\w.]*")
_LITERAL: Final = re.compile(r"(?:- )?\d[\w.]*|true|false|(?:\w+ \. )?(?:TRUE|FALSE)|")
"""A number, a truth value; texts are blanked out."""
_DECIDES: Final = re.compile(r"(?:if|while|for|switch|do)\b")
_LEAVES: Final = re.compile(r"\b(?:return|throw)\b")
_SET: Final = r"(?<![\w$.]){0} (?:= (?!=)|[-+*/|&^%] = |: : )|^for \( [^:]*(?<![\w$.]){0} : "
"""How a statement may set a variable, or hand its methods on."""
_TAKEN_OUT: Final = re.compile(r"(\$\d+) \. remove \( \)")
_LOOP: Final = re.compile(r"(?:while|for) \([^:]*hasNext")
_WALKS: Final = frozenset({"iterator", "keys", "values", "entries"})
"""What walks over the contents of a state."""
_CHANGED: Final = r"(?<![\w$.]){0} \. \w+ \((?! \))"
"""A call that may change what a variable holds, by what it is given."""


@dataclass(frozen=True)
class Erasing:
    """The code of one function that Flink's calls lead to."""

    lines: Mapping[Key, list[Line]]
    by_name: Mapping[str, list[Key]]
    """The declarations in ``lines`` by their name."""
    handle_of: Callable[[Key, str], Name | None]
    """The handle that a word in a declaration names."""
    may_share: Callable[[Name, Name], bool]
    """Whether two handles may hold one state."""

    def used(self, entry: Key) -> set[Name]:
        """The handles that code mentions which a method leads to."""
        reached = self._reached(entry, Runs.SOMETIMES)
        return {name for key in reached for line in self.lines[key] for name, _, _ in self._calls(key, line)}

    def written(self, entry: Key) -> set[Name]:
        """The handles to which such code writes something that is no literal, or which it hands on."""
        running = (
            (key, line)
            for key in self._reached(entry, Runs.SOMETIMES)
            for line in self.lines[key]
            if line.outcome.runs is not Runs.NEVER
        )
        return {
            name
            for key, line in running
            for name, call, given in self._calls(key, line)
            if not call or (call in _WRITES and not self._is_plain(key, call, given))
        }

    def _is_plain(self, key: Key, call: str, given: str) -> bool:
        value = (arguments(given) or [""])[-1]
        return _LITERAL.fullmatch(value) is not None or leaves_nothing(call, given, self.lines[key])

    def erased(self, entry: Key) -> Iterator[Name]:
        """The handles whose states hold nothing of what they held when a method that Flink calls has run."""
        reached = self._reached(entry, Runs.SOMETIMES)
        for key in self._reached(entry, Runs.ALWAYS):
            for place, line in enumerate(self.lines[key]):
                always = self._calls(key, line) if line.outcome.runs is Runs.ALWAYS else ()
                calls = [found for found in always if found[1] in ("clear", "update")]
                for name, call, given in (*calls, *((name, "clear", "") for name in self._emptied(key, place))):
                    if call == "clear" and not self._asked_before(name, key, place, reached):
                        yield name
                        continue
                    written = [(key, n, text) for n, text in self._writes(key, name) if n > place]
                    written += [(k, n, text) for k in reached if k != key for n, text in self._writes(k, name)]
                    if call == "update" and not leaves_nothing(call, given, self.lines[key]):
                        written.append((key, place, given))
                    if not any(self._made_of(name, k, n, text, set()) for k, n, text in written):
                        yield name

    def _asked_before(self, name: Name, key: Key, place: int, reached: list[Key]) -> bool:
        """Whether a statement that may run before another one mentions a state: it may be written again afterwards."""
        others = ((k, line) for k in reached if k != key for line in self.lines[k])
        before = ((key, line) for line in self.lines[key][:place])
        found = (mentioned for k, line in (*others, *before) for mentioned, _, _ in self._calls(k, line))
        return any(mentioned == name or self.may_share(mentioned, name) for mentioned in found)

    def set_or_added(self, entry: Key) -> Iterator[tuple[Name, bool]]:
        """The handles through which a method adds to a state; with True, those through which it sets it to others."""
        for key in self._reached(entry, Runs.SOMETIMES):
            for place, line in enumerate(self.lines[key]):
                for name, call, given in self._calls(key, line) if line.outcome.runs is not Runs.NEVER else ():
                    if call in ("add", "addAll") and self._cleared(name, key, place) is None:
                        yield name, False
                    elif call == "update" and not self._made_of(name, key, place, given, set()):
                        yield name, True

    def _emptied(self, key: Key, place: int) -> Iterator[Name]:
        """The handle of a state whose contents a loop takes out one by one, all of them."""
        lines = self.lines[key]
        taken = _TAKEN_OUT.match(lines[place].text)
        loops = [n for n in range(place) if lines[n].depth < lines[place].depth and not lines[n].signature]
        around = list(_around(lines, place))
        if taken is None or len(around) != 1 or _LOOP.match(around[0]) is None:
            return
        always = any(lines[n].text == around[0] and lines[n].outcome.runs is Runs.ALWAYS for n in loops)
        for _, _, source in self._sources(key, taken[1]) if always else ():
            for word in WORD.finditer(source):
                name, call = self.handle_of(key, word[1]), CALL.match(source, word.end())
                if name is not None and call is not None and call[1] in _WALKS:
                    yield name

    def accumulates(self, name: Name, *, certainly: bool) -> bool:
        """Whether any statement adds to what a state holds; ``certainly`` leaves out values that may be made of it."""
        for key, place, call, given in self._on(name):
            if not call and not certainly:
                return True
            cleared = self._cleared(name, key, place)
            if call in _WRITES and call != "update" and cleared is None:
                return True
            at_once = call == "put" and cleared == self.lines[key][place].depth
            made = call in _WRITES and not at_once and not certainly
            if made and self._made_of(name, key, place, given, set()):
                return True
        return False

    def folds(self, name: Name, *, certainly: bool) -> bool:
        """Whether any statement writes what may be made of what a state holds.

        ``certainly`` leaves out handles that are given away, and what only decides whether a statement runs.
        """
        for key, place, call, given in self._on(name):
            if not call and not certainly:
                return True
            if call in _WRITES:
                lines, value = self.lines[key], arguments(given)[-1:] if call == "put" else [given]
                before = (lines[n].text for n in range(place) if _DECIDES.match(lines[n].text) and _leaves(lines, n))
                deciding = [] if certainly else [*_around(lines, place), *before]
                if self._made_of(name, key, place, " ; ".join((*value, *deciding)), set()):
                    return True
        return False

    def numbers(self, name: Name) -> tuple[frozenset[str], bool]:
        """The numbers that statements write to a state as they stand there, and whether nothing else is written."""
        calls = [(call, given) for _, _, call, given in self._on(name)]
        written = [arguments(given)[-1:] for call, given in calls if call in _WRITES]
        numbers = frozenset(value for values in written for value in values if _NUMBER.fullmatch(value))
        return numbers, all(call for call, _ in calls) and numbers.issuperset(v for values in written for v in values)

    def _on(self, wanted: Name) -> Iterator[tuple[Key, int, str, str]]:
        """Where a handle stands in statements that may run: what is called on it, and what stands behind that."""
        for key, lines in self.lines.items():
            for place, line in enumerate(lines):
                if line.outcome.runs is not Runs.NEVER:
                    yield from ((key, place, call, given) for n, call, given in self._calls(key, line) if n == wanted)

    def _cleared(self, name: Name, key: Key, place: int) -> int | None:
        """How deep the statement stands after which only a statement runs, and which clears a state."""
        lines = self.lines[key]
        depth = lines[place].depth
        for line in reversed(lines[:place]):
            if line.depth <= depth and not line.signature:
                depth = line.depth
                if any(found == name and call == "clear" for found, call, _ in self._calls(key, line)):
                    return depth
        return None

    def _reached(self, entry: Key, runs: Runs) -> list[Key]:
        def called(key: Key) -> Iterator[Key]:
            for line in self.lines[key]:
                if line.outcome.runs >= runs or (line.signature and runs is Runs.SOMETIMES):
                    names = line.names - {method_name(key)} if line.signature else line.names
                    yield from (k for name in sorted(names) for k in self.by_name.get(name, ()))

        return list(reached([entry], called))

    def _calls(self, key: Key, line: Line) -> Iterator[tuple[Name, str, str]]:
        """The handles in a statement, with what is called on each and what stands behind that."""
        for word in WORD.finditer(line.text):
            name = self.handle_of(key, word[1])
            if name is not None and name != key:
                call = CALL.match(line.text, word.end())
                if call is None and line.text.startswith(" = ", word.end()):
                    continue
                yield name, call[1] if call is not None else "", line.text[call.end() :] if call is not None else ""

    def _writes(self, key: Key, wanted: Name) -> Iterator[tuple[int, str]]:
        """The statements that write through a handle, or hand it on, and what they write."""
        for place, line in enumerate(self.lines[key]):
            for name, call, given in self._calls(key, line):
                if (
                    name == wanted
                    and (call in _WRITES or not call)
                    and not leaves_nothing(call, given, self.lines[key])
                ):
                    yield place, given if call else line.text

    def _made_of(self, state: Name, key: Key, place: int, text: str, seen: set[tuple[Key, str]]) -> bool:
        """Whether an expression may depend on what a state holds; ``place`` is its statement's."""
        if GETTER.search(text):
            return True
        for word in WORD.finditer(text):
            handle, call = self.handle_of(key, word[1]), CALL.match(text, word.end())
            if handle is not None and (handle == state or self.may_share(handle, state)):
                if call is None or call[1] not in (*_WRITES, "clear"):
                    return True
            elif handle is not None and call is not None:
                continue  # what another state holds
            elif (key, word[1]) not in seen and not word[1][0].isdigit():
                seen.add((key, word[1]))
                if any(self._made_of(state, k, n, whole, seen) for k, n, whole in self._sources(key, word[1])):
                    return True
        for called in _CALLED.finditer(text):
            for method in self.by_name.get(called[1] or called[2], ()):
                if (method, "") not in seen:
                    seen.add((method, ""))
                    whole = " ; ".join(line.text for line in self.lines[method])
                    if self._made_of(state, method, 0, whole, seen):
                        return True
        return False

    def _sources(self, key: Key, word: str) -> Iterator[tuple[Key, int, str]]:
        """All statements that a variable's value may come from, with those around them."""
        local = LOCAL.fullmatch(word) is not None
        sets, changes = (re.compile(pattern.format(re.escape(word))) for pattern in (_SET, _CHANGED))
        for owner in [key] if local else self.lines:
            lines = self.lines[owner]
            for place, line in enumerate(lines):
                changed = changes.search(line.text)
                whole = sets.search(line.text) or (changed is not None and "- >" in line.text[: changed.start()])
                if (whole or changed is not None) and not line.signature:
                    given = line.text if whole or changed is None else line.text[changed.end() :]
                    yield owner, place, " ; ".join([given, *_around(lines, place)])
        if local and any(line.signature and word in line.text.split() for line in self.lines[key]):
            name = method_name(key)
            for owner, lines in self.lines.items():
                for place, line in enumerate(lines):
                    if name in line.names and not line.signature:  # what the method itself does is known
                        given = re.sub(rf"\b{name} \(", "(", line.text)
                        yield owner, place, " ; ".join([given, *_around(lines, place)])


def _leaves(lines: list[Line], place: int) -> bool:
    """Whether code inside of a statement, or the statement itself, may end its declaration."""
    inside = takewhile(lambda line: line.depth > lines[place].depth, lines[place + 1 :])
    return any(_LEAVES.search(line.text) is not None for line in (lines[place], *inside))


def _around(lines: list[Line], place: int) -> Iterator[str]:
    """The statements around one."""
    depth = lines[place].depth
    for line in reversed(lines[:place]):
        if line.depth < depth and not line.signature:
            depth = line.depth
            yield line.text
