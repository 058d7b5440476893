"""What code that is not known may do: with what it is handed, and what running a function once more could change."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import Bound, External, Function, Guarded, Partial, Value

_READING = frozenset({
    "get", "items", "keys", "values", "upper", "lower", "strip", "lstrip", "rstrip", "replace", "split", "rsplit",
    "join", "startswith", "endswith", "format", "title", "zfill", "count", "index", "find", "encode", "decode",
    "copy", "partition", "rpartition", "removeprefix", "removesuffix", "isdigit", "isalpha",
})  # fmt: skip
"""Names of methods that change nothing, whatever they are called on."""
_PURE = frozenset({
    "str", "int", "float", "bool", "len", "abs", "min", "max", "sum", "sorted", "repr", "list", "tuple", "dict",
    "set", "frozenset", "range", "enumerate", "zip", "any", "all", "round", "isinstance", "reversed", "chr",
    "ord", "hash", "type", "divmod",
})  # fmt: skip


def may_do_something(run: Run, target: Value, seen: frozenset[int] = frozenset()) -> bool:
    """Whether calling a value could change anything but its own variables. True when in doubt."""
    if isinstance(target, Partial):
        return may_do_something(run, target.function, seen)
    if isinstance(target, External):
        return target.path.removeprefix("builtins.") not in _PURE
    if isinstance(target, Bound):
        return isinstance(target.owner, Guarded) or target.name not in _READING
    if isinstance(target, Function):
        if id(target.body) in seen:
            return False
        inner = seen | {id(target.body)}
        return any(_changes(run, node, target, inner) for node in _nodes(target.body))
    return isinstance(target, Guarded)


def _nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def _changes(run: Run, node: ast.AST, function: Function, seen: frozenset[int]) -> bool:
    if isinstance(node, ast.Call):
        return not _harmless_call(run, node.func, function, seen)
    if isinstance(node, ast.Attribute | ast.Subscript):
        return not isinstance(node.ctx, ast.Load)
    return isinstance(
        node,
        ast.Global | ast.Nonlocal | ast.Await | ast.With | ast.AsyncWith | ast.Delete | ast.Import | ast.ImportFrom
        | ast.AugAssign | ast.Raise | ast.ClassDef,
    )  # fmt: skip


def _harmless_call(run: Run, called: ast.expr, function: Function, seen: frozenset[int]) -> bool:
    if isinstance(called, ast.Attribute):
        return called.attr in _READING
    if not isinstance(called, ast.Name) or called.id in {node.arg for node in ast.walk(function.arguments)
                                                         if isinstance(node, ast.arg)}:  # fmt: skip
        return False
    found = function.scope.find(called.id)
    if found is None:
        return called.id in _PURE
    known = found.names[called.id]
    return isinstance(known, Function) and not may_do_something(run, known, seen)


def reached(function: Function) -> Iterator[Value]:
    """What a function could change when it is called: its object, defaults, and the variables that it names."""
    yield function.bound
    yield from function.defaults
    yield from (default for _, default in function.keyword_defaults)
    for name in {node.id for node in _nodes(function.body) if isinstance(node, ast.Name)}:
        scope = function.scope.find(name)
        if scope is not None:
            yield scope.names[name]
