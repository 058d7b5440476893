"""Calls on state descriptors and on ``RuntimeContext``."""

from __future__ import annotations

from checker.extract.python.flink_api.states.context import GETTERS, Descriptor, StateContext
from checker.extract.python.flink_api.states.records import record
from checker.extract.python.interpreter.call_record import Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import Opaque, Value, unknown
from checker.model.unknowns import Cause


def descriptor_call(run: Run, owner: Descriptor, call: Call) -> Value:
    """A method of a descriptor."""
    if call.name == "enable_time_to_live":
        owner.ttl = call.argument(0, "ttl_config")
        return None
    if call.name == "get_name":
        return owner.arguments.get(0, "name")
    return unknown(f"the result of .{call.name}() of a state descriptor", Cause.OTHER, call.place)


def context_call(run: Run, owner: StateContext, call: Call) -> Value:
    """A method of a context. Raises StoppedError for a descriptor that is not known."""
    if call.name in GETTERS:
        given = call.argument(0, "state_descriptor")
        if not isinstance(given, Descriptor):
            reason = given.unknown.reason if isinstance(given, Opaque) else "it is not a descriptor that is known here"
            raise stopped(f"a state descriptor is not known: {reason}", Cause.OTHER, call.place)
        symbol = run.fresh("state")
        owner.found.append((record(run, given), symbol))
        return unknown("the content of a state", Cause.EXTERNAL, call.place, symbol)
    return unknown(f"the result of .{call.name}() of the runtime context", Cause.EXTERNAL, call.place)
