"""What names in functions stand for: variables and what they are set to, members, options, properties."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checker.extract.python.reached.declarations import names_in
from checker.model.gathered import gathered
from checker.model.reaching import reached

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


def names_behind_results(function: FunctionNode) -> frozenset[str]:
    """The variables that what a function gives, or sets in objects, may depend on."""
    if isinstance(function, ast.Lambda):
        return names_in(function.body)
    seen: list[ast.AST] = []
    for node in ast.walk(function):
        match node:
            case ast.Return(value=ast.expr() as value) | ast.Yield(value=ast.expr() as value):
                seen.append(value)
            case ast.YieldFrom(value=value) | ast.If(test=value) | ast.While(test=value):
                seen.append(value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver))) if not isinstance(
                receiver, ast.Attribute
            ):
                seen.append(node)
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                if not all(isinstance(target, ast.Name) for target in targets(node)):
                    seen.append(node)
    values = locals_of(function)
    return frozenset(reached(names_in(*seen), lambda name: names_in(*values.get(name, ()))))


def only_into_attributes(function: FunctionNode) -> frozenset[str]:
    """The local variables that only calls on attributes of ``self`` are given, and that are changed in place."""
    if isinstance(function, ast.Lambda):
        return frozenset()
    values = locals_of(function)
    given: list[ast.AST] = []
    for node in ast.walk(function):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver), args=arguments)):
                own = base_name(receiver) == "self" or (isinstance(receiver, ast.Name) and receiver.id in values)
                given += [] if own else arguments
            case ast.Expr(value=ast.Call(args=arguments)):
                given += arguments
            case ast.Return() | ast.Yield() | ast.YieldFrom() if node.value is not None:
                given.append(node.value)
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign() if node.value is not None:
                given += [] if all(isinstance(target, ast.Name | ast.Tuple) for target in targets(node)) else [node]
    return frozenset(values.keys() - reached(names_in(*given), lambda name: names_in(*values.get(name, ()))).keys())


def base_name(node: ast.expr) -> str | None:
    """The variable that a chain of attributes, entries and calls begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def attribute_of_self(target: ast.expr) -> str | None:
    """The attribute of ``self`` that is set."""
    attribute = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    return target.attr if attribute and isinstance(target, ast.Attribute) else None


def member_of(target: ast.expr) -> str | None:
    """The member that is set: ``row.site``, ``row["site"]``."""
    if isinstance(target, ast.Attribute):
        return target.attr
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        return str(target.slice.value)
    return None


def is_property(function: FunctionNode) -> bool:
    """Whether a method is read as an attribute."""
    decorators = () if isinstance(function, ast.Lambda) else function.decorator_list
    return any(ast.unparse(decorator).rpartition(".")[2] in _PROPERTIES for decorator in decorators)


def option_name(call: ast.Call) -> str:
    """The name that the value of an option gets."""
    named = next((k.value for k in call.keywords if k.arg == "dest"), None)
    flags = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if isinstance(named, ast.Constant):
        return str(named.value)
    return next((f for f in flags if f.startswith("--")), next(iter(flags), "")).lstrip("-").replace("-", "_")
