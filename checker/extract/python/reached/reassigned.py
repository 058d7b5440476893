"""Local variables that a function sets again get a name for each value, as far as the order of statements tells.

``name = a`` and ``name = clean(name)`` below it are two values: what stands behind the second never sees the first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MARK: Final = "ʹ"
"""Stands between a variable and the number of its value: a letter, so that the name stays one in Python."""


def with_single_values(function: _Function) -> None:
    """Rename variables that statements of a function's own block set again, from there on."""
    arguments = function.args
    bound = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    shared = frozenset(name for node in function.body for name in _shared(node))
    names: dict[str, str] = {}
    for statement in function.body:
        targets = [name for name in _set_here(statement) if name.id not in shared]
        _rename(statement, names, {id(target) for target in targets})
        for target in targets:
            if target.id in bound:
                number = int(names.get(target.id, "").rpartition(_MARK)[2] or 1) + 1
                names[target.id] = f"{target.id}{_MARK}{number}"
            bound.add(target.id)
            target.id = names.get(target.id, target.id)
        bound.update(n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _set_here(statement: ast.stmt) -> Iterator[ast.Name]:
    """The variables that a statement gives a value which is not made by a loop or a branch."""
    match statement:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target, value=ast.expr()):
            for node in ast.walk(target):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node


def _shared(node: ast.AST) -> Iterator[str]:
    """The names that code sees at other times, and those that are set in other ways than by assignments."""
    match node:
        case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name | ast.arg):
                    yield inner.id if isinstance(inner, ast.Name) else inner.arg
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names
        case ast.Delete(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case (
            ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name) | ast.ExceptHandler(name=str() as name)
        ):
            yield name
        case ast.alias(name=name, asname=asname):
            yield asname or name
    for child in ast.iter_child_nodes(node):
        yield from _shared(child)


def _rename(node: ast.AST, names: dict[str, str], left: set[int]) -> None:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and id(inner) not in left:
            inner.id = names.get(inner.id, inner.id)
