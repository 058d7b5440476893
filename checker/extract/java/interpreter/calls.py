"""Calls as they are written: chains, calls without a receiver, ``super``."""

from checker.extract.java.interpreter import loops, methods, repository_methods, resolvers, unknown_calls
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Frame, Instance, Lambda, MethodRef, Opaque, TypeName, Value
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.nodes import in_hierarchy, library_ancestor
from checker.extract.java.syntax.tree import Node, field, text


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
        given = loops.arguments(run, field(call, "arguments"), frame)
        value = resolvers.invoke(run, value, Call(text(field(call, "name")), given, Site(call, frame)))
    return value


def _first(run: Run, node: Node, frame: Frame) -> Value:
    """The innermost call of a chain: on a name, an expression, or nothing."""
    target, name = field(node, "object"), text(field(node, "name"))
    if target is None:
        return unqualified(run, Call(name, loops.arguments(run, field(node, "arguments"), frame), Site(node, frame)))
    if target.type == "super" or (target.type == "field_access" and text(target).endswith(".super")):
        return super_call(run, Call(name, loops.arguments(run, field(node, "arguments"), frame), Site(node, frame)))
    receiver = run.interpreter.evaluate(target, frame)
    return resolvers.invoke(
        run, receiver, Call(name, loops.arguments(run, field(node, "arguments"), frame), Site(node, frame))
    )


def unqualified(run: Run, call: Call) -> Value:
    """``name(...)``: a method of this class, an ancestor, an enclosing class, or statically imported."""
    decl: ClassDecl | None = call.frame.decl
    this = call.frame.this
    external: External | None = None
    while decl is not None:
        runtime = this.decl if isinstance(this, Instance) else decl
        candidates = list(in_hierarchy(run.index, runtime, call.name))
        method = methods.select(run, candidates, call, decl)
        if method is not None and method.abstract and isinstance(this, Lambda | MethodRef):
            return repository_methods.call_function(run, this, call)
        if method is not None:
            return repository_methods.call_method(run, method, this if not method.static else None, call)
        if candidates and external is None and not isinstance(this, Instance):
            break
        if external is None:
            external = library_ancestor(run.index, runtime)
        if isinstance(this, Instance) and this.captured is not None and this.decl is decl:
            captured = this.captured
            if not candidates and _library_method(run, this, call.name):
                return resolvers.resolve(run, resolvers.MEMBERS_NOBODY_WRITES, this, call)
            if not candidates:
                return unqualified(run, Call(call.name, call.arguments, Site(call.node, _at(captured, call.frame))))
        this = this.outer if isinstance(this, Instance) else None
        decl = decl.outer
    imported = _statically_imported(run, call)
    if imported is not None:
        return imported
    enum = next((around for around in call.frame.decl.outward() if around.kind is ClassKind.ENUM), None)
    if enum is not None and call.name in ("values", "valueOf"):
        return resolvers.resolve(run, resolvers.STATIC_MEMBERS_NOBODY_WRITES, TypeName(enum), call)
    if isinstance(call.frame.this, Instance):
        return resolvers.resolve(run, resolvers.MEMBERS_NOBODY_WRITES, call.frame.this, call)
    if call.frame.this is not None and not isinstance(call.frame.this, Opaque):
        return resolvers.invoke(run, call.frame.this, call)
    if external is not None:
        return resolvers.invoke(run, TypeName(external), call)
    reason = f"method '{call.name}' is not in the repository"
    return unknown_calls.not_followed(run, reason, call, receiver=call.frame.this)


def _at(captured: Frame, frame: Frame) -> Frame:
    """The captured frame, reached by the way of the current one."""
    return Frame(captured.decl, captured.this, captured.scope, frame.path, frame.trail, frame.depth)


def _library_method(run: Run, this: Instance, name: str) -> bool:
    """Whether an anonymous class more likely inherits the method from its library base than finds it outside."""
    if this.base is None or name in ("getRuntimeContext", "setRuntimeContext"):
        return this.base is not None
    outside = (*this.decl.outward(),)
    imported = name in run.index.unit_of(this.decl).static_imports
    flink = any(candidate.startswith("org.apache.flink.") for candidate in this.base.type.candidates)
    return not flink and not imported and not any(any(in_hierarchy(run.index, decl, name)) for decl in outside)


def _statically_imported(run: Run, call: Call) -> Value | None:
    unit = run.index.unit_of(call.frame.decl)
    for owner in (*unit.static_imports.get(call.name, ()), *unit.static_on_demand):
        decl = run.index.find(owner, unit.path)
        if decl is not None:
            method = methods.select(run, list(in_hierarchy(run.index, decl, call.name)), call, decl)
            if method is not None:
                return repository_methods.call_method(run, method, None, call)
        elif call.name in unit.static_imports:
            return resolvers.invoke(run, TypeName(External((owner,))), call)
    for owner in unit.static_on_demand:
        if run.index.find(owner, unit.path) is None:
            return resolvers.invoke(run, TypeName(External((owner,))), call)
    return None


def super_call(run: Run, call: Call) -> Value:
    """``super.name(...)``."""
    candidates: list[MethodDecl] = []
    for ancestor in run.index.ancestors(call.frame.decl):
        if isinstance(ancestor, ClassDecl):
            candidates.extend(ancestor.methods_named(call.name))
    method = methods.select(run, candidates, call, call.frame.decl)
    if method is not None:
        return repository_methods.call_method(run, method, call.frame.this, call)
    if isinstance(call.frame.this, Instance):
        return resolvers.resolve(run, resolvers.MEMBERS_NOBODY_WRITES, call.frame.this, call)
    return unknown_calls.not_followed(run, f"method 'super.{call.name}' is not in the repository", call)
