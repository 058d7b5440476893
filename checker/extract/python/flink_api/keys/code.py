"""The code of one function in a spelling that layout, and names of variables and constants, do not change.

The classes that elements of a stream may have: any of the repository that is none of PyFlink's functions.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from checker.extract.interpreting.memory import MISSING
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import (
    Class,
    Decorated,
    External,
    Function,
    Instance,
    Module,
    Scope,
    Value,
)
from checker.extract.python.plain_code import KEPT, bound_in, copied, is_text, logs
from checker.model.nested import gathered

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
    local = dict.fromkeys(bound for node in nodes for bound in bound_in(node) if bound not in names)
    spelled = _Spelled(names | {name: f"$v{place}" for place, name in enumerate(local)}, function.scope, this)
    return Code([spelled.visit(copied(node)) for node in nodes], function.scope, this)


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
ON_REQUEST = ("__hash__", *SHOWN)
"""Methods of an object that are followed only where code is seen to call them."""
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "xor", "and", "or", "eq", "ne", "lt", "gt", "le", "ge")
_OPERATING = ("__contains__", *(f"__{side}{name}__" for name in _OPERATORS for side in ("", "r")))
_DECIDING = ("__bool__", "__len__")
_ASKING: Mapping[type[ast.AST], Sequence[str]] = {
    ast.Subscript: ("__getitem__",), ast.FormattedValue: SHOWN, ast.BinOp: _OPERATING, ast.Compare: _OPERATING,
    ast.BoolOp: _DECIDING, ast.IfExp: _DECIDING, ast.Not: _DECIDING, ast.If: _DECIDING, ast.While: _DECIDING,
    ast.For: ("__iter__",), ast.comprehension: ("__iter__",), ast.Mod: SHOWN,
}  # fmt: skip


def asked_by(node: ast.AST) -> Iterable[str]:
    """The methods and properties that code may call on objects."""
    match node:
        case ast.Attribute(attr=name):
            return (name, "__getattr__", "__getattribute__", *(SHOWN if name in ("format", "format_map") else ()))
        case ast.Call(func=ast.Name("str" | "repr" | "format")):
            return SHOWN
        case ast.Call(func=ast.Name(name)):  # a function of Python, or an element, may be called
            return (f"__{name}__", "__call__", "__iter__", "__lt__", "__gt__", "__getattr__", *_DECIDING)
    return _ASKING.get(type(node), ())


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


_NO_ELEMENTS = ("pyflink.", "unittest.", "argparse.")
"""Where the bases of classes come from whose objects are no elements."""
_PLAIN = frozenset({"str", "int", "float", "bool", "bytes"})
_SCALARS = ("datetime.", "decimal.", "uuid.")
"""Modules whose objects hold no others."""


def known_classes(run: Run) -> list[Class]:
    """The classes of all modules that ran, those inside of others included."""
    found: dict[int, Class] = {}
    pending: list[Value] = [m.scope.names for m in run.modules.values() if isinstance(m.scope, Scope)]
    while pending:
        for member in list(pending.pop().values()):
            of = member.inner if isinstance(member, Decorated) else member
            if isinstance(of, Class) and id(of.node) not in found:
                found[id(of.node)] = of
                pending.append(of.members)
    return list(found.values())


def is_function(of: Class) -> bool:
    """Whether objects of a class are functions of PyFlink or the like, and no elements."""
    bases = (base for above in of.ancestors() for base in above.bases)
    return any(isinstance(base, External) and base.path.startswith(_NO_ELEMENTS) for base in bases)


def classes_of(node: ast.expr, known: Sequence[Class]) -> Iterable[Class]:
    """The classes that a whole element may have, or an attribute: those that declarations of that name mention."""
    match node:
        case ast.Name("$0"):
            return known
        case ast.Attribute(attr=name):
            return (of for declaring in known for of in _of_attribute(declaring, name))
    return ()


def _of_attribute(of: Class, name: str) -> Iterable[Class]:
    """The classes that the declaration of an attribute names; an annotation may have one in quotes."""
    for node in ast.walk(of.node):
        match node:
            case (
                ast.AnnAssign(target=ast.Name(target) | ast.Attribute(ast.Name("self"), target))
                | ast.Assign(targets=[ast.Attribute(ast.Name("self"), target)])
            ) if target == name:
                for part in ast.walk(node):
                    quoted = isinstance(part, ast.Constant) and isinstance(part.value, str)
                    found = named_value(ast.Name(str(getattr(part, "value", ""))) if quoted else part, of.scope)
                    if isinstance(found, Class):
                        yield found


def unfollowed(run: Run, trees: dict[str, ast.Module], known: Sequence[Class]) -> dict[str, list[tuple[str, ast.AST]]]:
    """Method → code of classes with it that are declared where nothing ran: whole modules, or in functions."""
    nodes = {id(of.node) for of in known}
    return gathered(
        (method, (path, node if path in run.modules else tree))
        for path, tree in sorted(trees.items())
        for node, methods in _with_methods(tree)
        if id(node) not in nodes
        for method in methods
    )


@lru_cache(KEPT)
def _with_methods(tree: ast.Module) -> tuple[tuple[ast.ClassDef, frozenset[str]], ...]:
    """The classes of a module at any depth, with the names of their methods."""
    return tuple(
        (node, frozenset(m.name for m in node.body if isinstance(m, ast.FunctionDef | ast.AsyncFunctionDef)))
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )
