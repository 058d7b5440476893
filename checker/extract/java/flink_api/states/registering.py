"""Calls with which a function asks Flink for state, while its methods are followed; state descriptors at all times.

Sources: ``RuntimeContext``, ``KeyedStateStore``, ``OperatorStateStore``, ``AbstractStreamOperator``, ``TimerService``.
"""

from dataclasses import replace
from typing import Final

from checker.extract.datastream.table import table
from checker.extract.java.flink_api.states.records import name_of, record
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, expression_text, short
from checker.extract.java.machine.flink_values import GLOBAL_PARAMETERS, Registrations, StateContext, StateStore
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Described,
    ExternalObject,
    Instance,
    Lambda,
    MethodRef,
    Opaque,
    TypeName,
    Value,
    is_null,
    parts_of,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import text
from checker.model.declared_state import DESCRIPTORS, StateDescriptor, StateKind
from checker.model.unknowns import Cause, Maybe, Unknown

ASKING: Final = table("asking")
"""Methods that ask for the state that their last argument describes, and what they give."""
TIMERS: Final = ("registerEventTimeTimer", "registerProcessingTimeTimer")
TIMER_SERVICES: Final = ("getInternalTimerService", "getAsyncInternalTimerService")
STORES: Final = {
    "getRuntimeContext": StateStore.OTHER, "getOperatorStateStore": StateStore.OPERATOR,
    "getOperatorStateBackend": StateStore.OPERATOR, "getKeyedStateStore": StateStore.OTHER,
    "getKeyedStateBackend": StateStore.OTHER, "globalState": StateStore.KEY, "windowState": StateStore.WINDOW,
    "timerService": StateStore.OTHER,
}  # fmt: skip
"""Methods of contexts and operators that give what states are asked of."""
HANDING_ON: Final = (
    "RuntimeContext", "StreamingRuntimeContext", "FunctionInitializationContext", "ManagedInitializationContext",
    "StateInitializationContext", "OperatorStateStore", "KeyedStateStore", *STORES,
)  # fmt: skip
"""Contexts with which code of a library can ask for state as well."""
_OPERATOR_KINDS: Final = {
    "getUnionListState": StateKind.OPERATOR_UNION_LIST, "getBroadcastState": StateKind.BROADCAST
}  # fmt: skip
_QUEUES: Final = ("_timer_state/event_", "_timer_state/processing_")
"""What the states of a timer service are called before its name (``InternalTimerServiceImpl``)."""
_TAKING = "setRuntimeContext"
_FORWARDING: Final = {"setFunctionRuntimeContext": _TAKING, "openFunction": "open"}
_LIBRARIES = ("org.apache.flink.", "java.", "javax.", "scala.", "kotlin.")
_DEPTH = 2


def of_library(external: External) -> bool:
    """Whether a class of Flink or of a language is meant, of which is known what state it registers."""
    return any(name.startswith(_LIBRARIES) for name in external.candidates)


def create(run: Run, external: External, call: Call) -> Value | None:
    """``new`` of a state descriptor; None for other classes."""
    if external.simple not in DESCRIPTORS:
        return None
    made = f"{external.simple}({', '.join(described_as(value) for value in call.arguments)})"
    unknown = run.unknown(f"{external.simple} is not in the repository", Cause.EXTERNAL, call.site)
    given = tuple(call.arguments)
    return Described(
        external, given, (), run.fresh(short(made)), unknown, node=call.node, frame=call.frame
    )  # fmt: skip


def of_descriptor(run: Run, receiver: Described, call: Call) -> Value | None:
    """A method of a descriptor; None for one that has no bearing on the state's record."""
    if call.name == "getName" and receiver.arguments:
        return receiver.arguments[0]
    if call.name == "enableTimeToLive" and len(call.arguments) == 1:
        run.memory.assign(receiver, "ttl", call.arguments[0])
        run.memory.assign(receiver, "side_calls", (*receiver.side_calls, (call.name, tuple(call.arguments))))
        return NULL
    return None


def of_function(run: Run, receiver: Instance, call: Call) -> Value | None:
    """A method that a function or operator inherits from Flink; None for others, and while ``main`` runs."""
    asked = run.following
    if asked is None:
        return None
    if call.name in ASKING and call.arguments and isinstance(call.arguments[-1], ExternalObject):
        return _asked(run, asked, StateContext(), call)
    if call.name in TIMER_SERVICES and len(call.arguments) == 3:
        return _timers(run, asked, name_of(run, call.arguments[0], run.location(call.site)), call)
    if call.name in STORES and not call.arguments:
        return StateContext(STORES[call.name], call.name)
    if call.name == _TAKING and len(call.arguments) == 1:
        above = [base for base in run.index.ancestors(receiver.decl) if isinstance(base, External)]
        return NULL if all(of_library(base) for base in above) else None
    return None


def of_utility(run: Run, receiver: TypeName, call: Call) -> Value | None:
    """``FunctionUtils``, which calls methods of rich functions for what wraps these."""
    called = _FORWARDING.get(call.name)
    if called is None or len(call.arguments) != 2 or not isinstance(receiver.type, External):
        return None
    function, given = call.arguments
    if isinstance(function, Lambda | MethodRef):
        return NULL
    return run.interpreter.invoke(function, call.having(name=called, arguments=[given]))


def of_context(run: Run, receiver: StateContext, call: Call) -> Value:
    """A method of what Flink hands to a function."""
    asked = run.following
    if asked is not None and call.name in ASKING and call.arguments:
        return _asked(run, asked, receiver, call)
    if asked is not None and call.name in TIMERS:
        return _timers(run, asked, "user-timers", call)
    if call.name in STORES and not call.arguments:
        return StateContext(STORES[call.name], call.name)
    return of_execution_config(run, receiver, call) or _given(run, call, f"{receiver.type}.{call.name}")


def of_execution_config(run: Run, receiver: Value, call: Call) -> Value | None:
    """What the program gave to all functions, of a context or its configuration; None for others."""
    return run.statics.get(GLOBAL_PARAMETERS) if call.name == "getGlobalJobParameters" else None


def _given(run: Run, call: Call, symbol: str) -> Opaque:
    unknown = run.unknown(f"cannot tell what {symbol}() returns", Cause.EXTERNAL, call.site)
    return Opaque(unknown, short(f"{symbol}({', '.join(described_as(value) for value in call.arguments)})"))


def _asked(run: Run, asked: Registrations, context: StateContext, call: Call) -> Value:
    """The state that a descriptor asks for; an unknown one for a descriptor that is not known."""
    kind = _OPERATOR_KINDS.get(call.name)
    if kind is None and context.store is StateStore.OPERATOR:
        kind = StateKind.OPERATOR_LIST
    per_window = context.store is StateStore.WINDOW if context.store in (StateStore.KEY, StateStore.WINDOW) else None
    symbols: list[str] = []
    for value in run.alternatives(call.arguments[-1]):
        described = value.base if isinstance(value, Instance) else value
        if isinstance(described, Described):
            state = record(run, described, kind, of=value)
        elif is_null(value):
            continue
        else:
            state = _not_known(run, value, kind, call)
        symbols.append(symbol_of(state))
        several = value is not call.arguments[-1] and len(run.alternatives(call.arguments[-1])) > 1
        unknown = run.unknown("cannot tell which descriptor it is", Cause.BRANCH, call.site)
        _found(run, asked, replace(state, per_window=per_window), unknown if several else None)
    given = External((f"org.apache.flink.api.common.state.{ASKING[call.name]}",))
    why = run.unknown("cannot tell what a state holds", Cause.EXTERNAL, call.site)
    return Opaque(why, symbols[0] if len(symbols) == 1 else run.fresh("state"), given)


def symbol_of(state: StateDescriptor) -> str:
    """What stands for a state in the function's variables: Flink gives the same one by the same name."""
    return f"state {state.name}" if isinstance(state.name, str) else f"state at {state.location}"


def _found(run: Run, asked: Registrations, state: StateDescriptor, doubt: Unknown | None = None) -> None:
    run.memory.assign(asked, "found", tuple(dict.fromkeys((*asked.found, (state, doubt or asked.doubt)))))


def _not_known(run: Run, value: Value, kind: StateKind | None, call: Call) -> StateDescriptor:
    written = text(call.site.written())[:60] if call.node is not None else ""
    reason = f"the descriptor in '{written}' can't be followed in the source"
    known = value.unknown if isinstance(value, Opaque | ExternalObject) else Unknown(reason)
    place = run.location(call.site)
    why = Unknown(reason, known.cause, None, place, derived_from=run.described(value).derived_from
                  if isinstance(value, Opaque) else described_as(value))  # fmt: skip
    of_value = (
        DESCRIPTORS.get(value.type.simple) if isinstance(value, Opaque) and isinstance(value.type, External) else None
    )
    return StateDescriptor(name=why, kind=kind or of_value or why, value_type=why, location=place)


def _timers(run: Run, asked: Registrations, service: Maybe[str], call: Call) -> Value:
    """A timer service, once used, keeps both of its queues."""
    place = run.location(call.site)
    for queue in _QUEUES:
        name = queue + service if isinstance(service, str) else service
        _found(run, asked, StateDescriptor(name=name, kind=StateKind.TIMERS, location=place))
    return StateContext(type="TimerService")


def handed_over(run: Run, receiver: Value, call: Call) -> None:
    """Code that is not in the repository and is handed a store may ask for any state."""
    asked = run.following
    own = isinstance(receiver, Opaque) and not isinstance(receiver.type, External)
    if asked is None or not any(_hands_on(value, 0) or (own and value is asked.function) for value in call.arguments):
        return
    kind = receiver.type if isinstance(receiver, TypeName | ExternalObject | Opaque) else None
    owner = kind.name if isinstance(kind, ClassDecl | External) else "unknown code"
    unknown = run.unknown(
        f"{owner} is handed the function's state store and is not in the repository", Cause.EXTERNAL, call.site
    )
    given = (value.type if isinstance(value, StateContext) else described_as(value) for value in call.arguments)
    made = expression_text(f"{described_as(receiver)}.{call.name}({', '.join(given)})", Cause.EXTERNAL)
    unread = replace(unknown, derived_from=short(made))
    run.memory.assign(asked, "unread", tuple(dict.fromkeys((*asked.unread, unread))))


def _hands_on(value: Value, depth: int) -> bool:
    if isinstance(value, StateContext):
        return value.type in HANDING_ON
    parts = () if isinstance(value, MethodRef) else parts_of(value)
    return depth < _DEPTH and any(_hands_on(part, depth + 1) for part in parts)
