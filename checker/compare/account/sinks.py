"""Sinks whose code no longer writes what it is given: records, and transactions or committables of a savepoint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from checker.model.program_code import Goes, Key, Part, ProgramCode, Runs

_GIVEN: Final = {
    "TwoPhaseCommitSinkFunction": {"commit": 1, "recoverAndCommit": 1, "preCommit": 1, "invoke": 2},
    "Committer": {"commit": 1},
    "SinkWriter": {"write": 1},
}
"""By class of Flink: the methods that are given something to write, and how many of their parameters that are."""
_EMPTY: Final = re.compile(
    r"return (?:[\w. ]*\b(?:List|Set|Collections) \. (?:of|empty\w+)(?: < [^()]* >)? \( \)|null) ?;?"
)


def no_longer_written(base: ProgramCode, head: ProgramCode) -> frozenset[Key]:
    """The declarations with a part in methods of sinks that make no use of what these are given any more."""
    found: set[Key] = set()
    for owner in base.owners & head.owners:
        for key in _methods(base, owner):
            if key in head.declarations and not _written(base, key) <= _written(head, key):
                found |= _reached(base, key) | _reached(head, key)
    return frozenset(found)


def _methods(code: ProgramCode, owner: str) -> Iterator[Key]:
    names = {name for kind in _kinds(code, owner) for name in (*_GIVEN[kind], "prepareCommit")}
    for key in code.by_owner[owner] if names else ():
        if code.declarations[key].part is Part.METHOD and key[1].partition("(")[0] in names:
            yield key


def _kinds(code: ProgramCode, owner: str) -> Iterator[str]:
    for name in code.ancestors(owner):
        if name in _GIVEN:
            yield name
        elif name.endswith("SinkWriter"):
            yield "SinkWriter"


def _written(code: ProgramCode, key: Key) -> frozenset[str]:
    """The parameters of a method that it makes use of; a result counts as one."""
    signature, *statements = code.detail(key).statements
    name = key[1].partition("(")[0]
    count = max((_GIVEN[kind].get(name, 0) for kind in _kinds(code, key[0])), default=0)
    used = [
        statement
        for statement in statements
        if (outcome := code.outcome(key, statement)).runs is not Runs.NEVER and outcome.goes is not Goes.NOWHERE
    ]
    given = re.findall(r"\$\d+", signature.tokens)[:count]
    found = {word for word in given if any(word in statement.tokens.split() for statement in used)}
    if any(s.tokens.startswith("return ") and _EMPTY.fullmatch(s.tokens) is None for s in used):
        found.add("result")
    return frozenset(found)


def _reached(code: ProgramCode, first: Key) -> set[Key]:
    """A method, and all that its statements may lead to."""
    by_name: dict[str, list[Key]] = {}
    for key in code.declarations:
        by_name.setdefault(key[1].partition("(")[0], []).append(key)
    found: set[Key] = set()
    pending = [first]
    while pending:
        key = pending.pop()
        if key not in found:
            found.add(key)
            names = {name for statement in code.detail(key).statements for name in statement.names}
            pending.extend(k for name in names for k in by_name.get(name, ()))
    return found
