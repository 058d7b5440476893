"""What names in functions stand for: variables and what they are set to, members, options, properties."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checker.extract.python.reached.declarations import names_in
from checker.model.gathered import gathered

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_PROPERTIES = frozenset({"property", "cached_property"})


def called(node: ast.Call) -> str:
    """The simple name of what a call calls."""
    function = node.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return str(name).rpartition(".")[2]


def parameters(function: FunctionNode) -> list[str]:
    """Names of the parameters that a function takes by place or by name."""
    return [argument.arg for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]


def arguments(function: FunctionNode, call: ast.Call | None) -> dict[str, ast.expr]:
    """The parameters that a call gives a value, and those that have a default. Without a call, only the latter."""
    by_place = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    defaults = function.args.defaults
    found = dict(zip(by_place[len(by_place) - len(defaults) :], defaults, strict=True))
    by_name = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    found.update({argument.arg: default for argument, default in by_name if default is not None})
    if call is not None:
        bound = by_place[:1] in (["self"], ["cls"])
        found.update(zip(by_place[1:] if bound else by_place, call.args, strict=False))
        found.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
    return found


def locals_of(function: FunctionNode) -> dict[str, tuple[ast.expr, ...]]:
    """What each local variable is set to, wherever that is; of several values also what decides between them."""
    values = gathered((name, value) for node in ast.walk(function) for name, value in set_in(node))
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.While):
            for name in {name for inner in ast.walk(node) for name, _ in set_in(inner)}:
                if len(values[name]) > 1 and name not in names_in(node.test):
                    values[name].append(node.test)
    return {name: tuple(found) for name, found in values.items()}


def set_in(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The variables that a node itself sets, and what to; the parts of a tuple by their place."""
    match node:
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr() if node.value is not None:
            for target in targets(node):
                yield from _unpacked(target, node.value)
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            for value in _one_by_one(node.iter) or [node.iter]:
                yield from _unpacked(node.target, value)
        case ast.withitem(optional_vars=ast.expr() as target):
            yield from _unpacked(target, node.context_expr)


def _unpacked(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List):
        written_out = _one_by_one(value) if not any(isinstance(e, ast.Starred) for e in target.elts) else []
        for number, element in enumerate(target.elts):
            inner = element.value if isinstance(element, ast.Starred) else element
            of_all = ast.Subscript(value, ast.Constant(number), ast.Load())
            yield from _unpacked(inner, written_out[number] if number < len(written_out) else of_all)


def _one_by_one(value: ast.expr) -> list[ast.expr]:
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    return [] if any(isinstance(part, ast.Starred) for part in parts) else parts


def targets(node: ast.AST) -> list[ast.expr]:
    """What an assignment sets."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) else []


def conditions(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    """The conditions under which a function gives its results."""
    for node in ast.walk(function):
        results = ast.Return | ast.Yield
        if isinstance(node, ast.If | ast.While) and any(
            isinstance(inner, results) and inner.value is not None for inner in ast.walk(node)
        ):
            yield node.test


def member_of(target: ast.expr) -> str | None:
    """The member that is set: ``row.site``, ``row["site"]``."""
    if isinstance(target, ast.Attribute):
        return target.attr
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        return str(target.slice.value)
    return None
