"""Classes of the repository and their objects, and ``owner.name``: members of objects, modules and libraries.

Methods such as ``__eq__`` that Python itself would call are not followed (``values.Instance``).
"""

import ast
from dataclasses import replace
from typing import Any

from checker.extract.interpreting.memory import MISSING
from checker.extract.python.flink_api import tables
from checker.extract.python.flink_api.streams import FLINK_OBJECTS, TableObject
from checker.extract.python.interpreter import imports
from checker.extract.python.interpreter.containers import current, holds_flink
from checker.extract.python.interpreter.descriptions import part
from checker.extract.python.interpreter.evaluate import Answer, Call, block, call, value
from checker.extract.python.interpreter.evaluate import call as call_value
from checker.extract.python.interpreter.functions import touches_flink
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import raised, stopped, stopped_by
from checker.extract.python.interpreter.values import (
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
    Scope,
    Super,
    Value,
    unknown,
)
from checker.extract.python.library import resources
from checker.extract.python.library.plain_methods import plain_attribute
from checker.extract.python.library.program_arguments import environment_variable
from checker.extract.python.library.standard_library import METHODS, MODELLED_OBJECTS, parsed_attribute
from checker.model.unknowns import Cause, Location, Unknown


def attribute(run: Run, node: Any, scope: Scope) -> Value:
    """The value of ``owner.name``."""
    return attribute_of(run, value(run, node.value, scope), node.attr, at(node, scope))


def attribute_of(run: Run, owner: Value, name: str, place: Location) -> Value:
    """A member by name."""
    if isinstance(owner, External):
        return _of_external(run, owner, name, place)
    if isinstance(owner, Opaque) and owner.holds and name in METHODS:
        return Bound(owner, name)
    if isinstance(owner, Opaque):
        return Opaque(owner.unknown, f"{owner.name}.{name}" if owner.name else "")
    if isinstance(owner, Module):
        names = {} if owner.scope is None else owner.scope.names
        return names[name] if name in names else imports.member(run, owner, name, place)
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
    if isinstance(owner, FLINK_OBJECTS) and name.startswith("_"):
        raise stopped(f"the script reaches into PyFlink ({name})", Cause.UNSUPPORTED, place)
    if isinstance(owner, Function | Decorated):
        known = getattr(owner, "name", None) if name == "__name__" else None
        found = unknown(f"the attribute {name} of a function", Cause.OTHER, place)
        calls = name in ("__wrapped__", "__call__") or not name.startswith("__")
        return known or (Decorated(owner, found.unknown) if calls and touches_flink(owner) else found)
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


def _of_instance(run: Run, owner: Instance, name: str, place: Location) -> Value:
    changed = run.changed.get(id(owner)) or run.changed.get(id(owner.attributes))
    if name in owner.attributes or name == "__dict__":
        attribute = owner.attributes.get(name, owner.attributes)
        return attribute if changed is None or isinstance(attribute, FLINK_OBJECTS) else Opaque(changed[1])
    if name == "__class__":
        return owner.of
    member = owner.of.member(name)
    if member is not MISSING:
        return bound(run, member, owner, place)
    getter = owner.of.member("__getattr__")
    if isinstance(getter, Function):
        return call(run, bound(run, getter, owner, place), Arguments([name], {}), place)
    if owner.of.foreign() is None and not (owner.of.generated or changed or name.startswith("__")):
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


_DATACLASSES = ("dataclasses.dataclass", "attr.s", "attr.attrs", "attr.define", "attrs.define", "attrs.frozen",
                "pydantic.dataclasses.dataclass")  # fmt: skip
_HARMLESS = ("functools.total_ordering", "typing.runtime_checkable", "typing.final", "enum.unique")
_FIELDS = ("dataclasses.field", "attr.ib", "attrs.field", "pydantic.Field")


def declared_class(run: Run, node: Any, scope: Scope) -> Value:
    """What a ``class`` statement binds."""
    inner = Scope({}, scope.file, scope, of_class=True)
    bases = tuple(value(run, base, scope) for base in node.bases)
    block(run, node.body, inner)
    annotated = tuple(inner.names.pop("__annotations__", ()))
    made = Class(node.name, bases, node, inner.names, scope)
    for member in made.members.values():
        if isinstance(member, Function) and member.owner is None:
            member.owner = made
    for keyword in node.keywords:
        if keyword.arg == "metaclass" and isinstance(value(run, keyword.value, scope), Class):
            return _decorated(made, keyword.value, scope)
    if any("__init_subclass__" in above.members for above in made.ancestors()[1:]):
        raise stopped(f"a class is told of {made.name} by its __init_subclass__", Cause.UNSUPPORTED, at(node, scope))
    foreign = made.foreign()
    if isinstance(foreign, External) and (foreign.path.startswith("pydantic") or foreign.simple == "NamedTuple"):
        made.fields, made.generated = annotated, True
    made.generated = made.generated or bool(node.keywords)
    if made.constants() is not None:
        _make_constants(made)
    for decorator in reversed(node.decorator_list):
        target = value(run, decorator, scope)
        if isinstance(target, Function):
            decorated = call_value(run, target, Arguments([made], {}), at(decorator, scope))
            if decorated is made:
                continue
            return decorated if node.decorator_list.index(decorator) == 0 else _decorated(made, decorator, scope)
        if not isinstance(target, External) or not target.path.startswith((*_DATACLASSES, *_HARMLESS)):
            return _decorated(made, decorator, scope)
        made.generated = made.generated or target.simple == "total_ordering" or bool(target.keywords)
        if target.path.startswith(_DATACLASSES):
            made.fields = annotated
    return made


def _decorated(made: Class, decorator: ast.expr, scope: Scope) -> Decorated:
    why = f"the class {made.name} is made by {ast.unparse(decorator)[:60]}, which is not followed"
    return Decorated(made, Unknown(why, Cause.EXTERNAL, None, at(decorator, scope)))


def _make_constants(made: Class) -> None:
    """The members of an enumeration: objects with a name and a value, one for each value."""
    kind = made.enumeration()
    assert kind is not None
    made.generated = made.generated or kind.simple != "Enum" or made.foreign() is not kind
    found: list[Instance] = []
    for name, content in made.members.items():
        if name.startswith("_") or isinstance(content, Function | Class | Instance):
            continue
        if isinstance(content, External) and content.path == "enum.auto":
            content = len(found) + 1 if kind.simple in ("Enum", "IntEnum") else unknown("a value that is made up")
        same = None
        if not isinstance(content, Guarded):
            same = next((constant for constant in found if constant.attributes["value"] == content), None)
        constant = same or Instance(made, {"value": content, "name": name, "_value_": content, "_name_": name})
        found.append(constant)
        made.members[name] = constant


def make_instance(run: Run, of: Class, call: Call) -> Value:
    """An object of a class: ``__init__`` runs, fields of dataclasses are set."""
    if of.constants():
        return unknown("a member of an enumeration that is found by its value", Cause.OTHER, call.place)
    instance = Instance(of)
    maker = of.member("__new__")
    if isinstance(maker, Function):
        why = f"objects of {of.name} are made by its own __new__"
        raise stopped(why, Cause.UNSUPPORTED, call.place)
    make = of.member("__init__")
    if isinstance(make, Function):
        call_value(run, bound(run, make, instance, call.place), call.arguments, call.place)
        return instance
    above = reversed(of.ancestors())
    fields = {name: (owner, default) for owner in above for name, default in owner.fields or ()}
    foreign = of.foreign()
    if fields:
        _set_fields(run, instance, fields, call)
        after = of.member("__post_init__")
        if isinstance(after, Function):
            names = [parameter.arg for parameter in after.arguments.args if parameter.arg in fields]  # InitVar
            given = {name: instance.attributes.pop(name) for name in names}
            call_value(run, bound(run, after, instance, call.place), Arguments([], given), call.place)
    elif _from_outside(foreign) and holds_flink(*call.arguments.all()):
        why = f"a stream or environment is handed to {of.name}, which has an unknown superclass"
        raise stopped(why, Cause.EXTERNAL, call.place)
    elif call.arguments.all():
        instance.attributes[_GIVEN] = [*call.positional, *call.keywords.items()]
    return instance


_GIVEN = "(given)"
"""What an object holds that a superclass which is not read makes of arguments: no code can name it."""


def _from_outside(base: Value) -> bool:
    known = ("pyflink.", "abc.", "typing.", "builtins.", "enum.")
    return base is not None and not (isinstance(base, External) and base.path.startswith(known))


def _set_fields(run: Run, instance: Instance, fields: dict[str, tuple[Class, ast.expr | None]], call: Call) -> None:
    foreign = instance.of.foreign()
    outside = isinstance(foreign, External) and "Settings" in foreign.simple  # pydantic's, from the environment
    number = 0
    for name, (owner, default) in fields.items():
        made = owner.members.get(name)
        settings = dict(made.keywords) if isinstance(made, External) and made.path.startswith(_FIELDS) else {}
        placed = settings.get("init") is not False and settings.get("kw_only") is not True
        given = call.argument(number if placed else len(call.positional), name, MISSING)
        number += placed
        if given is not MISSING:
            instance.attributes[name] = given
        elif "**" in call.keywords:
            spread = call.keywords["**"]
            instance.attributes[name] = replace(spread, derived_from=part(spread.derived_from, name))
        elif outside:
            usual = default and _default(run, owner, name, default, call.place)
            variable = f"{_prefix(instance.of)}{name}".upper()
            instance.attributes[name] = environment_variable(run, variable, call.place, usual)
        elif default is None:
            instance.attributes[name] = unknown(f"the attribute {name} is not set", Cause.OTHER, call.place)
        else:
            instance.attributes[name] = _default(run, owner, name, default, call.place)


def _prefix(of: Class) -> str:
    """How the names of the variables begin that pydantic's settings are taken from."""
    config, inner = of.member("model_config"), of.member("Config")
    given = dict(config.keywords) if isinstance(config, External) else config if isinstance(config, dict) else {}
    written = inner.members if isinstance(inner, Class) else given
    return str(written.get("env_prefix", ""))


def _default(run: Run, owner: Class, name: str, default: ast.expr, place: Location) -> Value:
    own = owner.members[name] if name in owner.members else value(run, default, owner.scope)
    if isinstance(own, External) and own.path.startswith(_FIELDS):
        named = dict(own.keywords)
        if "default" in named:
            return named["default"]
        maker = named.get("default_factory", named.get("factory"))
        if maker is not None:
            return call_value(run, maker, Arguments([], {}), place)
        return own.arguments[0] if own.arguments else unknown("a field without a default", Cause.OTHER, place)
    return own


def inherited_from_flink(run: Run, call: Call) -> Answer:
    """A method that a class of the repository has from PyFlink, or that workers call."""
    owner = call.receiver
    if not isinstance(owner, Instance | Class):
        return None
    foreign = (owner.of if isinstance(owner, Instance) else owner).foreign()
    if call.name in ("open", "close") or (isinstance(foreign, External) and foreign.path.startswith("pyflink.")):
        return (unknown(f"cannot tell the result of .{call.name}()", Cause.OTHER, call.place),)
    return None
