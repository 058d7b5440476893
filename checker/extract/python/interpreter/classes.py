"""Classes of the repository: their definition, objects of them, and what a dataclass adds.

Methods such as ``__eq__`` that Python itself would call are not followed (``values.Instance``).
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from checker.extract.python.interpreter.attributes import bound
from checker.extract.python.interpreter.containers import holds_flink
from checker.extract.python.interpreter.descriptions import part
from checker.extract.python.interpreter.evaluate import Answer, Call, block, value
from checker.extract.python.interpreter.evaluate import call as call_value
from checker.extract.python.interpreter.operations import compare
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import raised, stopped
from checker.extract.python.interpreter.values import (
    MISSING,
    Arguments,
    Class,
    Decorated,
    External,
    Function,
    Guarded,
    Instance,
    Opaque,
    Partial,
    Scope,
    Value,
    unknown,
)
from checker.extract.python.library.program_arguments import environment_variable
from checker.model.unknowns import Cause, Location, Unknown


def is_exception(this: Instance) -> bool:
    """Whether an object is of a class below one of Python's own exceptions."""
    foreign = this.of.foreign()
    return isinstance(foreign, External) and foreign.path.startswith("builtins.") and foreign.simple != "object"


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
        if isinstance(target, Function | Partial):
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


def _constant(run: Run, of: Class, constants: list[Value], call: Call) -> Value:
    """``Enumeration(value)``."""
    wanted = call.argument(0, "value")
    for constant in constants:
        same = compare(run, ast.Eq(), constant.attributes["value"], wanted, call.place)
        if isinstance(same, Opaque):
            return Opaque(same.unknown)
        if same:
            return constant
    raise raised("ValueError", f"{wanted!r} is not a valid {of.name}")


def make_instance(run: Run, of: Class, call: Call) -> Value:
    """An object of a class: ``__init__`` runs, fields of dataclasses are set."""
    constants = of.constants()
    if constants:
        return _constant(run, of, constants, call)
    instance = Instance(of)
    maker = of.member("__new__")
    if isinstance(maker, Function):
        why = f"objects of {of.name} are made by its own __new__"
        raise stopped(why, Cause.UNSUPPORTED, call.place)
    if is_exception(instance):
        instance.attributes["args"] = tuple(call.positional)
    make = of.member("__init__")
    if isinstance(make, Function):
        call_value(run, bound(run, make, instance, call.place), call.arguments, call.place)
        return instance
    fields = [field for ancestor in reversed(of.ancestors()) for field in ancestor.fields or ()]
    foreign = of.foreign()
    if fields:
        _set_fields(run, instance, fields, call)
        after = of.member("__post_init__")
        if isinstance(after, Function):
            call_value(run, bound(run, after, instance, call.place), Arguments([], {}), call.place)
    elif _from_outside(foreign) and holds_flink(*call.arguments.all()):
        why = f"a stream or environment is handed to {of.name}, which has an unknown superclass"
        raise stopped(why, Cause.EXTERNAL, call.place)
    return instance


def _from_outside(base: Value) -> bool:
    known = ("pyflink.", "abc.", "typing.", "builtins.", "enum.")
    return base is not None and not (isinstance(base, External) and base.path.startswith(known))


def _set_fields(run: Run, instance: Instance, fields: list[tuple[str, ast.expr | None]], call: Call) -> None:
    of = instance.of
    foreign = of.foreign()
    outside = isinstance(foreign, External) and "Settings" in foreign.simple  # pydantic's, from the environment
    for number, (name, default) in enumerate(fields):
        given = call.argument(number, name, MISSING)
        if given is not MISSING:
            instance.attributes[name] = given
        elif "**" in call.keywords:
            spread = call.keywords["**"]
            instance.attributes[name] = replace(spread, derived_from=part(spread.derived_from, name))
        elif outside:
            usual = default and _default(run, of, default, call.place)
            instance.attributes[name] = environment_variable(run, name.upper(), call.place, usual)
        elif default is None:
            instance.attributes[name] = unknown(f"the attribute {name} is not set", Cause.OTHER, call.place)
        else:
            instance.attributes[name] = _default(run, of, default, call.place)


def _default(run: Run, of: Class, default: ast.expr, place: Location) -> Value:
    owner = next(
        (ancestor for ancestor in of.ancestors() if any(default is own for _, own in ancestor.fields or ())), of
    )
    name = next((name for name, own in owner.fields or () if own is default), "")
    own = owner.members[name] if name in owner.members else value(run, default, of.scope)
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
