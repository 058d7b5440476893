"""The states that a function of the repository registers: its ``open`` is followed as a worker would run it.

What ``open`` does stays in the worker, so it works on a copy of the function. Descriptors that the class makes
elsewhere (in ``process_element``, say) are read as they are written there.

Sources: ``RuntimeContext``, ``pyflink/datastream/state.py`` and ``pyflink/common/time.py`` of 1.20 and 2.3.
"""

import ast
import copy
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache

from checker.extract.asking.consulted import ask
from checker.extract.datastream import table
from checker.extract.interpreting.memory import MISSING
from checker.extract.python.flink_api.settings_calls import text
from checker.extract.python.flink_api.streams import GETTERS, Descriptor, StateContext, calls_to, type_text
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.evaluate import call, value
from checker.extract.python.interpreter.objects import bound
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import ExitSignal, RaiseSignal, StoppedError
from checker.extract.python.interpreter.values import (
    Arguments,
    Class,
    Decorated,
    External,
    Function,
    Guarded,
    Instance,
    Opaque,
    Scope,
    Value,
    reason_of,
)
from checker.extract.python.plain_code import KEPT
from checker.model.declared_state import DESCRIPTORS, ELEMENT, Expiry, StateDescriptor, StateKind, ways
from checker.model.nested import gathered
from checker.model.unknowns import Cause, Location, Maybe, Unknown

_TYPE = {
    StateKind.VALUE: (1, "value_type_info"),
    StateKind.LIST: (1, "elem_type_info"),
    StateKind.REDUCING: (2, "type_info"),
    StateKind.AGGREGATING: (2, "state_type_info"),
}
"""Where a descriptor is given its type."""
_UNITS = {
    "milliseconds": 1, "millis": 1, "seconds": 1_000, "minutes": 60_000, "hours": 3_600_000, "days": 86_400_000
}  # fmt: skip
"""Milliseconds by the name of a method of ``Time``, or what follows ``of_`` in one of ``Duration``."""


def record(run: Run, descriptor: Descriptor) -> StateDescriptor:
    """The state that a descriptor asks for."""
    given = descriptor.arguments
    key: Maybe[str] | None = None
    if descriptor.kind is StateKind.MAP:
        key = type_text(given.get(1, "key_type_info"))
        type_name = type_text(given.get(2, "value_type_info"))
    else:
        type_name = type_text(given.get(*_TYPE[descriptor.kind]))
    expires = _expires(descriptor.ttl)
    return StateDescriptor(
        name=text(run, given.get(0, "name"), "the name of a state", descriptor.location),
        kind=descriptor.kind,
        key_type=key,
        value_type=type_name,
        ttl=expires,
        expiry=_expiry(run, descriptor.ttl) if expires else None,
        location=descriptor.location,
    )


def _expires(configuration: Value) -> bool | None:
    if configuration is None:
        return False
    if any(isinstance(a, External) and a.simple == "Disabled" for a in _given(configuration)):
        return False
    return True if isinstance(configuration, External) else None


def _expiry(run: Run, configuration: External) -> Expiry:
    """When values expire, by the calls on the way to the configuration."""
    length: Value = None
    chosen = {"set_update_type": False, "set_state_visibility": False}
    for made in reversed(list(calls_to(configuration))):
        given = next(_given_to(made), None)
        if made.simple in ("new_builder", "set_ttl"):
            length = given
        elif made.simple in chosen and isinstance(given, External):
            chosen[made.simple] = given.simple in ("OnReadAndWrite", "ReturnExpiredIfNotCleanedUp")
        elif made.simple in ("update_ttl_on_read_and_write", "return_expired_if_not_cleaned_up"):
            chosen["set_update_type" if made.simple.startswith("update") else "set_state_visibility"] = True
    made_by = described(run, configuration)
    further = any(whom and whom in made_by for whom, _ in run.given_to_objects)  # a builder, by other statements
    known = None if further else milliseconds_of(length)
    return Expiry(
        milliseconds=_not_read(run, configuration if further else length) if known is None else known,
        refreshed_by_reads=chosen["set_update_type"],
        visible_until_cleaned=chosen["set_state_visibility"],
    )


def milliseconds_of(length: Value) -> int | None:
    """How long a ``Time`` or ``Duration`` is; None where that is not known."""
    unit = _UNITS.get(length.simple.removeprefix("of_")) if isinstance(length, External) else None
    amounts = list(_given_to(length)) if isinstance(length, External) else []
    if unit is not None and len(amounts) == 1 and isinstance(amounts[0], int | float):
        return int(amounts[0] * unit)
    return None


def _not_read(run: Run, value: Value) -> Unknown:
    """A length that is compared by what it is made of."""
    inner = next((part for part in (value, *_given(value)) if isinstance(part, Opaque)), None)
    reason = inner.unknown if inner is not None else Unknown("cannot tell how long values live", Cause.OTHER)
    return replace(reason, derived_from=described(run, value) or None)


def _given_to(made: External) -> Iterator[Value]:
    yield from made.arguments
    yield from (given for _, given in made.keywords)


def _given(built: Value) -> Iterator[Value]:
    """What any of these calls is given, and what goes into that."""
    for made in calls_to(built):
        for given in _given_to(made):
            yield given
            yield from _given(given)


KNOWN_BASES = ("pyflink.", "abc.", "typing.", "builtins.")


def states_of(run: Run, function: Value, at: Location) -> tuple[StateDescriptor, ...] | Unknown:
    """States of a function, none for plain callables; unknown where its class or its ``open`` can't be followed."""
    if isinstance(function, Opaque):
        known = reason_of(function)
        if not _UNPICKLED.search(function.derived_from or ""):
            return known
        any_class = run.limits.digest(run.files, ask(run.files, "ending", ".py"))
        return replace(known, derived_from=f"{known.derived_from} {any_class}")
    of = function.of if isinstance(function, Instance) else function if isinstance(function, Class) else None
    if of is None:
        return ()
    for base in (base for above in of.ancestors() for base in above.bases):
        if not isinstance(base, Class) and not (isinstance(base, External) and base.path.startswith(KNOWN_BASES)):
            shown = base.path if isinstance(base, External) else "an unknown class"
            return Unknown(f"{of.name} inherits from {shown}, which may register states", Cause.EXTERNAL, None, at)
    worker = _in_worker(function) if isinstance(function, Instance) else Instance(of)
    context = StateContext()
    made = of.member("__init__") if isinstance(function, Instance) else MISSING
    entered, run.entered = run.entered, {id(made.body)} if isinstance(made, Function) else set()
    try:
        opened = of.member("open") if _opens_itself(of) else MISSING
        if isinstance(opened, Decorated):
            raise StoppedError(opened.unknown)
        if isinstance(opened, Function):
            call(run, bound(run, opened, worker, at), Arguments([context], {}), at)
        elsewhere = [
            replace(made, per_window=per_window)
            for above, node, per_window in _descriptors(run, of)
            if (made := _written(run, node, worker, above)) is not None
        ]
    except StoppedError as stopped:
        reason = f"cannot tell what {of.name}.open() registers ({stopped.unknown.reason})"
        return Unknown(reason, stopped.unknown.cause, stopped.unknown.settled_by, stopped.unknown.location or at)
    except (RaiseSignal, ExitSignal):
        return Unknown(f"{of.name}.open() fails", Cause.OTHER, None, at)
    finally:
        run.entered = entered
    found: dict[tuple[object, object], StateDescriptor] = {}
    base = of.foreign()
    windows = isinstance(base, External) and base.simple in _OF_WINDOWS  # ``global_state()`` is what ``open`` is given
    used, kept = _mentioned(of), ways(_kept(worker, "", "", _mentioned(of), 0))
    asked = [
        replace(state, per_window=False if windows else None).in_field(kept.get(symbol), used)
        for state, symbol in context.found
    ]
    for state in (*asked, *elsewhere):
        first = found.setdefault((state.name, state.kind), state)
        if first.per_window is None and state.per_window is not None:
            found[state.name, state.kind] = replace(first, per_window=state.per_window)
        if first is not state and state.repeats(first) and state.location is not None:
            run.limits.trace.registered_again(state.location.file, state.location.line)
    return tuple(sorted(found.values(), key=lambda state: (str(state.name), str(state.kind))))


_OF_WINDOWS = ("ProcessWindowFunction", "ProcessAllWindowFunction")
_UNPICKLED = re.compile(r"\b(?:\w*pickle|dill|joblib)\.")
_DEEPEST = 3
"""How far inside of a function a state is looked for: attributes of its attributes, and so on."""


def trigger_states(run: Run, trigger: Value, at: Location) -> tuple[StateDescriptor, ...] | Unknown:
    """States of a trigger, none without one; unknown for one that is not known."""
    if isinstance(trigger, Opaque):
        return reason_of(trigger)
    if not isinstance(trigger, External):
        return states_of(run, trigger, at)
    if "PurgingTrigger" in trigger.path.split("."):
        return trigger_states(run, _wrapped(trigger), at)
    states = (table.triggers().get(name) for name in trigger.path.split("."))
    return tuple(replace(state, value_type="Long", ttl=False) for state in states if state is not None)[:1]


def firing(trigger: Value) -> str | None:
    """The class of Flink that says when windows fire; None for any other."""
    if not isinstance(trigger, External):
        return None
    named = next((name for name in trigger.path.split(".") if name.endswith("Trigger")), None)
    return firing(_wrapped(trigger)) if named == "PurgingTrigger" else named


def _wrapped(trigger: External) -> Value:
    return Arguments([*trigger.arguments], dict(trigger.keywords)).get(0, "nested_trigger")


def _opens_itself(of: Class) -> bool:
    """Whether ``open`` is the repository's, and not the empty one of a class of PyFlink that comes before it."""
    for above in of.lineage():
        if isinstance(above, Class) and "open" in above.members:
            return True
        if isinstance(above, External) and above.path.startswith("pyflink."):
            return False
    return False


def _in_worker(function: Instance) -> Instance:
    """A function as a worker unpickles it: what it holds is a copy."""
    attributes: dict[str, Value] = {}
    for name, attribute in function.attributes.items():
        try:
            attributes[name] = attribute if isinstance(attribute, Guarded) else copy.deepcopy(attribute)
        except StoppedError:
            attributes[name] = attribute
    return Instance(function.of, attributes)


def _kept(owner: Value, way: str, of: str, used: frozenset[str], depth: int) -> Iterator[tuple[str, str]]:
    """Symbols of what an object holds, each with a way: attributes, keys, the class of the object in which it is."""
    if isinstance(owner, Opaque) and not way.endswith(ELEMENT):
        yield owner.name, way + of
    parts: list[tuple[str, Value]] = []
    if isinstance(owner, Instance):
        dot, of = (f"{way}.", f" of {owner.of.name}") if way else ("", "")
        parts = [(dot + name, content) for name, content in owner.attributes.items()]
    elif isinstance(owner, dict):
        keys = [(k.attributes.get("_name_") if isinstance(k, Instance) else repr(k), part) for k, part in owner.items()]
        parts = [(f"{way}[{key}]", content) for key, content in keys]
    elif isinstance(owner, list | tuple):
        by_number = way + ELEMENT in used
        parts = [(f"{way}[{place}]" if by_number else way + ELEMENT, content) for place, content in enumerate(owner)]
    for name, content in parts if depth < _DEEPEST else ():
        yield from _kept(content, name, of, used, depth + 1)


def _descriptors(run: Run, of: Class) -> Iterator[tuple[Class, ast.expr, bool | None]]:
    """Descriptors that the class makes, or asks for states with, in code that did not run; whether for each window."""
    mentioned = _mentioned(of)
    for above in of.ancestors():
        for member in above.node.body:
            if not isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) or id(member.body) in run.entered:
                continue
            if _runs_later(member.name, mentioned):
                calls = [node for node in ast.walk(member) if isinstance(node, ast.Call)]
                variables = gathered(_set_in(member))
                stores: dict[ast.expr, bool | None] = {
                    value: _per_window(node.func, variables)
                    for node in calls
                    if (given := _asked_for(node)) is not None
                    for value in (given, *_values(given, variables))
                }
                made = {node: stores.get(node) for node in calls if _class_name(node) in DESCRIPTORS}
                yield from ((above, *store) for store in made.items())
                yield from ((above, *store) for store in stores.items() if not isinstance(store[0], ast.Call))


def _runs_later(method: str, mentioned: Set[str]) -> bool:
    """Whether a method may run that did not: ``open`` has run or never does, a private one does where it is named."""
    return method != "open" and (not method.startswith("_") or method.endswith("__") or method in mentioned)


def _mentioned(of: Class) -> frozenset[str]:
    """The attributes that a class names without setting them, in texts too."""
    return frozenset().union(*(_mentioned_in(above.node) for above in of.ancestors()))


@lru_cache(KEPT)
def _mentioned_in(declared: ast.ClassDef) -> frozenset[str]:
    nodes = list(ast.walk(declared))
    read = {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    taken = ((node.value, node.slice) for node in nodes if isinstance(node, ast.Subscript))
    by_number = ((of, at) for of, at in taken if isinstance(at, ast.Constant) and isinstance(at.value, int))
    numbers = {f"{ast.unparse(of).removeprefix('self.')}{ELEMENT}" for of, _ in by_number}
    return frozenset(read | texts | numbers)


def _set_in(function: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The local variables of a function, each with a value that it is set to."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    yield target.id, node.value


def _asked_for(node: ast.Call) -> ast.expr | None:
    """The descriptor of a state that is asked for, or what names it."""
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return given[0] if _class_name(node) in GETTERS and len(given) == 1 else None


def _per_window(getter: ast.expr, variables: Mapping[str, Sequence[ast.expr]]) -> bool | None:
    """Whether a getter asks a window function's context for a state of each window; None for other contexts."""
    store = getter.value if isinstance(getter, ast.Attribute) else None
    calls = [_class_name(made) for made in (store, *_values(store, variables)) if isinstance(made, ast.Call)]
    return next((name == "window_state" for name in calls if name in ("window_state", "global_state")), None)


def _values(node: ast.expr | None, variables: Mapping[str, Sequence[ast.expr]]) -> Sequence[ast.expr]:
    """What a variable is set to."""
    return variables.get(node.id, ()) if isinstance(node, ast.Name) else ()


def _class_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _written(run: Run, node: ast.expr, worker: Instance, of: Class) -> StateDescriptor | None:
    """A descriptor as it is written in a method that did not run: only ``self`` and what is outside is known there.

    None for a variable of the method: what it holds is a descriptor that the method makes.
    """
    scope = Scope({"self": worker}, of.scope.file, of.scope)
    names = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
    names -= {parameter.arg for parameter in ast.walk(node) if isinstance(parameter, ast.arg)}  # of a lambda
    known = all(name == "self" or of.scope.find(name) is not None for name in names)
    made = value(run, node, scope) if known else None
    if isinstance(made, Descriptor):
        return record(run, made)
    if not isinstance(node, ast.Call):
        return None
    place = Location(of.scope.file, node.lineno, node.col_offset + 1)
    reason = Unknown("a state is registered in code that is not followed", Cause.OTHER, None, place)
    return StateDescriptor(name=reason, kind=DESCRIPTORS[_class_name(node)], location=place)
