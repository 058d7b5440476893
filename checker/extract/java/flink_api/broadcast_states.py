"""Broadcast state: what the descriptors that a stream is broadcast with describe."""

from __future__ import annotations

from checker.extract.java.flink_api.states.records import record
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Described, Instance
from checker.extract.java.syntax.tree import children, field, text
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.unknowns import Cause, Unknown


def broadcast_descriptors(run: Run, call: Call) -> tuple[StateDescriptor, ...]:
    """The states that the descriptors given to ``broadcast`` describe, with their types where the source shows them."""
    arguments = field(call.site.written(), "arguments")
    written = children(arguments) if arguments is not None else []
    found: list[StateDescriptor] = []
    for place, value in enumerate(call.arguments):
        settled = run.soften(value)
        made = settled.base if isinstance(settled, Instance) else settled
        if isinstance(made, Described):
            found.append(record(run, made, StateKind.BROADCAST, of=settled))
        elif place < len(written):
            reason = f"the descriptor '{text(written[place])[:60]}' can't be followed"
            made_of = expression_of(value, Cause.OTHER)
            why = Unknown(reason, Cause.OTHER, location=run.location(call.site), derived_from=made_of)
            found.append(StateDescriptor(name=why, kind=StateKind.BROADCAST, key_type=why, value_type=why))
    return tuple(found)
