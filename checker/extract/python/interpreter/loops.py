"""``for`` and ``while`` loops, and comprehensions: followed as long as what they go over is known."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.assignments import assign
from checker.extract.python.interpreter.containers import elements, holds_flink
from checker.extract.python.interpreter.evaluate import block, value
from checker.extract.python.interpreter.run_state import MAX_ROUNDS, Run, at
from checker.extract.python.interpreter.signals import LoopSignal, StoppedError
from checker.extract.python.interpreter.values import Opaque, Scope, Value, truth, unknown, why
from checker.model.topology import Cause, Location, Unknown


def for_loop(run: Run, node: Any, scope: Scope) -> None:
    """``for ... else``."""
    place = at(node, scope)
    items = elements(run, value(run, node.iter, scope), place)
    if isinstance(items, Opaque):
        _unless_harmless(run, node, scope, items.unknown, "how often a loop runs", place)
        return
    for item in items:
        run.step(node, scope)
        assign(run, node.target, item, scope)
        try:
            block(run, node.body, scope)
        except LoopSignal as signal:
            if not signal.goes_on:
                return
    block(run, node.orelse, scope)


def while_loop(run: Run, node: Any, scope: Scope) -> None:
    """``while ... else``: as long as its condition can be evaluated."""
    place = at(node, scope)
    for _ in range(MAX_ROUNDS):
        run.step(node, scope)
        test = value(run, node.test, scope)
        decided = truth(test)
        if decided is None:
            reason = why(test, f"the condition '{ast.unparse(node.test)[:80]}'")
            _unless_harmless(run, node, scope, reason, "how often a 'while' loop runs", place)
            return
        if not decided:
            block(run, node.orelse, scope)
            return
        try:
            block(run, node.body, scope)
        except LoopSignal as signal:
            if not signal.goes_on:
                return
    raise StoppedError(Unknown(f"a 'while' loop runs more than {MAX_ROUNDS} times", Cause.LIMIT, None, place))


def _unless_harmless(run: Run, node: Any, scope: Scope, reason: Unknown, what: str, place: Location) -> None:
    if not choices.passed_over(run, [*node.body, *node.orelse], scope, reason, node):
        cause = Cause.COLLECTION if reason.cause is Cause.OTHER else reason.cause
        raise StoppedError(Unknown(f"{what} depends on {reason.reason}", cause, reason.settled_by, place))
    if not isinstance(node, ast.While):
        choices.forget(run, [ast.Assign([node.target], ast.Constant(None))], scope, reason, node)


def comprehension(run: Run, node: Any, scope: Scope) -> Value:
    """A list, set, dict or generator comprehension with any number of ``for`` and ``if``."""
    found: list[Any] = []
    try:
        for inner in _rounds(run, node, node.generators, Scope({}, scope.file, scope)):
            if isinstance(node, ast.DictComp):
                found.append((value(run, node.key, inner), value(run, node.value, inner)))
            else:
                found.append(value(run, node.elt, inner))
    except _OpenError as opened:
        if holds_flink(found):
            raise StoppedError(opened.unknown) from None
        return Opaque(opened.unknown)
    keys = [one[0] for one in found] if isinstance(node, ast.DictComp) else found
    if isinstance(node, ast.DictComp | ast.SetComp):
        if not all(isinstance(key, str | int | float | bool | tuple | type(None)) for key in keys):
            return unknown("a key that is not known", Cause.COLLECTION, at(node, scope))
        try:
            return dict(found) if isinstance(node, ast.DictComp) else set(found)
        except TypeError:
            return unknown("a key that is not known", Cause.COLLECTION, at(node, scope))
    return found


class _OpenError(Exception):
    """A comprehension goes over what is not known."""

    def __init__(self, why_not: Unknown) -> None:
        super().__init__()
        self.unknown = why_not


def _rounds(run: Run, node: Any, generators: list[ast.comprehension], scope: Scope) -> Iterator[Scope]:
    if not generators:
        yield scope
        return
    first, *rest = generators
    items = elements(run, value(run, first.iter, scope), at(node, scope))
    if isinstance(items, Opaque):
        raise _OpenError(items.unknown)
    for item in items:
        run.step(node, scope)
        inner = Scope({}, scope.file, scope)
        assign(run, first.target, item, inner)
        tests = [value(run, test, inner) for test in first.ifs]
        decided = [truth(test) for test in tests]
        if None in decided:
            raise _OpenError(why(tests[decided.index(None)], "a condition of a comprehension is not known"))
        if all(decided):
            yield from _rounds(run, node, rest, inner)
