"""What an identifier names inside of a frame, and where an assignment to it goes."""

from checker.extract.java.interpreter import classes_of_values
from checker.extract.java.library import configuration
from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.descriptions import described_as, short
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Frame, Instance, ListValue, Opaque, TypeName, Value, integer, is_null
from checker.extract.java.syntax.class_index import External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.nodes import declared_field, field_owner, library_ancestor
from checker.extract.java.syntax.tree import Node
from checker.extract.java.syntax.type_refs import TypeRef
from checker.model.unknowns import Cause


def lookup(run: Run, name: str, frame: Frame) -> Value | None:
    """The value of a variable or field in reach, None where the name is not a variable."""
    holder = frame.scope.holder(name)
    if holder is not None:
        return holder.variables[name]
    decl: ClassDecl | None = frame.decl
    this = frame.this
    while decl is not None:
        if isinstance(this, Instance):
            found = instance_field(run, this, name, decl)
            if found is not None:
                return found
        found = static_field(run, decl, name)
        if found is not None:
            return found
        if isinstance(this, Instance) and this.captured is not None and this.decl is decl:
            return lookup(run, name, this.captured)
        this = this.outer if isinstance(this, Instance) else None
        decl = decl.outer
    return _static_import(run, name, frame)


def instance_field(run: Run, instance: Instance, name: str, viewer: ClassDecl | None = None) -> Value | None:
    """An instance's field as the code of ``viewer`` sees it, or a static one of its class."""
    key = slot(run, instance, name, viewer)
    if key in instance.fields:
        return instance.fields[key]
    return static_field(run, viewer or instance.decl, name) or static_field(run, instance.decl, name)


def slot(run: Run, instance: Instance, name: str, viewer: ClassDecl | None) -> str:
    """Where an object keeps a field that code of ``viewer`` names: a subclass may hide it behind one of its own."""
    if viewer is None or viewer is instance.decl:
        return name
    holders = [
        owner
        for owner in (instance.decl, *run.index.ancestors(instance.decl))
        if isinstance(owner, ClassDecl) and name in owner.fields and not owner.fields[name].static
    ]
    if len(holders) < 2:
        return name
    seen = next((owner for owner in (viewer, *run.index.ancestors(viewer)) if owner in holders), None)
    return name if not isinstance(seen, ClassDecl) or seen is holders[0] else f"{name}@{seen.qualified_name}"


def static_field(run: Run, decl: ClassDecl, name: str) -> Value | None:
    """The value of a static field of a class or its ancestors."""
    key = run.static_key(decl, name)
    if key in run.statics:
        return run.statics[key]
    found = field_owner(run.index, decl, name)
    if found is None:
        return None
    owner = found[0]
    run.interpreter.ensure_initialized(owner)
    return run.statics.get(run.static_key(owner, name))


def static_member(run: Run, name: TypeName, member: str, frame: Frame) -> Value | None:
    """``Type.member``: a static field, an enum constant, a nested class, a library constant."""
    decl = name.type
    if isinstance(decl, ClassDecl):
        found = static_field(run, decl, member)
        if found is not None:
            return found
        inner = run.index.member_type(decl, member)
        if inner is not None:
            return TypeName(inner)
        if member in ("this", "class", "super"):
            return None
        above = (a for a in run.index.ancestors(decl) if isinstance(a, External))
        inherited = (configuration.of_class(ancestor, member) for ancestor in above)
        return next((constant for constant in inherited if constant is not None), None)
    constant = configuration.of_class(decl, member)
    if constant is not None:
        return constant
    if member[:1].isupper() and not member.isupper():
        return TypeName(External(tuple(f"{candidate}.{member}" for candidate in decl.candidates)))
    return configuration.unknown_constant(decl, member)


def _static_import(run: Run, name: str, frame: Frame) -> Value | None:
    unit = run.index.unit_of(frame.decl)
    for owner in (*unit.static_imports.get(name, ()), *unit.static_on_demand):
        decl = run.index.find(owner, unit.path)
        if decl is not None:
            found = static_field(run, decl, name)
            if found is not None:
                return found
        elif name in unit.static_imports:
            external = External((owner,))
            return configuration.of_class(external, name) or configuration.unknown_constant(external, name)
        else:
            constant = configuration.of_class(External((owner,)), name)
            if constant is not None:
                return constant
    return None


def declare(run: Run, name: str, ref: TypeRef, value: Value, frame: Frame) -> None:
    """Introduce a local variable."""
    if isinstance(value, StreamValue) and value.draft is not None and value.draft.variable is None:
        value.draft.variable = name
    run.memory.put(frame.scope.variables, name, value)
    frame.scope.types[name] = ref


def store(run: Run, name: str, value: Value, frame: Frame) -> None:
    """Assign to a variable or field by its simple name."""
    holder = frame.scope.holder(name)
    if holder is not None:
        ref = holder.types.get(name)
        run.memory.put(
            holder.variables, name, classes_of_values.coerce(run, value, ref, frame.decl) if ref is not None else value
        )
        return
    decl: ClassDecl | None = frame.decl
    this = frame.this
    while decl is not None:
        if isinstance(this, Instance) and name in this.fields:
            store_field(run, this, name, value, decl)
            return
        if field_owner(run.index, decl, name) is not None:
            store_static(run, decl, name, value)
            return
        if isinstance(this, Instance) and this.captured is not None and this.decl is decl:
            store(run, name, value, this.captured)
            return
        this = this.outer if isinstance(this, Instance) else None
        decl = decl.outer
    if isinstance(frame.this, Instance) and library_ancestor(run.index, frame.this.decl) is not None:
        run.memory.put(frame.this.fields, name, value)  # a field that the library's superclass declares


def store_static(run: Run, decl: ClassDecl, name: str, value: Value) -> None:
    """Assign to a static field of a class or its ancestors."""
    owner, declared = field_owner(run.index, decl, name) or (decl, None)
    run.interpreter.ensure_initialized(owner)
    if declared is not None:
        value = classes_of_values.coerce(run, value, declared.type, owner)
    run.memory.put(run.statics, run.static_key(owner, name), value)


def store_field(run: Run, instance: Instance, name: str, value: Value, viewer: ClassDecl | None = None) -> None:
    """Assign to a field of an object, as the code of ``viewer`` sees it."""
    declared = declared_field(run.index, viewer or instance.decl, name) or declared_field(
        run.index, instance.decl, name
    )
    if declared is not None:
        value = classes_of_values.coerce(run, value, declared.type, declared.owner)
        if declared.static:
            run.memory.put(run.statics, run.static_key(declared.owner, name), value)
            return
    run.memory.put(instance.fields, slot(run, instance, name, viewer), value)


def enclosing_this(run: Run, wanted: Resolved, frame: Frame) -> Value | None:
    """``Outer.this``: the object of a class, or of one below it, around the code that runs."""
    this = frame.this
    while isinstance(this, Instance):
        if wanted in run.index.lineage(this.decl):
            return this
        this = this.captured.this if this.captured is not None else this.outer
    return None


def read_field(run: Run, receiver: Value, name: str, node: Node | None, frame: Frame) -> Value:
    """``receiver.name``: instance fields, statics, enum constants, nested classes, an array's length."""
    receiver = run.settle(receiver)
    if is_null(receiver):
        throw("NullPointerException")
    if isinstance(receiver, Instance):
        found = instance_field(run, receiver, name, frame.decl if receiver is frame.this else None)
        if found is not None:
            return found
    if isinstance(receiver, TypeName):
        found = static_member(run, receiver, name, frame)
        if found is not None:
            return found
    if isinstance(receiver, ListValue) and name == "length":
        if receiver.elements is not None:
            return integer(len(receiver.elements))
        return run.opaque("the length of an unknown array", Cause.COLLECTION, Site(node, frame), of=(receiver,))
    if isinstance(receiver, Opaque):
        return Opaque(receiver.unknown, f"{receiver.symbol}.{name}")
    symbol = run.fresh(short(f"({described_as(receiver)}.{name})"))
    return run.opaque(f"unknown field '{name}'", Cause.EXTERNAL, Site(node, frame), symbol=symbol)
