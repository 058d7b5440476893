"""Method calls: what the receiver is decides who answers."""

from __future__ import annotations

from tree_sitter import Node

from checker.extract.java.interpreter import classes_of_values, functions, methods, statements, unknown_calls
from checker.extract.java.library.function_objects import LibraryFunction
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.frames import Frame, ReturnSignal, Scope
from checker.extract.java.machine.run_state import MAX_DEPTH
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Choice,
    Instance,
    Lambda,
    MethodRef,
    Opaque,
    TypeName,
    Value,
)
from checker.extract.java.syntax.class_index import External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl, TypeRef
from checker.extract.java.syntax.parse import children, field, text
from checker.model.topology import Cause, Unknown


def trail(frame: Frame, node: Node | None) -> tuple[tuple[str, int], ...]:
    """The way to a place inside of a call made at ``node``."""
    return (*frame.trail, (frame.decl.unit.path, node.start_byte)) if node is not None else frame.trail


def arguments(run: Run, node: Node | None, frame: Frame) -> list[Value]:
    """The values of an argument list, left to right."""
    from checker.extract.java.interpreter.expressions import evaluate

    return [evaluate(run, child, frame) for child in children(node)] if node is not None else []


def method_invocation(run: Run, node: Node, frame: Frame) -> Value:
    """A call, its receiver's calls first: fluent chains are walked in a loop, they can be long."""
    chain: list[Node] = [node]
    current = field(node, "object")
    while current is not None and current.type == "method_invocation":
        chain.append(current)
        current = field(current, "object")
    value = _first(run, chain.pop(), frame)
    while chain:
        call = chain.pop()
        run.step(call, frame)
        given = arguments(run, field(call, "arguments"), frame)
        value = invoke(run, value, Call(text(field(call, "name")), given, Site(call, frame)))
    return value


def _first(run: Run, node: Node, frame: Frame) -> Value:
    """The innermost call of a chain: on a name, an expression, or nothing."""
    from checker.extract.java.interpreter.expressions import evaluate

    target, name = field(node, "object"), text(field(node, "name"))
    if target is None:
        return unqualified(run, Call(name, arguments(run, field(node, "arguments"), frame), Site(node, frame)))
    if target.type == "super" or (target.type == "field_access" and text(target).endswith(".super")):
        return super_call(run, Call(name, arguments(run, field(node, "arguments"), frame), Site(node, frame)))
    receiver = evaluate(run, target, frame)
    return invoke(run, receiver, Call(name, arguments(run, field(node, "arguments"), frame), Site(node, frame)))


def unqualified(run: Run, call: Call) -> Value:
    """``name(...)``: a method of this class, an ancestor, an enclosing class, or statically imported."""
    decl: ClassDecl | None = call.frame.decl
    this = call.frame.this
    external: External | None = None
    while decl is not None:
        runtime = this.decl if isinstance(this, Instance) else decl
        candidates = list(methods.in_hierarchy(run, runtime, call.name))
        method = methods.select(run, candidates, call, decl)
        if method is not None and method.abstract and isinstance(this, Lambda | MethodRef):
            return call_function(run, this, call)
        if method is not None:
            return call_method(run, method, this if not method.static else None, call)
        if candidates and external is None and not isinstance(this, Instance):
            break
        if external is None:
            external = library_ancestor(run, runtime)
        if isinstance(this, Instance) and this.captured is not None and this.decl is decl:
            captured = this.captured
            if not candidates and not _library_method(run, this, call.name):
                return unqualified(run, Call(call.name, call.arguments, Site(call.node, _at(captured, call.frame))))
        this = this.outer if isinstance(this, Instance) else None
        decl = decl.outer
    imported = _statically_imported(run, call)
    if imported is not None:
        return imported
    enum = _enclosing_enum(call.frame.decl) if call.name in ("values", "valueOf") else None
    if enum is not None:
        return functions.generated_static(run, enum, call)
    if isinstance(call.frame.this, Instance):
        return functions.instance_method(run, call.frame.this, call)
    if call.frame.this is not None and not isinstance(call.frame.this, Opaque):
        return invoke(run, call.frame.this, call)
    if external is not None:
        return functions.external_static(run, external, call)
    reason = f"method '{call.name}' is not in the repository"
    return unknown_calls.not_followed(run, reason, call, receiver=call.frame.this)


def _enclosing_enum(decl: ClassDecl | None) -> ClassDecl | None:
    """The enum around a place in the source, the place's own class included."""
    while decl is not None and decl.kind is not ClassKind.ENUM:
        decl = decl.outer
    return decl


def _at(captured: Frame, frame: Frame) -> Frame:
    """The captured frame, reached by the way of the current one."""
    return Frame(captured.decl, captured.this, captured.scope, frame.path, frame.trail, frame.depth)


def _library_method(run: Run, this: Instance, name: str) -> bool:
    """Whether an anonymous class more likely inherits the method from its library base than finds it outside."""
    return name in ("getRuntimeContext", "setRuntimeContext") and this.base is not None


def library_ancestor(run: Run, decl: ClassDecl) -> External | None:
    """The nearest superclass outside of the repository, Object left out."""
    current: Resolved = decl
    while isinstance(current, ClassDecl):
        current = run.index.superclass(current)
    return current


def _statically_imported(run: Run, call: Call) -> Value | None:
    unit = run.index.unit_of(call.frame.decl)
    for owner in (*unit.static_imports.get(call.name, ()), *unit.static_on_demand):
        decl = run.index.find(owner, unit.path)
        if decl is not None:
            method = methods.select(run, list(methods.in_hierarchy(run, decl, call.name)), call, decl)
            if method is not None:
                return call_method(run, method, None, call)
        elif call.name in unit.static_imports:
            return functions.external_static(run, External((owner,)), call)
    for owner in unit.static_on_demand:
        if run.index.find(owner, unit.path) is None:
            return functions.external_static(run, External((owner,)), call)
    return None


def super_call(run: Run, call: Call) -> Value:
    """``super.name(...)``."""
    candidates: list[MethodDecl] = []
    for ancestor in run.index.ancestors(call.frame.decl):
        if isinstance(ancestor, ClassDecl):
            candidates.extend(ancestor.methods_named(call.name))
    method = methods.select(run, candidates, call, call.frame.decl)
    if method is not None:
        return call_method(run, method, call.frame.this, call)
    if isinstance(call.frame.this, Instance):
        return functions.instance_method(run, call.frame.this, call)
    return unknown_calls.not_followed(run, f"method 'super.{call.name}' is not in the repository", call)


def invoke(run: Run, receiver: Value, call: Call) -> Value:
    """``receiver.name(...)``."""
    if isinstance(receiver, Choice):
        return _invoke_choice(run, receiver, call)
    if isinstance(receiver, Instance):
        return invoke_instance(run, receiver, call)
    if isinstance(receiver, TypeName):
        if isinstance(receiver.type, ClassDecl):
            return static_call(run, receiver.type, call)
        return functions.external_static(run, receiver.type, call)
    if isinstance(receiver, Lambda | MethodRef):
        return functions.function_object(run, receiver, call)
    return functions.library_call(run, receiver, call)


def _invoke_choice(run: Run, receiver: Choice, call: Call) -> Value:
    """A call on one of few values: answered for each where that leaves the topology alone, else a choice."""
    taken = run.choices.decided(receiver.symbol)
    if taken is None and not any(isinstance(option, StreamValue | EnvValue) for _, option in receiver.options):
        merged = run.ways(receiver, [_caller(run, option, call) for _, option in receiver.options])
        if merged is not None:
            return merged
    return invoke(run, run.pick(receiver), call)


def _caller(run: Run, option: Value, call: Call):  # type: ignore[no-untyped-def]
    return lambda: invoke(run, option, call)


def invoke_instance(run: Run, receiver: Instance, call: Call) -> Value:
    """A call on an object of a class of the repository."""
    candidates = list(methods.in_hierarchy(run, receiver.decl, call.name))
    method = methods.select(run, candidates, call, receiver.decl)
    if method is not None and not method.abstract:
        return call_method(run, method, None if method.static else receiver, call)
    return functions.instance_method(run, receiver, call)


def static_call(run: Run, decl: ClassDecl, call: Call) -> Value:
    """``Type.name(...)`` on a class of the repository."""
    method = methods.select(run, list(methods.in_hierarchy(run, decl, call.name)), call, decl)
    if method is not None:
        return call_method(run, method, None if method.static else call.frame.this, call)
    return functions.generated_static(run, decl, call)


def call_method(run: Run, method: MethodDecl, this: Value | None, call: Call) -> Value:
    """Run a method of the repository."""
    if method.static:
        from checker.extract.java.interpreter import objects

        objects.ensure_initialized(run, method.owner)
    body = method.body
    if body is None:
        return _abstract(run, method, this, call)
    if call.frame.depth >= MAX_DEPTH:
        unknown = Unknown(f"calls of '{method.name}' nested too deeply", Cause.LIMIT, None, method.location)
        return unknown_calls.not_followed(run, unknown.reason, call, cause=Cause.LIMIT)
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
            statements.sequence(run, children(body), scoped)
        except ReturnSignal as signal:
            return signal.value
        return NULL

    result = run.region(method.node.id, execute)
    return classes_of_values.coerce_in(run, result, method.return_type, method.owner)


def _abstract(run: Run, method: MethodDecl, this: Value | None, call: Call) -> Value:
    """An abstract method on an object whose class is not known: the one implementation, if there is just one."""
    if isinstance(this, Instance) and not this.decl.abstract:
        return functions.instance_method(run, this, call.having(name=method.name))
    return unknown_calls.not_followed(run, f"which '{method.name}' is called is not known", call, receiver=this)


def call_function(run: Run, function: Value, call: Call) -> Value:
    """Call whatever stands for a functional interface: a lambda, a method reference, an object."""
    function = run.settle(function)
    if isinstance(function, Lambda):
        return call_lambda(run, function, call)
    if isinstance(function, MethodRef):
        return functions.call_reference(run, function, call)
    if isinstance(function, LibraryFunction):
        return function.body(run, call.arguments, call)
    if isinstance(function, Instance):
        method = _function_method(run, function, call)
        if method is not None:
            return call_method(run, method, function, call)
    return unknown_calls.not_followed(
        run, "a function that is not known", call.having(arguments=[function, *call.arguments])
    )


def _function_method(run: Run, function: Instance, call: Call) -> MethodDecl | None:
    candidates = [
        method
        for owner in (function.decl, *(a for a in run.index.ancestors(function.decl) if isinstance(a, ClassDecl)))
        for method in owner.methods
        if not method.static and not method.abstract and method.name not in ("<init>", "toString", "equals", "hashCode")
        and len(method.parameters) == len(call.arguments)
    ]  # fmt: skip
    preferred = [m for m in candidates if m.name in ("apply", "accept", "get", "call", "run", "test", "map", "build")]
    return methods.select(run, preferred or candidates, call, function.decl)


def call_lambda(run: Run, function: Lambda, call: Call) -> Value:
    """Run a lambda's body in the frame that it closes over."""
    from checker.extract.java.interpreter.expressions import evaluate

    home = function.frame
    if call.frame.depth >= MAX_DEPTH:
        return unknown_calls.not_followed(run, "lambdas nested too deeply", call, cause=Cause.LIMIT)
    scope = Scope(home.scope)
    for name, value in zip(methods.lambda_parameters(function), call.arguments, strict=False):
        scope.variables[name] = value
    inner = Frame(
        home.decl, home.this, scope, (*call.frame.path, "lambda"), trail(call.frame, call.node), call.frame.depth + 1
    )
    body = field(function.node, "body")

    def execute() -> Value:
        scoped = Frame(inner.decl, inner.this, Scope(inner.scope), inner.path, inner.trail, inner.depth)
        if body is None:
            return NULL
        if body.type != "block":
            return evaluate(run, body, scoped)
        try:
            statements.sequence(run, children(body), scoped)
        except ReturnSignal as signal:
            return signal.value
        return NULL

    return run.region(function.node.id, execute)


def to_string(run: Run, value: Value) -> Value:
    """What ``toString()`` gives, without a call site."""
    return functions.to_string(run, value)


# -- what leaves the repository ------------------------------------------------------------------------------------


def external_creation(run: Run, external: External, ref: TypeRef, call: Call) -> Value:
    """``new`` of a class outside of the repository."""
    return functions.external_creation(run, external, ref, call)
