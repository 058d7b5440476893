"""Which module evaluates which kind of expression, statement and call."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from checker.extract.interpreting.memory import place_of
from checker.extract.python.interpreter import (
    assignments,
    attributes,
    exceptions,
    expressions,
    functions,
    imports,
    loops,
    resolvers,
    statements,
)
from checker.extract.python.interpreter.assignments import record_call
from checker.extract.python.interpreter.attributes import attribute_of
from checker.extract.python.interpreter.containers import all_elements, current
from checker.extract.python.interpreter.descriptions import described, part
from checker.extract.python.interpreter.evaluate import EXPRESSIONS, RESOLVERS, STATEMENTS, call, value
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


EXPRESSIONS.update(
    {
        ast.Name: expressions.name,
        ast.Attribute: attributes.attribute,
        ast.Call: call_expression,
        ast.Lambda: functions.lambda_expression,
        ast.List: expressions.collection,
        ast.Tuple: expressions.collection,
        ast.Set: expressions.collection,
        ast.Dict: expressions.mapping,
        ast.JoinedStr: expressions.joined,
        ast.BinOp: expressions.binary_operation,
        ast.BoolOp: expressions.boolean,
        ast.UnaryOp: expressions.unary,
        ast.Compare: expressions.comparison,
        ast.IfExp: expressions.conditional,
        ast.Subscript: expressions.element,
        ast.NamedExpr: expressions.walrus,
        ast.Await: expressions.awaited,
        ast.ListComp: loops.comprehension,
        ast.SetComp: loops.comprehension,
        ast.DictComp: loops.comprehension,
        ast.GeneratorExp: loops.comprehension,
    }
)
STATEMENTS.update(
    {
        ast.Expr: statements.expression_statement,
        ast.Assign: assignments.assignment,
        ast.AnnAssign: assignments.assignment,
        ast.AugAssign: assignments.augmented,
        ast.Delete: assignments.delete,
        ast.FunctionDef: statements.function_statement,
        ast.AsyncFunctionDef: statements.function_statement,
        ast.ClassDef: statements.class_statement,
        ast.Import: imports.import_names,
        ast.ImportFrom: imports.import_from,
        ast.If: statements.if_statement,
        ast.For: loops.for_loop,
        ast.AsyncFor: loops.for_loop,
        ast.While: loops.while_loop,
        ast.With: statements.with_statement,
        ast.AsyncWith: statements.with_statement,
        ast.Try: exceptions.try_statement,
        ast.TryStar: exceptions.try_statement,
        ast.Match: statements.match_statement,
        ast.Raise: exceptions.raise_statement,
        ast.Return: statements.return_statement,
        ast.Break: statements.jump_statement,
        ast.Continue: statements.jump_statement,
        ast.Assert: statements.assert_statement,
        ast.Global: statements.global_statement,
        ast.Nonlocal: statements.global_statement,
    }
)
RESOLVERS.update(resolvers.RESOLVERS)
