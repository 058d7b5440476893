"""``for`` and ``while`` loops, and comprehensions: followed as long as what they go over is known."""

import ast
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

from checker.extract.interpreting.bounds import MAX_ELEMENTS
from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.assignments import assign
from checker.extract.python.interpreter.containers import elements, holds_flink
from checker.extract.python.interpreter.evaluate import block, value
from checker.extract.python.interpreter.functions import may_declare
from checker.extract.python.interpreter.python_calls import holds_calls, perform
from checker.extract.python.interpreter.run_state import MAX_ROUNDS, Run, at
from checker.extract.python.interpreter.signals import LoopSignal, ReturnSignal, StoppedError, UnclearError, stopped
from checker.extract.python.interpreter.values import Arguments, Function, Opaque, Scope, Value, truth, unknown, why
from checker.model.unknowns import Cause, Location, Unknown


def for_loop(run: Run, node: Any, scope: Scope) -> None:
    """``for ... else``."""
    place = at(node, scope)
    iterable = value(run, node.iter, scope)
    items = elements(run, iterable, place)
    if isinstance(items, Opaque):
        _unless_harmless(run, node, scope, items.unknown, "how often a loop runs", place)
        return
    for item in _while_known(items):
        run.step(node, scope)
        assign(run, node.target, item, scope)
        try:
            block(run, node.body, scope)
        except LoopSignal as signal:
            if not signal.goes_on:
                return
    block(run, node.orelse, scope)


def _while_known(items: Iterator[Value]) -> Iterator[Value]:
    """Elements up to the first that is not known, where the script can't be followed any further."""
    try:
        yield from items
    except UnclearError as unclear:
        reason = unclear.unknown
        what = choices.depending("how often a loop runs", reason)
        raise StoppedError(replace(reason, reason=what)) from None


def while_loop(run: Run, node: Any, scope: Scope) -> None:
    """``while ... else``: as long as its condition can be evaluated."""
    place = at(node, scope)
    for _ in range(MAX_ROUNDS):
        run.step(node, scope)
        test = value(run, node.test, scope)
        decided = truth(test)
        if decided is None:
            reason = choices.open_condition(test, node.test)
            _unless_harmless(run, node, scope, reason, "how often a 'while' loop runs", place)
            return
        if not decided:
            block(run, node.orelse, scope)
            return
        try:
            block(run, node.body, scope)
        except LoopSignal as signal:
            if not signal.goes_on:
                return
    raise stopped(f"a 'while' loop runs more than {MAX_ROUNDS} times", Cause.LIMIT, place)


def _unless_harmless(run: Run, node: Any, scope: Scope, reason: Unknown, what: str, place: Location) -> None:
    """Passes over a loop that changes nothing but variables; one that searches returns what it found, or goes on."""
    body = [*node.body, *node.orelse]
    returned = [inner for statement in body for inner in ast.walk(statement) if isinstance(inner, ast.Return)]
    filled = [_Filling(_new_list_before(run, node, scope)).visit(deepcopy(statement)) for statement in body]
    if not choices.passed_over(run, filled, scope, reason, node, returning=True):
        cause = Cause.COLLECTION if reason.cause is Cause.OTHER else reason.cause
        raise stopped(choices.depending(what, reason), cause, place, reason.settled_by)
    if not isinstance(node, ast.While):
        choices.forget(run, [ast.Assign([node.target], ast.Constant(None))], scope, reason, node)
    for end in returned:
        text = f"{ast.unparse(node.test if isinstance(node, ast.While) else node.iter)}: {ast.unparse(end)}"
        test = choices.with_statements(run, Opaque(reason), text, node, scope)
        if choices.choose(run, replace(test, name=test.derived_from or ""), text, place):
            raise ReturnSignal(None if end.value is None else value(run, end.value, scope))


class _Filling(ast.NodeTransformer):
    """Takes what fills a list for an assignment: nothing else holds the list."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """``jars.append(path)``."""
        match node.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[given], keywords=[]):
                return (
                    ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], given), node)
                    if name == self.name
                    else node
                )
        return node


def _new_list_before(run: Run, loop: ast.stmt, scope: Scope) -> str:
    """The variable that holds a new list where a loop begins, which stands before it and is used in it alone."""
    tree = run.limits.trees.get(scope.file) or loop
    blocks = (block for n in ast.walk(tree) for _, block in ast.iter_fields(n) if isinstance(block, list))
    before = next((block[: block.index(loop)] for block in blocks if loop in block), [])
    end = loop.end_lineno or 0
    both = [[n for n in ast.walk(whole) if isinstance(n, ast.Name) and n.lineno <= end] for whole in (tree, loop)]
    uses, inside = (Counter(node.id for node in nodes) for nodes in both)
    for statement in before:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])):
                if 0 < inside[name] == uses[name] - 1 and name not in scope.elsewhere:
                    return name
    return ""


def comprehension(run: Run, node: Any, scope: Scope) -> Value:
    """A list, set, dict or generator comprehension with any number of ``for`` and ``if``."""
    found: list[Any] = []
    try:
        first = elements(run, value(run, node.generators[0].iter, scope), at(node, scope))
        if isinstance(first, Opaque):
            no_arguments = ast.arguments([], [], None, [], [], None, [])
            if may_declare(Function("a comprehension", no_arguments, [ast.Expr(node)], scope)):
                what = choices.depending("how often a comprehension runs", first.unknown)
                raise stopped(what, first.unknown.cause, at(node, scope), first.unknown.settled_by)
            return Opaque(first.unknown)
        inner = Scope({}, scope.file, scope, comprehension=True)
        for _ in _rounds(run, node, node.generators, inner, first):
            if isinstance(node, ast.DictComp):
                key = value(run, node.key, inner)
                found.append((key, value(run, node.value, inner)))
            else:
                found.append(value(run, node.elt, inner))
            if len(found) > MAX_ELEMENTS:
                return unknown("a collection that is too long", Cause.LIMIT, at(node, scope))
    except UnclearError as opened:
        if holds_flink(found) or holds_calls(node):
            raise StoppedError(opened.unknown) from None
        return Opaque(opened.unknown)
    if isinstance(node, ast.DictComp | ast.SetComp):
        made = perform(run, dict if isinstance(node, ast.DictComp) else set, Arguments([found], {}), at(node, scope))
        if isinstance(made, Opaque) and holds_flink(found):
            raise StoppedError(made.unknown)
        return made
    return iter(found) if isinstance(node, ast.GeneratorExp) else found


def _rounds(
    run: Run, node: Any, generators: list[ast.comprehension], scope: Scope, items: Iterator[Value] | None = None
) -> Iterator[None]:
    """Gives the variables of a comprehension their values, once for each of its elements."""
    if not generators:
        yield
        return
    first, *rest = generators
    found = items if items is not None else elements(run, value(run, first.iter, scope), at(node, scope))
    if isinstance(found, Opaque):
        raise UnclearError(found.unknown)
    for item in found:
        run.step(node, scope)
        assign(run, first.target, item, scope)
        taken: bool | None = True
        for condition in first.ifs:
            test = value(run, condition, scope)
            taken = truth(test)
            if taken is None:
                raise UnclearError(why(test, "an unknown condition of a comprehension"))
            if not taken:
                break
        if taken:
            yield from _rounds(run, node, rest, scope)
