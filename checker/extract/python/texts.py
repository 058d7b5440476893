"""Texts that code puts together, in one spelling: ``f"{a}:{b}"``, ``"%s:%s" % (a, b)``, ``":".join((a, b))``.

Choices between values, too: ``a or b``, ``b if not a else a``. All texts are written as sums. A sum with a text in it
is one of texts, or fails. Only for numbers ``str(x)`` is ``f"{x}"``: for some enums it is not.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from functools import reduce
from typing import TypeGuard

_PLACE = re.compile(r"(%s|%\d*d)")
"""Where ``%`` puts a value: as it is, or a number."""
_NUMBERS = frozenset({"len", "int", "abs", "ord", "hash"})


def with_sums(node: ast.AST) -> ast.AST:
    """Code with all texts that it puts together written as sums. The tree is changed."""
    found: ast.AST = _Sums().visit(node)
    return found


class _Sums(ast.NodeTransformer):
    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """An f-string."""
        self.generic_visit(node)
        return _sum(node, [_formatted(part) for part in node.values])

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """A sum, or another operation."""
        self.generic_visit(node)
        match node:
            case ast.BinOp(left=ast.Constant(value=str() as pattern), op=ast.Mod(), right=ast.Tuple(elts=parts)):
                between: list[ast.expr] = [ast.Constant(text) for text in _PLACE.split(pattern)[::2]]
                specs = [place.strip("%s") for place in _PLACE.findall(pattern)]
                plain = all(not spec or _number(part) for spec, part in zip(specs, parts, strict=False))
                if len(between) == len(parts) + 1 and "%" not in _PLACE.sub("", pattern) and plain:
                    fields = [_field(part, spec) for part, spec in zip(parts, specs, strict=True)]
                    return _sum(node, [t for pair in zip(between, fields, strict=False) for t in pair] + between[-1:])
        return _sum(node, list(_terms(node))) if isinstance(node.op, ast.Add) else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call: of ``format`` or ``join`` of a constant, or any other."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as between), attr="join"), keywords=[],
                          args=[ast.Tuple(elts=parts) | ast.List(elts=parts)]):  # fmt: skip
                if parts and not any(isinstance(part, ast.Starred) for part in parts):
                    separated = [term for part in parts for term in (ast.Constant(between), part)][1:]
                    return _sum(node, [term for part in separated for term in _terms(part)])
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as pattern), attr="format")):
                fields = _fields(pattern, node)
                return node if fields is None else _sum(node, fields)
            case ast.Call(
                func=ast.Attribute(attr="split" | "rsplit"), args=[_], keywords=[ast.keyword(arg="maxsplit")]
            ):
                return ast.Call(node.func, [node.args[0], node.keywords[0].value], [])
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """A choice: by a condition without a negation, or an ``or`` where that says the same."""
        self.generic_visit(node)
        test, there, missing = node.test, node.body, node.orelse
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, there, missing = test.operand, missing, there
        match test:
            case ast.Compare(left=left, ops=[ast.NotEq() | ast.IsNot() as op], comparators=[right]):
                same: ast.cmpop = ast.Eq() if isinstance(op, ast.NotEq) else ast.Is()
                test, there, missing = ast.Compare(left, [same], [right]), missing, there
        if ast.unparse(test) == ast.unparse(there):
            return ast.BoolOp(ast.Or(), [there, missing])
        return ast.IfExp(test, there, missing)


def _fields(pattern: str, call: ast.Call) -> list[ast.expr] | None:
    """The parts of what ``format`` gives; None where a field is more than an argument."""
    given: dict[str, ast.expr] = {str(number): part for number, part in enumerate(call.args)}
    given.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
    found: list[ast.expr] = []
    try:
        fields = list(string.Formatter().parse(pattern))
    except ValueError:
        return None
    for number, (before, name, spec, conversion) in enumerate(fields):
        found.append(ast.Constant(before))
        if name is not None:
            value = given.get(name or str(number))
            if value is None or conversion or "{" in (spec or ""):
                return None
            found.append(_field(value, spec or ""))
    return found


def _field(value: ast.expr, spec: str) -> ast.expr:
    """A value that is formatted in some way as a term."""
    return _formatted(ast.FormattedValue(value, -1, ast.JoinedStr([ast.Constant(spec)]) if spec else None))


def _formatted(part: ast.expr) -> ast.expr:
    """A part of an f-string as a term."""
    if not isinstance(part, ast.FormattedValue):
        return part
    computed = isinstance(part.value, ast.BinOp) and not any(map(_is_text, _terms(part.value)))  # of numbers, perhaps
    if computed or part.conversion != -1 or part.format_spec is not None:
        return ast.JoinedStr([part])
    return ast.Call(ast.Name("str", ast.Load()), [part.value], []) if _number(part.value) else part.value


def _number(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NUMBERS


def _terms(node: ast.expr) -> Iterator[ast.expr]:
    """The terms of a sum from left to right."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _terms(node.left)
        yield from _terms(node.right)
    else:
        yield node


def _is_text(node: ast.expr | None) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _sum(whole: ast.expr, terms: list[ast.expr]) -> ast.expr:
    """A sum with its constants put together; the whole as it was where no text is in it."""
    found: list[ast.expr] = []
    for term in (inner for part in terms for inner in _terms(part)):
        before = found[-1] if found else None
        if _is_text(term) and _is_text(before):
            found[-1] = ast.Constant(f"{ast.literal_eval(before)}{ast.literal_eval(term)}")
        elif not (isinstance(term, ast.Constant) and term.value == ""):
            found.append(term)
    if not any(map(_is_text, found)):
        return whole
    return reduce(lambda left, right: ast.BinOp(left, ast.Add(), right), found)
