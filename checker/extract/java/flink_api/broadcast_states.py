"""Broadcast state: what the descriptors that a stream is broadcast with describe."""

from __future__ import annotations

from checker.extract.java.flink_api import drafts
from checker.extract.java.interpreter.call_record import Call
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import ExternalObject
from checker.extract.java.state.class_shapes import shapes_of
from checker.extract.java.state.descriptors import descriptor_at
from checker.extract.java.syntax.parse import children, field
from checker.model.topology import StateDescriptor, StateKind


def broadcast_descriptors(run: Run, call: Call) -> tuple[StateDescriptor, ...]:
    """The states that the descriptors given to ``broadcast`` describe, with their types where the source tells them."""
    arguments = field(call.site.written(), "arguments")
    written = children(arguments) if arguments is not None else []
    found = []
    for place, value in enumerate(call.arguments):
        if isinstance(value, ExternalObject) and value.type.simple == "MapStateDescriptor" and value.arguments:
            name = drafts.maybe_text(value.arguments[0])
            known = descriptor_at(run.index, call.frame.decl, written[place]) if place < len(written) else None
            if name is None:
                continue
            if known is None:
                found.append(StateDescriptor(name=name, kind=StateKind.BROADCAST))
                continue
            types = (known.key_type, known.value_type)
            found.append(
                StateDescriptor(
                    name=name,
                    kind=StateKind.BROADCAST,
                    key_type=known.key_type,
                    value_type=known.value_type,
                    serializer=known.serializer,
                    classes=shapes_of(run.index, known.scope, types, f"{run.flink[0]}.{run.flink[1]}"),
                )
            )
    return tuple(found)
