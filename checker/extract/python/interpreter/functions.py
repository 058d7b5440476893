"""Functions of the repository: defined with their decorators, called with their arguments."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from checker.extract.python.flink_api.streams import FLINK_OBJECTS
from checker.extract.python.interpreter.containers import inside
from checker.extract.python.interpreter.descriptions import part
from checker.extract.python.interpreter.evaluate import Call, block, value
from checker.extract.python.interpreter.evaluate import call as call_value
from checker.extract.python.interpreter.run_state import MAX_DEPTH, Run, at
from checker.extract.python.interpreter.signals import LoopSignal, ReturnSignal, raised, stopped
from checker.extract.python.interpreter.values import (
    Arguments,
    Class,
    Decorated,
    External,
    Function,
    Instance,
    Module,
    Opaque,
    Scope,
    Super,
    Value,
)
from checker.model.unknowns import Cause

_KEPT = 10_000
"""Statements of functions that are declared again and again: by every way that a program may go."""


def declared_function(run: Run, node: Any, scope: Scope) -> None:
    """``def`` binds the function, or what its decorators make of it."""
    function = made = _function(run, node.name, node.args, node.body, scope, any(map(_yields, node.body)))
    for decorator in reversed(node.decorator_list):
        target = value(run, decorator, scope)
        made = call_value(run, target, Arguments([made], {}), at(decorator, scope))
    bound = Decorated(function, made.unknown) if isinstance(made, Opaque) else made
    scope.elsewhere.get(node.name, scope).names[node.name] = bound


def lambda_expression(run: Run, node: Any, scope: Scope) -> Value:
    """``lambda``."""
    body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node)]
    return _function(run, "<lambda>", node.args, body, scope, _yields(node.body))


def _function(
    run: Run, name: str, arguments: ast.arguments, body: list[ast.stmt], scope: Scope, generator: bool
) -> Function:
    by_place = [*arguments.posonlyargs, *arguments.args][-len(arguments.defaults) :]
    given = [
        *zip(by_place, arguments.defaults, strict=False),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    defaults = {parameter.arg: value(run, node, scope) for parameter, node in given if node is not None}
    return Function(name, arguments, body, scope, defaults, generator=generator)


@lru_cache(_KEPT)
def _yields(node: ast.AST) -> bool:
    """Whether a function's own statements hold a ``yield``; those of functions inside of it don't count."""
    pending: list[ast.AST] = [node]
    while pending:
        child = pending.pop()
        if isinstance(child, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            pending.extend(ast.iter_child_nodes(child))
    return False


def call_function(run: Run, function: Function, call: Call) -> Value:
    """Run a function's body with its arguments. A program that uses a generator is not followed any further."""
    if run.depth >= MAX_DEPTH:
        raise stopped("functions call each other too deeply to be followed", Cause.LIMIT, call.place)
    names = _bound_arguments(function, call.arguments)
    scope = Scope(names, function.scope.file, function.scope)
    if function.owner is not None and function.bound is not None:
        ancestors = (function.bound.of if isinstance(function.bound, Instance) else function.bound).ancestors()
        above = ancestors[ancestors.index(function.owner) + 1 :] if function.owner in ancestors else []
        names["* super"] = Super(function.bound, tuple(above))
        names["__class__"] = function.owner
    if function.generator:
        raise stopped(f"{function.name}() yields its results, which is not followed", Cause.UNSUPPORTED, call.place)
    run.entered.add(id(function.body))
    run.depth += 1
    try:
        block(run, function.body, scope)
    except ReturnSignal as returned:
        return returned.value
    except LoopSignal:
        return None
    finally:
        run.depth -= 1
    return None


def _bound_arguments(function: Function, arguments: Arguments) -> dict[str, Value]:
    names: dict[str, Value] = {}
    given = list(arguments.positional)
    if function.bound is not None:
        given.insert(0, function.bound)
    keywords = dict(arguments.keywords)
    spread = keywords.pop("**", None)
    declared = function.arguments
    parameters = [*declared.posonlyargs, *declared.args]
    if len(given) > len(parameters) and declared.vararg is None:
        raise raised("TypeError", f"{function.name}() takes {len(parameters)} positional arguments")
    for number, parameter in enumerate((*parameters, *declared.kwonlyargs)):
        name = parameter.arg
        by_name = name in keywords and number >= len(declared.posonlyargs)
        if number < min(len(given), len(parameters)):
            if by_name:
                raise raised("TypeError", f"{function.name}() got multiple values for argument '{name}'")
            names[name] = given[number]
        elif by_name:
            names[name] = keywords.pop(name)
        elif spread is not None:
            names[name] = _part_of(spread, name)
        elif name in function.defaults:
            names[name] = function.defaults[name]
        else:
            raise raised("TypeError", f"{function.name}() missing required argument: '{name}'")
    if declared.vararg is not None:
        names[declared.vararg.arg] = tuple(given[len(parameters) :])
    if declared.kwarg is not None:
        kept = spread if not keywords or not isinstance(spread, Opaque) else replace(spread, derived_from="")
        names[declared.kwarg.arg] = keywords if spread is None else kept
    elif keywords:
        raise raised("TypeError", f"{function.name}() got an unexpected keyword argument '{next(iter(keywords))}'")
    return names


def _part_of(spread: Value, name: str) -> Value:
    return replace(spread, derived_from=part(spread.derived_from, name)) if isinstance(spread, Opaque) else spread


def may_declare(target: Value) -> bool:
    """Whether code may declare operators: it names streams, or what makes an environment."""
    return touches_flink(target, streams_only=True) or touches_flink(target, makers_only=True)


def holds_jobs(*values: Value) -> bool:
    """Whether code that makes an environment, and so a job of its own, is among values or inside of them."""
    code = (item for item in inside(*values) if isinstance(item, Function | Class | Instance | Decorated))
    return any(touches_flink(item, makers_only=True) for item in code)


def touches_flink(
    target: Value, *, streams_only: bool = False, makers_only: bool = False, seen: set[int] | None = None
) -> bool:
    """Whether a function or class mentions anything of PyFlink, itself or in functions that it mentions.

    With ``streams_only`` types and descriptors don't count, only streams, sinks and environments that exist; with
    ``makers_only`` only what makes an environment, in classes above as well.
    """
    seen = set() if seen is None else seen
    if id(target) in seen:
        return False
    seen.add(id(target))
    if isinstance(target, FLINK_OBJECTS):
        return True
    if isinstance(target, External):
        of_flink = not streams_only and target.path.startswith("pyflink.")
        return of_flink and (not makers_only or target.path.endswith("Environment"))
    parts: list[Value] = []
    if isinstance(target, Instance):
        parts = [target.of]
    elif isinstance(target, Decorated):
        parts = [target.inner]
    elif isinstance(target, Class):
        parts = [
            member for above in (target.ancestors() if makers_only else [target]) for member in above.members.values()
        ]
    elif isinstance(target, Function):
        nodes = [node for statement in target.body for node in ast.walk(statement)]
        if not streams_only and any(
            isinstance(n, ast.ImportFrom)
            and (n.module or "").startswith("pyflink")
            and (not makers_only or any(imported.name.endswith("Environment") for imported in n.names))
            for n in nodes
        ):
            return True
        named = {node.id: None for node in nodes if isinstance(node, ast.Name)}
        scopes = ((name, target.scope.find(name)) for name in named)
        known = {name: scope.names[name] for name, scope in scopes if scope is not None}
        parts = [target.bound, *known.values(), *_of_modules(nodes, known)]
    return any(touches_flink(part, streams_only=streams_only, makers_only=makers_only, seen=seen) for part in parts)


def _of_modules(nodes: list[ast.AST], known: dict[str, Value]) -> Iterator[Value]:
    """What code names as members of modules of the repository."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = known.get(node.value.id)
            if isinstance(module, Module) and module.scope is not None and node.attr in module.scope.names:
                yield module.scope.names[node.attr]
