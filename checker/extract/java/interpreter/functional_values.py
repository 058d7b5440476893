"""Lambdas, method references and whatever else stands for a function."""

from __future__ import annotations

from checker.extract.java.interpreter import library_objects, loops, methods, objects, texts, unknown_calls
from checker.extract.java.library import function_objects, statics
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import ReturnSignal
from checker.extract.java.machine.run_state import MAX_DEPTH
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    ExternalObject,
    Instance,
    Lambda,
    MethodRef,
    Scope,
    TypeName,
    Value,
    boolean,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.nodes import in_hierarchy
from checker.extract.java.syntax.tree import children, field
from checker.extract.java.syntax.type_refs import lambda_parameters
from checker.model.unknowns import Cause


def call_function(run: Run, function: Value, call: Call) -> Value:
    """Call whatever stands for a functional interface: a lambda, a method reference, an object."""
    function = run.settle(function)
    if isinstance(function, Lambda):
        return call_lambda(run, function, call)
    if isinstance(function, MethodRef):
        return _call_reference(run, function, call)
    if isinstance(function, ExternalObject) and function.calls == (("identity", ()),) and call.arguments:
        return call.arguments[0]  # ``Function.identity()``
    if isinstance(function, Instance):
        method = _function_method(run, function, call)
        if method is not None:
            return run.interpreter.call_method(method, function, call)
    return unknown_calls.not_followed(run, "an unknown function", call.having(arguments=[function, *call.arguments]))


def _function_method(run: Run, function: Instance, call: Call) -> MethodDecl | None:
    candidates = [
        method
        for owner in run.index.lineage(function.decl)
        for method in owner.methods
        if not method.static and not method.abstract and method.name not in ("<init>", "toString", "equals", "hashCode")
        and len(method.parameters) == len(call.arguments)
    ]  # fmt: skip
    preferred = [m for m in candidates if m.name in ("apply", "accept", "get", "call", "run", "test", "map", "build")]
    return methods.select(run, preferred or candidates, call, function.decl)


def call_lambda(run: Run, function: Lambda, call: Call) -> Value:
    """Run a lambda's body in the frame that it closes over."""
    home = function.frame
    if call.frame.depth >= MAX_DEPTH:
        return unknown_calls.not_followed(run, "lambdas nested too deeply", call, cause=Cause.LIMIT)
    scope = Scope(home.scope)
    for name, value in zip(lambda_parameters(function.node), call.arguments, strict=False):
        scope.variables[name] = value
    inner = call.activation(home.decl, home.this, "lambda", scope)
    body = field(function.node, "body")

    def execute() -> Value:
        scoped = inner.inner()
        if body is None:
            return NULL
        if body.type != "block":
            return run.interpreter.evaluate(body, scoped)
        try:
            loops.execute(run, children(body), scoped)
        except ReturnSignal as signal:
            return signal.value
        return NULL

    return run.region(function.node.id, execute)


def _call_reference(run: Run, function: MethodRef, call: Call) -> Value:
    """Call ``Type::method``, ``object::method`` or ``Type::new``."""
    target = function.target
    if function.name == "new":
        if isinstance(target, TypeName) and isinstance(target.type, ClassDecl):
            return objects.instantiate(run, target.type, call)
        if isinstance(target, TypeName) and isinstance(target.type, External):
            return library_objects.create(run, target.type, call)
    if call.node is None:
        return run.opaque("a method reference that is not followed", Cause.UNSUPPORTED, None)
    if isinstance(target, TypeName) and isinstance(target.type, ClassDecl):
        candidates = list(in_hierarchy(run.index, target.type, function.name))
        method = methods.select(run, [m for m in candidates if m.static], call, target.type)
        if method is not None:
            return run.interpreter.call_method(method, None, call.having(name=function.name))
        if call.arguments:
            return run.interpreter.invoke(
                call.arguments[0], call.having(name=function.name, arguments=call.arguments[1:])
            )
    if isinstance(target, TypeName) and isinstance(target.type, External) and call.arguments:
        static = statics.known(target.type.simple, function.name, len(call.arguments))
        if not static:
            return run.interpreter.invoke(
                call.arguments[0], call.having(name=function.name, arguments=call.arguments[1:])
            )
    return run.interpreter.invoke(target, call.having(name=function.name))


def method(run: Run, receiver: Lambda | MethodRef, call: Call) -> Value:
    """A call on a lambda or method reference: its function, or a default method of its interface."""
    interface = receiver.interface
    if isinstance(interface, ClassDecl):
        default = methods.select(run, list(in_hierarchy(run.index, interface, call.name)), call, interface)
        if default is not None and not default.abstract and not default.static:
            return run.interpreter.call_method(default, receiver, call)
    if call.name in ("hashCode", "toString") and not call.arguments:
        return texts.identity(run, receiver, call.name, call.site)
    if call.name == "equals" and len(call.arguments) == 1:
        return boolean(True) if receiver is call.arguments[0] else run.opaque(_FUNCTION, Cause.UNSUPPORTED, call.site)
    if call.name == "getClass":
        return run.opaque(_FUNCTION, Cause.UNSUPPORTED, call.site)
    if not isinstance(interface, ClassDecl):
        found = function_objects.call(run, receiver, call)
        if found is not None:
            return found
    return call_function(run, receiver, call)


_FUNCTION = "what a function's class or identity says is not evaluated"
