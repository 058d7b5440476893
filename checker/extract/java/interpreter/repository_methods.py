"""What stands for code of the repository: its methods, found and run, lambdas, method references, function objects."""

from typing import Final

from checker.extract.datastream.table import table
from checker.extract.java.interpreter import (
    classes_of_values,
    library_objects,
    loops,
    methods,
    objects,
    texts,
    unknown_calls,
)
from checker.extract.java.library import statics
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import ReturnSignal
from checker.extract.java.machine.flink_values import StateContext
from checker.extract.java.machine.numbers import boxed, unboxed
from checker.extract.java.machine.run_state import MAX_DEPTH
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Choice,
    ExternalObject,
    Instance,
    Lambda,
    MethodRef,
    Opaque,
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
        result = run.region(key, execute)
    finally:
        if outermost:
            del run.active[key]
    return classes_of_values.coerce(run, result, method.return_type, method.owner)


def _asks_for_nothing(run: Run, method: MethodDecl, call: Call) -> bool:
    """Whether a method that is called for a record can't ask for a state: what else it does makes no difference."""
    asked = run.following
    if asked is None or not asked.lazily or method.name in asked.relevant:
        return False
    if any(isinstance(value, StateContext | Lambda | MethodRef) for value in call.arguments):
        return False
    return any(isinstance(value, Opaque | Choice) for value in call.arguments)


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


def of_function(run: Run, receiver: Lambda | MethodRef, call: Call) -> Value:
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
        found = _declared(run, receiver, call)
        if found is not None:
            return found
    return call_function(run, receiver, call)


_FUNCTION = "what a function's class or identity says is not evaluated"


_SINGLE = table("methods_of_interfaces")
"""The one abstract method of the JDK's functional interfaces."""
_METHODS: Final = frozenset(_SINGLE.values())


def _interface_of(function: Value) -> str | None:
    """The simple name of the functional interface that a function was declared as."""
    if isinstance(function, Lambda | MethodRef) and isinstance(function.interface, External):
        return function.interface.simple
    return None


def _declared(run: Run, receiver: Value, request: Call) -> Value | None:
    """A default method of a functional interface of the JDK, or its one method; None for everything else."""
    name, interface = request.name, _interface_of(receiver)
    if name == _SINGLE.get(interface or "", "") or (interface is None and name in _METHODS):
        result = run.interpreter.call_function(receiver, request)
        return boxed(result) if name in ("apply", "get") else unboxed(result)
    return None
