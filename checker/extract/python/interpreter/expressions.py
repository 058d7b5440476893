"""Expressions of a script: names, collections, texts, conditions and elements."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.assignments import assign
from checker.extract.python.interpreter.containers import current, holds_flink
from checker.extract.python.interpreter.evaluate import call, value
from checker.extract.python.interpreter.operations import MAX_LENGTH, binary, compare, formatted
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import StoppedError, raised
from checker.extract.python.interpreter.values import (
    Arguments,
    External,
    Function,
    Instance,
    Opaque,
    Scope,
    Value,
    first_opaque,
    truth,
    unknown,
    why,
)
from checker.extract.python.library import program_arguments, resources
from checker.model.topology import Cause, Location, Unknown


def name(run: Run, node: Any, scope: Scope) -> Value:
    """A variable, something imported with ``*``, or a builtin."""
    found = scope.find(node.id)
    if found is not None:
        return found.names[node.id]
    stars = [v for k, v in scope.module().names.items() if k.startswith("* ")]
    if hasattr(builtins, node.id):
        return External(f"builtins.{node.id}")
    star = next((s for s in stars if s.path.startswith("pyflink.")), stars[0] if stars else None)
    if star is not None:
        path = star.path if star.path.startswith("pyflink.") else "|".join(one.path for one in stars)
        return External(f"{path}.{node.id}")
    return unknown(f"{node.id} is defined nowhere", Cause.OTHER, at(node, scope), node.id)


def collection(run: Run, node: Any, scope: Scope) -> Value:
    """A list, tuple or set."""
    found: list[Value] = []
    for one in node.elts:
        if isinstance(one, ast.Starred):
            spread = current(run, value(run, one.value, scope))
            if not isinstance(spread, list | tuple | range | dict | str) or len(spread) > MAX_LENGTH:
                reason = why(spread, "what is unpacked into a collection is not known")
                if holds_flink(found):
                    raise StoppedError(Unknown(reason.reason, reason.cause, reason.settled_by, at(node, scope)))
                return Opaque(reason)
            found.extend(spread)
        else:
            found.append(value(run, one, scope))
    if len(found) > MAX_LENGTH:
        return unknown("a collection that is too long", Cause.LIMIT, at(node, scope))
    if isinstance(node, ast.Set):
        plain = all(isinstance(one, str | int | float | bool | type(None)) for one in found)
        return set(found) if plain else unknown("a set of what is not known", Cause.COLLECTION, at(node, scope))
    return found if isinstance(node, ast.List) else tuple(found)


def mapping(run: Run, node: Any, scope: Scope) -> Value:
    """A dictionary; later keys win."""
    found: dict[Any, Value] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        held = value(run, value_node, scope)
        if key_node is None:
            spread = current(run, held)
            if not isinstance(spread, dict):
                if holds_flink(found):
                    raise StoppedError(why(spread, "what is unpacked into a dictionary is not known"))
                return Opaque(why(spread, "what is unpacked into a dictionary is not known"))
            found.update(spread)
            continue
        key = value(run, key_node, scope)
        if isinstance(key, str | int | float | bool | type(None) | tuple):
            try:
                found[key] = held
            except TypeError:
                return unknown("a key that is not known", Cause.COLLECTION, at(node, scope))
        elif holds_flink(held):
            raise StoppedError(why(key, "under which key a stream is kept is not known"))
        elif not isinstance(key, External | Instance):
            return Opaque(why(key, "a key that is not known"))
        else:
            found[key] = held
    return found


def joined(run: Run, node: Any, scope: Scope) -> Value:
    """An f-string."""
    parts: list[str] = []
    opened: Opaque | None = None
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
            continue
        template = "" if part.format_spec is None else joined(run, part.format_spec, scope)
        shown = formatted(value(run, part.value, scope), part.conversion, template, at(node, scope))
        if isinstance(shown, str):
            parts.append(shown)
        else:
            opened = opened or shown
    if opened is not None:
        return Opaque(opened.unknown)
    text = "".join(parts)
    return text if len(text) <= MAX_LENGTH else unknown("a text that is too long", Cause.LIMIT, at(node, scope))


def binary_operation(run: Run, node: Any, scope: Scope) -> Value:
    """``a + b``; ``path / name`` of pathlib too."""
    left = value(run, node.left, scope)
    right = value(run, node.right, scope)
    joined_path = resources.path_join(left, right) if isinstance(node.op, ast.Div) else None
    return joined_path or binary(node.op, current(run, left), current(run, right), at(node, scope))


def boolean(run: Run, node: Any, scope: Scope) -> Value:
    """``and`` and ``or``, which give one of their operands."""
    first: Value = None
    for place, one in enumerate(node.values):
        first = value(run, one, scope)
        decided = truth(first)
        if decided is None:
            return _undecided_boolean(run, node, place, first, scope)
        if decided is isinstance(node.op, ast.Or):
            return first
    return first


def _undecided_boolean(run: Run, node: Any, place: int, first: Value, scope: Scope) -> Value:
    rest = node.values[place + 1 :]
    if not all(choices.harmless_value(one, scope) for one in rest):
        taken = choices.choose(run, first, ast.unparse(node.values[place]), at(node, scope))
        if taken is isinstance(node.op, ast.Or) or not rest:
            return first
        return boolean(run, ast.BoolOp(node.op, rest), scope) if len(rest) > 1 else value(run, rest[0], scope)
    others = [value(run, one, scope) for one in rest]
    if isinstance(node.op, ast.And) and any(truth(one) is False for one in others):
        return False
    names = [one.name if isinstance(one, Opaque) else repr(one)[:40] for one in (first, *others)]
    whole = f" {type(node.op).__name__} ".join(names) if all(names) else ""
    return Opaque(why(first, "a condition that is not known"), f"({whole})" if whole else "")


def unary(run: Run, node: Any, scope: Scope) -> Value:
    """``not``, ``-``, ``+`` and ``~``."""
    held = value(run, node.operand, scope)
    if isinstance(node.op, ast.Not):
        decided = truth(held)
        if decided is None:
            turned = held.name.removeprefix("not ") if isinstance(held, Opaque) else ""
            whole = "" if not turned else turned if turned != held.name else f"not {turned}"
            return Opaque(why(held, "a condition that is not known"), whole)
        return not decided
    if isinstance(held, int | float):
        if isinstance(node.op, ast.USub):
            return -held
        return ~held if isinstance(node.op, ast.Invert) and isinstance(held, int) else held
    return held


def comparison(run: Run, node: Any, scope: Scope) -> Value:
    """``a < b < c``."""
    left = value(run, node.left, scope)
    for op, comparator in zip(node.ops, node.comparators, strict=True):
        right = value(run, comparator, scope)
        environment = program_arguments.given_environment(run, left, right, op)
        result = environment if environment is not None else compare(
            op, current(run, left), current(run, right), at(node, scope)
        )  # fmt: skip
        if result is not True:
            return result
        left = right
    return True


def conditional(run: Run, node: Any, scope: Scope) -> Value:
    """``a if test else b``: both where neither does anything, else one after the other."""
    test = value(run, node.test, scope)
    decided = truth(test)
    if decided is None and all(choices.harmless_value(one, scope) for one in (node.body, node.orelse)):
        sides = [value(run, one, scope) for one in (node.body, node.orelse)]
        reason = choices.undecided(test, ast.unparse(node.test), at(node, scope)).unknown
        plain = all(isinstance(one, str | int | bool | type(None)) for one in sides)
        if plain and sides[0] == sides[1]:
            return sides[0]
        options = tuple(sides) if plain else ()
        return Opaque(Unknown(reason.reason, reason.cause, reason.settled_by, reason.location, options))
    if decided is None:
        decided = choices.choose(run, test, ast.unparse(node.test), at(node.test, scope))
    return value(run, node.body if decided else node.orelse, scope)


def element(run: Run, node: Any, scope: Scope) -> Value:
    """``owner[key]`` and slices."""
    owner = current(run, value(run, node.value, scope))
    place = at(node, scope)
    if isinstance(node.slice, ast.Slice):
        return _slice(run, owner, node.slice, scope, place)
    key = value(run, node.slice, scope)
    if isinstance(owner, External):
        given = program_arguments.environment_element(run, owner, key, place)
        if given is not None:
            return given
    if isinstance(owner, Opaque):
        shown = key.name if isinstance(key, Opaque) else repr(key)[:40]
        return Opaque(owner.unknown, f"{owner.name}[{shown}]" if owner.name and shown else "")
    if isinstance(owner, Instance):
        getter = owner.of.member("__getitem__")
        if isinstance(getter, Function):
            return call(run, getter, Arguments([owner, key], {}), place)
    if isinstance(owner, dict | list | tuple | str | range) and not isinstance(key, Opaque):
        return _known_element(owner, key, place)
    if holds_flink(owner):
        reason = why(key, "which element is taken is not known")
        raise StoppedError(
            Unknown(f"which stream is taken depends on {reason.reason}", reason.cause, reason.settled_by, place)
        )
    if isinstance(key, Opaque):
        return Opaque(key.unknown)
    return unknown("an element that is not known", Cause.OTHER, place)


def _known_element(owner: Any, key: Value, place: Location) -> Value:
    try:
        return owner[key]
    except KeyError:
        raise raised("KeyError") from None
    except IndexError:
        raise raised("IndexError") from None
    except TypeError:
        return unknown("an element that is not known", Cause.OTHER, place)


def _slice(run: Run, owner: Value, node: ast.Slice, scope: Scope, place: Location) -> Value:
    bounds = [None if one is None else value(run, one, scope) for one in (node.lower, node.upper, node.step)]
    opaque = first_opaque(owner, *bounds)
    known = all(one is None or isinstance(one, int) for one in bounds)
    if isinstance(owner, list | tuple | str | range | bytes) and known:
        try:
            return owner[slice(*bounds)]
        except ValueError:
            return unknown("a slice that fails", Cause.OTHER, place)
    if opaque is not None and not holds_flink(owner):
        return Opaque(opaque.unknown, f"{opaque.name}[:]" if opaque.name and opaque is owner else "")
    if holds_flink(owner):
        raise StoppedError(Unknown("which streams are taken is not known", Cause.COLLECTION, None, place))
    return unknown("a slice that is not known", Cause.OTHER, place)


def walrus(run: Run, node: Any, scope: Scope) -> Value:
    """``name := value``."""
    held = value(run, node.value, scope)
    assign(run, node.target, held, scope)
    return held


def awaited(run: Run, node: Any, scope: Scope) -> Value:
    """``await``: coroutines of the repository have run when they were called."""
    return value(run, node.value, scope)


def yielded(run: Run, node: Any, scope: Scope) -> Value:
    """``yield``: collected, the call of the function gives the list."""
    found = scope.find("* yields")
    held = None if node.value is None else value(run, node.value, scope)
    if found is not None:
        into = found.names["* yields"]
        if isinstance(node, ast.YieldFrom):
            spread = current(run, held)
            if not isinstance(spread, list | tuple | range):
                raise StoppedError(why(spread, "what a generator yields is not known"))
            into.extend(spread)
        else:
            into.append(held)
    return None
