"""Evaluates expressions, runs statements and calls values, each by the handler of its kind (see ``language.py``)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from checker.extract.interpreting.memory import place_of
from checker.extract.python.interpreter.choices import another, with_expression
from checker.extract.python.interpreter.containers import current
from checker.extract.python.interpreter.descriptions import described_call
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.values import Arguments, Bound, External, Opaque, Scope, Value, unknown
from checker.model.unknowns import Cause, Location

EXPRESSIONS: dict[type[ast.expr], Callable[[Run, Any, Scope], Value]] = {}
STATEMENTS: dict[type[ast.stmt], Callable[[Run, Any, Scope], None]] = {}
RESOLVERS: dict[type, tuple[Resolver, ...]] = {}
_NOT_FOLLOWED = frozenset({Cause.EXTERNAL, Cause.REFLECTION, Cause.UNSUPPORTED, Cause.LIMIT, Cause.SYNTAX, Cause.OTHER})


def value(run: Run, node: ast.expr, scope: Scope) -> Value:
    """The value of an expression; unknown with the reason where it is not known."""
    run.step(node, scope)
    if isinstance(node, ast.Constant):
        return node.value
    outer, run.parts = run.parts, {}
    try:
        handler = EXPRESSIONS.get(type(node))
        if handler is not None:
            found = handler(run, node, scope)
        else:
            shown = ast.unparse(node)[:60]
            found = unknown(f"an expression that is not followed: {shown}", Cause.UNSUPPORTED, at(node, scope))
        if isinstance(found, Opaque):
            found = with_expression(run, node, found, scope)
    finally:
        run.parts = outer
    outer.setdefault(id(node), (node, []))[1].append(found)
    return found


def block(run: Run, body: list[ast.stmt], scope: Scope) -> None:
    """Run statements in order."""
    outer = run.parts
    try:
        for statement in body:
            run.step(statement, scope)
            run.parts = {}
            handler = STATEMENTS.get(type(statement))
            if handler is not None:
                handler(run, statement, scope)
    finally:
        run.parts = outer


def call(run: Run, target: Value, arguments: Arguments, place: Location) -> Value:
    """The result of calling a value; one that is not known is described by the call unless followed code made it."""
    changed = len(run.changed)
    if isinstance(target, Bound):
        record = Call(target, arguments, place, current(run, target.owner), target.name)
    else:
        record = Call(target, arguments, place, name=target.path if isinstance(target, External) else "")
    resolvers = RESOLVERS.get(type(target), RESOLVERS[object])
    found = next(answer[0] for resolver in resolvers if (answer := resolver(run, record)) is not None)
    if not isinstance(found, Opaque):
        return found
    if found.unknown.cause in _NOT_FOLLOWED:
        run.limits.trace.gap(place.file, place_of(place.line, place.column - 1))
    passed_through = isinstance(target, External | Bound | Opaque) and any(
        found is argument for argument in arguments.all()
    )
    if found.derived_from is None or passed_through:
        found = replace(another(found), derived_from=described_call(run, target, arguments, changed))
    return found


@dataclass(frozen=True, slots=True)
class Call:
    """One call. Methods of objects that the repository does not define have their object beside their name."""

    target: Value
    arguments: Arguments
    place: Location
    receiver: Value = None
    """The object whose method it is; None for functions and classes."""
    name: str = ""
    """The method's name, or the dotted path of something from outside; empty for code of the repository."""

    @property
    def positional(self) -> list[Value]:
        """Arguments that are given by their place."""
        return self.arguments.positional

    @property
    def keywords(self) -> dict[str, Value]:
        """Arguments that are given by their name; ``**`` holds those that are not known one by one."""
        return self.arguments.keywords

    def argument(self, place: int, name: str, default: Value = None) -> Value:
        """One argument, by its place or its name."""
        return self.arguments.get(place, name, default)

    @property
    def first(self) -> Value:
        """The first argument, however it is given."""
        return next(iter(self.arguments.all()), None)

    def having(self, *positional: Value, **keywords: Value) -> Call:
        """The same call with other arguments."""
        return replace(self, arguments=Arguments(list(positional), keywords))


Answer = tuple[Value] | None
"""What comes of a call, in a tuple of its own; None where a resolver does not know the call."""
Resolver = Callable[[Run, Call], Answer]
