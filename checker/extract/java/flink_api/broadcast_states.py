"""Broadcast state: what the descriptors that a stream is broadcast with describe."""

from __future__ import annotations

from dataclasses import replace

from checker.extract.java.flink_api import drafts, function_facts
from checker.extract.java.flink_api.evaluation import ObjectEvaluation, type_of_value
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import ExternalObject, Instance, Value
from checker.extract.java.state.descriptors import DescriptorReader
from checker.extract.java.state.java_types import JavaType
from checker.extract.java.state.type_information import flink_text
from checker.extract.java.syntax.tree import children, field, text
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.unknowns import Cause, Maybe, Unknown


def broadcast_descriptors(run: Run, call: Call) -> tuple[StateDescriptor, ...]:
    """The states that the descriptors given to ``broadcast`` describe, with their types where the source shows them."""
    arguments = field(call.site.written(), "arguments")
    written = children(arguments) if arguments is not None else []
    shapes = function_facts.shapes_of(run)
    this = call.frame.this
    evaluation = ObjectEvaluation(run, this if isinstance(this, Instance) else None)
    reader = DescriptorReader(shapes, evaluation, {})
    found: list[StateDescriptor] = []
    for place, value in enumerate(call.arguments):
        settled = run.soften(value)
        node = written[place] if place < len(written) else None
        known = reader.at(call.frame.decl, node) if node is not None else None
        made = isinstance(settled, ExternalObject) and settled.type.simple == "MapStateDescriptor"
        name = drafts.maybe_text(settled.arguments[0]) if isinstance(settled, ExternalObject) and made else None
        if known is not None:
            states = known.states(StateKind.BROADCAST)
            found.extend(replace(state, name=name if isinstance(name, str) else state.name) for state in states)
        elif name is not None:
            found.append(_unread(run, call, settled, name))
        elif node is not None:
            why = reader.unread(call.frame.decl, node, f"the descriptor '{text(node)[:60]}' can't be followed")
            found.append(StateDescriptor(name=why, kind=StateKind.BROADCAST, key_type=why, value_type=why))
    return tuple(found)


def _unread(run: Run, call: Call, value: Value, name: Maybe[str]) -> StateDescriptor:
    """A descriptor that was made elsewhere: its types as far as its arguments show them."""
    given = value.arguments[1:] if isinstance(value, ExternalObject) else ()
    types = [type_of_value(run, argument) for argument in given]
    shapes = function_facts.shapes_of(run)
    spelled: list[Maybe[str]] = []
    for descriptor, type_ in zip(given, types, strict=True):
        if isinstance(type_, JavaType):
            spelled.append(flink_text(shapes, type_.boxed))
        elif type_ is not None:
            spelled.append(type_)
        else:
            why = f"a type of state '{name}' is not known"
            location = run.location(call.site)
            spelled.append(
                Unknown(why, Cause.OTHER, None, location, derived_from=expression_of(descriptor, Cause.EXTERNAL))
            )
    classes = shapes.shapes_of(t for t in types if isinstance(t, JavaType))
    key, kept = spelled if len(spelled) == 2 else (None, None)
    return StateDescriptor(name=name, kind=StateKind.BROADCAST, key_type=key, value_type=kept, classes=classes)
