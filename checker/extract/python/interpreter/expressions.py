"""Expressions of a script: names, collections, texts, conditions and elements."""

import ast
import builtins
import operator
from dataclasses import replace
from typing import Any

from checker.extract.interpreting.bounds import MAX_ELEMENTS, MAX_TEXT, TOO_LONG
from checker.extract.python.interpreter import choices, operations
from checker.extract.python.interpreter.assignments import assign, slice_of
from checker.extract.python.interpreter.containers import all_elements, current, holds_flink
from checker.extract.python.interpreter.evaluate import value
from checker.extract.python.interpreter.functions import holds_jobs
from checker.extract.python.interpreter.operations import binary, compare, formatted, negated
from checker.extract.python.interpreter.python_calls import Doing, perform
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import StoppedError, raised, stopped, stopped_by
from checker.extract.python.interpreter.values import (
    Arguments,
    Class,
    External,
    Guarded,
    Instance,
    Opaque,
    Scope,
    Value,
    truth,
    unknown,
    why,
)
from checker.extract.python.library import program_arguments, resources
from checker.extract.python.library.standard_library import entry
from checker.model.unknowns import Cause, Location, Unknown


def name(run: Run, node: Any, scope: Scope) -> Value:
    """A variable, something imported with ``*``, or a builtin."""
    found = scope.find(node.id)
    if found is not None:
        return found.names[node.id]
    stars = [*scope.module().stars.values()]
    if hasattr(builtins, node.id):
        return External(f"builtins.{node.id}")
    star = next((s for s in stars if s.path.startswith("pyflink.")), stars[0] if stars else None)
    if star is not None:
        path = star.path if star.path.startswith("pyflink.") else "|".join(star.path for star in stars)
        return External(f"{path}.{node.id}")
    if stars:
        return unknown(f"{node.id} is defined nowhere", Cause.OTHER, at(node, scope), node.id)
    raise raised("NameError", f"name '{node.id}' is not defined")


def collection(run: Run, node: Any, scope: Scope) -> Value:
    """A list, tuple or set."""
    found: list[Value] = []
    place = at(node, scope)
    for element in node.elts:
        if isinstance(element, ast.Starred):
            spread = all_elements(run, value(run, element.value, scope), place)
            if isinstance(spread, Opaque):
                reason = why(spread, "cannot tell what is unpacked into a collection")
                if holds_flink(found):
                    raise stopped_by(reason, place)
                return Opaque(reason)
            found.extend(spread)
        else:
            found.append(value(run, element, scope))
    if len(found) > MAX_ELEMENTS:
        return unknown("a collection that is too long", Cause.LIMIT, place)
    if isinstance(node, ast.Set):
        return perform(run, set, Arguments([found], {}), place)
    return found if isinstance(node, ast.List) else tuple(found)


def mapping(run: Run, node: Any, scope: Scope) -> Value:
    """A dictionary; later keys win."""
    found: dict[Any, Value] = {}
    unclear: Unknown | None = None
    place = at(node, scope)
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            spread = current(run, value(run, value_node, scope))
            if isinstance(spread, dict):
                found.update(spread)
            else:
                unclear = unclear or why(spread, "cannot tell what is unpacked into a dictionary")
            continue
        key = value(run, key_node, scope)
        perform(run, operator.setitem, Arguments([found, key, value(run, value_node, scope)], {}), place, owner=found,
                doing=Doing(changes=True, kept=found))  # fmt: skip
    changed = run.changed.get(id(found))
    unclear = unclear or (changed[1] if changed else None)
    if unclear is None:
        return found
    if holds_flink(found):
        raise StoppedError(unclear)
    return Opaque(unclear)


def joined(run: Run, node: Any, scope: Scope) -> Value:
    """An f-string."""
    parts: list[Value] = []
    place = at(node, scope)
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
            continue
        template = "" if part.format_spec is None else joined(run, part.format_spec, scope)
        parts.append(formatted(run, current(run, value(run, part.value, scope)), part.conversion, template, place))
    text = operations.joined(parts)
    return unknown(TOO_LONG, Cause.LIMIT, place) if isinstance(text, str) and len(text) > MAX_TEXT else text


def binary_operation(run: Run, node: Any, scope: Scope) -> Value:
    """``a + b``; ``path / name`` of pathlib too."""
    left = value(run, node.left, scope)
    right = value(run, node.right, scope)
    joined_path = resources.path_join(left, right) if isinstance(node.op, ast.Div) else None
    return joined_path or binary(run, node.op, left, right, at(node, scope))


def boolean(run: Run, node: Any, scope: Scope) -> Value:
    """``and`` and ``or``, which give one of their operands; the truth of the last one is never evaluated."""
    *before, last = node.values
    for place, operand in enumerate(before):
        found = value(run, operand, scope)
        decided = truth(found)
        if decided is None:
            return _undecided_boolean(run, node, place, found, scope)
        if decided is isinstance(node.op, ast.Or):
            return found
    return value(run, last, scope)


def _undecided_boolean(run: Run, node: Any, place: int, first: Value, scope: Scope) -> Value:
    rest = node.values[place + 1 :]
    if not all(choices.harmless_value(operand, scope) for operand in rest):
        taken = choices.choose(run, first, ast.unparse(node.values[place]), at(node, scope))
        if taken is isinstance(node.op, ast.Or):
            return first
        return boolean(run, ast.BoolOp(node.op, rest), scope) if len(rest) > 1 else value(run, rest[0], scope)
    others = [value(run, operand, scope) for operand in rest]
    if isinstance(node.op, ast.And) and any(truth(operand) is False for operand in others):
        return False
    names = [operand.symbol if isinstance(operand, Opaque) else repr(operand)[:40] for operand in (first, *others)]
    whole = f" {type(node.op).__name__} ".join(names) if all(names) else ""
    reason = why(first, "an unknown condition")
    asked = isinstance(node.op, ast.Or) and isinstance(first, Opaque) and reason.cause is Cause.ARGUMENT
    return Opaque(reason, f"({whole})" if whole else "", default=(first.default or others[-1]) if asked else None)


def unary(run: Run, node: Any, scope: Scope) -> Value:
    """``not``, ``-``, ``+`` and ``~``."""
    operand = value(run, node.operand, scope)
    if isinstance(node.op, ast.Not):
        decided = truth(operand)
        if decided is None:
            name, was_negated = (operand.name, operand.negated) if isinstance(operand, Opaque) else ("", False)
            return Opaque(why(operand, "an unknown condition"), name, negated=bool(name) and not was_negated)
        return not decided
    return negated(run, node.op, operand, at(node, scope))


def comparison(run: Run, node: Any, scope: Scope) -> Value:
    """``a < b < c``."""
    left = value(run, node.left, scope)
    result: Value = True
    last = len(node.ops) - 1
    for number, (op, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
        right = value(run, comparator, scope)
        environment = program_arguments.given_environment(run, left, right, op)
        result = environment if environment is not None else compare(run, op, left, right, at(node, scope))
        decided = truth(result)
        if decided is None and number < last:
            rest = node.comparators[number + 1 :]
            if not all(choices.harmless_value(operand, scope) for operand in rest):
                decided = choices.choose(run, result, ast.unparse(node), at(node, scope))
        if decided is not True:
            return result
        left = right
    return result


def conditional(run: Run, node: Any, scope: Scope) -> Value:
    """``a if test else b``: both where neither does anything, else one after the other."""
    test = value(run, node.test, scope)
    decided = truth(test)
    if decided is None and all(choices.harmless_value(branch, scope) for branch in (node.body, node.orelse)):
        sides = [value(run, branch, scope) for branch in (node.body, node.orelse)]
        reason = choices.open_condition(test, node.test)
        cause = reason.cause if reason.cause is not Cause.OTHER else Cause.BRANCH
        plain = all(isinstance(side, str | int | bool | type(None)) for side in sides)
        if plain and sides[0] == sides[1]:
            return sides[0]
        options = tuple(sides) if plain else ()
        text = choices.depending("it", reason)
        found = Opaque(Unknown(text, cause, reason.settled_by, at(node, scope), options), run.fresh("condition"))
        if isinstance(test, Opaque) and test.name and all(isinstance(side, bool) for side in sides):
            return replace(found, name=test.name, negated=test.negated is (sides[0] is True))
        return found
    if decided is None:
        decided = choices.choose(run, test, ast.unparse(node.test), at(node.test, scope))
    return value(run, node.body if decided else node.orelse, scope)


_GENERIC = ("pyflink.", "typing.", "collections.abc.")
"""Packages whose classes take types in brackets: ``ProcessWindowFunction[str, int, str, TimeWindow]``."""


def element(run: Run, node: Any, scope: Scope) -> Value:
    """``owner[key]`` and slices."""
    owner = current(run, value(run, node.value, scope))
    place = at(node, scope)
    key = slice_of(run, node.slice, scope)
    given = program_arguments.element_of(run, owner, key, place)
    if given is not None:
        return given
    if isinstance(owner, External) and owner.path.startswith(_GENERIC) and not owner.called:
        return owner
    if isinstance(owner, Opaque) and owner.holds:
        return entry(run, owner, key)
    if isinstance(owner, Opaque):
        plain = repr(key)[:40] if isinstance(key, str | int | float | bool | None) else ""
        shown = ":" if isinstance(key, slice) else key.symbol if isinstance(key, Opaque) else plain
        return Opaque(owner.unknown, f"{owner.symbol}[{shown}]" if owner.name and shown else "")
    if isinstance(owner, Class):
        return owner if owner.constants() is None else _member(owner, key, place)
    if isinstance(owner, Guarded) and not isinstance(owner, Instance):
        return unknown("an unknown element", Cause.OTHER, place)
    found = perform(run, operator.getitem, Arguments([owner, key], {}), place, doing=Doing(kept=owner))
    if isinstance(found, Opaque) and not _is_element(owner, found) and (holds_flink(owner) or holds_jobs(owner)):
        reason = why(key if isinstance(key, Opaque) else found, "cannot tell which element is taken")
        taken = "which stream is taken" if holds_flink(owner) else "which job is run"
        raise stopped(choices.depending(taken, reason), reason.cause, place, reason.settled_by)
    return found


def _is_element(owner: Value, found: Value) -> bool:
    parts = owner.values() if isinstance(owner, dict) else owner if isinstance(owner, list | tuple) else ()
    return any(part is found for part in parts)


def _member(owner: Class, key: Value, place: Location) -> Value:
    if not isinstance(key, str):
        return Opaque(why(key, "a member of an enumeration"))
    if key not in owner.members:
        raise raised("KeyError", key)
    return owner.members[key]


def walrus(run: Run, node: Any, scope: Scope) -> Value:
    """``name := value``."""
    result = value(run, node.value, scope)
    while scope.comprehension and scope.outer is not None:
        scope = scope.outer
    assign(run, node.target, result, scope)
    return result
