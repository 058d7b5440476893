"""``owner.name``: members of modules, classes, objects, libraries and what is not known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from checker.extract.python.flink_api import tables
from checker.extract.python.flink_api.streams import (
    FLINK_OBJECTS,
    JAVA_ENVIRONMENT,
    Environment,
    EnvironmentPart,
    TableObject,
)
from checker.extract.python.interpreter import imports
from checker.extract.python.interpreter.containers import current
from checker.extract.python.interpreter.evaluate import call, value
from checker.extract.python.interpreter.functions import touches_flink
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import raised, stopped, stopped_by
from checker.extract.python.interpreter.text_formats import TEXT_METHODS
from checker.extract.python.interpreter.values import (
    MISSING,
    Arguments,
    Bound,
    Class,
    Decorated,
    External,
    FilePath,
    Function,
    Guarded,
    Instance,
    Module,
    Opaque,
    Parsed,
    Partial,
    Scope,
    Super,
    Value,
    unknown,
)
from checker.extract.python.library import resources
from checker.extract.python.library.file_entries import METHODS
from checker.extract.python.library.plain_methods import plain_attribute
from checker.extract.python.library.standard_library import MODELLED_OBJECTS, parsed_attribute
from checker.model.unknowns import Cause, Location


def attribute(run: Run, node: Any, scope: Scope) -> Value:
    """The value of ``owner.name``."""
    return attribute_of(run, value(run, node.value, scope), node.attr, at(node, scope))


def attribute_of(run: Run, owner: Value, name: str, place: Location) -> Value:
    """A member by name."""
    if isinstance(owner, External):
        return _of_external(run, owner, name, place)
    if isinstance(owner, Opaque) and ((owner.parts and name in TEXT_METHODS) or (owner.holds and name in METHODS)):
        return Bound(owner, name)
    if isinstance(owner, Opaque):
        return Opaque(owner.unknown, f"{owner.name}.{name}" if owner.name else "")
    if isinstance(owner, Module):
        return _of_module(run, owner, name, place)
    if isinstance(owner, Instance):
        return _of_instance(run, owner, name, place)
    if isinstance(owner, Class):
        return _of_class(owner, name)
    if isinstance(owner, Super):
        found = next((ancestor.members[name] for ancestor in owner.above if name in ancestor.members), MISSING)
        return Bound(owner, name) if found is MISSING else bound(run, found, owner.this, place)
    if isinstance(owner, FilePath):
        part = resources.path_part(owner, name)
        return Bound(owner, name) if part is None else part
    if isinstance(owner, Parsed):
        return parsed_attribute(owner, name, place)
    if isinstance(owner, Environment) and name == JAVA_ENVIRONMENT:
        return EnvironmentPart(owner, name)
    if isinstance(owner, FLINK_OBJECTS) and name.startswith("_"):
        raise stopped(f"the script reaches into PyFlink ({name})", Cause.UNSUPPORTED, place)
    if isinstance(owner, Function | Partial | Decorated):
        known = getattr(owner, "name", None) if name == "__name__" else None
        return known or unknown(f"the attribute {name} of a function", Cause.OTHER, place)
    if isinstance(owner, TableObject) and (found := tables.attribute(run, owner, name, place)) is not None:
        return found
    if not isinstance(owner, (Guarded, *FLINK_OBJECTS, *MODELLED_OBJECTS)):
        return _of_python(run, owner, name, place)
    return Bound(owner, name)


def _of_python(run: Run, owner: Value, name: str, place: Location) -> Value:
    changed = current(run, owner)
    found = None if isinstance(changed, Opaque) else plain_attribute(run, owner, name, place)
    return Bound(owner, name) if found is None else found


def _of_external(run: Run, owner: External, name: str, place: Location) -> Value:
    if owner.called:
        return Bound(owner, name)
    if name in ("__name__", "__qualname__"):
        return owner.simple
    return imports.external(run, External(f"{owner.path}.{name}", before=owner.before), place)


def _of_module(run: Run, owner: Module, name: str, place: Location) -> Value:
    if owner.scope is not None and name in owner.scope.names:
        return owner.scope.names[name]
    return imports.member(run, owner, name, place)


def _of_instance(run: Run, owner: Instance, name: str, place: Location) -> Value:
    if name in owner.attributes:
        attribute = owner.attributes[name]
        changed = run.changed.get(id(owner))
        return attribute if changed is None or isinstance(attribute, FLINK_OBJECTS) else Opaque(changed[1])
    if name == "__class__":
        return owner.of
    member = owner.of.member(name)
    if member is not MISSING:
        return bound(run, member, owner, place)
    getter = owner.of.member("__getattr__")
    if isinstance(getter, Function):
        return call(run, bound(run, getter, owner, place), Arguments([name], {}), place)
    if owner.of.foreign() is None and not owner.of.generated and id(owner) not in run.changed:
        raise raised("AttributeError", f"'{owner.of.name}' object has no attribute '{name}'")
    return Bound(owner, name)


def _of_class(owner: Class, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return owner.name
    if name == "__members__" and (constants := owner.constants()) is not None:
        return {constant.attributes["name"]: constant for constant in constants}
    member = owner.member(name)
    if member is MISSING:
        return Bound(owner, name)
    if isinstance(member, Function) and member.binds == "class":
        return _with(member, owner)
    return member


def bound(run: Run, member: Value, this: Value, place: Location) -> Value:
    """A member as an object gives it: methods know the object, properties are computed."""
    if isinstance(member, Decorated) and touches_flink(member):
        raise stopped_by(member.unknown, place)
    if not isinstance(member, Function) or member.binds == "nothing":
        return member
    if member.binds == "class":
        return _with(member, this.of if isinstance(this, Instance) else this)
    if member.binds == "property":
        return call(run, _with(member, this), Arguments([], {}), place)
    return _with(member, this)


def _with(function: Function, this: Value) -> Function:
    return replace(function, bound=this)
