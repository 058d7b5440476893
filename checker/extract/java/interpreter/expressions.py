"""Evaluates expressions: one function per node type of the grammar."""

from collections.abc import Callable
from functools import cache
from typing import Final

from checker.extract.java.interpreter import assignments, calls, classes_of_values, loops, names, objects
from checker.extract.java.machine import numbers, operators
from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.descriptions import short
from checker.extract.java.machine.exceptions import YieldSignal, throw
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Choice,
    ClassLiteral,
    Constant,
    Frame,
    Instance,
    Lambda,
    MethodRef,
    Opaque,
    TypeName,
    Value,
    boolean,
    integer,
    is_null,
    string,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.parse import char_literal, string_literal
from checker.extract.java.syntax.tree import Node, NodeKind, children, field, text
from checker.extract.java.syntax.type_refs import TypeRef, type_ref
from checker.model.unknowns import Cause


def _integer(run: Run, node: Node, frame: Frame) -> Value:
    raw = text(node).replace("_", "").lower()
    long = raw.endswith("l")
    raw = raw.rstrip("l")
    value = int(raw, 8 if raw.isdigit() and raw.startswith("0") else 0)
    return Constant(numbers.wrap(value, "long" if long else "int"), "long" if long else "int")


def _floating(run: Run, node: Node, frame: Frame) -> Value:
    raw = text(node).replace("_", "").lower()
    java = "float" if raw.endswith("f") and not raw.startswith("0x") else "double"
    try:
        return numbers.constant(float(raw.rstrip("fd")), java)
    except ValueError:
        return run.opaque("a number that is not evaluated", Cause.UNSUPPORTED, Site(node, frame))


@cache
def _interned(value: str) -> Constant:
    """The one object behind equal literals."""
    return string(value)


def _identifier(run: Run, node: Node, frame: Frame) -> Value:
    name = text(node)
    found = names.lookup(run, name, frame)
    if found is not None:
        return found
    resolved = run.index.resolve(name, frame.decl)
    if resolved is not None:
        return TypeName(resolved)
    return run.opaque(f"unknown name '{name}'", Cause.OTHER, Site(node, frame))


def _this(run: Run, node: Node, frame: Frame) -> Value:
    return (
        frame.this
        if frame.this is not None
        else run.opaque("cannot tell what 'this' is", Cause.OTHER, Site(node, frame))
    )


def _parenthesized(run: Run, node: Node, frame: Frame) -> Value:
    inner = children(node)
    return run.interpreter.evaluate(inner[0] if inner else None, frame)


def _field_access(run: Run, node: Node, frame: Frame) -> Value:
    target, name = field(node, "object"), text(field(node, "field"))
    dotted = dotted_name(node)
    if dotted is not None:
        named = _dotted(run, dotted, frame)
        if named is not None:
            return named
    above = run.index.superclass(frame.decl) if target is not None and target.type == "super" else None
    receiver = run.interpreter.evaluate(target, frame) if above is None or frame.this is None else frame.this
    if isinstance(receiver, Instance) and target is not None:
        viewer = above if isinstance(above, ClassDecl) else classes_of_values.declared_class(run, target, frame)
        found = names.instance_field(run, receiver, name, viewer)
        if found is not None:
            return found
    if name == "this" and isinstance(receiver, TypeName):
        around = names.enclosing_this(run, receiver.type, frame)
        if around is not None:
            return around
    return names.read_field(run, receiver, name, node, frame)


def dotted_name(node: Node) -> tuple[str, ...] | None:
    """The parts of ``a.b.C.D`` where all are plain identifiers."""
    parts: list[str] = []
    current: Node | None = node
    while current is not None and current.type == "field_access":
        tail = field(current, "field")
        if tail is None or tail.type != "identifier":
            return None
        parts.append(text(tail))
        current = field(current, "object")
    if current is None or current.type != "identifier":
        return None
    parts.append(text(current))
    return tuple(reversed(parts))


def _dotted(run: Run, parts: tuple[str, ...], frame: Frame) -> Value | None:
    """What a dotted name means when its first part is not a variable: a class, or a class's member."""
    if names.lookup(run, parts[0], frame) is not None:
        return None
    if not any(part[:1].isupper() for part in parts):
        return None
    upper = next(place for place, part in enumerate(parts) if part[:1].isupper())
    value: Value | None = None
    resolved = run.index.resolve(".".join(parts[: upper + 1]), frame.decl)
    if resolved is None:
        return None
    value = TypeName(resolved)
    for part in parts[upper + 1 :]:
        value = names.read_field(run, value, part, None, frame)
    return value


def _class_literal(run: Run, node: Node, frame: Frame) -> Value:
    ref = type_ref(children(node)[0]) if children(node) else TypeRef(text(node).rpartition(".")[0])
    return ClassLiteral(ref, run.index.resolve_type(ref, frame.decl))


def _lambda(run: Run, node: Node, frame: Frame) -> Value:
    return Lambda(node, frame)


def _method_reference(run: Run, node: Node, frame: Frame) -> Value:
    parts = [child for child in node.children if child.type not in ("::", "type_arguments")]
    name = text(parts[-1]) if parts else ""
    target = parts[0] if parts else None
    if target is None:
        return run.opaque("a method reference that is not followed", Cause.SYNTAX, Site(node, frame))
    if target.type in ("identifier", "field_access", "this", "method_invocation", "parenthesized_expression"):
        return MethodRef(run.interpreter.evaluate(target, frame), name, frame, node=node)
    if target.type == "super":
        return MethodRef(_this(run, node, frame), name, frame, node=node)
    if target.type.endswith("type") or "type" in target.type:
        resolved = run.index.resolve_type(type_ref(target), frame.decl)
        return MethodRef(TypeName(resolved or External(("java.lang.Object",))), name, frame, node=node)
    return MethodRef(run.interpreter.evaluate(target, frame), name, frame, node=node)


def _cast(run: Run, node: Node, frame: Frame) -> Value:
    value, ref = run.interpreter.evaluate(field(node, "value"), frame), type_ref(field(node, "type"))
    if classes_of_values.cast_fails(value, ref):
        throw("ClassCastException")
    return classes_of_values.coerce(run, value, ref, frame.decl)


def _ternary(run: Run, node: Node, frame: Frame) -> Value:
    consequence, alternative = field(node, "consequence"), field(node, "alternative")
    value = run.branch(
        run.interpreter.evaluate(field(node, "condition"), frame),
        lambda: run.interpreter.evaluate(consequence, frame),
        lambda: run.interpreter.evaluate(alternative, frame),
        text(field(node, "condition")),
        node.id,
    )
    if classes_of_values.converts(run, (consequence, alternative), frame, null=is_null(value)):
        return run.opaque("what a conditional expression converts", Cause.UNSUPPORTED, Site(node, frame), of=(value,))
    return value


def _assignment(run: Run, node: Node, frame: Frame) -> Value:
    left, right = field(node, "left"), field(node, "right")
    operator = text(field(node, "operator"))
    place = assignments.place_of(run, left, frame)
    if operator == "=":
        value = run.interpreter.evaluate(right, frame)
    else:
        before = place.read()
        value = operators.binary(run, operator[:-1], before, run.interpreter.evaluate(right, frame), Site(node, frame))
    assignments.store(place, left, value)
    return value


def _update(run: Run, node: Node, frame: Frame) -> Value:
    parts = node.children
    prefix = not parts[0].is_named
    target = parts[1] if prefix else parts[0]
    operator = text(parts[0] if prefix else parts[1])
    place = assignments.place_of(run, target, frame)
    old = place.read()
    new = operators.binary(run, operator[0], old, integer(1), Site(node, frame))
    place.write(new)
    return new if prefix else old


def _unary(run: Run, node: Node, frame: Frame) -> Value:
    operator = text(field(node, "operator"))
    return operators.unary(run, operator, run.interpreter.evaluate(field(node, "operand"), frame), Site(node, frame))


def _binary(run: Run, node: Node, frame: Frame) -> Value:
    spine: list[Node] = []
    current: Node | None = node
    while current is not None and current.type == "binary_expression":
        spine.append(current)
        current = field(current, "left")
    value = run.interpreter.evaluate(current, frame)
    for part in reversed(spine):
        run.step(part, frame)
        operator = text(field(part, "operator"))
        if operator in ("&&", "||"):
            value = _logical(run, operator, value, field(part, "right"), frame, part.id)
        else:
            value = operators.binary(
                run, operator, value, run.interpreter.evaluate(field(part, "right"), frame), Site(part, frame)
            )
    return value


def _logical(run: Run, operator: str, left: Value, right: Node | None, frame: Frame, key: int) -> Value:
    """``&&`` and ``||``: the right side runs only where the left one leaves it open."""
    left = run.as_condition(left)
    known = run.truth(left)
    stops = operator == "||"
    if known is not None:
        return boolean(stops) if known is stops else run.interpreter.evaluate(right, frame)
    second = run.without_effects(lambda: run.interpreter.evaluate(right, frame))
    if second is None:
        return run.branch(
            left,
            lambda: boolean(True) if stops else run.interpreter.evaluate(right, frame),
            lambda: run.interpreter.evaluate(right, frame) if stops else boolean(False),
            operator,
            key,
        )
    second = run.as_condition(second)
    known = run.truth(second)
    if known is stops:
        return boolean(stops)
    if known is not None:
        return left
    of = (left, second)
    symbols = [
        ("!" if isinstance(value, Opaque) and value.negated else "") + value.symbol
        for value in of
        if isinstance(value, Opaque | Choice)
    ]
    symbol = short(f"({f' {operator} '.join(symbols)})") if len(symbols) == 2 else None
    return run.opaque("a condition that is not evaluated", Cause.BRANCH, Site(right, frame), symbol=symbol, of=of)


def _instanceof(run: Run, node: Node, frame: Frame) -> Value:
    value = run.settle(run.interpreter.evaluate(field(node, "left"), frame))
    right = field(node, "right")
    pattern = field(node, "pattern")
    name = field(node, "name")
    if right is None and pattern is not None and pattern.type == "type_pattern":
        parts = children(pattern)
        right, name = parts[0], parts[-1]
    ref = type_ref(right) if right is not None else None
    if name is not None:
        frame.scope.variables.setdefault(text(name), value)
    if ref is None:
        return run.opaque("a pattern that is not evaluated", Cause.UNSUPPORTED, Site(node, frame))
    if is_null(value):
        return boolean(False)
    verdict = classes_of_values.instance_of(run, value, ref, frame.decl)
    if verdict is not None:
        return boolean(verdict)
    symbol = f"{value.symbol} instanceof {ref}" if isinstance(value, Opaque) else None
    return run.opaque(
        f"cannot tell whether a value is a {ref}", Cause.BRANCH, Site(node, frame), symbol=symbol, of=(value,)
    )


def _switch(run: Run, node: Node, frame: Frame) -> Value:
    try:
        loops.switch(run, node, frame, expression=True)
    except YieldSignal as signal:
        return signal.value
    return NULL


HANDLERS: Final[dict[NodeKind, Callable[[Run, Node, Frame], Value]]] = {
    "decimal_integer_literal": _integer,
    "hex_integer_literal": _integer,
    "octal_integer_literal": _integer,
    "binary_integer_literal": _integer,
    "decimal_floating_point_literal": _floating,
    "hex_floating_point_literal": _floating,
    "true": lambda run, node, frame: boolean(True),
    "false": lambda run, node, frame: boolean(False),
    "null_literal": lambda run, node, frame: NULL,
    "string_literal": lambda run, node, frame: _interned(string_literal(text(node))),
    "character_literal": lambda run, node, frame: Constant(char_literal(text(node)), "char"),
    "identifier": _identifier,
    "this": _this,
    "parenthesized_expression": _parenthesized,
    "field_access": _field_access,
    "array_access": assignments.access,
    "class_literal": _class_literal,
    "lambda_expression": _lambda,
    "method_reference": _method_reference,
    "cast_expression": _cast,
    "ternary_expression": _ternary,
    "assignment_expression": _assignment,
    "update_expression": _update,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "instanceof_expression": _instanceof,
    "array_creation_expression": assignments.creation,
    "array_initializer": assignments.initializer,
    "switch_expression": _switch,
    "method_invocation": calls.method_invocation,
    "object_creation_expression": objects.creation,
}
"""Expressions by the name of their node."""
