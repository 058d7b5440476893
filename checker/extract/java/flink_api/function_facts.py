"""What is known of a user function: class, bases, state, where its code stands, which values it holds."""

import json
from collections.abc import Iterable, Iterator, Mapping

from checker.extract.datastream.table import table
from checker.extract.java.flink_api.states import functions
from checker.extract.java.flink_api.states.held import closed_over
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Choice,
    Constant,
    ExternalObject,
    Instance,
    Lambda,
    MethodRef,
    Opaque,
    Value,
)
from checker.extract.java.reached.roles import of_flink
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.declared_state import StateDescriptor
from checker.model.topology import constant_digest
from checker.model.unknowns import Cause, Location, Maybe, Unknown

_DEPTH = 3
"""How deep functions are looked for in what other functions, sources and builders hold."""
SUPERTYPES = {n: frozenset(a.split()) for n, a in table("supertypes").items()}
"""Library class → the library types above it, as far as overloads and roles need them."""


def ancestry(run: Run, value: Value) -> tuple[str, ...] | None:
    """Simple names of a value's class and everything above it; None where its class is not known."""
    if isinstance(value, Instance):
        return class_ancestry(run, value.decl)
    kind = value.type if isinstance(value, ExternalObject | Opaque) else None
    if isinstance(kind, ClassDecl):
        return class_ancestry(run, kind)
    if isinstance(kind, External):
        return (kind.simple, *SUPERTYPES.get(kind.simple, ()))
    return None


def class_ancestry(run: Run, decl: ClassDecl) -> tuple[str, ...]:
    """Simple names of a class of the repository and everything above it."""
    names = [decl.name]
    for ancestor in run.index.ancestors(decl):
        if isinstance(ancestor, ClassDecl):
            names.append(ancestor.name)
        else:
            names.append(ancestor.simple)
            names.extend(SUPERTYPES.get(ancestor.simple, ()))
    return tuple(names)


def all_ancestors_known(run: Run, decl: ClassDecl) -> bool:
    """Whether all ancestors are in the repository or known: then what it does not implement is certain."""
    return all(
        isinstance(ancestor, ClassDecl)
        or ancestor.simple in SUPERTYPES
        or ancestor.name.startswith(("java.", "org.apache.flink."))
        for ancestor in run.index.ancestors(decl)
    )


def base_among(run: Run, value: Value, bases: Iterable[str]) -> str | None:
    """The first of the base classes that a function extends, None if it is not known to extend one."""

    def first_of(alternative: Value) -> str | None:
        names = ancestry(run, alternative) or ()
        return next((base for base in bases if base in names), None)

    return run.agreed(value, first_of, lambda: None)


def class_name(run: Run, value: Value) -> str | None:
    """The class name of a function as Flink would print it; lambdas by the class that holds them."""
    return run.agreed(value, _class_name, lambda: None)


def _class_name(value: Value) -> str | None:
    if isinstance(value, Instance):
        return value.decl.binary_name
    if isinstance(value, ExternalObject):
        return value.type.name
    if isinstance(value, Lambda | MethodRef):
        return f"{value.frame.decl.binary_name}$$Lambda"
    if isinstance(value, Opaque) and value.type is not None:
        return value.type.binary_name if isinstance(value.type, ClassDecl) else value.type.name
    return None


def places(run: Run, values: Iterable[Value]) -> tuple[Location, ...]:
    """Where the repository's code stands that some functions run, with what these are made of."""
    found: set[Location] = set()
    pending = [(value, 0) for value in values]
    while pending:
        given, depth = pending.pop()
        for value in run.alternatives(given) if depth <= _DEPTH else ():
            if isinstance(value, Lambda | MethodRef) and value.node is not None:
                found.add(value.frame.location(value.node))
            elif isinstance(value, Instance):
                found.add(value.decl.location)
            elif isinstance(value, ExternalObject):
                pending.extend((part, depth + 1) for part in value.made_with)
    return tuple(sorted(found, key=lambda place: (place.file, place.line, place.column)))


def texts_of(values: Mapping[str, Value]) -> dict[str, Maybe[str]]:
    """Texts that are known as code could write them, all else by the expressions that give it."""
    return {
        name: json.dumps(value.value)
        if isinstance(value, Constant) and isinstance(value.value, str)
        else Unknown("cannot tell what it holds", derived_from=expression_of(value, Cause.EXTERNAL))
        for name, value in values.items()
    }


def held_values(run: Run, value: Value, depth: int = 0) -> tuple[str, ...]:
    """What a function holds in its object's fields or closes over, as digests; what objects in it hold behind a dot.

    A value that is not known is the expression that gives it. Left out is one that depends on code not followed.
    """
    found: list[str] = []
    for name, kept in _values_of(value) if depth < _DEPTH else ():
        if isinstance(kept, Lambda | MethodRef) or (isinstance(kept, Instance) and kept.name is None):
            found += [f"{name}.{inner}" for inner in held_values(run, kept, depth + 1)]
            continue
        made = expression_of(kept, kept.unknown.cause if isinstance(kept, Opaque | Choice) else Cause.OTHER)
        found += [f"{name}={constant_digest('', made)}"] if made != NEEDS_CODE else []
    return tuple(sorted(found))


def _values_of(value: Value) -> Iterator[tuple[str, Value]]:
    """The values that a function holds, each with its name."""
    if isinstance(value, Instance):
        yield from value.fields.items()
        if value.captured is not None:
            yield from closed_over(value.decl.node, value.captured)
    elif isinstance(value, Lambda | MethodRef) and value.node is not None:
        yield from closed_over(value.node, value.frame)


def state_of(run: Run, value: Value) -> tuple[tuple[StateDescriptor, ...] | Unknown, Maybe[bool] | None]:
    """(states, stateful) of a user function; stateful None = nothing is kept by the function itself."""
    found = [_state_of(run, alternative) for alternative in run.alternatives(value)]
    if all(states == found[0] for states in found):
        return found[0]
    unknown = value.unknown if isinstance(value, Choice) else Unknown("one of several functions")
    return unknown, found[0][1] if all(states[1] == found[0][1] for states in found) else unknown


def _state_of(run: Run, value: Value) -> tuple[tuple[StateDescriptor, ...] | Unknown, Maybe[bool] | None]:
    if isinstance(value, Lambda | MethodRef):
        return (), None
    if isinstance(value, Instance):
        states, stateful = functions.states_of(run, value)
        return states, stateful if stateful is not False else None
    name = class_name(run, value) or "a function"
    if isinstance(value, ExternalObject):
        foreign = [found for found in value.type.candidates if not found.startswith(("org.apache.flink.", "java."))]
        of_java = value.type.name.startswith("java.") and not of_flink(value.type)
        if not foreign and not (value.calls and of_java):  # one of java.* that was called may hand out any object
            return (), None
        name = " or ".join(foreign) or name
    unknown = Unknown(
        f"cannot tell which state {name} keeps, which is not in the repository", Cause.EXTERNAL,
        derived_from=expression_of(value, Cause.EXTERNAL),
    )  # fmt: skip
    return unknown, unknown
