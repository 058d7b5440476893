"""Conditions that can't be evaluated: passed over where that changes nothing, else both ways are followed in turn.

An unknown value is derived from the expression or statement that gives it, with the values that go in: equal in two
revisions that make it alike; an empty text says that it depends on code which was not followed.
"""

import ast
import builtins
from dataclasses import replace
from typing import Any

from checker.extract.python.interpreter.descriptions import Description, NotDescribedError, bracketed, described, within
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import UnclearError
from checker.extract.python.interpreter.values import External, Opaque, Parsed, Scope, Value, why
from checker.extract.python.plain_code import bound_in
from checker.model.unknowns import Location, Unknown

_PASSED_ON = (ast.Name, ast.Attribute, ast.Subscript, ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.Await, ast.Call)
"""Expressions that may give a value which something else made."""


def with_expression(run: Run, node: ast.expr, found: Opaque, scope: Scope) -> Opaque:
    """The value of an expression, described by the expression where nothing else has made it."""
    if found.derived_from is not None and isinstance(node, _PASSED_ON):
        return found
    text = "" if isinstance(node, ast.Name) else _rendered(run, [node], run.parts, scope)
    return replace(found if isinstance(node, ast.IfExp) else another(found), derived_from=text)


def another(found: Opaque) -> Opaque:
    """A value computed from an unknown one, whose possible values are not those of the new one."""
    return replace(found, unknown=replace(found.unknown, options=())) if found.unknown.options else found


def with_statements(run: Run, found: Opaque, name: str, whole: ast.stmt, scope: Scope) -> Opaque:
    """A variable that a statement may have given another value, described by it and by the values before it."""
    imports = any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(whole))
    text = "" if imports else _rendered(run, [whole], {}, scope)
    known = scope.find(name)
    before = "nothing" if known is None else described(run, known.names[name])
    return replace(found, derived_from=within(run, f"{name} of {before} after {text}") if text and before else "")


Parts = dict[int, tuple[ast.AST, list[Value]]]


def _rendered(run: Run, nodes: list[ast.AST], parts: Parts, scope: Scope) -> str:
    """The text of nodes with variables and evaluated parts described by their values."""
    try:
        texts = (ast.unparse(_Substituted(run, node, parts, scope).of(node)) for node in nodes)
        return within(run, "; ".join(texts).replace(":\n    ", ": ").replace("\n", "; "))
    except (NotDescribedError, UnclearError, RecursionError, ValueError):
        return ""


class _Substituted:
    """A tree with descriptions in it."""

    def __init__(self, run: Run, whole: ast.AST, parts: Parts, scope: Scope) -> None:
        self.run = run
        self.parts = parts
        self.scope = scope
        self.text = Description(run)
        self.bound = frozenset(bound_in(whole))

    def of(self, node: Any) -> Any:
        if not isinstance(node, ast.AST):
            return [self.of(item) for item in node] if isinstance(node, list) else node
        values = self.parts.get(id(node))
        if values is not None:
            return ast.Name(id=bracketed(" | ".join(self.text.of(value) for value in values[1])), ctx=ast.Load())
        if isinstance(node, ast.Name):
            return self._variable(node)
        if isinstance(node, ast.JoinedStr):
            return ast.Call(ast.Name("text"), [self.of(part) for part in node.values], [])
        if isinstance(node, ast.FormattedValue):
            spec = ast.Constant(None) if node.format_spec is None else self.of(node.format_spec)
            return ast.Tuple([self.of(node.value), ast.Constant(node.conversion), spec], ast.Load())
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return ast.Name(id=self.text.text(node.value), ctx=ast.Load())
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            return ast.Subscript(value=self.of(node.value), slice=node.slice, ctx=ast.Load())
        if isinstance(node, ast.Compare):
            operands = (node.left, *node.comparators)
            left, *others = (item if isinstance(item, ast.Constant) else self.of(item) for item in operands)
            return ast.Compare(left=left, ops=node.ops, comparators=others)
        self.text.left -= 1
        made = type(node)(**{name: self.of(getattr(node, name, None)) for name in node._fields})
        return ast.copy_location(made, node)

    def _variable(self, node: ast.Name) -> ast.Name:
        known = self.scope.find(node.id)
        if known is not None and isinstance(node.ctx, ast.Load):
            before = bracketed(self.text.of(known.names[node.id]))
            return ast.Name(id=f"{node.id}≔{before}" if node.id in self.bound else before, ctx=node.ctx)
        if node.id in self.bound or hasattr(builtins, node.id):
            return node
        raise NotDescribedError


_MAX_LABEL = 80
_HARMLESS_STATEMENTS = (ast.Pass, ast.Import, ast.ImportFrom, ast.Assert, ast.Global, ast.Nonlocal)


def depending(what: str, reason: Unknown) -> str:
    """``what depends on the argument``; of a reason that depends on something itself, on that and not on a chain."""
    return f"{what} depends on {reason.subject.rpartition(' depends on ')[2]}"


def open_condition(test: Value, node: ast.expr) -> Unknown:
    """Why a condition is not known."""
    return why(test, f"cannot tell the condition '{ast.unparse(node)[:_MAX_LABEL]}'")


def choose(run: Run, test: Value, text: str, place: Location) -> bool:
    """Which way this path goes at a condition that is not known; the same condition goes the same way again."""
    reason = why(test, f"cannot tell the condition '{text[:_MAX_LABEL]}'")
    symbol, turned = (test.name, test.negated) if isinstance(test, Opaque) else ("", False)
    symbol = symbol or run.fresh("condition")
    taken = run.choices.decided(symbol)
    if taken is None:
        located = Unknown(
            depending("it", reason), reason.cause, reason.settled_by, place,
            derived_from=described(run, test) or None,
        )  # fmt: skip
        shown = " ".join(text.split())[:_MAX_LABEL]
        labels = (shown, f"not ({shown})")
        taken = run.choices.choose(symbol, labels[::-1] if turned else labels, located)
    return (taken == 0) is not turned


def only_fails(body: list[ast.stmt], scope: Scope) -> bool:
    """Whether statements do nothing but raise an exception, or end the program: not with what a call gives."""
    *before, last = body
    ended = last.exc if isinstance(last, ast.Raise) else last.value if isinstance(last, ast.Expr) else None
    ends = isinstance(last, ast.Raise) or (
        isinstance(ended, ast.Call)
        and ast.unparse(ended.func) in ("sys.exit", "exit", "quit", "os._exit", "parser.error")
    )
    given = [*ended.args, *(keyword.value for keyword in ended.keywords)] if isinstance(ended, ast.Call) else []
    harmless = all(harmless_value(value, scope) for value in given)
    return ends and harmless and all(_harmless(statement, scope) for statement in before)


def settle(run: Run, test: Value, wanted: bool) -> bool:
    """A condition that goes one way only; the same one goes that way again, unless this path has decided otherwise."""
    symbol, turned = (test.name, test.negated) if isinstance(test, Opaque) else ("", False)
    if not symbol:
        return wanted
    taken = run.choices.decided(symbol)
    if taken is None:
        run.choices.known[symbol] = 0 if wanted is not turned else 1
        return wanted
    return (taken == 0) is not turned


def passed_over(
    run: Run, body: list[ast.stmt], scope: Scope, reason: Unknown, whole: ast.stmt, *, returning: bool = False
) -> bool:
    """Whether statements, parts of a whole one, change nothing but variables; then those are not known any more.

    ``returning``: or return something.
    """
    if not all(_harmless(statement, scope, returning=returning) for statement in body):
        return False
    forget(run, body, scope, reason, whole)
    return True


def forget(run: Run, body: list[ast.stmt], scope: Scope, reason: Unknown, whole: ast.stmt) -> None:
    """Variables that statements assign are not known after them."""
    names: dict[str, ast.AST] = {}
    for node in (node for statement in body for node in ast.walk(statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name.partition(".")[0], node) for alias in node.names)
    made: dict[str, Value] = {}
    for name, node in names.items():
        text = depending(name, reason)
        few = _texts_assigned(body, name, scope)
        forgotten = Opaque(Unknown(text, reason.cause, reason.settled_by, at(node, scope), few))
        made[name] = with_statements(run, forgotten, name, whole, scope)
    scope.names.update(made)


def _texts_assigned(body: list[ast.stmt], name: str, scope: Scope) -> tuple[str, ...]:
    """The texts that a variable may be after statements; empty where it may be something else."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    stored = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    given = [
        node.value.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name
    ]  # fmt: skip
    known = scope.find(name)
    values = given if known is None else [known.names[name], *given]
    texts = tuple(dict.fromkeys(value for value in values if isinstance(value, str)))
    others = len(given) < sum(node.id == name for node in stored) or not all(isinstance(v, str) for v in values)
    return () if others or not given else texts


def _harmless(statement: ast.stmt, scope: Scope, *, returning: bool = False) -> bool:
    if isinstance(statement, _HARMLESS_STATEMENTS):
        return True
    if isinstance(statement, ast.Return):
        return returning and (statement.value is None or harmless_value(statement.value, scope))
    if isinstance(statement, ast.Expr):
        return harmless_value(statement.value, scope)
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        plain = all(isinstance(target, ast.Name) and target.id not in scope.elsewhere for target in targets)
        return plain and (statement.value is None or harmless_value(statement.value, scope))
    if isinstance(statement, ast.If):
        return harmless_value(statement.test, scope) and all(
            _harmless(inner, scope, returning=returning) for inner in (*statement.body, *statement.orelse)
        )
    return False


_HARMLESS_CALLS = ("logging.", "warnings.", "os.path.", "datetime.", "time.", "builtins.print", "builtins.str",
                   "builtins.int", "builtins.len", "builtins.float", "builtins.bool")  # fmt: skip
_HARMLESS_METHODS = frozenset(
    {"info", "debug", "warning", "warn", "error", "exception", "critical", "log", "format", "strip", "lower", "upper",
     "setLevel", "addHandler", "basicConfig", "startswith", "endswith", "replace", "split", "join"}
)  # fmt: skip


def harmless_value(node: ast.expr, scope: Scope) -> bool:
    """Whether evaluating an expression can change nothing: no calls but of a few known functions, nothing of Flink."""
    for child in ast.walk(node):
        if isinstance(child, ast.Call) and not _harmless_call(child.func, scope):
            return False
        if isinstance(child, ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr):
            return False
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
            found = scope.find(child.id)
            known = found.names[child.id] if found is not None else None
            if not isinstance(known, str | int | float | bool | type(None) | Opaque | External | Parsed):
                return False
            if isinstance(known, External) and known.path.startswith("pyflink."):
                return False
    return True


def _harmless_call(function: ast.expr, scope: Scope) -> bool:
    dotted = ast.unparse(function)
    if isinstance(function, ast.Attribute) and function.attr in _HARMLESS_METHODS:
        return True
    first, _, rest = dotted.partition(".")
    found = scope.find(first)
    known = found.names[first] if found is not None else External(f"builtins.{first}")
    if not isinstance(known, External):
        return False
    path = f"{known.path}.{rest}" if rest else known.path
    return path.startswith(_HARMLESS_CALLS)
