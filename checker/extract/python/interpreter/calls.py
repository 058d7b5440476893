"""Call expressions: their target and arguments are evaluated, then resolvers are asked (see ``resolvers.py``)."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from checker.extract.interpreting.trace import place_of
from checker.extract.python.interpreter.attributes import attribute_of
from checker.extract.python.interpreter.containers import all_elements, current
from checker.extract.python.interpreter.descriptions import described, part
from checker.extract.python.interpreter.evaluate import call, value
from checker.extract.python.interpreter.outside_objects import record_call
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import Arguments, Bound, External, Opaque, Scope, Value, unknown
from checker.model.unknowns import Cause, Location

STREAM_CALLS = frozenset(
    {"key_by", "flat_map", "sink_to", "add_sink", "from_source", "add_source", "from_collection", "execute_async",
     "assign_timestamps_and_watermarks", "set_uid_hash", "get_side_output", "window_all", "rebalance",
     "execute_and_collect", "to_data_stream", "from_data_stream", "partition_custom", "count_window", "execute_insert"}
)  # fmt: skip
"""Names of methods that only PyFlink has: who calls one on something that is not known declares operators."""


def call_expression(run: Run, node: Any, scope: Scope) -> Value:
    """``target(arguments)``."""
    place = at(node, scope)
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        found = scope.find("* super")
        own = None if found is None else found.names["__class__"]
        if found is not None and (not node.args or value(run, node.args[0], scope) is own):
            return found.names["* super"]
    owner: Value = None
    if isinstance(node.func, ast.Attribute):
        owner = value(run, node.func.value, scope)
        target = attribute_of(run, owner, node.func.attr, at(node.func, scope))
        if isinstance(target, Opaque):
            made = part(described(run, owner), node.func.attr) if target.derived_from is None else target.derived_from
            target = replace(target, derived_from=made)
    else:
        target = value(run, node.func, scope)
    if isinstance(node.func, ast.Attribute) and node.func.attr in STREAM_CALLS:
        _must_be_known(target, node.func.attr, place)
    positional: list[Value] = []
    keywords: dict[str, Value] = {}
    for argument in node.args:
        if not isinstance(argument, ast.Starred):
            positional.append(value(run, argument, scope))
            continue
        spread = all_elements(run, value(run, argument.value, scope), place)
        if isinstance(spread, Opaque):
            keywords["**"] = _unpacked(spread, keywords, place)
            break
        positional.extend(spread)
    for keyword in node.keywords:
        passed = value(run, keyword.value, scope)
        if keyword.arg is not None:
            keywords[keyword.arg] = passed
            continue
        spread = current(run, passed)
        if isinstance(spread, dict) and all(isinstance(key, str) for key in spread):
            keywords.update(spread)
        else:
            keywords["**"] = _unpacked(spread, keywords, place)
    arguments = Arguments(positional, keywords)
    by_library = isinstance(target, Bound) and not isinstance(target.owner, External)
    run.limits.trace.answered(place.file, place_of(place.line, place.column - 1), by_library=by_library)
    found = call(run, target, arguments, place)
    record_call(run, node, owner, target, arguments)
    return found


def _unpacked(spread: Value, keywords: dict[str, Value], place: Location) -> Opaque:
    """Arguments that are not known one by one; two of such are taken for different ones."""
    rest = spread if isinstance(spread, Opaque) else unknown("unpacked arguments", at=place)
    return replace(rest, derived_from="" if "**" in keywords else rest.derived_from or "")


def _must_be_known(target: Value, name: str, place: Location) -> None:
    outside = isinstance(target, External) and not target.path.startswith("pyflink.")
    if isinstance(target, Opaque) or outside:
        reason = target.unknown.reason if isinstance(target, Opaque) else f"{target.path} is not part of the repository"
        cause = target.unknown.cause if isinstance(target, Opaque) else Cause.EXTERNAL
        settled = target.unknown.settled_by if isinstance(target, Opaque) else None
        raise stopped(f".{name}() is called on what is not known: {reason}", cause, place, settled)
