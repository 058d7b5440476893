"""Who answers a call: an ordered list of resolvers for each kind of receiver.

A resolver returns the result, or None where the call is not its own. The next one is asked then; what none answers is
an unknown call.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from checker.extract.datastream import table
from checker.extract.java.flink_api import connecting, environment, jobs, operators, streams, table_calls, unknowns
from checker.extract.java.flink_api.states import registering
from checker.extract.java.interpreter import (
    generated_members,
    library_objects,
    methods,
    objects,
    plugins,
    repository_methods,
    texts,
    unknown_calls,
)
from checker.extract.java.library import (
    collections,
    configuration,
    holders,
    makers,
    parameters,
    statics,
    text_functions,
)
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.flink_values import EnvValue, Parameters, StateContext, StreamValue
from checker.extract.java.machine.operators import within_bounds
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Builder,
    Choice,
    ClassLiteral,
    Constant,
    Described,
    EntryValue,
    ExternalObject,
    Instance,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    OptionalValue,
    Settings,
    TypeName,
    Value,
    boolean,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind
from checker.extract.java.syntax.nodes import in_hierarchy
from checker.extract.java.syntax.tree import field, text

Resolver = Callable[[Run, Any, Call], Value | None]
"""(run, receiver, call): the receiver is of the class that the table below names."""


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
    shadow = objects.unknown_instance(run, concrete, receiver)
    if method is None or method.abstract:
        return None if call.arguments else generated_members.accessor(run, shadow, call)
    return run.interpreter.call_method(method, shadow, call)


def _call_on_enum(run: Run, receiver: Opaque, decl: ClassDecl, call: Call) -> Value | None:
    values = generated_members.all_constants(run, decl)
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


def of_keyed_result(run: Run, receiver: Opaque, call: Call) -> Value | None:
    """A call in a chain with ``keyBy`` on what code gives that was not followed and has the environment: a stream."""
    node = call.site.node
    if receiver.origin is None or receiver.type is not None or node is None:
        return None
    while text(field(node, "name")) != "keyBy":
        above = node.parent
        if above is None or above.type != "method_invocation" or field(above, "object") is not node:
            return None
        node = above
    return run.interpreter.invoke(operators.as_stream(run, receiver, call.site), call)


def of_optional(run: Run, receiver: Opaque, call: Call) -> Value | None:
    """A call on an ``Optional`` of which nothing is known: it holds a value, or none."""
    kind, node = receiver.type, call.site.node
    if not isinstance(kind, External) or "java.util.Optional" not in kind.candidates or node is None:
        return None
    asked = Opaque(receiver.unknown, f"{receiver.symbol}.isPresent()")
    value = Opaque(receiver.unknown, f"{receiver.symbol}.get()")
    either = run.branch(asked, lambda: OptionalValue(value), lambda: OptionalValue(None), call.name, node.id)
    return run.interpreter.invoke(either, call)


def equal_to_itself(run: Run, receiver: Opaque, call: Call) -> Value | None:
    """``equals`` with the same value, whatever that is."""
    argument = call.arguments[0] if len(call.arguments) == 1 else None
    if call.name in ("equals", "equalsIgnoreCase") and isinstance(argument, Opaque):
        return boolean(True) if argument.symbol == receiver.symbol else None
    return None


def _each_choice(run: Run, receiver: Choice, call: Call) -> Value:
    """A call on one of several values: answered for each where that leaves the topology alone, else a choice."""
    taken = run.choices.decided(receiver.symbol)
    if taken is None and not any(isinstance(option, StreamValue | EnvValue) for _, option in receiver.options):
        key = None if call.site.node is None else call.site.node.id
        merged = run.ways(receiver, [partial(invoke, run, option, call) for _, option in receiver.options], key)
        if merged is not None:
            return merged
    return invoke(run, run.pick(receiver), call)


MEMBERS_NOBODY_WRITES: Final[tuple[Resolver, ...]] = (
    registering.of_function,
    generated_members.extended_stream,
    generated_members.enum_member,
    generated_members.object_member,
    generated_members.accessor,
    generated_members.library_base,
)
STATIC_MEMBERS_NOBODY_WRITES: Final[tuple[Resolver, ...]] = (generated_members.static_member, registering.of_utility)
_MODELLED: Final = (holders.call, texts.of_object)
_COLLECTION: Final = (collections.call, texts.of_object)

RESOLVERS: Final[dict[type, tuple[Resolver, ...]]] = {
    Choice: (_each_choice,),
    Instance: (repository_methods.of_object, *MEMBERS_NOBODY_WRITES),
    TypeName: (repository_methods.of_class, *STATIC_MEMBERS_NOBODY_WRITES, library_objects.static_method),
    Lambda: (repository_methods.of_function,),
    MethodRef: (repository_methods.of_function,),
    StreamValue: (streams.call,),
    EnvValue: (environment.call,),
    Constant: (library_objects.constant_method, texts.of_object),
    ListValue: _COLLECTION,
    MapValue: (
        statics.variable,
        library_objects.property_of_unknown_file,
        *_COLLECTION,
        library_objects.load_properties,
    ),
    EntryValue: _COLLECTION,
    OptionalValue: _MODELLED,
    Builder: _MODELLED,
    ClassLiteral: _MODELLED,
    Parameters: (parameters.call, texts.of_object),
    Settings: (configuration.call, texts.of_object),
    StateContext: (registering.of_context,),
    Described: (registering.of_descriptor,),
    ExternalObject: (
        library_objects.object_identity,
        *plugins.answering("call"),
        makers.call,
        table_calls.object_call,
        connecting.builder_call,
    ),
    Opaque: (
        registering.of_execution_config,
        of_declared_class,
        of_flink_class,
        of_keyed_result,
        of_optional,
        equal_to_itself,
        text_functions.filled_in,
    ),
}
"""Class of the receiver, or of one that it extends → who is asked, in order."""


def resolvers_of(kind: type) -> tuple[Resolver, ...]:
    """Who is asked for a receiver of a class."""
    return next(RESOLVERS[above] for above in kind.__mro__ if above in RESOLVERS)


def invoke(run: Run, receiver: Value, call: Call) -> Value:
    """``receiver.name(...)``."""
    return resolve(run, resolvers_of(type(receiver)), receiver, call)


def resolve(run: Run, resolvers: Sequence[Resolver], receiver: Value, call: Call) -> Value:
    """What the first of several resolvers answers that knows the call."""
    for resolver in resolvers:
        found = resolver(run, receiver, call)
        if found is not None:
            return within_bounds(run, found, call.site)
    return unknown_calls.unresolved(run, receiver, call)
