"""Where an assignment goes: its target is evaluated once, before the value, as Java does."""

from collections.abc import Callable
from dataclasses import dataclass

from checker.extract.java.interpreter import classes_of_values, names
from checker.extract.java.interpreter.unknown_calls import changed, met
from checker.extract.java.library import contents
from checker.extract.java.library.makers import stored
from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.descriptions import described_as
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    Frame,
    Instance,
    ListValue,
    TypeName,
    Value,
    default_value,
    is_null,
    string,
    unknown_of,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import Node, children, field, text
from checker.extract.java.syntax.type_refs import TypeRef, type_ref
from checker.model.unknowns import Cause, Unknown, given_by


@dataclass(frozen=True, slots=True)
class Place:
    """A variable, field or array element."""

    read: Callable[[], Value]
    write: Callable[[Value], None]


def store(place: Place, target: Node | None, value: Value) -> None:
    """Store a value; a stream remembers the first variable that it is kept in."""
    if isinstance(value, StreamValue) and value.draft is not None and value.draft.variable is None:
        value.draft.variable = text(target).removeprefix("this.")
    place.write(value)


def place_of(run: Run, target: Node | None, frame: Frame) -> Place:
    """What the target of an assignment names."""
    while target is not None and target.type == "parenthesized_expression":
        target = children(target)[0]
    if target is None:
        return _nowhere(run, target, frame)
    if target.type == "identifier":
        name = text(target)
        return Place(
            lambda: run.interpreter.evaluate(target, frame), lambda value: names.store(run, name, value, frame)
        )
    if target.type == "field_access":
        return _field(run, target, frame)
    if target.type == "array_access":
        array = run.interpreter.evaluate(field(target, "array"), frame)
        index = run.interpreter.evaluate(field(target, "index"), frame)
        return Place(
            lambda: element(run, array, index, Site(target, frame)),
            lambda value: _store_element(run, run.settle(array), index, value),
        )
    return _nowhere(run, target, frame)


def _nowhere(run: Run, target: Node | None, frame: Frame) -> Place:
    return Place(lambda: run.interpreter.evaluate(target, frame), lambda value: None)


def _field(run: Run, target: Node, frame: Frame) -> Place:
    owner, name = field(target, "object"), text(field(target, "field"))
    own = owner is not None and owner.type in ("this", "super")
    receiver = (frame.this or NULL) if own else run.interpreter.evaluate(owner, frame)
    viewer = frame.decl if own or owner is None else classes_of_values.declared_class(run, owner, frame)
    if owner is not None and owner.type == "super":
        parent = run.index.superclass(frame.decl)
        viewer = parent if isinstance(parent, ClassDecl) else viewer
    return Place(
        lambda: names.read_field(run, receiver, name, target, frame),
        lambda value: _store_field(run, run.settle(receiver), name, value, viewer),
    )


def _store_field(run: Run, receiver: Value, name: str, value: Value, viewer: ClassDecl | None) -> None:
    if is_null(receiver):
        throw("NullPointerException")
    if isinstance(receiver, Instance):
        names.store_field(run, receiver, name, value, viewer)
    elif isinstance(receiver, TypeName) and isinstance(receiver.type, ClassDecl):
        names.store_static(run, receiver.type, name, value)
    elif isinstance(receiver, TypeName) and isinstance(receiver.type, External):
        met(run, receiver.type)
        changed(run, f"{receiver.type.simple}.{name} = {described_as(value)}")
    else:
        changed(run, f"{described_as(receiver)}.{name} = {described_as(value)}")


def _store_element(run: Run, array: Value, index: Value, value: Value) -> None:
    if is_null(array):
        throw("NullPointerException")
    if not isinstance(array, ListValue) or array.elements is None:
        run.may_throw("ArrayIndexOutOfBoundsException", array, index)
        contents.forget(run, array, Unknown("an element of it is assigned", Cause.COLLECTION))
        return
    place = index.value if isinstance(index, Constant) else None
    if isinstance(place, int) and 0 <= place < len(array.elements):
        kept = stored(array.elements[place], value)
        run.memory.assign(array, "elements", (*array.elements[:place], kept, *array.elements[place + 1 :]))
    elif isinstance(place, int):
        throw("ArrayIndexOutOfBoundsException")
    else:
        run.may_throw("ArrayIndexOutOfBoundsException", index)
        unknown = unknown_of(index) or Unknown("cannot tell which element of an array is assigned", Cause.COLLECTION)
        run.memory.assign(array, "unknown", unknown)
        run.memory.assign(array, "elements", None)


def creation(run: Run, node: Node, frame: Frame) -> Value:
    """``new T[n]`` and ``new T[] {...}``."""
    written_out = field(node, "value")
    if written_out is not None:
        made = initializer(run, written_out, frame)
        written = type_ref(field(node, "type"))
        counted = sum(text(child).count("[") for child in children(node) if child.type == "dimensions")
        return classes_of_values.coerce(run, made, TypeRef(written.name, (), counted), frame.decl)
    sizes = [child for child in children(node) if child.type == "dimensions_expr"]
    size = run.interpreter.evaluate(children(sizes[0])[0], frame) if sizes and children(sizes[0]) else NULL
    default = default_value(type_ref(field(node, "type")) if len(sizes) == 1 else TypeRef("Object"))
    if isinstance(size, Constant) and isinstance(size.value, int) and 0 <= size.value <= 100_000:
        element = text(field(node, "type")) if len(sizes) == 1 else ""
        return ListValue((default,) * size.value, "array", element=element)
    return ListValue(None, "array", unknown_of(size))


def initial(run: Run, node: Node, ref: TypeRef, frame: Frame) -> Value:
    """The value of a field's or variable's initializer."""
    listed = node.type == "array_initializer"
    value = initializer(run, node, frame) if listed else run.interpreter.evaluate(node, frame)
    return classes_of_values.coerce(run, value, ref, frame.decl)


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
    symbol, base = None, contents.symbol_of(array)
    if isinstance(index, Constant) and base is not None and (0, base) not in run.statics:
        symbol = f"{base}[{index.text}]"
    configured = dict(run.entry.values).get(symbol or "")
    if configured is not None and base == "args":
        return string(configured)
    settled = None
    if symbol is not None and symbol.startswith("args["):
        settled = given_by(symbol)
        if symbol in run.entry.unset:
            throw("ArrayIndexOutOfBoundsException")
    run.may_throw("ArrayIndexOutOfBoundsException", array, index)
    return run.opaque(
        "an unknown array element", Cause.ARGUMENT if settled else Cause.COLLECTION, site,
        symbol=symbol, settled_by=settled, of=(array, index),
    )  # fmt: skip
