"""Functions as text: equal in two revisions that compute the same, where nothing but layout and names differs."""

from __future__ import annotations

import ast
import hashlib

from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import Class, External, Function, Instance, Scope, Value

_MAX_SHOWN = 120


def function_text(run: Run, function: Value) -> str | None:
    """What a function or an object of the repository computes; None where that is not seen."""
    if isinstance(function, Instance):
        texts = [described(run, attribute) for _, attribute in sorted(function.attributes.items())]
        return f"{ast.dump(function.of.node)} of {texts}" if all(texts) else None
    return "" if function is None else _text(run, function, frozenset())


def key_text(run: Run, selector: Value) -> str | None:
    """What a selector computes, with everything that it calls; None where that is not seen."""
    text = _text(run, selector, frozenset())
    if text is None or len(text) <= _MAX_SHOWN:
        return text
    return f"{text[:_MAX_SHOWN]}… {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _text(run: Run, value: Value, seen: frozenset[int]) -> str | None:
    if isinstance(value, Instance):
        method = value.of.member("get_key")
        if not isinstance(method, Function):
            return None
        attributes = {name: described(run, attribute) for name, attribute in sorted(value.attributes.items())}
        text = _text(run, method, seen)
        return text and (f"{text} of {attributes}" if attributes else text)
    if not isinstance(value, Function) or id(value.body) in seen:
        return None
    parameters = [arg.arg for arg in (*value.arguments.posonlyargs, *value.arguments.args)]
    renamed = {name: f"${number}" for number, name in enumerate(parameters)}
    body = [_Renamed(renamed).visit(_copied(statement)) for statement in value.body if not _is_docstring(statement)]
    text = "; ".join(ast.unparse(statement) for statement in body).removeprefix("return ")
    used = _used(run, value, frozenset(parameters), seen | {id(value.body)})
    if used is None:
        return None
    given = [
        described(run, default) for default in (*value.defaults, *(default for _, default in value.keyword_defaults))
    ]
    return " where ".join([text, *used, *given]) if all(given) else None


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _copied(node: ast.stmt) -> ast.stmt:
    return ast.parse(ast.unparse(node)).body[0] if not isinstance(node, ast.Return) else ast.Return(
        None if node.value is None else ast.parse(ast.unparse(node.value), mode="eval").body
    )  # fmt: skip


class _Renamed(ast.NodeTransformer):
    """Parameters by their place."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A variable."""
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def _used(run: Run, function: Function, own: frozenset[str], seen: frozenset[int]) -> list[str] | None:
    """The variables that a function takes from outside, each with its value."""
    found: list[str] = []
    names = {node.id for statement in function.body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    for name in sorted(names - own):
        scope: Scope | None = function.scope.find(name)
        if scope is None:
            continue
        value = scope.names[name]
        if isinstance(value, Function | Instance):
            text = _text(run, value, seen)
        elif isinstance(value, Class):
            text = ast.dump(value.node)
        else:
            text = value.path if isinstance(value, External) and not value.called else described(run, value)
        if not text:
            return None
        found.append(f"{name} = {text}")
    return found
