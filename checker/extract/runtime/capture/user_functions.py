"""The user function of an operator inside the JVM, and what becomes of its states.

Runs in the child process. ``described`` says what is known before Flink sets the job up, ``with_states`` adds what that
registered. Sources and sinks are not set up: they would reach for their systems.

Whether the functions of an operator may ask for more state while they process records.

Flink's set-up of a job shows what functions ask for when they open, and nothing of what they ask for later. A method
that may run later and hands a state descriptor to anything may ask for more. Which methods may run is found by names,
from those that Flink calls through the user's own code; no value is followed. Runs in the child process.
"""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any

from checker.extract.runtime.capture.class_code import (
    ClassCode,
    Method,
    MethodId,
    class_code,
    class_file,
    digest,
    of_program,
)
from checker.extract.runtime.capture.held_objects import Objects, flink_types
from checker.extract.runtime.capture.jvm import comes_with_flink, java, private, user_loader
from checker.model.nested import Json
from checker.model.unknowns import CODE, Cause

_NOT_SET_UP = (
    "cannot tell which state it keeps: sources and sinks are not opened, as they would connect to their systems"
)
_CHECKPOINTED = frozenset({"CheckpointedFunction", "ListCheckpointed"})
_WITHOUT_STATE = frozenset(
    {"StreamMap", "StreamFlatMap", "StreamFilter", "StreamProject", "ProcessOperator", "CoStreamMap", "CoStreamFlatMap",
     "CoProcessOperator", "TimestampsAndWatermarksOperator"}
)  # fmt: skip
"""Operators of Flink that keep nothing themselves; their functions can do so on keyed streams, or as checkpointed."""


def describe(factory: Any, operator: Any, operator_class: Any, *, keyed: bool) -> Json:
    """``function``, and ``state`` with ``stateful`` where set-up adds nothing, else what ``with_states`` needs."""
    simple = str(operator_class.getName()).rpartition(".")[2]
    if simple in ("SinkWriterOperator", "SourceOperator"):
        return _connector(factory, simple)
    if simple in ("CommitterOperator", "GlobalCommitterOperator"):
        return {"stateful": True, "state": [_state("streaming_committer_raw_states", "operator-list")]}
    function = _function(factory, operator)
    record: Json = {"function": None if function is None else class_name(function)}
    objects = Objects(factory)
    checkpointed = not objects.interfaces.isdisjoint(_CHECKPOINTED)
    ends = {"StreamSource", "StreamSink"} & flink_types(operator_class)
    if ends and not ("StreamSource" in ends and function is not None and comes_with_flink(function.getClass())):
        if not checkpointed and not keyed:
            return {**record, **_known([])}
        return {**record, **_unknown(_NOT_SET_UP, _digest(factory, objects, operator_class), checkpointed)}
    if simple in _WITHOUT_STATE and not keyed and not checkpointed:
        return {**record, **_known([])}
    later = objects.unreadable
    if later is None and (keyed or checkpointed or not comes_with_flink(operator_class)):
        later = _asks_later(objects, operator_class)
    code = _digest(factory, objects, operator_class)
    return {**record, "later": later, "with_records": objects.of_triggers, "code": code}


def with_states(node: Json, registered: Sequence[Json], failure: str | None) -> Json:
    """A node's record with the states of the operator, or why they are not known."""
    if "with_records" not in node:
        return node
    rest = {key: value for key, value in node.items() if key not in ("later", "with_records", "code")}
    if failure is not None:
        return {**rest, **_unknown(failure, node["code"], False)}
    states = list({(s["name"], s["kind"]): s for s in (*registered, *node["with_records"])}.values())
    if node["later"] is None:
        return {**rest, **_known(states)}
    more = _reason(node["later"], node["code"])
    return {**rest, "state": [*states, {"name": more, "kind": more}], "stateful": bool(states) or more}


def _asks_later(objects: Objects, operator_class: Any) -> str | None:
    import jpype

    try:
        return asks_later(_classes(objects, operator_class), objects.lambdas)
    except jpype.JException as error:
        return f"its class files can't be read: {error.getMessage()}"


def _digest(factory: Any, objects: Objects, operator_class: Any) -> str | None:
    """What decides which states an operator asks for: its code, and the values that it takes along.

    None where not all of it is seen.
    """
    import jpype

    if objects.unreadable is not None:
        return None
    owners = [owner for owner, _, _ in objects.lambdas]
    try:
        values = bytes(java("util.InstantiationUtil").serializeObject(factory))
        return digest([*_classes(objects, operator_class), *owners], values)
    except jpype.JException:  # what can't be serialized can't run either; or its class files are of a newer Java
        return None


def _classes(objects: Objects, operator_class: Any) -> tuple[str, ...]:
    return *objects.functions, *objects.others, str(operator_class.getName()).replace(".", "/")


def _known(states: list[Json]) -> Json:
    return {"state": states, "stateful": bool(states)}


def _unknown(why: str, code: str | None, stateful: bool) -> Json:
    return {"state": _reason(why, code), "stateful": stateful or _reason(why, code)}


def _reason(why: str, code: str | None) -> Json:
    made = {} if code is None else {"derived_from": f"{CODE}{code}"}
    return {"unknown": why, "cause": str(Cause.EXTERNAL), **made}


def class_name(value: Any) -> str:
    """The class of an object; of a lambda the class around it, for its own name differs from run to run."""
    return str(value.getClass().getName()).partition("$$Lambda")[0]


def _connector(factory: Any, simple: str) -> Json:
    connector = private(factory, "sink" if simple == "SinkWriterOperator" else "source")
    record: Json = {"function": None if connector is None else class_name(connector)}
    if simple == "SourceOperator":
        record["state"] = [_state("SourceReaderState", "operator-list"), _state("coordinator", "coordinator")]
        return record
    types = frozenset[str]() if connector is None else flink_types(connector.getClass())
    record["stateful"] = bool(types & {"StatefulSink", "SupportsWriterState"})
    record["state"] = [_state("writer_raw_states", "operator-list")] if record["stateful"] else []
    if "Sink" not in types:
        why = "a sink of the old interface decides in the job whether its writer has state"
        record["state"] = record["stateful"] = _reason(why, None)
    return record


def _function(factory: Any, operator: Any) -> Any:
    for holder in (factory, operator):
        if holder is not None and hasattr(holder, "getUserFunction"):
            function = holder.getUserFunction()
            while function is not None and hasattr(function, "getWrappedFunction"):
                function = function.getWrappedFunction()
            return function
    return None


def _state(name: str, kind: str) -> Json:
    return {"name": name, "kind": kind, "value_type": None}


_SET_UP = frozenset({"open", "initializeState", "setRuntimeContext", "setup", "snapshotState"})
"""Methods that have run when the savepoint is there."""
_MAX_METHODS = 4000


def asks_later(classes: tuple[str, ...], lambdas: Collection[MethodId]) -> str | None:
    """Why an operator may have more states than its set-up registers; None where it has not.

    ``classes`` are those of its objects, ``lambdas`` the methods behind lambdas among these.
    """
    packages = {_package(name) for name in (*classes, *(owner for owner, _, _ in lambdas))}
    early, late = _Reach(packages), _Reach(packages)
    for name in classes:
        early.called_back(name, set_up=True)
        late.called_back(name, set_up=False)
    early.follow()
    for method in (*lambdas, *(handle for m in early.entered.values() for handle in m.lambdas)):
        late.call(False, method)
    for name in early.made:
        late.called_back(name, set_up=False)
    late.follow()
    if len(early.entered) > _MAX_METHODS or len(late.entered) > _MAX_METHODS:
        return "its code is more than is followed"
    asking = next((name for name, method in late.entered.items() if method.asks), None)
    raw = next((name for reach in (late, early) for name, m in reach.entered.items() if m.writes_raw), None)
    if asking is not None:
        return f"{_spelled(asking)} may ask for more state while records are processed"
    return None if raw is None else f"{_spelled(raw)} writes state of its own format"


class _Reach:
    """The methods of the user's code that may run, by what is mentioned in those that are known to."""

    def __init__(self, packages: set[str]) -> None:
        self.entered: dict[MethodId, Method] = {}
        self.made: dict[str, None] = {}
        self._packages = packages
        self._known: dict[str, None] = {}
        self._virtual: dict[tuple[str, str], None] = {}
        self._pending: deque[Method] = deque()

    def called_back(self, name: str, *, set_up: bool) -> None:
        """An object of the class exists: Flink or a library may call what overrides a method of theirs."""
        self._know(name)
        offered = _offered(name) if of_program(name) else frozenset()
        for owner, found in self._hierarchy(name):
            for key in found.methods:
                if key[0] in offered and (key[0] in _SET_UP) is set_up:
                    self._enter(owner, found, key)

    def call(self, virtual: bool, method: MethodId) -> None:
        """A method may be called, or one that overrides it."""
        owner, *rest = method
        key = rest[0], rest[1]
        self._know(owner)
        if virtual:
            self._virtual[key] = None
        defining = [(n, class_code(n)) for n in self._known] if virtual else list(self._hierarchy(owner))
        for name, found in defining:
            if key in found.methods:
                self._enter(name, found, key)
                if not virtual:
                    return

    def follow(self) -> None:
        """Enter all that is called, up to a bound."""
        while self._pending and len(self.entered) <= _MAX_METHODS:
            method = self._pending.popleft()
            for handle in method.lambdas:
                self.call(False, handle)
            for virtual, called in method.calls:
                self.call(virtual, called)
            for name in method.made:
                if name not in self.made:
                    self.made[name] = None
                    self.called_back(name, set_up=False)
            for name in method.statics:
                self.call(False, (name, "<clinit>", "()V"))

    def _know(self, name: str) -> None:
        for owner, found in self._hierarchy(name):
            if owner not in self._known:
                self._known[owner] = None
                for key in self._virtual.keys() & found.methods.keys():
                    self._enter(owner, found, key)

    def _enter(self, owner: str, found: ClassCode, key: tuple[str, str]) -> None:
        if (owner, *key) not in self.entered:
            method = self.entered[owner, *key] = found.methods[key]
            self._pending.append(method)

    def _hierarchy(self, name: str) -> Iterator[tuple[str, ClassCode]]:
        """The class and all that is above it, as far as it is the user's own code or knows Flink."""
        pending, seen = [name], set()
        while pending:
            current = pending.pop(0)
            if current in seen or not of_program(current) or not self._near(current):
                continue
            seen.add(current)
            found = class_code(current)
            yield current, found
            pending += found.parents

    def _near(self, name: str) -> bool:
        return _package(name) in self._packages or b"org/apache/flink/" in class_file(name)


def _package(name: str) -> str:
    """The first two parts of a package: what one company's classes have in common."""
    return "/".join(name.split("/")[:-1][:2])


def _spelled(method: MethodId) -> str:
    return f"{method[0].rpartition('/')[2]}.{method[1]}"


@cache
def _offered(name: str) -> frozenset[str]:
    """Names of the methods that libraries know of a class of the user."""
    loader = user_loader()
    pending: list[Any] = [java("java.lang.Class").forName(name.replace("/", "."), False, loader)]
    found: set[str] = set()
    while pending:
        cls = pending.pop()
        class_name = str(cls.getName())
        if class_name == "java.lang.Object":
            continue
        if not of_program(class_name.replace(".", "/")):
            found |= {str(method.getName()) for method in cls.getDeclaredMethods()}
        pending += [parent for parent in (cls.getSuperclass(), *cls.getInterfaces()) if parent is not None]
    return frozenset(found)
