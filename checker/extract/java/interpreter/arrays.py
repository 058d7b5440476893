"""Arrays: made, written out, and their elements."""

from __future__ import annotations

from checker.extract.java.interpreter import classes_of_values
from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    FALSE,
    NULL,
    Constant,
    Frame,
    ListValue,
    Opaque,
    Value,
    is_null,
    string,
    unknown_of,
)
from checker.extract.java.syntax.tree import Node, children, field, text
from checker.extract.java.syntax.type_refs import TypeRef, type_ref
from checker.model.unknowns import Cause, given_by


def default_value(ref: TypeRef) -> Value:
    """What an unassigned field of a type holds."""
    if ref.dimensions == 0:
        if ref.name in ("int", "long", "short", "byte"):
            return Constant(0, ref.name)
        if ref.name in ("double", "float"):
            return Constant(0.0, ref.name)
        if ref.name == "boolean":
            return FALSE
        if ref.name == "char":
            return Constant("\0", "char")
    return NULL


def creation(run: Run, node: Node, frame: Frame) -> Value:
    """``new T[n]`` and ``new T[] {...}``."""
    written_out = field(node, "value")
    if written_out is not None:
        made = initializer(run, written_out, frame)
        written = type_ref(field(node, "type"))
        counted = sum(text(child).count("[") for child in children(node) if child.type == "dimensions")
        return classes_of_values.coerce(run, made, TypeRef(written.name, (), counted), frame)
    sizes = [child for child in children(node) if child.type == "dimensions_expr"]
    size = run.interpreter.evaluate(children(sizes[0])[0], frame) if sizes and children(sizes[0]) else NULL
    default = default_value(type_ref(field(node, "type")) if len(sizes) == 1 else TypeRef("Object"))
    if isinstance(size, Constant) and isinstance(size.value, int) and 0 <= size.value <= 100_000:
        element = text(field(node, "type")) if len(sizes) == 1 else ""
        return ListValue((default,) * size.value, "array", element=element)
    return ListValue(None, "array", unknown_of(size))


def initializer(run: Run, node: Node, frame: Frame) -> Value:
    """``{a, b, c}``."""
    elements = tuple(
        initializer(run, child, frame) if child.type == "array_initializer" else run.interpreter.evaluate(child, frame)
        for child in children(node)
    )
    return ListValue(elements, "array")


def access(run: Run, node: Node, frame: Frame) -> Value:
    """``array[index]`` as an expression."""
    array = run.interpreter.evaluate(field(node, "array"), frame)
    return element(run, array, run.interpreter.evaluate(field(node, "index"), frame), Site(node, frame))


def element(run: Run, array: Value, index: Value, site: Site) -> Value:
    """``array[index]``."""
    array = run.settle(array)
    if is_null(array) or is_null(index):
        throw("NullPointerException")
    if isinstance(array, ListValue) and array.elements is not None and isinstance(index, Constant):
        place = index.value
        if isinstance(place, int) and 0 <= place < len(array.elements):
            return array.elements[place]
        if isinstance(place, int):
            throw("ArrayIndexOutOfBoundsException")
    symbol = None
    if isinstance(index, Constant):
        base = array.symbol if isinstance(array, Opaque) else "args" if _is_args(array) else None
        symbol = f"{base}[{index.text}]" if base is not None else None
    configured = dict(run.entry.values).get(symbol or "")
    if configured is not None and _is_args(array):
        return string(configured, frozenset({str(symbol)}))
    settled = None
    if symbol is not None and symbol.startswith("args["):
        settled = given_by(symbol)
        run.limits.trace.asked.add(symbol)
        if symbol in run.entry.unset:
            throw("ArrayIndexOutOfBoundsException")
    run.may_throw("ArrayIndexOutOfBoundsException", array, index)
    return run.opaque(
        "an array element that is not known", Cause.ARGUMENT if settled else Cause.COLLECTION, site,
        symbol=symbol, settled_by=settled, of=(array, index),
    )  # fmt: skip


def _is_args(array: Value) -> bool:
    return isinstance(array, ListValue) and array.kind == "args"
