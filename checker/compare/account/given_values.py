"""Functions whose code makes no use any more of what Flink gives them, or no longer does what it is there for.

Flink gives sinks records, transactions and committables; windows and patterns what lies in their state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from checker.compare.account.kept_writes import arguments
from checker.model.program_code import Goes, Key, Part, ProgramCode, Runs, Statement
from checker.model.reaching import reached
from checker.model.used_states import by_method, method_name

_GIVEN: Final[Mapping[str, Mapping[str, tuple[int, ...]]]] = {
    "TwoPhaseCommitSinkFunction": {"commit": (0,), "recoverAndCommit": (0,), "preCommit": (0,), "invoke": (0, 1)},
    "Committer": {"commit": (0,)},
    "SinkWriter": {"write": (0,), "prepareCommit": ()},
    "ProcessWindowFunction": {"process": (2,)},
    "ProcessAllWindowFunction": {"process": (1,)},
    "WindowFunction": {"apply": (2,)},
    "AllWindowFunction": {"apply": (1,)},
    "PatternProcessFunction": {"processMatch": (0,)},
    "SplitEnumerator": {"addSplitsBack": (0,)},
    "Trigger": dict.fromkeys(
        ("onElement", "onEventTime", "onProcessingTime", "on_element", "on_event_time", "on_processing_time"), ()
    ),
}
"""By class of Flink: the methods that are given something, and by their number the parameters that hold it."""
_CARRIES_OUT: Final[Mapping[str, tuple[str, ...]]] = {
    "TwoPhaseCommitSinkFunction": ("preCommit", "commit", "recoverAndCommit"),
    "Committer": ("commit",),
    "SinkWriter": ("flush", "prepareCommit"),
}
"""By class of Flink: the methods that write what was collected, or make it visible."""
_ABORTS: Final = ("abort", "recoverAndAbort")
_FORGETS: Final = frozenset(
    {"clear", "remove", "removeAll", "removeIf", "poll", "reset", "size", "isEmpty", "get", "requireNonNull", "close"}
)
"""Calls after which what was collected is nowhere."""
_CALL: Final = re.compile(
    r"(?<!new )\b(?:([A-Z]\w*) \. )?(?!(?:if|for|while|switch|catch|try|return|synchronized|super|this)\b)([a-z]\w*) \("
)
_REFERRED: Final = re.compile(r": : ([a-z]\w*)")
_DOES: Final = {
    "SplitEnumerator": re.compile(r"\bassignSplits? \("),
    "SourceReader": re.compile(r"\. collect \("),
}
"""What some method of such a class does: without it, what a savepoint holds for it is never used."""
_MEANS: Final = re.compile(r"\w*(?:Context|Output)(?: < [^>]* >)? ([\w$]+)")
"""A parameter or field for what an enumerator or a reader does this with."""
_FIRES: Final = re.compile(r"\bTriggerResult ?\. ?FIRE")
_FIRES_ONLY: Final = re.compile(r"\bTriggerResult ?\. ?FIRE\b")
_PURGES: Final = re.compile(r"\bTriggerResult ?\. ?(?:FIRE_AND_)?PURGE\b")
_EMPTY: Final = re.compile(
    r"return (?:[\w. ]*\b(?:List|Set|Collections) \. (?:of|empty\w+)(?: < [^()]* >)? \( \)|null) ?;?"
)


def no_longer_used(base: ProgramCode, head: ProgramCode) -> frozenset[Key]:
    """The declarations with a part in methods that make no use of what these are given any more."""
    found: set[Key] = set()
    for owner in base.owners & head.owners:
        kinds = set(_kinds(base, owner)) if base.ancestors(owner) else set()
        for key in _methods(base, owner, kinds):
            if key in head.declarations and not _used(base, key, kinds) <= _used(head, key, kinds):
                found |= _reached(base, key) | _reached(head, key)
        for kind in kinds & _CARRIES_OUT.keys():
            for name in _CARRIES_OUT[kind]:
                if _forgets(base, head, owner, name):
                    found.update(*(_reached(code, key) for code in (base, head) for key in _named(code, owner, name)))
        for kind in kinds & _DOES.keys():
            if _does(base, owner, _DOES[kind]) and not _does(head, owner, _DOES[kind]):
                found.update(base.by_owner[owner], head.by_owner[owner])
    return frozenset(found)


def _forgets(base: ProgramCode, head: ProgramCode, owner: str, name: str) -> bool:
    """Whether a method does nothing any more but to empty things, or what is done when a transaction is aborted."""
    nothing = _FORGETS.union(*(_acts(base, key) for aborting in _ABORTS for key in _named(base, owner, aborting)))
    before, after = ([_acts(code, key) for key in _named(code, owner, name)] for code in (base, head))
    return len(before) == len(after) == 1 and after[0] <= nothing and not before[0] <= nothing


def _named(code: ProgramCode, owner: str, name: str) -> list[Key]:
    return [key for key in code.by_owner[owner] if method_name(key) == name]


def _acts(code: ProgramCode, first: Key) -> frozenset[str]:
    """The methods of libraries that a method leads to."""
    own: dict[tuple[str, int | None], list[Key]] = {}
    for key in code.declarations:
        if "(" in key[1]:
            for count in (len(_parameters(code, key)), None):
                own.setdefault((method_name(key), count), []).append(key)
    found: set[str] = set()
    pending, seen = [first], set[Key]()
    while pending:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        for statement in code.detail(key).statements[1:]:
            if statement.logs or code.outcome(key, statement).runs is Runs.NEVER:
                continue
            text = statement.tokens
            calls: list[tuple[str, int | None]] = [(name, None) for name in _REFERRED.findall(text)]
            for call in _CALL.finditer(text):
                if call[1] and not code.named(call[1]):
                    found.add(call[2])
                else:
                    calls.append((call[2], len(arguments(text[call.end() :]))))
            found.update(name for name, count in calls if (name, count) not in own)
            pending += [called for call in calls for called in own.get(call, ())]
    return frozenset(found)


def _methods(code: ProgramCode, owner: str, kinds: set[str]) -> Iterator[Key]:
    names = {name for kind in kinds for name in _GIVEN.get(kind, ())}
    for key in code.by_owner[owner] if names else ():
        if code.declarations[key].part is Part.METHOD and method_name(key) in names:
            yield key


def _kinds(code: ProgramCode, owner: str) -> Iterator[str]:
    for name in code.ancestors(owner):
        plain = name.removeprefix("Rich")
        if plain in _GIVEN or plain in _DOES:
            yield plain
        elif name.endswith("SinkWriter"):
            yield "SinkWriter"


def _running(code: ProgramCode, key: Key) -> list[Statement]:
    """The statements of a method that have an effect, without the line of its name that Java has."""
    return [
        statement
        for statement in code.detail(key).statements["(" in key[1] :]
        if (outcome := code.outcome(key, statement)).runs is not Runs.NEVER and outcome.goes is not Goes.NOWHERE
    ]


def _does(code: ProgramCode, owner: str, deed: re.Pattern[str]) -> bool:
    """Whether a class does something in any of its methods, or gives what it does this with to other code."""
    members = [key for key in code.by_owner[owner] if code.declarations[key].part in (Part.METHOD, Part.FIELD)]
    fields = [key for key in members if code.declarations[key].part is Part.FIELD]
    means = {key: _MEANS.findall(code.detail(key).statements[0].tokens) for key in members}
    of_fields = [word for key in fields for word in means[key]]
    for key in members:
        if code.declarations[key].part is Part.METHOD and not key[1].startswith("<"):
            words = "|".join(map(re.escape, (*of_fields, *means[key])))
            given = re.compile(rf"[(,] (?:this \. )?(?:{words})(?= [,)])") if words else deed
            if any(deed.search(s.tokens) or given.search(s.tokens) for s in _running(code, key)):
                return True
    return False


def _used(code: ProgramCode, key: Key, kinds: set[str]) -> frozenset[str]:
    """The parameters of a method that it makes use of; a result counts as one, and that a window keeps its elements."""
    name = method_name(key)
    numbers = {number for kind in kinds for number in _GIVEN.get(kind, {}).get(name, ())}
    statements = _running(code, key)
    given = [word for n, word in enumerate(_parameters(code, key)) if n in numbers]
    found = {word for word in given if any(word in statement.tokens.split() for statement in statements)}
    if any(s.tokens.startswith("return ") and _EMPTY.fullmatch(s.tokens) is None for s in statements):
        found.add("result")
    if "Trigger" in kinds:
        called = frozenset().union(*(statement.names for statement in statements))
        helpers = [k for k in code.by_owner[key[0]] if k != key and method_name(k) in called]
        texts = [s.tokens for s in (*statements, *(s for k in helpers for s in _running(code, k)))]
        found.update({"fires"} if any(map(_FIRES.search, texts)) else ())
        found.update({"fires and keeps"} if any(map(_FIRES_ONLY.search, texts)) else ())
    whole = code.by_owner[key[0]] if "Trigger" in kinds else ()
    if not any(_PURGES.search(s.tokens) for k in whole for s in code.detail(k).statements):
        found.add("keeps")
    return frozenset(found)


def _parameters(code: ProgramCode, key: Key) -> list[str]:
    return re.findall(r"\$\d+", code.detail(key).statements[0].tokens)


def _reached(code: ProgramCode, first: Key) -> set[Key]:
    """A method, and all that its statements may lead to."""
    by_name = by_method(code.declarations)

    def mentioned(key: Key) -> Iterator[Key]:
        names = {name for statement in code.detail(key).statements for name in statement.names}
        return (k for name in names for k in by_name.get(name, ()))

    return set(reached([first], mentioned))
