"""Methods that the repository writes: found, and run."""

from __future__ import annotations

from checker.extract.java.interpreter import (
    classes_of_values,
    methods,
    sequences,
    unknown_calls,
)
from checker.extract.java.machine.call_record import Call, trail
from checker.extract.java.machine.run_state import MAX_DEPTH
from checker.extract.java.machine.signals import ReturnSignal
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Frame,
    Instance,
    Scope,
    TypeName,
    Value,
)
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.members import in_hierarchy
from checker.extract.java.syntax.tree import children
from checker.model.unknowns import Cause, Unknown


def call_method(run: Run, method: MethodDecl, this: Value | None, call: Call) -> Value:
    """Run a method of the repository."""
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
    inner = Frame(
        method.owner,
        this if not method.static else None,
        Scope(),
        (*call.frame.path, method.name),
        trail(call.frame, call.node),
        call.frame.depth + 1,
    )
    methods.bind(run, method, call.arguments, inner)

    run.entered += 1

    def execute() -> Value:
        scoped = Frame(inner.decl, inner.this, Scope(inner.scope), inner.path, inner.trail, inner.depth)
        try:
            sequences.execute(run, children(body), scoped)
        except ReturnSignal as signal:
            return signal.value
        return NULL

    key = method.node.id
    outermost = key not in run.active
    run.active.setdefault(key, run.loops)
    try:
        result = run.region(key, execute)
    finally:
        if outermost:
            del run.active[key]
    return classes_of_values.coerce_in(run, result, method.return_type, method.owner)


def _abstract(run: Run, method: MethodDecl, this: Value | None, call: Call) -> Value:
    """An abstract method on an object whose class is not known: the one implementation, if there is just one."""
    if isinstance(this, Instance) and not this.decl.abstract:
        return run.interpreter.invoke(this, call.having(name=method.name))
    return unknown_calls.not_followed(run, f"which '{method.name}' is called is not known", call, receiver=this)


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
