"""Who answers a call: an ordered list of resolvers for each kind of receiver.

A resolver returns the result, or None where the call is not its own. The next one is asked then; what none answers is
an unknown call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from checker.extract.java.flink_api import connecting, environment, streams, table_calls
from checker.extract.java.flink_api.states import registering
from checker.extract.java.interpreter import (
    annotated_options,
    bound_documents,
    functional_values,
    generated_members,
    library_objects,
    lombok_builders,
    opaque_objects,
    repository_methods,
    services,
    texts,
    unknown_calls,
)
from checker.extract.java.interpreter.spring import container
from checker.extract.java.library import collections, configuration, constructors, optionals, parameters, statics
from checker.extract.java.library.command_lines import commons_cli
from checker.extract.java.library.configuration_files import (
    documents,
    hocon,
    yaml_files,
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
    Holder,
    Instance,
    IteratorValue,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    OptionalValue,
    Settings,
    TypeName,
    Value,
)

Resolver = Callable[[Run, Any, Call], Value | None]
"""(run, receiver, call): the receiver is of the class that the table below names."""


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
    lombok_builders.of_object,
    generated_members.accessor,
    generated_members.library_base,
)
STATIC_MEMBERS_NOBODY_WRITES: Final[tuple[Resolver, ...]] = (lombok_builders.made, generated_members.static_member)
_MODELLED: Final = (optionals.call, texts.of_object)
_COLLECTION: Final = (collections.call, texts.of_object)

RESOLVERS: Final[dict[type, tuple[Resolver, ...]]] = {
    Choice: (_each_choice,),
    Instance: (repository_methods.of_object, *MEMBERS_NOBODY_WRITES),
    TypeName: (repository_methods.of_class, *STATIC_MEMBERS_NOBODY_WRITES, library_objects.static_method),
    Lambda: (functional_values.method,),
    MethodRef: (functional_values.method,),
    StreamValue: (streams.call,),
    EnvValue: (environment.call,),
    Constant: (library_objects.constant_method, texts.of_object),
    services.Services: (services.call, *_COLLECTION),
    ListValue: _COLLECTION,
    MapValue: (
        statics.variable,
        library_objects.property_of_unknown_file,
        *_COLLECTION,
        library_objects.load_properties,
    ),
    IteratorValue: _COLLECTION,
    EntryValue: _COLLECTION,
    OptionalValue: _MODELLED,
    Holder: _MODELLED,
    Builder: _MODELLED,
    ClassLiteral: _MODELLED,
    Parameters: (parameters.call, texts.of_object),
    Settings: (configuration.call, texts.of_object),
    StateContext: (registering.of_context,),
    Described: (registering.of_descriptor,),
    ExternalObject: (
        library_objects.object_identity,
        configuration.option_call,
        lombok_builders.call,
        services.provider_call,
        container.call,
        hocon.call,
        yaml_files.call,
        commons_cli.call,
        annotated_options.call,
        documents.call,
        bound_documents.call,
        constructors.call,
        table_calls.object_call,
        connecting.builder_call,
    ),
    Opaque: (
        opaque_objects.of_declared_class,
        opaque_objects.of_flink_class,
        opaque_objects.of_optional,
        opaque_objects.equal_to_itself,
    ),
}
"""Class of the receiver, or of one that it extends → who is asked, in order."""


def resolvers_of(kind: type) -> tuple[Resolver, ...]:
    """Who is asked for a receiver of a class."""
    return next(RESOLVERS[above] for above in kind.__mro__ if above in RESOLVERS)


_MAY_RUN_THE_PROGRAM: Final = (Instance, TypeName, Lambda, MethodRef, Opaque)
"""Receivers whose calls may run code of the program."""


def invoke(run: Run, receiver: Value, call: Call) -> Value:
    """``receiver.name(...)``."""
    if not isinstance(receiver, Choice):  # each of its options is called
        run.answered(call.site, by_library=not isinstance(receiver, _MAY_RUN_THE_PROGRAM))
    return resolve(run, resolvers_of(type(receiver)), receiver, call)


def resolve(run: Run, resolvers: Sequence[Resolver], receiver: Value, call: Call) -> Value:
    """What the first of several resolvers answers that knows the call."""
    for resolver in resolvers:
        found = resolver(run, receiver, call)
        if found is not None:
            return within_bounds(run, found, call.site)
    return unknown_calls.unresolved(run, receiver, call)
