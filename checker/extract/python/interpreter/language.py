"""Which module evaluates which kind of expression, statement and call.

Plain statements are evaluated here: conditions, ``with``, jumps, definitions, declarations, ``try`` and ``raise``.
"""

import ast
import builtins
from dataclasses import replace
from functools import lru_cache
from typing import Any

from checker.extract.python.interpreter import (
    assignments,
    choices,
    expressions,
    functions,
    imports,
    loops,
    objects,
    resolvers,
)
from checker.extract.python.interpreter.assignments import assign, record_call
from checker.extract.python.interpreter.containers import all_elements, current
from checker.extract.python.interpreter.descriptions import described, joined, part
from checker.extract.python.interpreter.evaluate import EXPRESSIONS, RESOLVERS, STATEMENTS, block, call, value
from checker.extract.python.interpreter.objects import attribute_of, declared_class
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import LoopSignal, RaiseSignal, ReturnSignal, of_python, raised, stopped
from checker.extract.python.interpreter.values import (
    Arguments,
    Class,
    External,
    Instance,
    Opaque,
    Scope,
    Value,
    truth,
    unknown,
)
from checker.extract.python.plain_code import KEPT, bound_in
from checker.model.unknowns import Cause, Location, Unknown


def raise_statement(run: Run, node: Any, scope: Scope) -> None:
    """``raise``: of a class or an object, or again what was caught."""
    if node.exc is None:
        raise RaiseSignal(None)
    thrown = value(run, node.exc, scope)
    if isinstance(thrown, External | Class) and not getattr(thrown, "called", False):
        thrown = call(run, thrown, Arguments([], {}), at(node, scope))
    raise RaiseSignal(_kinds(thrown), thrown)


def _kinds(thrown: Value) -> tuple[str, ...] | None:
    """Names of the class of an exception and of those above it, None where they are not known."""
    if isinstance(thrown, BaseException):
        return of_python(thrown).kinds
    of = thrown.of if isinstance(thrown, Instance) else thrown
    if isinstance(of, Class):
        foreign = of.foreign()
        above = _kinds(foreign) if foreign is not None else ()
        return None if above is None else (*(ancestor.name for ancestor in of.ancestors()), *above)
    if isinstance(of, External):
        known = getattr(builtins, of.simple, None)
        if isinstance(known, type) and issubclass(known, BaseException):
            return tuple(ancestor.__name__ for ancestor in known.__mro__ if ancestor is not object)
        return (of.simple, "Exception", "BaseException")
    return None


def try_statement(run: Run, node: Any, scope: Scope) -> None:
    """Handlers run for exceptions that the script itself is seen to raise; other code is taken to raise none.

    Raises StoppedError where code that is not known may raise one, and a handler would change the topology.
    """
    try:
        _attempt(run, node, scope)
    except BaseException:
        block(run, node.finalbody, scope)
        raise
    block(run, node.finalbody, scope)


def _attempt(run: Run, node: Any, scope: Scope) -> None:
    outside, before = run.outside, dict(scope.names)
    ends = not node.finalbody and all(choices.only_fails(handler.body, scope) for handler in node.handlers)
    outer, run.catching = run.catching, run.catching or not ends
    try:
        try:
            block(run, node.body, scope)
        finally:
            run.catching = outer
    except RaiseSignal as signal:
        _handle(run, node, signal, scope)
    else:
        if run.outside > outside:
            _could_have_failed(run, node, scope)
        _made_of_handlers_too(run, node, scope, before)
        block(run, node.orelse, scope)


def _handle(run: Run, node: Any, signal: RaiseSignal, scope: Scope) -> None:
    for handler in node.handlers:
        matches = _matches(run, handler, signal, scope)
        if matches is None:
            why = "cannot tell which 'except' catches an exception"
            raise stopped(why, Cause.BRANCH, at(handler, scope))
        if matches:
            if handler.name:
                scope.names[handler.name] = signal.value
            try:
                block(run, handler.body, scope)
            except RaiseSignal as again:
                raise (signal if again.kinds is None and again.value is None else again) from None
            return
    raise signal


def _matches(run: Run, handler: ast.ExceptHandler, signal: RaiseSignal, scope: Scope) -> bool | None:
    if handler.type is None:
        return True
    types = value(run, handler.type, scope)
    names = [type_.name if isinstance(type_, Class) else type_.simple if isinstance(type_, External) else None
             for type_ in (types if isinstance(types, list | tuple) else [types])]  # fmt: skip
    if "BaseException" in names or (signal.kinds is not None and any(name in signal.kinds for name in names)):
        return True
    return None if signal.kinds is None or None in names else False


def _could_have_failed(run: Run, node: Any, scope: Scope) -> None:
    """Code that is not known ran in the body: what its handlers would do must not matter."""
    reason = Unknown("cannot tell whether an exception is raised", Cause.EXTERNAL)
    for handler in node.handlers:
        if choices.only_fails(handler.body, scope):
            continue
        if isinstance(handler.body[-1], ast.Return) or not choices.passed_over(run, handler.body, scope, reason, node):
            why = "cannot tell whether an 'except' block runs: code outside of the repository runs in its 'try'"
            raise stopped(why, Cause.EXTERNAL, at(handler, scope))


def _made_of_handlers_too(run: Run, node: Any, scope: Scope, before: dict[str, Value]) -> None:
    """What a value that is not known would be, had an exception been caught, is a part of what it is made of."""
    handlers = [handler for handler in node.handlers if not choices.only_fails(handler.body, scope)]
    imported = [n for statement in node.body for n in ast.walk(statement) if isinstance(n, ast.ImportFrom)]
    names = {alias.asname or alias.name for found in imported for alias in found.names}.union(*map(bound_in, node.body))
    for name in sorted(names & scope.names.keys()) if handlers else ():
        found = scope.names[name]
        given = [s for handler in handlers for s in handler.body if isinstance(s, ast.Assign) and name in bound_in(s)]
        plain = any(isinstance(s.value, ast.Constant) and isinstance(s.value.value, str) for s in given)
        if isinstance(found, External) and plain:
            why = f"cannot tell whether {name} is what an 'except' block makes of it"
            found = Opaque(Unknown(why, Cause.EXTERNAL, None, at(node, scope)), derived_from=found.path)
        if isinstance(found, Opaque) and (given or name in before):
            earlier = [described(run, before[name])] if name in before else []
            made = joined(described(run, found), *earlier, *map(ast.unparse, given))
            scope.names[name] = replace(found, derived_from=made)


def expression_statement(run: Run, node: Any, scope: Scope) -> None:
    """An expression for its effect."""
    run.statement = node.value
    value(run, node.value, scope)


def class_statement(run: Run, node: Any, scope: Scope) -> None:
    """``class``."""
    scope.names[node.name] = declared_class(run, node, scope)


def if_statement(run: Run, node: Any, scope: Scope) -> None:
    """``if``: both ways, one after the other, where its condition is not known."""
    test = value(run, node.test, scope)
    decided = truth(test)
    if decided is None:
        reason = choices.open_condition(test, node.test)
        if choices.passed_over(run, [*node.body, *node.orelse], scope, reason, node):
            return
        decided = _without_failure(run, node, test, scope)
    block(run, node.body if decided else node.orelse, scope)


def _without_failure(run: Run, node: Any, test: Value, scope: Scope) -> bool:
    """Which way this path goes: never one that submits no job and only raises an exception that is not caught."""
    if not run.catching and node.orelse and choices.only_fails(node.orelse, scope):
        return choices.settle(run, test, True)
    if not run.catching and choices.only_fails(node.body, scope):
        return choices.settle(run, test, False)
    return choices.choose(run, test, ast.unparse(node.test), at(node.test, scope))


def with_statement(run: Run, node: Any, scope: Scope) -> None:
    """``with``: objects of libraries give themselves; managers of the repository, and what takes exceptions, end it."""
    for item in node.items:
        place = at(item.context_expr, scope)
        run.statement = item.context_expr if item.optional_vars is None else None
        manager = value(run, item.context_expr, scope)
        takes_exceptions = isinstance(manager, External) and manager.path.startswith("contextlib.")
        if isinstance(manager, Instance) or takes_exceptions:
            raise stopped("cannot tell what this 'with' block does around its statements", Cause.UNSUPPORTED, place)
        if item.optional_vars is not None:
            assign(run, item.optional_vars, manager, scope)
    block(run, node.body, scope)


def match_statement(run: Run, node: Any, scope: Scope) -> None:
    """``match`` of values, as the comparisons that it is; of shapes, no case is chosen."""
    chosen = _compared(node)
    if chosen is None:
        raise stopped("cannot tell which case of a 'match' statement fits", Cause.UNSUPPORTED, at(node, scope))
    block(run, chosen, scope)


@lru_cache(KEPT)
def _compared(node: ast.Match) -> list[ast.stmt] | None:
    """An ``if`` for each case; None where a pattern takes something apart or has a guard."""
    subject, chain = node.subject, list[ast.stmt]()
    for case in reversed(node.cases):
        pattern, made = case.pattern, ast.If(ast.Constant(True), case.body, chain)
        if case.guard is not None or not isinstance(subject, ast.Name | ast.Attribute):
            return None
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
            if pattern.name is not None:
                made.body = [ast.Assign([ast.Name(pattern.name, ast.Store())], subject), *case.body]
        else:
            options = pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]
            values = [option.value for option in options if isinstance(option, ast.MatchValue)]
            if len(values) < len(options):
                return None
            made.test = ast.BoolOp(ast.Or(), [ast.Compare(subject, [ast.Eq()], [wanted]) for wanted in values])
        chain = [ast.fix_missing_locations(ast.copy_location(made, pattern))]
    return chain


def return_statement(run: Run, node: Any, scope: Scope) -> None:
    """``return``."""
    raise ReturnSignal(None if node.value is None else value(run, node.value, scope))


def jump_statement(run: Run, node: Any, scope: Scope) -> None:
    """``break`` and ``continue``."""
    raise LoopSignal(isinstance(node, ast.Continue))


def assert_statement(run: Run, node: Any, scope: Scope) -> None:
    """``assert``: one that is known to fail raises."""
    if truth(value(run, node.test, scope)) is False:
        raise raised("AssertionError", *(() if node.msg is None else (value(run, node.msg, scope),)))


def global_statement(run: Run, node: Any, scope: Scope) -> None:
    """``global`` and ``nonlocal``."""
    for name in node.names:
        found = scope.outer.find(name) if isinstance(node, ast.Nonlocal) and scope.outer else scope.module()
        if found is not None:
            scope.elsewhere[name] = found


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
        unread = target.reason()
        shown = f"cannot tell what .{name}() is called on ({unread.reason})"
        raise stopped(shown, unread.cause, place, unread.settled_by)


EXPRESSIONS.update(
    {
        ast.Name: expressions.name,
        ast.Attribute: objects.attribute,
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
        ast.Await: lambda run, node, scope: value(run, node.value, scope),  # coroutines have run when they were called
        ast.ListComp: loops.comprehension,
        ast.SetComp: loops.comprehension,
        ast.DictComp: loops.comprehension,
        ast.GeneratorExp: loops.comprehension,
    }
)
STATEMENTS.update(
    {
        ast.Expr: expression_statement,
        ast.Assign: assignments.assignment,
        ast.AnnAssign: assignments.assignment,
        ast.AugAssign: assignments.augmented,
        ast.Delete: assignments.delete,
        ast.FunctionDef: functions.declared_function,
        ast.AsyncFunctionDef: functions.declared_function,
        ast.ClassDef: class_statement,
        ast.Import: imports.import_names,
        ast.ImportFrom: imports.import_from,
        ast.If: if_statement,
        ast.For: loops.for_loop,
        ast.AsyncFor: loops.for_loop,
        ast.While: loops.while_loop,
        ast.With: with_statement,
        ast.AsyncWith: with_statement,
        ast.Try: try_statement,
        ast.TryStar: try_statement,
        ast.Match: match_statement,
        ast.Raise: raise_statement,
        ast.Return: return_statement,
        ast.Break: jump_statement,
        ast.Continue: jump_statement,
        ast.Assert: assert_statement,
        ast.Global: global_statement,
        ast.Nonlocal: global_statement,
    }
)
RESOLVERS.update(resolvers.RESOLVERS)
