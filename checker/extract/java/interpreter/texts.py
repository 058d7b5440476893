"""What ``toString()`` and ``hashCode()`` give for values of all kinds."""

from checker.extract.interpreting.bounds import A_LOOK
from checker.extract.java.library.contents import NotKnown, in_order
from checker.extract.java.machine import operators
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.operators import joined
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Builder,
    ClassLiteral,
    Constant,
    EntryValue,
    ExternalObject,
    Frame,
    Instance,
    ListValue,
    MapValue,
    Opaque,
    Scope,
    Value,
    string,
    unknown_of,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind
from checker.extract.java.syntax.nodes import in_hierarchy
from checker.model.unknowns import Cause, Unknown


def to_string(run: Run, value: Value) -> Value:
    """What ``toString()`` gives for values of all kinds."""
    if isinstance(value, Constant):
        return string(value.text)
    if isinstance(value, Instance):
        method = next(iter(in_hierarchy(run.index, value.decl, "toString")), None)
        if method is not None and not method.abstract:
            frame = Frame(value.decl, value, Scope())
            return run.interpreter.call_method(method, value, Call("toString", [], Site(None, frame)))
        if value.name is not None:
            return string(value.name)
        return identity(run, value, "toString", None)
    if isinstance(value, Builder):
        return to_string(run, value.content)
    if isinstance(value, ListValue | MapValue | EntryValue):
        shown = text_of_collection(run, value)
        if shown is not None:
            return shown
    if isinstance(value, ClassLiteral) and isinstance(value.type, ClassDecl):
        kind = "interface" if value.type.kind is ClassKind.INTERFACE else "class"
        return string(f"{kind} {value.type.binary_name}")
    if isinstance(value, Opaque):
        return Opaque(value.unknown, value.symbol, External(("java.lang.String",)), parts=value.parts)
    if isinstance(value, ExternalObject):
        named = (value,) if value.step is not None and value.type.simple == "Table" else ()  # Flink makes a name for it
        symbol = value.symbol or run.fresh("text")
        return Opaque(value.unknown, symbol, External(("java.lang.String",)), parts=named)
    unknown = unknown_of(value) or Unknown("the text of an unknown object", Cause.OTHER)
    return Opaque(unknown, run.fresh("text"), External(("java.lang.String",)))


def identity(run: Run, receiver: Value, name: str, site: Site | None) -> Value:
    """``toString`` and ``hashCode`` of Object: other in every run. Records and Lombok's data classes have their own."""
    if isinstance(receiver, Instance):
        marks = receiver.decl.annotation_names
        if receiver.decl.kind is ClassKind.RECORD or marks & {"Data", "Value", "ToString", "EqualsAndHashCode"}:
            return run.opaque(f"the result of a generated '{name}' is not evaluated", Cause.UNSUPPORTED, site)
    cause = Cause.NON_DETERMINISTIC
    return run.opaque(f"'{name}' of an object that does not define it differs in every run", cause, site)


def of_object(run: Run, receiver: Value, call: Call) -> Value | None:
    """``toString()`` and ``hashCode()`` of a modelled object whose model has none."""
    if call.arguments or call.name not in ("hashCode", "toString"):
        return None
    if call.name == "toString":
        return to_string(run, receiver)
    return run.opaque("a hash code that is not evaluated", Cause.UNSUPPORTED, call.site)


def text_of_collection(run: Run, value: ListValue | MapValue | EntryValue) -> Value | None:
    """``toString()``, None where it is not known."""
    run.made(A_LOOK)
    try:
        if not isinstance(value, ListValue) or value.kind in ("array", "args", "Stream"):
            return None
        elements = in_order(value)
    except NotKnown:
        return None
    if elements is None:
        return None
    return joined(run, [operators.as_text(run, e) for e in elements], ", ", "[", "]")
