"""Declared types of expressions, as far as overload resolution needs them, and how they fit parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from checker.extract.java.flink_api.supertypes import SUPERTYPES
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Frame
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.java_lang import BOXES, NUMERIC, UNBOXED
from checker.extract.java.syntax.kinds import NodeKind
from checker.extract.java.syntax.members import declared_field
from checker.extract.java.syntax.tree import Node, children, field, text
from checker.extract.java.syntax.type_refs import TypeRef, type_ref

WIDENING: Final = {
    **{name: NUMERIC[place:] for place, name in enumerate(NUMERIC)},
    "byte": ("byte", "short", *NUMERIC[3:]), "short": ("short", *NUMERIC[3:]), "boolean": ("boolean",),
}  # fmt: skip
"""Primitive type → those that it widens to, the nearest first."""
MAYBE: Final = 0.6
"""The score of a class whose supertypes are not known."""
_LITERALS: Final[dict[NodeKind, str]] = {
    "decimal_integer_literal": "int", "hex_integer_literal": "int", "octal_integer_literal": "int",
    "binary_integer_literal": "int", "decimal_floating_point_literal": "double",
    "hex_floating_point_literal": "double", "character_literal": "char",
}  # fmt: skip
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


def type_of(run: Run, node: Node, frame: Frame) -> TypeRef | None:
    """The declared type of an expression; None where it is not declared, or its value says the same."""
    while node.type == "parenthesized_expression" and children(node):
        node = children(node)[0]
    found: TypeRef | None = None
    if node.type == "cast_expression":
        found = type_ref(field(node, "type"))
    elif node.type == "identifier":
        holder = frame.scope.holder(text(node))
        if holder is not None:
            found = holder.types.get(text(node))
        else:
            declared = declared_field(run.index, frame.decl, text(node))
            found = declared.type if declared is not None else None
    elif node.type == "this":
        found = TypeRef(frame.decl.name)
    elif node.type == "object_creation_expression":
        found = type_ref(field(node, "type"))
    elif node.type == "method_invocation" and field(node, "object") is None:
        methods = [
            method for method in frame.decl.methods_named(text(field(node, "name"))) if not method.type_parameters
        ]
        returned = {str(method.return_type): method.return_type for method in methods}
        found = next(iter(returned.values())) if len(returned) == 1 else None
    if found is None or found.name in ("var", "void") or found.name in frame.decl.type_parameters:
        return None
    return found


def class_of(run: Run, node: Node, frame: Frame) -> ClassDecl | None:
    """The class of the repository that an expression is declared to be of."""
    ref = type_of(run, node, frame)
    found = run.index.resolve_type(ref, frame.decl) if ref is not None and not ref.dimensions else None
    return found if isinstance(found, ClassDecl) else None


def promoted(run: Run, nodes: Sequence[Node | None], frame: Frame) -> TypeRef | None:
    """The type of a conditional expression with numeric operands; None where they are none."""
    found = [_number(run, node, frame) for node in nodes]
    if found[0] == found[1] or not all(found):
        return None
    for name, opposite, node in ((found[0], found[1], nodes[1]), (found[1], found[0], nodes[0])):
        if name in ("byte", "short", "char") and opposite == "int" and node is not None and node.type in _LITERALS:
            return TypeRef(name)  # a constant that fits
    return TypeRef(_wider(*found))


_SHIFTS: Final = ("<<", ">>", ">>>")
_ARITHMETIC: Final = ("+", "-", "*", "/", "%", "&", "|", "^")
_RESULTS: Final = {
    **dict.fromkeys(("size", "length", "indexOf", "lastIndexOf", "hashCode", "ordinal", "intValue", "parseInt"), "int"),
    **dict.fromkeys(("longValue", "parseLong", "currentTimeMillis", "nanoTime"), "long"),
    **dict.fromkeys(("floatValue", "parseFloat"), "float"),
    **dict.fromkeys(("doubleValue", "parseDouble", "sqrt", "pow", "random", "ceil", "floor"), "double"),
    "charAt": "char",
}
"""Names of the JDK's methods that give a number, and its type."""


def _wider(*names: str) -> str:
    """Binary numeric promotion; of one name, unary promotion."""
    return max((*names, "int"), key=NUMERIC.index) if all(names) else ""


def _number(run: Run, node: Node | None, frame: Frame) -> str:
    """The type of a numeric expression, unboxed; empty where it is none or not known."""
    while node is not None and node.type == "parenthesized_expression" and children(node):
        node = children(node)[0]
    if node is None:
        return ""
    operator = text(field(node, "operator")) if node.type in ("binary_expression", "unary_expression") else ""
    if operator in _SHIFTS or (node.type == "unary_expression" and operator != "!"):
        return _wider(_number(run, field(node, "operand") or field(node, "left"), frame))
    if operator in _ARITHMETIC:
        return _wider(_number(run, field(node, "left"), frame), _number(run, field(node, "right"), frame))
    ref = type_of(run, node, frame)
    name = ref.name if ref is not None and not ref.dimensions else _literal(node)
    receiver = field(node, "object") if node.type == "method_invocation" else None
    if ref is None and receiver is not None and class_of(run, receiver, frame) is None:
        name = _RESULTS.get(text(field(node, "name")), "")
    name = UNBOXED.get(name, name)
    return name if name in NUMERIC else ""


def may_unbox(run: Run, nodes: Sequence[Node | None], frame: Frame) -> bool:
    """Whether a conditional expression has a primitive type on one side and may have its box on the other."""
    found: list[str | None] = []
    for node in nodes:
        ref = type_of(run, node, frame) if node is not None else None
        literal = _literal(node) if node is not None else ""
        found.append(literal or (ref.name if ref is not None and not ref.dimensions else None))
        if node is None or node.type == "null_literal":
            return False
    return any(
        type_ in BOXES and (counterpart is None or counterpart in UNBOXED)
        for type_, counterpart in (found, found[::-1])
    )


def _literal(node: Node) -> str:
    name = _LITERALS.get(node.type, "")
    ending = text(node)[-1:].lower()
    if name == "int" and ending == "l" and not text(node).startswith("0x"):
        return "long"
    return "float" if name == "double" and ending == "f" else name


def fit(run: Run, written: TypeRef, scope: ClassDecl, wanted: TypeRef, method: MethodDecl) -> Fit | None:
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
    return _classes(run, written, scope, wanted, method)


_WITHOUT_SUPERTYPES = frozenset(
    {"Comparable", "Serializable", "Cloneable", "Runnable", "Comparator", "Record", "Object"}
)
"""Types of the JDK that are no other type of a library."""


def _classes(run: Run, written: TypeRef, scope: ClassDecl, wanted: TypeRef, method: MethodDecl) -> Fit | None:
    given, target = run.index.resolve_type(written, scope), run.index.resolve_type(wanted, method.owner)
    if not isinstance(given, ClassDecl):
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
