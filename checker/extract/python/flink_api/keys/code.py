"""The code of one function in a spelling that layout, and names of variables and constants, do not change.

The classes that elements of a stream may have: any of the repository that is none of PyFlink's functions.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from checker.extract.datastream.records import Draft
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
from checker.extract.python.plain_code import bound_in, copied, is_text, logs
from checker.model.nested import gathered, reached

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


def given_by(step: Draft) -> list[Class]:
    """The class whose objects the function before a stream gives; none where it may give others."""
    while step.python is None or step.name == "Filter":
        if len(step.inputs) != 1:
            return []
        step = step.inputs[0]
    function = step.code
    if isinstance(function, Instance):
        named = (function.of.member(name) for name in ("map", "flat_map", "process_element"))
        function = next((member for member in named if isinstance(member, Function)), None)
    if not isinstance(function, Function):
        return []
    results = [r.value for s in function.body for r in ast.walk(s) if isinstance(r, ast.Return | ast.Yield) and r.value]
    made = [named_value(result.func, function.scope) if isinstance(result, ast.Call) else None for result in results]
    of = made[0] if made else None
    return [of] if isinstance(of, Class) and all(result is of for result in made) else []


def related(classes: Iterable[Class], known: Sequence[Class]) -> list[Class]:
    """Classes that objects of some classes may have or hold: those above and below them, and all that these name."""
    return list(reached(classes, lambda of: [*line_of(of, known), *_classes_named([of.node], of.scope)]))


def line_of(of: Class, known: Sequence[Class]) -> list[Class]:
    """The classes above and below a class: what an object may have of it."""
    return [*of.ancestors(), *(derived for derived in known if of in derived.ancestors()[1:])]


def classes_of(node: ast.expr, elements: Sequence[Class]) -> list[Class]:
    """The classes that an element, or a field of one, may have."""
    match node:
        case ast.Name("$0"):
            return list(elements)
        case ast.Attribute(value=owner, attr=name):
            return [of for above in classes_of(owner, elements) for of in _of_field(above, name)]
    return []


def _of_field(of: Class, name: str) -> list[Class]:
    """The classes that the declarations of a field name, in annotations and in what is put there."""
    found: list[Class] = []
    for above in of.ancestors():
        for node in ast.walk(above.node):
            match node:
                case ast.AnnAssign(target=ast.Name(target) | ast.Attribute(ast.Name("self"), target)) if target == name:
                    found += _classes_named([node], above.scope)
                case ast.Assign(targets=[ast.Attribute(ast.Name("self"), target)]) if target == name:
                    found += _classes_named([node], above.scope)
    return found


def _classes_named(nodes: Iterable[ast.AST], scope: Scope) -> list[Class]:
    parts = (_unquoted(part) for node in nodes for part in ast.walk(node))
    return [of for part in parts if isinstance(of := named_value(part, scope), Class)]


def _unquoted(node: ast.AST) -> ast.AST:
    """The name of a class that an annotation has in quotes."""
    return ast.Name(node.value, ast.Load()) if isinstance(node, ast.Constant) and isinstance(node.value, str) else node


def annotated(function: Function) -> list[Class]:
    """The classes that the annotation of a function's first parameter names."""
    declared = function.arguments
    own = 1 if function.owner is not None and function.binds != "nothing" else 0
    first = [*declared.posonlyargs, *declared.args][own : own + 1]
    return _classes_named([a.annotation for a in first if a.annotation is not None], function.scope)


def is_closed(of: Class) -> bool:
    """Whether annotations say of all that objects of a class hold which classes it may have."""
    for above in of.ancestors():
        for node in ast.walk(above.node):
            if isinstance(node, ast.AnnAssign) and not _says_class(node.annotation, above.scope):
                return False
            attributes = [part for part in ast.walk(node) if isinstance(part, ast.Attribute)]
            if isinstance(node, ast.FunctionDef) and any(isinstance(part.ctx, ast.Store) for part in attributes):
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs][1:]
                if not all(a.annotation is not None and _says_class(a.annotation, above.scope) for a in given):
                    return False
    return True


def _says_class(node: ast.expr, scope: Scope) -> bool:
    match node:
        case ast.Constant(value=None):
            return True
        case ast.Subscript(slice=inner):
            return _says_class(inner, scope)
        case ast.Tuple(elts=parts):
            return all(_says_class(part, scope) for part in parts)
        case ast.BinOp(left=left, right=right):
            return _says_class(left, scope) and _says_class(right, scope)
    found = named_value(_unquoted(node), scope)
    library = isinstance(found, External) and found.path.startswith(_SCALARS)
    plain = found is MISSING and isinstance(node, ast.Name) and node.id in _PLAIN
    return isinstance(found, Class) or library or plain


def unfollowed(run: Run, trees: dict[str, ast.Module], known: Sequence[Class]) -> dict[str, list[tuple[str, ast.AST]]]:
    """Method → code of classes with it that are declared where nothing ran: whole modules, or in functions."""
    nodes = {id(of.node) for of in known}
    return gathered(
        (method, (path, node if path in run.modules else tree))
        for path, tree in sorted(trees.items())
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and id(node) not in nodes
        for method in _methods(node)
    )


def _methods(node: ast.ClassDef) -> set[str]:
    return {member.name for member in node.body if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)}
