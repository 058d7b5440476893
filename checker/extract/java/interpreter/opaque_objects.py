"""Calls on objects of which at most the class is known."""

from __future__ import annotations

from checker.extract.datastream import table
from checker.extract.java.flink_api import jobs, unknowns
from checker.extract.java.interpreter import methods, objects
from checker.extract.java.library import enums
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Choice, Opaque, OptionalValue, Value, boolean
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind
from checker.extract.java.syntax.members import declared_field, in_hierarchy


def of_declared_class(run: Run, receiver: Opaque, call: Call) -> Value | None:
    """A call on an unknown object of a class of the repository: its method, with unknown fields."""
    decl = receiver.type
    if not isinstance(decl, ClassDecl):
        return None
    concrete = decl
    if decl.abstract:
        below = run.index.implementations(decl, 2)
        if len(below) != 1:
            return None
        concrete = below[0]
    if concrete.kind is ClassKind.ENUM:
        return _call_on_enum(run, receiver, concrete, call)
    method = methods.select(run, list(in_hierarchy(run.index, concrete, call.name)), call, concrete)
    if method is None or method.abstract:
        component = next((c for c in concrete.record_components if c.name == call.name), None)
        if component is not None and not call.arguments:
            resolved = run.index.resolve_type(component.type, concrete)
            return Opaque(receiver.unknown, f"{receiver.symbol}.{call.name}", resolved, receiver.depends)
        if not call.arguments and call.name.startswith(("get", "is")):
            bare = call.name[3:] if call.name.startswith("get") else call.name[2:]
            declared = declared_field(run.index, concrete, bare[:1].lower() + bare[1:])
            if declared is not None:
                resolved = run.index.resolve_type(declared.type, declared.owner)
                return Opaque(receiver.unknown, f"{receiver.symbol}.{declared.name}", resolved, receiver.depends)
        return None
    shadow = objects.unknown_instance(run, concrete, receiver)
    return run.interpreter.call_method(method, shadow, call)


def _call_on_enum(run: Run, receiver: Opaque, decl: ClassDecl, call: Call) -> Value | None:
    values = enums.all_constants(run, decl)
    if values is not None and values.elements and len(values.elements) <= 8:
        choice = Choice(f"{receiver.symbol} of {decl.name}", tuple(enumerate(values.elements)), receiver.unknown)
        return run.interpreter.invoke(choice, call)
    return None


def of_flink_class(run: Run, receiver: Opaque, call: Call) -> Value | None:
    """A call on what is declared as a stream or an environment: one of which nothing else is known."""
    kind = receiver.type
    if not isinstance(kind, External):
        return None
    if table.is_stream_type(kind.simple):
        stream = unknowns.stream_for(run, receiver.unknown, kind.simple, call.site)
        return run.interpreter.invoke(stream, call)
    if kind.simple == "StreamExecutionEnvironment":
        env = jobs.default(run)
        if not env.drafts:
            hole = unknowns.stream(run, env, receiver.unknown, (), call.site).draft
            if hole is not None and receiver.unknown.location is not None:  # what else stands here is followed
                run.memory.assign(hole, "location", receiver.unknown.location)
        return run.interpreter.invoke(env, call)
    return None


def of_optional(run: Run, receiver: Opaque, call: Call) -> Value | None:
    """A call on an ``Optional`` of which nothing is known: it holds a value, or none."""
    kind, node = receiver.type, call.site.node
    if not isinstance(kind, External) or "java.util.Optional" not in kind.candidates or node is None:
        return None
    asked = Opaque(receiver.unknown, f"{receiver.symbol}.isPresent()", None, receiver.depends)
    value = Opaque(receiver.unknown, f"{receiver.symbol}.get()", None, receiver.depends)
    either = run.branch(asked, lambda: OptionalValue(value), lambda: OptionalValue(None), call.name, node.id)
    return run.interpreter.invoke(either, call)


def equal_to_itself(run: Run, receiver: Opaque, call: Call) -> Value | None:
    """``equals`` with the same value, whatever that is."""
    argument = call.arguments[0] if len(call.arguments) == 1 else None
    if call.name in ("equals", "equalsIgnoreCase") and isinstance(argument, Opaque):
        return boolean(True) if argument.symbol == receiver.symbol else None
    return None
