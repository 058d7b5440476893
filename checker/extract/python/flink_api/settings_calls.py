"""The setters that streams and sinks share: ids, names, parallelism, chains and slots."""

from __future__ import annotations

from checker.extract.datastream.records import UNSET, Draft, Parallelism
from checker.extract.python.interpreter.call_record import Call
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import RaiseSignal, stopped
from checker.extract.python.interpreter.values import External, Opaque, Value, reason_of
from checker.model.topology import ChainingStrategy
from checker.model.unknowns import Cause, Location, Maybe, Unknown

SETTERS = frozenset(
    {"uid", "name", "set_uid_hash", "set_parallelism", "set_max_parallelism", "slot_sharing_group",
     "force_non_parallel", "start_new_chain", "disable_chaining", "set_description", "set_buffer_timeout"}
)  # fmt: skip


def unsupported(call: Call) -> Value:
    """Raises StoppedError: the call is not one that is followed."""
    why = f"the call .{call.name}() of PyFlink is not one that can be read"
    raise stopped(why, Cause.UNSUPPORTED, call.place)


def set_on(run: Run, result: Value, step: Draft, call: Call) -> Value:
    """A setter of a step, which gives what it was called on."""
    if call.name not in SETTERS:
        return unsupported(call)
    value = call.first
    if call.name == "uid":
        step.uid, step.uid_location = text(run, value, "the uid", call.place), call.place
    elif call.name == "name":
        step.name = text(run, value, "the name", call.place)
    elif call.name == "set_uid_hash":
        step.uid_hash = text(run, value, "the uid hash", call.place)
    elif call.name == "slot_sharing_group":
        step.slot_sharing_group = _group(run, value, call.place)
    elif call.name == "set_parallelism":
        step.parallelism = parallelism(run, value, call.place, single=step.non_parallel)
    elif call.name == "set_max_parallelism":
        step.max_parallelism = max_parallelism(run, value, call.place)
    elif call.name == "force_non_parallel":
        step.parallelism, step.max_parallelism, step.non_parallel = 1, 1, True
    elif call.name == "start_new_chain":
        step.chaining = ChainingStrategy.HEAD
    elif call.name == "disable_chaining":
        step.chaining = ChainingStrategy.NEVER
    return result


def _group(run: Run, value: Value, at: Location) -> Maybe[str]:
    """A group by name, or built by ``SlotSharingGroup.builder(name)``."""
    built = value
    while isinstance(built, External):
        if built.simple == "builder":
            value = built.arguments[0] if built.arguments else dict(built.keywords).get("name")
            break
        built = built.before
    return text(run, value, "the slot sharing group", at)


def text(run: Run, value: Value, what: str, at: Location) -> Maybe[str]:
    """A text argument, or why it is not known."""
    if isinstance(value, str):
        return value
    if isinstance(value, Opaque):
        return reason_of(value)
    why = f"{what} is not a text that can be read here"
    return Unknown(why, Cause.OTHER, None, at, derived_from=described(run, value) or None)


_UNSET = -1
"""``ExecutionConfig.PARALLELISM_DEFAULT``."""
_MOST = 1 << 15
"""``KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM``."""


def parallelism(run: Run, value: Value, at: Location, *, single: bool = False) -> Parallelism:
    """A parallelism. Raises RaiseSignal for one that Flink refuses (``OperatorValidationUtils``)."""
    found = number(run, value, at)
    if isinstance(found, int) and (found == 0 or found < _UNSET or (single and found != 1)):
        raise refused("IllegalArgumentException")
    return UNSET if found == _UNSET else found


def max_parallelism(run: Run, value: Value, at: Location) -> Maybe[int]:
    """A maximum parallelism. Raises RaiseSignal for one that Flink refuses."""
    found = number(run, value, at)
    if isinstance(found, int) and not 0 < found <= _MOST:
        raise refused("IllegalArgumentException")
    return found


def refused(java_class: str) -> RaiseSignal:
    """An exception of the JVM, as PyFlink shows it."""
    return RaiseSignal((java_class, "Py4JJavaError", "Py4JError", "Exception", "BaseException"))


def number(run: Run, value: Value, at: Location) -> Maybe[int]:
    """A number argument, or why it is not known."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Opaque):
        return reason_of(value)
    return Unknown("a number that is not known", Cause.OTHER, None, at, derived_from=described(run, value) or None)
