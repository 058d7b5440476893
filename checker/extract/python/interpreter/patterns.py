"""``match``: literals, names, sequences, mappings and classes as patterns."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.derived_from import described_node
from checker.extract.python.interpreter.descriptions import described, part
from checker.extract.python.interpreter.evaluate import block, value
from checker.extract.python.interpreter.operations import compare
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.values import (
    Class,
    External,
    Guarded,
    Instance,
    Opaque,
    Scope,
    Value,
    truth,
    unknown,
    why,
)
from checker.extract.python.library.plain_methods import python_type

_SELF_MATCHING = (str, int, float, bool, bytes, list, tuple, dict, set, frozenset)
"""Classes whose pattern ``str(x)`` gives the whole value."""


def match_statement(run: Run, node: Any, scope: Scope) -> None:
    """The first case that fits; where that is not known, one after the other."""
    subject = value(run, node.subject, scope)
    reason = why(subject, "what a 'match' statement looks at is not known")
    if isinstance(subject, Opaque):
        everything = [statement for case in node.cases for statement in case.body]
        if choices.passed_over(run, everything, scope, reason, node):
            return
    for case in node.cases:
        taken = _fits(run, case.pattern, subject, scope)
        if taken is not False and case.guard is not None:
            guard = truth(value(run, case.guard, scope))
            taken = False if guard is False else None if guard is None else taken
        if taken is None:
            text = f"{ast.unparse(node.subject)} is {ast.unparse(case.pattern)}"
            name = (
                f"{subject.symbol} Eq {ast.unparse(case.pattern)}"
                if isinstance(subject, Opaque) and subject.name
                else ""
            )
            tested = replace(Opaque(reason, name), derived_from=_tested(run, subject, case, scope))
            taken = choices.choose(run, tested, text, at(case.pattern, scope))
        if taken:
            block(run, case.body, scope)
            return


def _tested(run: Run, subject: Value, case: ast.match_case, scope: Scope) -> str:
    """The tests of a case; empty where its pattern refers to other values."""
    subject_text = described(run, subject)
    if not subject_text or any(isinstance(node, ast.Attribute | ast.MatchClass) for node in ast.walk(case.pattern)):
        return ""
    guard = described_node(run, case.guard, scope) if case.guard else "True"
    return f"{subject_text} is {ast.unparse(case.pattern)} and {guard}" if guard else ""


def _fits(run: Run, pattern: Any, subject: Value, scope: Scope) -> bool | None:
    """Whether a pattern fits, None where that is not known; names are bound on the way."""
    if isinstance(pattern, ast.MatchAs):
        fits = True if pattern.pattern is None else _fits(run, pattern.pattern, subject, scope)
        if pattern.name is not None:
            scope.names[pattern.name] = subject
        return fits
    if isinstance(pattern, ast.MatchOr):
        results = [_fits(run, alternative, subject, scope) for alternative in pattern.patterns]
        return True if True in results else None if None in results else False
    if isinstance(subject, Opaque):
        _bind_unknown(pattern, subject, scope)
        return None
    if isinstance(pattern, ast.MatchSingleton):
        return subject is pattern.value
    if isinstance(pattern, ast.MatchValue):
        expected = value(run, pattern.value, scope)
        if isinstance(expected, Opaque | External) or isinstance(subject, External):
            return None
        return truth(compare(run, ast.Eq(), subject, expected, at(pattern, scope)))
    if isinstance(pattern, ast.MatchSequence):
        return _sequence(run, pattern, subject, scope)
    if isinstance(pattern, ast.MatchMapping):
        return _mapping(run, pattern, subject, scope)
    if isinstance(pattern, ast.MatchClass):
        of = value(run, pattern.cls, scope)
        if isinstance(of, Class) and not isinstance(subject, Guarded):
            return False
        known = python_type(of)
        if known in _SELF_MATCHING and not pattern.kwd_patterns and not isinstance(subject, Guarded):
            if not isinstance(subject, known):
                return False
            return _all([_fits(run, p, subject, scope) for p in pattern.patterns])
        if isinstance(of, Class) and isinstance(subject, Instance) and of not in subject.of.ancestors():
            return False
        fields = [name for name, _ in of.fields or ()] if isinstance(of, Class) else []
        if isinstance(of, Class) and isinstance(subject, Instance) and len(pattern.patterns) <= len(fields):
            names = [*fields[: len(pattern.patterns)], *pattern.kwd_attrs]
            parts = zip(names, [*pattern.patterns, *pattern.kwd_patterns], strict=True)
            return _all([_fits(run, p, subject.attributes.get(a, unknown("an attribute")), scope) for a, p in parts])
        _bind_unknown(pattern, Opaque(unknown("a part of an object").unknown), scope)
        return None
    return None


def _bind_unknown(pattern: Any, subject: Opaque, scope: Scope) -> None:
    """The names of a pattern that may fit, as parts of a value that is not known."""
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            described_part = part(subject.derived_from, f"{node.name} of {ast.unparse(pattern)}")
            scope.names[node.name] = Opaque(subject.unknown, derived_from=described_part)


def _sequence(run: Run, pattern: ast.MatchSequence, subject: Value, scope: Scope) -> bool | None:
    if not isinstance(subject, list | tuple):
        return None if isinstance(subject, Guarded) else False
    star = next((i for i, part in enumerate(pattern.patterns) if isinstance(part, ast.MatchStar)), None)
    if star is None:
        if len(subject) != len(pattern.patterns):
            return False
        return _all([_fits(run, p, item, scope) for p, item in zip(pattern.patterns, subject, strict=True)])
    behind = len(pattern.patterns) - star - 1
    if len(subject) < star + behind:
        return False
    middle = pattern.patterns[star]
    if isinstance(middle, ast.MatchStar) and middle.name:
        scope.names[middle.name] = list(subject[star : len(subject) - behind])
    ends = [*pattern.patterns[:star], *pattern.patterns[star + 1 :]]
    parts = [*subject[:star], *subject[len(subject) - behind :]]
    return _all([_fits(run, p, item, scope) for p, item in zip(ends, parts, strict=True)])


def _mapping(run: Run, pattern: ast.MatchMapping, subject: Value, scope: Scope) -> bool | None:
    if not isinstance(subject, dict):
        return None if isinstance(subject, Guarded) else False
    keys = [value(run, key, scope) for key in pattern.keys]
    if any(key not in subject for key in keys):
        return False
    if pattern.rest:
        scope.names[pattern.rest] = {k: v for k, v in subject.items() if k not in keys}
    return _all([_fits(run, p, subject[k], scope) for k, p in zip(keys, pattern.patterns, strict=True)])


def _all(results: list[bool | None]) -> bool | None:
    return False if False in results else None if None in results else True
