"""Static types of expressions in the code that runs, and how they fit parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from checker.extract.java.flink_api.function_facts import SUPERTYPES
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Frame
from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import JavaType, resolved
from checker.extract.java.syntax.class_index import External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.tree import Node, children, field, text, walk
from checker.extract.java.syntax.type_refs import BOXES, NUMERIC, UNBOXED, TypeRef

WIDENING: Final = {
    **{name: NUMERIC[place:] for place, name in enumerate(NUMERIC)},
    "byte": ("byte", "short", *NUMERIC[3:]), "short": ("short", *NUMERIC[3:]), "boolean": ("boolean",),
}  # fmt: skip
"""Primitive type → those that it widens to, the nearest first."""
MAYBE: Final = 0.6
"""The score of a class whose supertypes are not known."""
_ABOVE: Final = {
    **dict.fromkeys(("Integer", "Long", "Short", "Byte", "Double", "Float"), ("Number", "Comparable", "Serializable")),
    "String": ("CharSequence", "Comparable", "Serializable"),
    "Character": ("Comparable", "Serializable"),
    "Boolean": ("Comparable", "Serializable"),
}


@dataclass(frozen=True, slots=True)
class Fit:
    """How an argument fits a parameter."""

    phase: int
    """Of overload resolution: 1 by subtyping, 2 with boxing, 3 with variable arity."""
    score: float
    """The nearer the types, the higher."""


def _written(frame: Frame, name: str) -> TypeRef | None:
    """The type that the declaration of a local variable writes."""
    holder = frame.scope.holder(name)
    ref = holder.types.get(name) if holder is not None else None
    return ref if ref is not None and ref.name != "var" else None


def _typer(run: Run, node: Node, frame: Frame) -> Typer:
    """Types inside of a frame, which knows the declarations of all variables that an expression names."""
    names = {text(inner) for inner in walk(node) if inner.type == "identifier"}
    written = {name: ref for name in names if (ref := _written(frame, name)) is not None}
    return Typer(run.index, frame.decl, {name: resolved(run.index, ref, frame.decl) for name, ref in written.items()})


def type_of(run: Run, node: Node, frame: Frame) -> JavaType | None:
    """The declared type of an expression; None where it is not declared, or its value says the same."""
    while node.type == "parenthesized_expression" and children(node):
        node = children(node)[0]
    if node.type == "identifier":
        declared = frame.scope.holder(text(node)) is None or _written(frame, text(node)) is not None
    elif node.type == "method_invocation" and field(node, "object") is None:
        methods = frame.decl.methods_named(text(field(node, "name")))
        declared = len({str(method.return_type) for method in methods}) == 1
    else:
        declared = node.type in ("cast_expression", "object_creation_expression", "this")
    return _typer(run, node, frame).erased(node) if declared else None


def class_of(run: Run, node: Node, frame: Frame) -> ClassDecl | None:
    """The class of the repository that an expression is declared to be of."""
    found = type_of(run, node, frame)
    return found.decl if found is not None and not found.dimensions else None


def converts(run: Run, nodes: Sequence[Node | None], frame: Frame, *, null: bool) -> bool:
    """Whether a conditional expression may give another number than the side that it takes, or unbox its null."""
    first, second = (str(_typer(run, node, frame).of(node) or "") if node is not None else "" for node in nodes)
    numbers = UNBOXED.get(first, first), UNBOXED.get(second, second)
    if numbers[0] != numbers[1] and all(name in NUMERIC for name in numbers):
        return True
    if not null or any(node is None or node.type == "null_literal" for node in nodes):
        return False
    either = ((first, second), (second, first))
    return any(name in BOXES and (not counterpart or counterpart in UNBOXED) for name, counterpart in either)


def fit(run: Run, written: JavaType, wanted: TypeRef, method: MethodDecl) -> Fit | None:
    """How a declared type fits a parameter's, None where it does not."""
    if wanted.name in method.type_parameters or wanted.name in method.owner.type_parameters:
        return Fit(2 if written.name in BOXES and not written.dimensions else 1, 0.8)
    if written.dimensions != wanted.dimensions:
        return Fit(1, 0.3) if wanted.simple == "Object" and not wanted.dimensions else None
    given, target = written.simple, wanted.simple
    if given == target:
        return Fit(1, 3.0)
    if written.dimensions:
        return Fit(1, 0.3) if target == "Object" else None
    if given in WIDENING:
        if target in WIDENING[given]:
            return Fit(1, 3.0 - 0.2 * WIDENING[given].index(target))
        box = BOXES[given]
        if target == box:
            return Fit(2, 3.0)
        return Fit(2, 0.5) if target in (*_ABOVE.get(box, ()), "Object") else None
    if target in WIDENING:
        primitive = UNBOXED.get(given)
        if primitive is None or target not in WIDENING[primitive]:
            return None
        return Fit(2, 3.0 - 0.2 * WIDENING[primitive].index(target))
    if target == "Object":
        return Fit(1, 0.3)
    if given in _ABOVE or given == "Object":
        return Fit(1, 2.0) if target in _ABOVE.get(given, ()) else None
    if target == "String" or target in UNBOXED:
        return None  # final classes: no other type is one of them
    return _classes(run, written.target, wanted, method)


_WITHOUT_SUPERTYPES = frozenset(
    {"Comparable", "Serializable", "Cloneable", "Runnable", "Comparator", "Record", "Object"}
)
"""Types of the JDK that are no other type of a library."""


def _classes(run: Run, given: Resolved, wanted: TypeRef, method: MethodDecl) -> Fit | None:
    target = run.index.resolve_type(wanted, method.owner)
    if not isinstance(given, ClassDecl):
        if isinstance(given, External) and isinstance(target, External):
            return Fit(1, 2.0 if target.simple in SUPERTYPES.get(given.simple, ()) else MAYBE)
        return None if isinstance(given, External) and isinstance(target, ClassDecl) else Fit(1, MAYBE)
    library = False
    for distance, ancestor in enumerate(run.index.ancestors(given), start=1):
        if ancestor is target:
            return Fit(1, max(2.9 - 0.1 * distance, 1.0))
        if isinstance(ancestor, External):
            library |= ancestor.simple not in _WITHOUT_SUPERTYPES
            if isinstance(target, External) and (
                ancestor.simple == target.simple or target.simple in SUPERTYPES.get(ancestor.simple, frozenset())
            ):
                return Fit(1, 2.0)
    if given is target:
        return Fit(1, 3.0)
    return Fit(1, MAYBE) if library and isinstance(target, External) else None
