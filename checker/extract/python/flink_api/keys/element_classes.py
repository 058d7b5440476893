"""The classes that elements of a stream may have: any of the repository that is none of PyFlink's functions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from checker.extract.datastream.records import Draft
from checker.extract.python.flink_api.keys.plain_functions import named_value
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
from checker.model.nested import gathered, reached

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
    return list(reached(classes, lambda of: _beside(of, known)))


def _beside(of: Class, known: Sequence[Class]) -> list[Class]:
    return [*line_of(of, known), *_classes_named([of.node], of.scope)]


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
            if isinstance(node, ast.FunctionDef) and any(_sets(part) for part in ast.walk(node)):
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs][1:]
                if not all(a.annotation is not None and _says_class(a.annotation, above.scope) for a in given):
                    return False
    return True


def _sets(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)


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
