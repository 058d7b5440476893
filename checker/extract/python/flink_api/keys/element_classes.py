"""The classes that elements of a stream may have, and what is known of the types of their parts.

Where nothing says which class an object has, it may be any class of the repository that is none of PyFlink's functions.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from enum import Enum

from checker.extract.datastream.records import Draft
from checker.extract.python.flink_api.keys.plain_functions import Code, named_value
from checker.extract.python.flink_api.streams import Stream
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import (
    MISSING,
    Class,
    Decorated,
    External,
    Function,
    Instance,
    Scope,
    Value,
)
from checker.model.nested import gathered


class Plain(Enum):
    """What is no object of the repository's and holds none: texts, numbers, times."""

    PLAIN = "plain"


PLAIN = Plain.PLAIN
Type = Class | Plain | None
"""None where the type is not known."""
_BUILT_IN = frozenset(
    {"str", "int", "float", "bool", "bytes", "complex", "len", "hash", "abs", "round", "ord", "chr", "repr", "format"}
)
"""Classes and functions of Python whose results are plain."""
_NO_ELEMENTS = ("pyflink.", "unittest.", "argparse.")
"""Where the bases of classes come from whose objects are no elements."""
_SCALARS = ("datetime.", "decimal.", "uuid.", "ipaddress.", "fractions.")
"""Modules whose objects hold no others."""
_PICKLED = "byte[]"


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


def related(of: Class, classes: Sequence[Class]) -> list[Class]:
    """The classes that an object may have which is declared as one of a class: that one, and those below it."""
    structural = any(
        isinstance(b, External) and b.simple in ("Protocol", "ABC") for a in of.ancestors() for b in a.bases
    )
    return list(classes) if structural else [c for c in classes if of in c.ancestors()]


def element_type(stream: Stream) -> Type:
    """The class of a stream's elements: by the type that the script names, or by what the function before it gives."""
    declared = stream.elements.type
    if isinstance(declared, str) and _PICKLED not in declared:
        return PLAIN
    return _made_by(stream.step)


def _made_by(step: Draft) -> Type:
    while step.python is None or step.name == "Filter":
        if len(step.inputs) != 1:
            return None
        step = step.inputs[0]
    function = step.code
    if isinstance(function, Instance):
        named = (function.of.member(name) for name in ("map", "flat_map", "process_element"))
        function = next((member for member in named if isinstance(member, Function)), None)
    if not isinstance(function, Function):
        return None
    return _result(function)


def _result(function: Function) -> Type:
    """The type of what a function gives, where all that it returns has one type."""
    results = [r.value for s in function.body for r in ast.walk(s) if isinstance(r, ast.Return | ast.Yield) and r.value]
    local = Code((), function.scope)
    types = {type_of(result, local, {}) for result in results}
    return types.pop() if len(types) == 1 else None


def type_of(node: ast.AST, code: Code, elements: dict[str, Type]) -> Type:
    """The type of an expression; ``elements`` are those of parameters."""
    match node:
        case ast.Constant() | ast.JoinedStr() | ast.Compare():
            return PLAIN
        case ast.Name(id=name):
            return elements.get(name)
        case ast.Attribute(value=owner, attr=name):
            return _of_member(type_of(owner, code, elements), name)
        case ast.Subscript(value=owner):
            return PLAIN if type_of(owner, code, elements) is PLAIN else None
        case ast.BinOp(left=left, right=right):
            return PLAIN if PLAIN in (type_of(left, code, elements), type_of(right, code, elements)) else None
        case ast.Call(func=function):
            return _of_call(function, code, elements)
    return None


def _of_call(function: ast.expr, code: Code, elements: dict[str, Type]) -> Type:
    called = code.value(function)
    if isinstance(called, Class):
        return called
    if isinstance(function, ast.Name):
        return PLAIN if called is MISSING and function.id in _BUILT_IN else None
    if isinstance(called, Function) and not called.generator:
        return _result(called)
    owner = type_of(function.value, code, elements) if isinstance(function, ast.Attribute) else None
    return PLAIN if owner is PLAIN else None


def _of_member(owner: Type, name: str) -> Type:
    """The type of a field, by its annotation or by the objects that its class puts there."""
    if not isinstance(owner, Class):
        return owner
    for above in owner.ancestors():
        for node in above.node.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
                return annotated(node.annotation, above.scope)
        for part in ast.walk(above.node):
            match part:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name("self"), attr=target)], value=value):
                    if target == name:
                        return type_of(value, Code((), above.scope), {})
    return None


def annotated(node: ast.expr | None, scope: Scope) -> Type:
    """What an annotation says: a class of the repository, something plain, or nothing that is known."""
    match node:
        case ast.Constant(value=str() as text):
            try:
                return annotated(ast.parse(text, mode="eval").body, scope)
            except SyntaxError:
                return None
        case ast.Subscript(value=ast.Name("Optional") | ast.Attribute(attr="Optional"), slice=inner):
            return annotated(inner, scope)
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return annotated(left, scope)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            found = named_value(node, scope)
            if isinstance(found, Class):
                return found
            library = isinstance(found, External) and found.path.startswith(_SCALARS)
            return PLAIN if library or (found is MISSING and name in _BUILT_IN) else None
    return None


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
