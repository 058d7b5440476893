"""What an unknown value is derived from: the expression or statement that gives it, with the values that go in.

Equal in two revisions that make it alike; an empty text says that it depends on code which was not followed.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace
from typing import Any

from checker.extract.python.interpreter.descriptions import Description, NotDescribedError, bracketed, described, within
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import UnclearError
from checker.extract.python.interpreter.values import Opaque, Scope, Value

_PASSED_ON = (ast.Name, ast.Attribute, ast.Subscript, ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.Await, ast.Call)
"""Expressions that may give a value which something else made."""


def with_expression(run: Run, node: ast.expr, found: Opaque, scope: Scope) -> Opaque:
    """The value of an expression, described by the expression where nothing else has made it."""
    if found.derived_from is not None and isinstance(node, _PASSED_ON):
        return found
    text = "" if isinstance(node, ast.Name) else _rendered(run, [node], run.parts, scope)
    return replace(found if isinstance(node, ast.IfExp) else another(found), derived_from=text)


def another(found: Opaque) -> Opaque:
    """A value computed from an unknown one, whose possible values are not those of the new one."""
    return replace(found, unknown=replace(found.unknown, options=())) if found.unknown.options else found


def with_statements(run: Run, found: Opaque, name: str, whole: ast.stmt, scope: Scope) -> Opaque:
    """A variable that a statement may have given another value, described by it and by the values before it."""
    imports = any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(whole))
    text = "" if imports else _rendered(run, [whole], {}, scope)
    known = scope.find(name)
    before = "nothing" if known is None else described(run, known.names[name])
    return replace(found, derived_from=within(run, f"{name} of {before} after {text}") if text and before else "")


Parts = dict[int, tuple[ast.AST, list[Value]]]


def _rendered(run: Run, nodes: list[ast.AST], parts: Parts, scope: Scope) -> str:
    """The text of nodes with variables and evaluated parts described by their values."""
    try:
        texts = (ast.unparse(_Substituted(run, node, parts, scope).of(node)) for node in nodes)
        return within(run, "; ".join(texts).replace(":\n    ", ": ").replace("\n", "; "))
    except (NotDescribedError, UnclearError, RecursionError, ValueError):
        return ""


class _Substituted:
    """A tree with descriptions in it."""

    def __init__(self, run: Run, whole: ast.AST, parts: Parts, scope: Scope) -> None:
        self.run = run
        self.parts = parts
        self.scope = scope
        self.text = Description(run)
        self.bound = _bound_in(whole)

    def of(self, node: Any) -> Any:
        if not isinstance(node, ast.AST):
            return [self.of(item) for item in node] if isinstance(node, list) else node
        values = self.parts.get(id(node))
        if values is not None:
            return ast.Name(id=bracketed(" | ".join(self.text.of(value) for value in values[1])), ctx=ast.Load())
        if isinstance(node, ast.Name):
            return self._variable(node)
        if isinstance(node, ast.JoinedStr):
            return ast.Name(id=self._joined(node), ctx=ast.Load())
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return ast.Name(id=self.text.text(node.value), ctx=ast.Load())
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            return ast.Subscript(value=self.of(node.value), slice=node.slice, ctx=ast.Load())
        self.text.left -= 1
        made = type(node)(**{name: self.of(getattr(node, name, None)) for name in node._fields})
        return ast.copy_location(made, node)

    def _variable(self, node: ast.Name) -> ast.Name:
        known = self.scope.find(node.id)
        if known is not None and isinstance(node.ctx, ast.Load):
            before = bracketed(self.text.of(known.names[node.id]))
            return ast.Name(id=f"{node.id}≔{before}" if node.id in self.bound else before, ctx=node.ctx)
        if node.id in self.bound or hasattr(builtins, node.id):
            return node
        raise NotDescribedError

    def _joined(self, node: ast.JoinedStr) -> str:
        shown: list[str] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                text = ast.unparse(self.of(part.value))
                conversion = f"!{chr(part.conversion)}" if part.conversion > 0 else ""
                template = f":{self._joined(part.format_spec)}" if isinstance(part.format_spec, ast.JoinedStr) else ""
                shown.append(f"{text}{conversion}{template}")
            else:
                shown.append(ast.unparse(self.of(part)))
        return f"text({', '.join(shown)})"


def _bound_in(whole: ast.AST) -> frozenset[str]:
    """Names that a node gives values itself."""
    found: set[str] = set()
    for node in ast.walk(whole):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return frozenset(found)
