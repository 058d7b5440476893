"""What the functions of a script put into state as objects: of which collections and classes they consist.

Pickled state has no schema. Code that unpacks a pair fails on a dictionary that an earlier revision left.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from checker.extract.python.reached.bindings import called, locals_of
from checker.extract.python.reached.declarations import Function

_ACCUMULATE = frozenset({"create_accumulator", "add", "merge"})
_WRITES = frozenset({"update", "add", "add_all", "put", "put_all"})
"""Methods of states that take a value, as their last argument."""
_DEPTH = 4

Functions = Callable[[str], Iterable[Function]]
"""The functions of a name."""


def kept_shapes(methods: Iterable[Function], functions: Functions) -> frozenset[str]:
    """The shapes of collections and objects that methods write to state, or return as accumulators."""
    found: set[str] = set()
    for method in methods:
        values = locals_of(method)
        for value in _kept(method):
            found.update(_shapes(value, values, functions, 0))
    return frozenset(shape for shape in found if shape != _PLAIN)


_PLAIN = "value"


def _kept(method: Function) -> Iterator[ast.expr]:
    for node in ast.walk(method):
        if isinstance(node, ast.Return) and node.value is not None and method.name in _ACCUMULATE:
            yield node.value
        elif isinstance(node, ast.Call) and called(node) in _WRITES and node.args:
            receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
            if isinstance(receiver, ast.Attribute | ast.Call):
                yield node.args[-1]


def _shapes(node: ast.expr, values: dict[str, tuple[ast.expr, ...]], functions: Functions, depth: int) -> set[str]:
    """Every shape that an expression may have."""
    if depth > _DEPTH:
        return {_PLAIN}

    def one_of(part: ast.expr) -> str:
        return " or ".join(sorted(_shapes(part, values, functions, depth + 1)))

    match node:
        case ast.Tuple(elts=parts):
            return {f"({', '.join(map(one_of, parts))})"}
        case ast.Dict(keys=keys):
            names = sorted(str(key.value) for key in keys if isinstance(key, ast.Constant))
            return {f"{{{', '.join(names)}}}"}
        case ast.List() | ast.ListComp():
            return {"list"}
        case ast.Set() | ast.SetComp():
            return {"set"}
        case ast.DictComp():
            return {"{}"}
        case ast.Subscript(value=whole, slice=ast.Slice()):
            return _shapes(whole, values, functions, depth)
        case ast.IfExp(body=body, orelse=orelse):
            return _shapes(body, values, functions, depth) | _shapes(orelse, values, functions, depth)
        case ast.BoolOp(values=parts):
            return {shape for part in parts for shape in _shapes(part, values, functions, depth)}
        case ast.Name(id=name) if name in values:
            found = {s for value in values[name] for s in _shapes(value, values, functions, depth + 1)}
            return found - {_PLAIN} or {_PLAIN}
        case ast.Call():
            return _made(node, values, functions, depth)
    return {_PLAIN}


def _made(node: ast.Call, values: dict[str, tuple[ast.expr, ...]], functions: Functions, depth: int) -> set[str]:
    name = called(node)
    if name[:1].isupper() or name in ("list", "set", "tuple", "deque", "defaultdict", "OrderedDict"):
        return {name}
    if name == "_replace" and isinstance(node.func, ast.Attribute):
        return _shapes(node.func.value, values, functions, depth)
    if name == "dict":
        return {f"{{{', '.join(sorted(keyword.arg or '' for keyword in node.keywords))}}}"}
    return {
        shape
        for function in functions(name)
        for inner in ast.walk(function)
        if isinstance(inner, ast.Return) and inner.value is not None
        for shape in _shapes(inner.value, locals_of(function), functions, depth + 1)
    } or {_PLAIN}
