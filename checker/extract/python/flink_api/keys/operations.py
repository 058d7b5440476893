"""The methods of objects that code of Python calls without naming them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

SHOWN = ("__format__", "__str__", "__repr__")
ON_REQUEST = ("__init__", "__hash__", *SHOWN)
"""Methods of an object that are followed where code is seen to call them."""
_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.BitXor: "xor", ast.BitAnd: "and", ast.BitOr: "or", ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.Gt: "gt",
    ast.LtE: "le", ast.GtE: "ge",
}  # fmt: skip
ASKING = {
    "str": SHOWN, "repr": SHOWN, "format": SHOWN, "len": ("__len__",), "hash": ("__hash__",), "int": ("__int__",),
    "bool": ("__bool__", "__len__"), "iter": ("__iter__",), "tuple": ("__iter__",), "list": ("__iter__",),
    "sorted": ("__iter__", "__lt__"), "getattr": ("__getattr__",),
}  # fmt: skip
"""Functions of Python that call a method of what they are given."""


def operations(node: ast.AST) -> Iterator[tuple[ast.expr, Sequence[str]]]:
    """What code does with objects without naming a method: each operand with the methods that it may call."""
    match node:
        case ast.FormattedValue(value=value):
            yield value, SHOWN
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            if isinstance(op, ast.Mod):
                yield from ((part, SHOWN) for part in (right.elts if isinstance(right, ast.Tuple) else [right]))
            name = _OPERATORS[type(op)]
            yield left, (f"__{name}__",)
            yield right, (f"__r{name}__",)
        case ast.Compare(left=left, ops=ops, comparators=compared):
            names = [f"__{_OPERATORS[type(op)]}__" for op in ops if type(op) in _OPERATORS]
            for operand in (left, *compared):
                yield operand, [*names, *(["__contains__"] if len(names) < len(ops) else [])]
        case ast.Subscript(value=value):
            yield value, ("__getitem__",)
        case ast.Call(func=ast.Name(id=name), args=given) if name in ASKING:
            for operand in given:
                yield operand, ASKING[name]
        case ast.Call(func=ast.Name(id=name) as called) if name.startswith("$"):
            yield called, ("__call__",)
        case ast.Call(func=ast.Attribute(attr="format" | "format_map"), args=given, keywords=named):
            yield from ((part, SHOWN) for part in (*given, *(keyword.value for keyword in named)))
        case ast.Attribute(value=value):
            yield value, ("__getattr__", "__getattribute__")
        case ast.IfExp(test=test) | ast.If(test=test) | ast.While(test=test) | ast.UnaryOp(op=ast.Not(), operand=test):
            yield test, ("__bool__", "__len__")
        case ast.BoolOp(values=values):
            for operand in values:
                yield operand, ("__bool__", "__len__")
        case ast.For(iter=over) | ast.comprehension(iter=over):
            yield over, ("__iter__",)
