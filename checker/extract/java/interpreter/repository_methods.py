"""Methods that the repository writes: found, and run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from checker.extract.java.interpreter import classes_of_values, loops, methods, unknown_calls
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import LimitSignal, ReturnSignal
from checker.extract.java.machine.flink_values import StateContext
from checker.extract.java.machine.run_state import CALL_STEPS, MAX_DEPTH
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, Choice, Instance, Lambda, MethodRef, Opaque, TypeName, Value
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.nodes import in_hierarchy
from checker.extract.java.syntax.tree import children
from checker.model.unknowns import Cause, Unknown


def call_method(run: Run, method: MethodDecl, this: Value | None, call: Call) -> Value:
    """Run a method of the repository."""
    if _asks_for_nothing(run, method, call):
        unknown = Unknown(f"what {method.name}() returns depends on records", Cause.EXTERNAL, None, method.location)
        returned = run.index.resolve_type(method.return_type, method.owner)
        return Opaque(unknown, run.fresh(method.name), returned)
    if method.static:
        run.interpreter.ensure_initialized(method.owner)
    body = method.body
    if body is None:
        return _abstract(run, method, this, call)
    if call.frame.depth >= MAX_DEPTH:
        unknown = Unknown(f"calls of '{method.name}' nested too deeply", Cause.LIMIT, None, method.location)
        return unknown_calls.not_followed(run, unknown.reason, call, cause=Cause.LIMIT)
    if run.active.get(method.node.id, run.loops) < run.loops:
        reason = f"'{method.name}' calls itself in a loop of unknown length"
        return unknown_calls.not_followed(run, reason, call, receiver=this, cause=Cause.LIMIT)
    if run.limits.endless.get(method.node.id):
        return _endless(run, method, this, call)
    inner = call.activation(method.owner, None if method.static else this, method.name)
    methods.bind(run, method, call.arguments, inner)
    run.entered += 1

    def execute() -> Value:
        try:
            loops.execute(run, children(body), inner.inner())
        except ReturnSignal as signal:
            return signal.value
        return NULL

    key = method.node.id
    outermost = key not in run.active
    run.active.setdefault(key, run.loops)
    try:
        result = _within_bounds(run, method, this, call, lambda: run.region(key, execute))
    finally:
        if outermost:
            del run.active[key]
    return classes_of_values.coerce_in(run, result, method.return_type, method.owner)


def _asks_for_nothing(run: Run, method: MethodDecl, call: Call) -> bool:
    """Whether a method that is called for a record can't ask for a state: what else it does makes no difference."""
    asked = run.following
    if asked is None or not asked.lazily or method.name in asked.relevant:
        return False
    if any(isinstance(value, StateContext | Lambda | MethodRef) for value in call.arguments):
        return False
    return any(isinstance(value, Opaque | Choice) for value in call.arguments)


_GUARDED_DEPTH: Final = 5


def _within_bounds(run: Run, method: MethodDecl, this: Value | None, call: Call, follow: Callable[[], Value]) -> Value:
    """What a call gives; it is not followed where it takes too many steps and nothing of a graph is made in it."""
    limits, outer, key = run.limits, run.limits.floor, method.node.id
    if limits.guarded and limits.endless.get(key):
        return _endless(run, method, this, call)
    if not limits.guarded or call.frame.depth > _GUARDED_DEPTH or limits.endless.get(key) is False:
        return follow()
    mark, jobs, choices, made = run.memory.mark(), run.jobs.items, run.choices, (limits.environments, limits.tables)
    taken, limits.environments, limits.tables = len(choices.decisions), False, False
    limits.floor = max(outer, limits.steps - CALL_STEPS // (call.frame.depth + 1))
    try:
        return follow()
    except LimitSignal:
        if limits.floor == outer or limits.steps >= limits.floor:
            raise
        graph = limits.environments or limits.tables or run.memory.touched_topology(mark) or run.jobs.items != jobs
        limits.endless[key] = not graph
        run.memory.rollback(mark)
        for decision in choices.decisions[taken:]:
            choices.known.pop(decision.symbol, None)
        del choices.decisions[taken:]
    finally:
        limits.floor = outer
        limits.environments, limits.tables = limits.environments or made[0], limits.tables or made[1]
    if limits.endless[key]:
        return _endless(run, method, this, call)
    return follow()


def _endless(run: Run, method: MethodDecl, this: Value | None, call: Call) -> Value:
    reason = f"'{method.name}' takes more steps than are followed"
    return unknown_calls.not_followed(run, reason, call, receiver=this, cause=Cause.LIMIT)


def _abstract(run: Run, method: MethodDecl, this: Value | None, call: Call) -> Value:
    """An abstract method on an object whose class is not known: the one implementation, if there is just one."""
    if isinstance(this, Instance) and not this.decl.abstract:
        return run.interpreter.invoke(this, call.having(name=method.name))
    return unknown_calls.overridden(run, call.having(name=method.name), this)


def of_object(run: Run, receiver: Instance, call: Call) -> Value | None:
    """A call on an object of a class of the repository."""
    candidates = list(in_hierarchy(run.index, receiver.decl, call.name))
    method = methods.select(run, candidates, call, receiver.decl)
    if method is not None and not method.abstract:
        return call_method(run, method, None if method.static else receiver, call)
    return None


def of_class(run: Run, receiver: TypeName, call: Call) -> Value | None:
    """``Type.name(...)`` on a class of the repository."""
    decl = receiver.type
    if not isinstance(decl, ClassDecl):
        return None
    method = methods.select(run, list(in_hierarchy(run.index, decl, call.name)), call, decl)
    if method is not None:
        return call_method(run, method, None if method.static else call.frame.this, call)
    return None
