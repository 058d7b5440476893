"""The code of one function in a spelling that layout, and names of variables and constants, do not change."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from checker.extract.python.interpreter.values import MISSING, Class, External, Function, Instance, Module, Scope, Value
from checker.extract.python.plain_code import copied, is_text, logs

THIS = "$self"
"""The object, or class, whose method it is."""


@dataclass(frozen=True)
class Code:
    """Statements, or one expression, whose parameters are ``$0``, ``$1`` … and ``$self``."""

    nodes: Sequence[ast.AST]
    scope: Scope
    this: Value = None
    """What ``$self`` is, where that is known: an object, or a class."""

    @property
    def text(self) -> str:
        """The code as one line for people and for comparing."""
        return "; ".join(map(ast.unparse, self.nodes)).removeprefix("return ")

    def value(self, node: ast.AST) -> Value:
        """What an expression stands for that names something outside of the function; MISSING for all others."""
        if isinstance(node, ast.Name) and node.id == THIS:
            return MISSING if self.this is None else self.this
        return named_value(node, self.scope, self.this)


def named_value(node: ast.AST, scope: Scope, this: Value = None) -> Value:
    """What a name stands for, or a member of what a name stands for."""
    match node:
        case ast.Name(id=name) if name == THIS:
            return MISSING if this is None else this
        case ast.Name(id=name):
            found = scope.find(name)
            return MISSING if found is None else found.names[name]
        case ast.Attribute(value=inner, attr=name):
            return _member(named_value(inner, scope, this), name)
        case ast.Subscript(value=inner, slice=ast.Constant(value=key)):
            owner = named_value(inner, scope, this)
            return owner[key] if isinstance(owner, dict) and key in owner else MISSING
    return MISSING


def _member(owner: Value, name: str) -> Value:
    match owner:
        case Module(scope=Scope() as scope):
            return scope.names.get(name, MISSING)
        case Class():
            return _bound(owner.member(name), owner, "class")
        case Instance():
            return owner.attributes.get(name, _bound(owner.of.member(name), owner, "instance", "property"))
        case External(called=False, path=path):
            return External(f"{path}.{name}")
    return MISSING


def _bound(member: Value, owner: Value, *binds: str) -> Value:
    """A method as its object, or its class, gives it."""
    return replace(member, bound=owner) if isinstance(member, Function) and member.binds in binds else member


def code_of(function: Function, this: Value = None) -> Code:
    """A function's code; ``this`` is the object of a method."""
    declared = function.arguments
    by_place = [*declared.posonlyargs, *declared.args]
    own = (
        by_place[:1]
        if function.binds != "nothing" and (function.owner is not None or function.bound is not None)
        else []
    )
    rest = (declared.vararg, *declared.kwonlyargs, declared.kwarg)
    free = [a for a in (*by_place[len(own) :], *rest) if a is not None]
    names = {a.arg: THIS for a in own} | {argument.arg: f"${place}" for place, argument in enumerate(free)}
    kept = [statement for statement in function.body if not (is_text(statement) or logs(statement))]
    only = kept[0].value if len(kept) == 1 and isinstance(kept[0], ast.Return) else None
    nodes: list[ast.AST] = [only] if only else [*kept]
    local = dict.fromkeys(bound for node in nodes for bound in _bound_in(node) if bound not in names)
    spelled = _Spelled(names | {name: f"$v{place}" for place, name in enumerate(local)}, function.scope, this)
    return Code([spelled.visit(copied(node)) for node in nodes], function.scope, this)


def _bound_in(node: ast.AST) -> Iterator[str]:
    """The variables that code sets itself."""
    for part in ast.walk(node):
        if isinstance(part, ast.arg):
            yield part.arg
        elif isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            yield part.id


class _Spelled(ast.NodeTransformer):
    """Variables by their numbers, names of constants as what these are, and no statements that log."""

    def __init__(self, names: Mapping[str, str], scope: Scope, this: Value) -> None:
        self._names, self._scope, self._this = names, scope, this

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """A statement that is an expression."""
        return None if logs(node) or is_text(node) else self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """A parameter of a function inside."""
        return ast.arg(self._names.get(node.arg, node.arg))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A variable."""
        return self._constant(ast.Name(self._names.get(node.id, node.id), node.ctx))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """A member."""
        return self._constant(self.generic_visit(node))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """A part of a collection."""
        return self._constant(self.generic_visit(node))

    def _constant(self, node: ast.AST) -> ast.AST:
        read = isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Load)
        value = named_value(node, self._scope, self._this) if read else MISSING
        return ast.Constant(value) if isinstance(value, str | int | float) else node


SHOWN = ("__format__", "__str__", "__repr__")
ON_REQUEST = ("__init__", "__hash__", *SHOWN)
"""Methods of an object that are followed where code is seen to call them."""
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "xor", "and", "or", "eq", "ne", "lt", "gt", "le", "ge")
_OPERATING = ("__contains__", *(f"__{side}{name}__" for name in _OPERATORS for side in ("", "r")))
_DECIDING = ("__bool__", "__len__")
_COMPUTING = frozenset({"len", "hash", "int", "bool", "iter", "tuple", "list", "sorted", "set", "min", "max", "sum"})
"""Functions of Python that call a method of what they are given."""


def asked_by(node: ast.AST) -> Iterable[str]:
    """The methods and properties that code may call on objects."""
    match node:
        case ast.Attribute(attr="format" | "format_map" as name):
            return (name, *SHOWN)
        case ast.Attribute(attr=name):
            return (name, "__getattr__", "__getattribute__")
        case ast.Subscript():
            return ("__getitem__",)
        case ast.FormattedValue() | ast.Call(func=ast.Name("str" | "repr" | "format")):
            return SHOWN
        case ast.Call(func=ast.Name("getattr")):
            return ("__getattr__",)
        case ast.Call(func=ast.Name(name)) if name.startswith("$"):
            return ("__call__",)
        case ast.Call(func=ast.Name(name)) if name in _COMPUTING:
            return (f"__{name}__", "__iter__", "__lt__", "__gt__", *_DECIDING)
        case ast.BinOp(op=ast.Mod()):
            return (*_OPERATING, *SHOWN)
        case ast.BinOp() | ast.Compare():
            return _OPERATING
        case ast.BoolOp() | ast.IfExp() | ast.UnaryOp(op=ast.Not()) | ast.If() | ast.While():
            return _DECIDING
        case ast.For() | ast.comprehension():
            return ("__iter__",)
    return ()


def shown_by(node: ast.AST) -> Sequence[ast.expr]:
    """What code writes as a text."""
    match node:
        case ast.FormattedValue(value=value):
            return [value]
        case ast.Call(
            func=ast.Name("str" | "repr" | "format") | ast.Attribute(attr="format"), args=given, keywords=named
        ):
            return [*given, *(keyword.value for keyword in named)]
        case ast.BinOp(op=ast.Mod(), right=right):
            return right.elts if isinstance(right, ast.Tuple) else [right]
    return ()
