"""Makes objects and initializes classes of the repository."""

from collections.abc import Sequence
from contextlib import suppress

from checker.extract.java.interpreter import assignments, library_objects, loops, methods, names
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.exceptions import ReturnSignal
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.run_state import MAX_DEPTH
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    BASE,
    ExternalObject,
    Frame,
    Instance,
    ListValue,
    Opaque,
    Scope,
    TypeName,
    Value,
    default_value,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind
from checker.extract.java.syntax.tree import Node, children, field
from checker.extract.java.syntax.type_refs import TypeRef, type_ref
from checker.model.unknowns import Cause, Unknown


def creation(run: Run, node: Node, frame: Frame) -> Value:
    """``new T(...)`` with or without a class body."""
    ref = type_ref(field(node, "type"))
    outer: Value | None = None
    qualifier = node.children[0] if node.children and node.children[0].type != "new" else None
    if qualifier is not None and qualifier.is_named and qualifier != field(node, "type"):
        outer = run.settle(run.interpreter.evaluate(qualifier, frame))
    arguments = loops.arguments(run, field(node, "arguments"), frame)
    resolved = run.index.resolve_type(ref, frame.decl)
    if isinstance(outer, Instance) and not isinstance(resolved, ClassDecl):
        resolved = run.index.member_type(outer.decl, ref.name) or resolved
    body = any(child.type == "class_body" for child in node.children)
    if body:
        decl = run.index.anonymous(node, frame.decl)
        base = resolved if isinstance(resolved, External) else None
        constructor = TypeName(resolved).type if isinstance(resolved, ClassDecl) else None
        return _anonymous(run, decl, constructor, base, Call("new", arguments, Site(node, frame)))
    if isinstance(resolved, ClassDecl):
        return instantiate(run, resolved, Call("new", arguments, Site(node, frame)), outer=outer)
    external = resolved or External((ref.name,))
    return library_objects.create(run, external, Call("new", arguments, Site(node, frame)))


def _anonymous(
    run: Run, decl: ClassDecl, parent: ClassDecl | External | None, base: External | None, call: Call
) -> Value:
    instance = Instance(decl, captured=call.frame, outer=call.frame.this)
    _defaults(run, instance)
    if isinstance(parent, ClassDecl) and parent.kind is not ClassKind.INTERFACE:
        _construct(run, instance, parent, call)
    elif base is not None:
        made = library_objects.create(run, base, call)
        if not isinstance(made, ExternalObject):
            return _fill_library_object(run, made, decl, call.site)
        instance.base = made
    _initialize_fields(run, instance, decl, call.frame)
    return instance


def _fill_library_object(run: Run, made: Value, decl: ClassDecl, site: Site) -> Value:
    """``new HashMap<>() {{ put(...); }}``: the initializer's calls go to the library object."""
    inner = Frame(decl, made, Scope(site.frame.scope), site.frame.path, site.frame.trail, site.frame.depth + 1)
    for member in decl.members:
        if member.type == "block":
            loops.execute(run, children(member), inner)
    if any(member.type == "method_declaration" for member in decl.members):
        return run.opaque("a class of the library whose methods are overridden", Cause.UNSUPPORTED, site)
    return made


def instantiate(run: Run, decl: ClassDecl, call: Call, *, outer: Value | None = None) -> Value:
    """A new object of a class of the repository."""
    ensure_initialized(run, decl)
    if outer is None and not decl.static:
        outer = names.enclosing_this(run, decl.outer, call.frame) or call.frame.this
    instance = Instance(decl, outer=outer, captured=call.frame if decl.local else None)
    if call.frame.depth > MAX_DEPTH:
        unknown = Unknown("constructors nested too deeply", Cause.LIMIT, None, decl.location)
        return run.opaque(unknown.reason, unknown.cause, call.site)
    _defaults(run, instance)
    _construct(run, instance, decl, call)
    return instance


def _defaults(run: Run, instance: Instance) -> None:
    """What all fields hold before a constructor runs: those of superclasses may call methods that look at them."""
    for owner in run.index.lineage(instance.decl):
        for component in owner.record_components:
            run.memory.put(instance.fields, component.name, default_value(component.type))
        for declared in owner.fields.values():
            if not declared.static:
                key = names.slot(run, instance, declared.name, owner)
                run.memory.put(instance.fields, key, default_value(declared.type))


def _construct(run: Run, instance: Instance, decl: ClassDecl, call: Call) -> None:
    """Run the constructor of one class in the hierarchy on an object: none that calls it by ``this(...)`` itself."""
    around = call.node.parent if call.node is not None and call.node.type == "explicit_constructor_invocation" else None
    candidates = (*decl.constructors, *decl.canonical_constructor)
    constructor = methods.select(run, [c for c in candidates if around is None or c.body != around], call, decl)
    if constructor is None:
        _super_construct(run, instance, decl, call.having(arguments=[]))
        _initialize_fields(run, instance, decl, call.frame)
        _generated_constructor(run, instance, decl, call.arguments)
        return
    body = constructor.body
    inner = call.activation(decl, instance, f"new {decl.name}")
    methods.bind(run, constructor, call.arguments, inner)
    first = children(body)[:1] if body is not None else ()
    if not first or first[0].type != "explicit_constructor_invocation":
        _super_construct(run, instance, decl, call.having(arguments=[]))
        _initialize_fields(run, instance, decl, call.frame)
    if body is not None:
        with suppress(ReturnSignal):
            loops.execute(run, children(body), inner)
    if body is None or constructor.node.type == "compact_constructor_declaration":
        for parameter in constructor.parameters:
            run.memory.put(instance.fields, parameter.name, inner.scope.variables[parameter.name])


def explicit_constructor(run: Run, node: Node, frame: Frame) -> None:
    """``this(...)`` or ``super(...)``."""
    arguments = loops.arguments(run, field(node, "arguments"), frame)
    if not isinstance(frame.this, Instance):
        return
    if any(child.type == "this" for child in node.children):
        _construct(run, frame.this, frame.decl, Call("new", arguments, Site(node, frame)))
    else:
        _super_construct(run, frame.this, frame.decl, Call("new", arguments, Site(node, frame)))
        _initialize_fields(run, frame.this, frame.decl, frame)


def _super_construct(run: Run, instance: Instance, decl: ClassDecl, call: Call) -> None:
    parent = run.index.superclass(decl)
    if isinstance(parent, ClassDecl):
        ensure_initialized(run, parent)
        if call.frame.depth < MAX_DEPTH:
            deeper = Frame(decl, instance, call.frame.scope, call.frame.path, call.frame.trail, call.frame.depth + 1)
            _construct(run, instance, parent, Call("new", call.arguments, Site(call.node, deeper)))
    elif isinstance(parent, External) and decl.superclass is not None:
        made = library_objects.create(run, parent, call)
        instance.base = made if isinstance(made, ExternalObject) else None
        if isinstance(made, StreamValue | EnvValue):
            run.memory.put(instance.fields, BASE, made)


def _initialize_fields(run: Run, instance: Instance, decl: ClassDecl, frame: Frame) -> None:
    """Instance fields and initializer blocks of one class, in order."""
    inner = Frame(decl, instance, Scope(), frame.path, frame.trail, frame.depth + 1)
    for node in decl.members:
        if node.type == "field_declaration":
            for declared in decl.fields.values():
                if declared.node == node and not declared.static and declared.value is not None:
                    key = names.slot(run, instance, declared.name, decl)
                    value = assignments.initial(run, declared.value, declared.type, inner)
                    run.memory.put(instance.fields, key, value)
        elif node.type == "block":
            loops.block(run, node, inner)


def _generated_constructor(run: Run, instance: Instance, decl: ClassDecl, arguments: Sequence[Value]) -> None:
    """A constructor that Lombok generates: arguments go to fields in order."""
    if not arguments:
        return
    declared = [field_ for field_ in decl.fields.values() if not field_.static]
    targets = [field_.name for field_ in declared]
    if len(targets) != len(arguments):
        targets = [field_.name for field_ in declared if field_.final and field_.value is None]
    if len(targets) != len(arguments):
        return
    for name, value in zip(targets, arguments, strict=True):
        run.memory.put(instance.fields, name, value)


def instantiate_bare(run: Run, decl: ClassDecl, frame: Frame) -> Instance:
    """An object with its fields initialized and no constructor run: what a generated builder starts from."""
    ensure_initialized(run, decl)
    instance = Instance(decl)
    _defaults(run, instance)
    _initialize_fields(run, instance, decl, frame)
    return instance


def unknown_instance(run: Run, decl: ClassDecl, origin: Opaque) -> Instance:
    """An object of a class of which nothing else is known: all its fields are unknown."""
    ensure_initialized(run, decl)
    instance = Instance(decl)
    for owner in run.index.lineage(decl):
        declared: list[tuple[str, TypeRef]] = [(f.name, f.type) for f in owner.fields.values() if not f.static]
        declared.extend((component.name, component.type) for component in owner.record_components)
        for name, ref in declared:
            resolved = run.index.resolve_type(ref, owner) if not ref.dimensions else None
            instance.fields.setdefault(name, Opaque(origin.unknown, f"{origin.symbol}.{name}", resolved))
    return instance


# -- classes -------------------------------------------------------------------------------------------------------


def ensure_initialized(run: Run, decl: ClassDecl) -> None:
    """Run a class's static initializers, once, superclass first."""
    if id(decl) in run.initialized:
        return
    run.memory.put(run.initialized, id(decl), decl)
    parent = run.index.superclass(decl) if decl.kind is ClassKind.CLASS else None
    if isinstance(parent, ClassDecl):
        ensure_initialized(run, parent)
    frame = Frame(decl, None, Scope(), (f"<{decl.name}>",), (), 1)
    _enum_constants(run, decl, frame)
    for node in decl.members:
        if node.type in ("field_declaration", "constant_declaration"):
            for declared in decl.fields.values():
                if declared.node == node and declared.static:
                    key = run.static_key(decl, declared.name)
                    run.memory.put(run.statics, key, default_value(declared.type))
                    if declared.value is not None:
                        run.memory.put(run.statics, key, assignments.initial(run, declared.value, declared.type, frame))
        elif node.type == "static_initializer":
            inner = next((child for child in children(node) if child.type == "block"), None)
            if inner is not None:
                loops.block(run, inner, frame)


def _enum_constants(run: Run, decl: ClassDecl, frame: Frame) -> None:
    made: list[Value] = []
    for constant in decl.enum_constants:
        arguments = loops.arguments(run, constant.arguments, frame)
        if constant.body is not None:
            body_decl = run.index.anonymous(constant.node, decl)
            instance = Instance(body_decl, name=constant.name, ordinal=constant.ordinal)
        else:
            instance = Instance(decl, name=constant.name, ordinal=constant.ordinal)
        _defaults(run, instance)
        _construct(run, instance, decl, Call("new", arguments, Site(constant.node, frame)))
        if constant.body is not None:
            _initialize_fields(run, instance, instance.decl, frame)
        run.memory.put(run.statics, run.static_key(decl, constant.name), instance)
        made.append(instance)
    if decl.kind is ClassKind.ENUM:
        run.memory.put(run.statics, run.static_key(decl, "$VALUES"), ListValue(tuple(made), "array"))
