"""Assignments: to names, attributes, elements and the parts of patterns."""

import ast
import operator
import re
import sys
from dataclasses import replace
from typing import Any

from checker.extract.interpreting.memory import MISSING
from checker.extract.python.interpreter.containers import all_elements, changed_of, current
from checker.extract.python.interpreter.descriptions import described, described_call, opens_any_file, part
from checker.extract.python.interpreter.evaluate import value
from checker.extract.python.interpreter.operations import binary
from checker.extract.python.interpreter.python_calls import Doing, perform
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import raised, stopped
from checker.extract.python.interpreter.values import (
    Arguments,
    Bound,
    Class,
    Decorated,
    External,
    Function,
    Guarded,
    Instance,
    Module,
    Opaque,
    Parsed,
    Scope,
    Value,
    unknown,
    why,
)
from checker.extract.python.library.resources import contents
from checker.model.unknowns import Cause, Location, Unknown

_NO_FIELD = re.compile(r"['\"]?(\w+\.)*(ClassVar|KW_ONLY)\b")
"""Annotations of a dataclass that are none of a field."""


def assignment(run: Run, node: Any, scope: Scope) -> None:
    """``name = value`` and annotated ones; those of classes are kept for dataclasses."""
    declares = isinstance(node, ast.AnnAssign) and scope.of_class and isinstance(node.target, ast.Name)
    if declares and not _NO_FIELD.match(ast.unparse(node.annotation)):
        scope.names.setdefault("__annotations__", []).append((node.target.id, node.value))
    if node.value is None:
        return
    assigned = value(run, node.value, scope)
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        assign(run, target, assigned, scope)


def augmented(run: Run, node: Any, scope: Scope) -> None:
    """``name += value``; lists grow in place."""
    left = value(run, node.target, scope)
    right = value(run, node.value, scope)
    made = binary(run, node.op, left, right, at(node, scope), in_place=True)
    if isinstance(made, Opaque):
        made = replace(made, derived_from=described(run, [left, type(node.op).__name__, right]))
    assign(run, node.target, made, scope)


def assign(run: Run, target: ast.expr, assigned: Value, scope: Scope) -> None:
    """Give a value to a name, an attribute, an element, or the parts of a pattern."""
    if isinstance(target, ast.Name):
        scope.elsewhere.get(target.id, scope).names[target.id] = assigned
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(run, target, assigned, scope)
    elif isinstance(target, ast.Starred):
        assign(run, target.value, assigned, scope)
    elif isinstance(target, ast.Attribute):
        set_attribute(run, value(run, target.value, scope), target.attr, assigned, at(target, scope))
    elif isinstance(target, ast.Subscript):
        owner = value(run, target.value, scope)
        _set_element(run, owner, target, assigned, scope)


def set_attribute(run: Run, owner: Value, name: str, assigned: Value, place: Location) -> None:
    """``owner.name = value``. Raises StoppedError where code of the script sets it."""
    setter, prop = (
        owner.of.member(member) if isinstance(owner, Instance) else MISSING for member in ("__setattr__", name)
    )
    computed = isinstance(prop, Decorated) or (isinstance(prop, Function) and prop.binds == "property")
    if isinstance(setter, Function) or computed:
        raise stopped(f"the attribute {name} is set by code of its class", Cause.UNSUPPORTED, place)
    if isinstance(owner, Instance):
        owner.attributes[name] = assigned
    elif isinstance(owner, Class):
        owner.members[name] = assigned
    elif isinstance(owner, Module) and owner.scope is not None:
        owner.scope.names[name] = assigned
    elif isinstance(owner, Parsed):
        owner.values[name] = assigned
    else:
        record_change(run, owner, described(run, name, assigned))


def _set_element(run: Run, owner: Value, target: ast.Subscript, assigned: Value, scope: Scope) -> None:
    place = at(target, scope)
    key = slice_of(run, target.slice, scope)
    if isinstance(owner, Instance) or not isinstance(owner, Guarded):
        if isinstance(key, slice) and isinstance(current(run, assigned), Opaque):
            changed_of(run, owner, why(current(run, assigned), "an unknown part of a list"))
            return
        given, doing = Arguments([owner, key, assigned], {}), Doing(changes=True, kept=owner)
        perform(run, operator.setitem, given, place, owner=owner, doing=doing)
    else:
        record_change(run, owner, described(run, key, assigned))


def slice_of(run: Run, node: ast.expr, scope: Scope) -> Value:
    """The contents of brackets: a key, or a slice."""
    if not isinstance(node, ast.Slice):
        return value(run, node, scope)
    return slice(
        *(None if bound is None else value(run, bound, scope) for bound in (node.lower, node.upper, node.step))
    )


def _unpack(run: Run, target: ast.Tuple | ast.List, assigned: Value, scope: Scope) -> None:
    place = at(target, scope)
    parts = all_elements(run, assigned, place)
    if isinstance(parts, Opaque):
        for number, element in enumerate(target.elts):
            assign(run, element, part_of(run, assigned, number, place), scope)
        return
    starred = next((i for i, element in enumerate(target.elts) if isinstance(element, ast.Starred)), None)
    if starred is not None and len(parts) >= len(target.elts) - 1:
        behind = len(target.elts) - starred - 1
        middle = parts[starred : len(parts) - behind]
        parts = [*parts[:starred], middle, *parts[len(parts) - behind :]]
    if len(parts) != len(target.elts):
        raise raised("ValueError", "wrong number of values to unpack")
    for element, piece in zip(target.elts, parts, strict=True):
        assign(run, element, piece, scope)


def part_of(run: Run, whole: Value, number: int, place: Location) -> Value:
    """A part of a value that is not known."""
    if isinstance(whole, Opaque):
        return Opaque(
            whole.unknown, f"{whole.name}[{number}]" if whole.name else "", part(whole.derived_from, str(number))
        )
    unknown_part = unknown("an unknown part of a value", Cause.OTHER, place)
    return replace(unknown_part, derived_from=part(described(run, whole), str(number)))


def delete(run: Run, node: Any, scope: Scope) -> None:
    """``del``."""
    for target in node.targets:
        if isinstance(target, ast.Name):
            declaring = scope.elsewhere.get(target.id, scope)
            if target.id not in declaring.names:
                raise raised("NameError", target.id)
            del declaring.names[target.id]
        elif isinstance(target, ast.Subscript):
            owner, key = value(run, target.value, scope), slice_of(run, target.slice, scope)
            place, doing = at(target, scope), Doing(changes=True)
            perform(run, operator.delitem, Arguments([owner, key], {}), place, owner=owner, doing=doing)
        elif isinstance(target, ast.Attribute):
            owner = value(run, target.value, scope)
            if isinstance(owner, Instance | Class):
                changed_of(run, owner, Unknown("an attribute is deleted", Cause.OTHER, None, at(target, scope)))


PROCESS = "os"
"""Where changes of environment variables are kept."""
_ENVIRONMENT = ("os.environ", "os.putenv", "os.unsetenv", "dotenv.")
_KNOWN = frozenset({*sys.stdlib_module_names, "builtins", "pyflink", "checker"})
"""Packages whose functions return nothing that other functions of them were given."""
_TEXTS = re.compile(r"argument |environment variable |sys\.argv\[\d+\]$")
"""Descriptions of values that are texts, which never change."""
_CHANGES = ("read", "load", "update", "merge", "set", "add", "put", "append", "extend", "insert", "pop", "parse",
            "open", "configure", "init")  # fmt: skip
"""How names of methods begin that change their object and give something back."""


def record_change(run: Run, changed: Value, what: str) -> None:
    """An object is given something; an empty text stands for what can't be described."""
    if isinstance(changed, External) and changed.path.startswith(_ENVIRONMENT):
        run.packages.setdefault(PROCESS, []).append(what)
    elif isinstance(changed, External) and not changed.called:
        run.packages.setdefault(changed.path.partition(".")[0], []).append(what)
    elif isinstance(changed, External | Opaque):
        whom = described(run, changed)
        if whom:
            run.given_to_objects.append((whom, what))
    elif isinstance(changed, Bound):
        record_change(run, changed.owner, what)
    elif isinstance(changed, Guarded) and not isinstance(changed, Function | Decorated):
        changed_of(run, changed, Unknown("the script sets what this object is made of", Cause.UNSUPPORTED))


def record_call(run: Run, node: ast.Call, owner: Value, target: Value, arguments: Arguments) -> None:
    """What a call gives to its object, its package and its arguments, if it is made for its effect."""
    for_effect = run.statement is node
    if isinstance(target, External) and target.path.startswith(_ENVIRONMENT):
        if not target.path.startswith(("os.environ.get", "os.environ.items", "os.environ.keys", "os.environ.copy")):
            files = contents(run, ".env") if target.path.startswith("dotenv.") else ""
            record_change(run, target, f"{target.path} {described_call(run, None, arguments)} {files}")
        return
    if not isinstance(target, External | Opaque) and not (isinstance(target, Bound) and isinstance(owner, External)):
        return
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if not for_effect and not (name.startswith(_CHANGES) and isinstance(owner, Opaque | External)):
        return
    if isinstance(owner, Opaque) and (owner.derived_from or "").startswith("logging."):  # a logger keeps no values
        return
    if isinstance(target, External) and (target.path.partition(".")[0] in _KNOWN or not for_effect):
        return
    text = "" if opens_any_file(run, target, arguments) else described_call(run, None, arguments)
    what = f"{name or described(run, target)} {text}" if text else ""
    record_change(run, target if isinstance(target, External) else owner, what)
    if for_effect:
        for argument in arguments.all():
            if (isinstance(argument, Opaque) and not _TEXTS.match(argument.derived_from or "")) or isinstance(
                argument, External
            ):
                record_change(run, argument, what)
            elif isinstance(argument, Instance):
                changed_of(run, argument, Unknown(f"{name or 'a library'} may have changed it", Cause.EXTERNAL))
