"""The states that code registers with Flink: which descriptors reach a state store, by kind and name.

Flink gives state for a descriptor only: each call that hands one to Flink is a registration. Where a descriptor or
its name can't be followed, or the store itself is handed to code that is not followed, the answer says so.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from checker.extract.runtime.bytecode.instructions import parameters, returned
from checker.extract.runtime.bytecode.reachable_code import Call, MethodId, Reach
from checker.extract.runtime.bytecode.symbolic_code import (
    Argument,
    ClassConstant,
    FieldValue,
    Made,
    Result,
    Text,
    Value,
)
from checker.extract.runtime.bytecode.value_origins import Held, HeldDescriptor, Origin, Origins, Place
from checker.model.declared_state import DESCRIPTORS

Record = dict[str, Any]

_DESCRIPTOR_TYPES = frozenset((*DESCRIPTORS, "StateDescriptor"))
_KEYED_CALLS = frozenset(
    {"getState", "getValueState", "getListState", "getMapState", "getReducingState", "getAggregatingState",
     "getFoldingState", "getPartitionedState", "mergePartitionedState", "getOrCreateKeyedState",
     "applyToKeyedState"}
)  # fmt: skip
_OPERATOR_CALLS = {"getUnionListState": "operator-union-list", "getBroadcastState": "broadcast"}
_RAW_CALLS = frozenset(
    {"getRawOperatorStateOutput", "getRawKeyedOperatorStateOutput", "getSerializableListState", "getStateManager"}
)
_STORES = frozenset(
    {"RuntimeContext", "StreamingRuntimeContext", "IterationRuntimeContext", "CepRuntimeContext", "KeyedStateStore",
     "OperatorStateStore", "StateInitializationContext", "FunctionInitializationContext",
     "ManagedInitializationContext", "KeyedStateBackend", "OperatorStateBackend", "StateDataViewStore",
     "ProcessWindowFunction$Context", "ProcessAllWindowFunction$Context", "Trigger$TriggerContext",
     "KeyedBroadcastProcessFunction$Context", "BroadcastProcessFunction$Context"}
)  # fmt: skip
"""Simple names of Flink's types that give state."""
_HARMLESS = (
    "java/lang/Object", "java/lang/String", "java/lang/System", "java/util/Objects", "java/io/PrintStream",
    "kotlin/jvm/internal/Intrinsics", "org/slf4j/", "org/apache/flink/util/Preconditions",
)  # fmt: skip
"""Owners of methods that do not register state with what they are handed."""
_FLINKS_WRAPPERS = frozenset(
    {"FunctionUtils", "DefaultKeyedStateStore", "RichInputFormat", "RichOutputFormat", "OutputFormatSinkFunction$1",
     "RichAsyncFunction$RichAsyncFunctionRuntimeContext", "RichAsyncFunction$RichAsyncFunctionIterationRuntimeContext"}
)  # fmt: skip
"""Classes of Flink to which its own code hands a store only for the functions that it holds, which are known."""
_UNKNOWN_DESCRIPTOR = "the function asks for state with a descriptor that can't be followed in its code"
_UNKNOWN_NAME = "the function makes a state descriptor whose name is not a constant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """``states`` is everything where ``unclear`` is None; ``any_state``: whether there certainly is any."""

    states: tuple[Record, ...]
    unclear: str | None
    any_state: bool


def registered(reach: Reach, contents: Held) -> Registered:
    """All states that the reached methods register."""
    return _Reader(reach, contents).read()


class _Reader:
    def __init__(self, reach: Reach, contents: Held) -> None:
        self._reach = reach
        self._contents = contents
        self._origins = Origins(reach, contents)
        self._states: dict[tuple[str, str], Record] = {}
        self._unclear: list[str] = [] if reach.unreadable is None else [reach.unreadable]
        self._any = False

    def read(self) -> Registered:
        followed = {call for calls in self._reach.callers.values() for call in calls}
        for call in self._reach.calls:
            if not self._registers(call) and call not in followed:
                self._handed_on(call)
        for call in self._reach.lambdas:
            types = {_simple(type_) for type_ in parameters(call.invocation.reference.descriptor)}
            if call not in followed and types & (_DESCRIPTOR_TYPES | _STORES):
                self._any = self._any or not types.isdisjoint(_DESCRIPTOR_TYPES)
                self._unclear.append(f"the function hands its state store on to {_called(call)}")
        return Registered(
            states=tuple(self._states[key] for key in sorted(self._states)),
            unclear=min(self._unclear, default=None),
            any_state=self._any,
        )

    def _registers(self, call: Call) -> bool:
        """Whether a call is one of Flink's that give state; the states are added then."""
        reference = call.invocation.reference
        if self._reach.classes.lookup(reference.owner, (reference.name, reference.descriptor)) is not None:
            return False
        types = [_simple(type_) for type_ in parameters(reference.descriptor)]
        if reference.name in _RAW_CALLS:
            self._any = True
            self._unclear.append(f"the function keeps state of its own format ({reference.name})")
            return True
        if reference.name == "getInternalTimerService":
            self._any = True
            for name in self._origins.of(call.caller, call.invocation.arguments[1]):
                self._timers(name)
            return True
        place = next((i for i, type_ in enumerate(types) if type_ in _DESCRIPTOR_TYPES), None)
        if place is None:
            return False
        if reference.name == "applyToAllKeys":  # to what is there already, in the code of an operator
            return True
        if reference.name not in _KEYED_CALLS and reference.name not in _OPERATOR_CALLS:
            self._unclear.append(f"the function hands a state descriptor on to {_called(call)}")
            return True
        self._any = True
        arguments = call.invocation.arguments[-len(types) :]
        for origin in self._origins.of(call.caller, arguments[place]):
            self._state(origin, self._operator_kind(call))
        return True

    def _operator_kind(self, call: Call) -> str | None:
        reference = call.invocation.reference
        if reference.name == "getListState" and reference.owner.endswith(
            ("OperatorStateStore", "OperatorStateBackend")
        ):
            return "operator-list"
        return _OPERATOR_CALLS.get(reference.name)

    def _state(self, origin: Origin, operator_kind: str | None) -> None:
        if isinstance(origin, HeldDescriptor):
            self._add({**asdict(origin), "kind": operator_kind or origin.kind})
            return
        if not isinstance(origin, Place) or _simple(f"L{origin.made.name};") not in DESCRIPTORS:
            self._unclear.append(_UNKNOWN_DESCRIPTOR)
            return
        made = self._reach.methods[origin.method].made[origin.made]
        types = parameters(made.reference.descriptor)
        kind = operator_kind or DESCRIPTORS[_simple(f"L{origin.made.name};") or ""]
        value_type, key_type = None, None
        constants = [
            a.name.replace("/", ".") if isinstance(a, ClassConstant) and t == "Ljava/lang/Class;" else None
            for t, a in zip(types[1:], made.arguments[2:], strict=True)
        ]
        if origin.made.name.endswith("MapStateDescriptor"):
            key_type, value_type = (*constants, None, None)[:2]
        elif constants:
            value_type = next((c for c in constants if c is not None), None)
        for name in self._origins.of(origin.method, made.arguments[1], origin.through):
            if isinstance(name, Text):
                self._add({"name": name.value, "kind": kind, "value_type": value_type, "key_type": key_type})
            else:
                self._unclear.append(_UNKNOWN_NAME)

    def _timers(self, name: Origin) -> None:
        """Both queues of a timer service, as ``InternalTimeServiceManagerImpl`` names them."""
        if not isinstance(name, Text):
            self._unclear.append("the operator makes a timer service whose name is not a constant")
            return
        for time in ("event", "processing"):
            self._add({"name": f"_timer_state/{time}_{name.value}", "kind": "timers", "value_type": None})

    def _add(self, state: Record) -> None:
        self._states.setdefault((state["name"], state["kind"]), state)

    # -- stores and descriptors that leave the code ----------------------------------------------------------------

    def _handed_on(self, call: Call) -> None:
        reference = call.invocation.reference
        if reference.owner.startswith(_HARMLESS) or reference.name == "checkNotNullParameter":
            return
        types = parameters(reference.descriptor)
        arguments = call.invocation.arguments[len(call.invocation.arguments) - len(types) :]
        for type_, argument in zip(types, arguments, strict=True):
            if _simple(type_) not in _STORES:
                if type_ != "Ljava/lang/Object;":
                    continue
                actual = _simple(self._type(call.caller, argument))
                if actual not in _STORES and actual not in _DESCRIPTOR_TYPES:
                    continue
            if not self._followed_elsewhere(call):
                self._unclear.append(f"the function hands its state store on to {_called(call)}")
            return

    def _followed_elsewhere(self, call: Call) -> bool:
        """Whether what is called is a method of a base class, or of an object whose class is followed anyway."""
        reference = call.invocation.reference
        if call.caller[0].startswith("org/apache/flink/") and _simple(f"L{reference.owner};") in _FLINKS_WRAPPERS:
            return True
        receiver = call.invocation.arguments[0] if call.invocation.arguments else None
        if receiver == Argument(0) and not call.invocation.virtual and reference.name != "<init>":
            return True
        if isinstance(receiver, FieldValue):
            owners = self._reach.classes.hierarchy(receiver.reference.owner)
            if any((owner.name, receiver.reference.name) in self._contents.followed for owner in owners):
                return True
        if isinstance(receiver, Made) and receiver.name in self._reach.available:
            return True
        key = reference.name, reference.descriptor
        own = {ancestor.name for ancestor in self._reach.classes.hierarchy(call.caller[0])}
        return any(
            (found := self._reach.classes.lookup(name, key)) is not None and found[0].name not in own
            for name in self._reach.available
        )

    def _type(self, method: MethodId, value: Value) -> str:
        if isinstance(value, Result):
            return returned(value.reference.descriptor)
        if isinstance(value, FieldValue):
            return value.reference.descriptor
        if isinstance(value, Made):
            return f"L{value.name};"
        if isinstance(value, Argument):
            owner = self._reach.classes.find(method[0])
            static = owner is not None and owner.methods[method[1]].static
            types = parameters(method[1][1])
            number = value.number - (0 if static else 1)
            return types[number] if 0 <= number < len(types) else ""
        return ""


def _simple(type_: str) -> str | None:
    """The simple name of a class of Flink (``Outer$Inner`` for a nested one), None for anything else."""
    if not type_.startswith("Lorg/apache/flink/"):
        return None
    return type_[1:-1].rpartition("/")[2]


def _called(call: Call) -> str:
    reference = call.invocation.reference
    return f"{reference.owner.rpartition('/')[2]}.{reference.name}"
