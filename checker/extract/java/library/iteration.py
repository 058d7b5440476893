"""What an iteration over a value meets: in loops, by iterators, and in calls that take any collection.

A collection that changes while it is iterated over is not known: most throw then, which a deployed program does not.

Enums of the repository: their constants, ``valueOf``, ``EnumSet``.
"""

from __future__ import annotations

from collections.abc import Iterator

from checker.extract.java.library import streams
from checker.extract.java.library.contents import (
    Elements,
    NotKnown,
    added_all,
    forget,
    in_order,
    known,
    replace,
    sure,
    unchanged,
)
from checker.extract.java.library.streams import JavaStream
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.choices import choose
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    ClassLiteral,
    Constant,
    Instance,
    IteratorValue,
    ListValue,
    Opaque,
    OptionalValue,
    Value,
    Version,
    boolean,
    depends_of,
    is_null,
    unknown_of,
)
from checker.extract.java.syntax.declarations import ClassDecl
from checker.model.unknowns import Cause, Unknown


def constant(run: Run, decl: ClassDecl, name: str) -> Instance | None:
    """The constant of an enum by its name."""
    run.interpreter.ensure_initialized(decl)
    found = run.statics.get(run.static_key(decl, name))
    return found if isinstance(found, Instance) else None


def all_constants(run: Run, decl: ClassDecl) -> ListValue | None:
    """All constants of an enum in order, as the array that ``values()`` copies."""
    run.interpreter.ensure_initialized(decl)
    found = run.statics.get(run.static_key(decl, "$VALUES"))
    return found if isinstance(found, ListValue) else None


def _constants(run: Run, value: Value) -> Elements:
    if not isinstance(value, ClassLiteral) or not isinstance(value.type, ClassDecl):
        raise NotKnown
    return known(all_constants(run, value.type))


def enum_of(run: Run, constant: Instance) -> ClassDecl:
    """The enum of a constant, which may have a body of its own."""
    parent = run.index.superclass(constant.decl)
    return parent if isinstance(parent, ClassDecl) and not constant.decl.enum_constants else constant.decl


def enum_set(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    """A static method of ``EnumSet``. Raises NotKnown."""
    match name:
        case "allOf":
            return ListValue(_constants(run, given[0]), "TreeSet")
        case "noneOf":
            return ListValue((), "TreeSet")
        case "of":
            flat = [v for g in given for v in (known(g) if isinstance(g, ListValue) and g.kind == "array" else (g,))]
            return ListValue(added_all(run, ListValue((), "TreeSet"), flat, call), "TreeSet")
        case "copyOf":
            return ListValue(added_all(run, ListValue((), "TreeSet"), every(run, given[0], call), call), "TreeSet")
    return None


def enum_value(run: Run, decl: ClassDecl, wanted: Value, site: Site) -> Value:
    """``valueOf(text)``."""
    run.interpreter.ensure_initialized(decl)
    if isinstance(wanted, Constant) and isinstance(wanted.value, str):
        return constant(run, decl, wanted.value) or throw("IllegalArgumentException")
    run.may_throw("IllegalArgumentException", wanted)
    unknown = unknown_of(wanted) or Unknown("which constant of an enum it is, is not known", Cause.OTHER)
    symbol = wanted.symbol if isinstance(wanted, Opaque) else run.fresh("enum")
    values = all_constants(run, decl)
    if values is not None and values.elements and len(values.elements) <= 8:
        return choose(f"{decl.name}.valueOf({symbol})", tuple(enumerate(values.elements)), unknown)
    return Opaque(unknown, f"{decl.name}.valueOf({symbol})", decl, depends_of(wanted))


def elements_of(run: Run, value: Value, site: Site) -> Elements | None:
    """The elements that an iteration over a value meets now, None where they are not known."""
    try:
        return ordered(run, value, Call("iterator", [], site))
    except NotKnown:
        return None


def ordered(run: Run, value: Value, call: Call) -> Elements | None:
    """The same in the course of a call. Raises NotKnown, too."""
    if isinstance(value, JavaStream):
        return streams.elements(run, value, call)
    if isinstance(value, ListValue):
        return in_order(run, value, call)
    if isinstance(value, IteratorValue):
        return value.elements[value.place :]
    if isinstance(value, OptionalValue):
        return (value.value,) if value.value is not None else ()
    return None


def rounds(run: Run, value: Value, site: Site) -> Iterator[Value] | None:
    """What a loop over a value meets, round by round; None where that is not known. An array shows its changes."""
    elements = elements_of(run, value, site)
    return _rounds(value, elements) if elements is not None else None


def _rounds(value: Value, elements: Elements) -> Iterator[Value]:
    source = value if isinstance(value, ListValue) and value.kind not in ("CopyList", "Stream") else None
    version = source.version if source is not None else None
    for place, element in enumerate(elements):
        now = source.elements if source is not None else None
        if source is not None and source.kind in ("array", "args"):
            yield now[place] if now is not None and place < len(now) else element
            continue
        if source is not None:
            unchanged(source, version)
        yield element


def every(run: Run, value: Value, call: Call) -> Elements:
    """All elements of what a call is given. Throws for null; raises NotKnown."""
    value = run.settle(value)
    if is_null(value):
        throw("NullPointerException")
    return sure(ordered(run, value, call))


def iterator_call(run: Run, receiver: IteratorValue, name: str) -> Value | None:
    """A method of an iterator; None where it is not modelled. Raises NotKnown."""
    if not isinstance(receiver.place, int) or receiver.elements is None:
        raise NotKnown  # moved on one side of a condition, or in a loop of unknown length
    source = receiver.source
    if receiver.version is not (source.version if source is not None else None):
        raise NotKnown
    if name in ("hasNext", "hasMoreElements"):
        return boolean(receiver.place < len(receiver.elements))
    if name in ("next", "nextElement"):
        if receiver.place >= len(receiver.elements):
            throw("NoSuchElementException")
        run.memory.assign(receiver, "place", receiver.place + 1)
        return receiver.elements[receiver.place - 1]
    if name == "remove" and source is not None and source.elements is receiver.elements and receiver.place > 0:
        place = receiver.place - 1
        replace(run, source, (*receiver.elements[:place], *receiver.elements[place + 1 :]))
        for part, now in (("elements", source.elements), ("place", place), ("version", source.version)):
            run.memory.assign(receiver, part, now)
        return NULL
    run.memory.assign(receiver, "version", Version())  # where it stands now is not known
    if source is not None:
        forget(run, source, Unknown("an iterator may have changed it", Cause.COLLECTION))
    return None
