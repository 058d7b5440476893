"""Functions as text: equal in two revisions that compute the same, where nothing but layout and names differs."""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Iterable, Mapping
from operator import itemgetter

from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import (
    MISSING,
    Class,
    External,
    Function,
    Instance,
    Partial,
    Scope,
    Value,
)
from checker.extract.python.plain_code import arguments_of, expression_of, is_text, logs, replaced
from checker.extract.python.texts import with_sums

_MAX_SHOWN = 120
_PLAIN = (str, int, float, bool, type(None))
_IDENTITY = ("__eq__", "__hash__", "__ne__")
"""Methods that decide nothing about how an object is pickled: Flink compares keys by their bytes."""
_SHOWS = ("__repr__", "__str__", "__format__")
_SHOWING = frozenset({"repr", "str", "format", "join", "map", *_SHOWS})
"""What code mentions that shows objects as text."""


def function_text(run: Run, function: Value) -> str | None:
    """What a function or an object of the repository computes; None where that is not seen."""
    if isinstance(function, Instance):
        texts = [described(run, attribute) for _, attribute in sorted(function.attributes.items())]
        return f"{ast.dump(function.of.node)} of {texts}" if all(texts) else None
    return "" if function is None else _text(run, function, frozenset())


def key_text(run: Run, selector: Value) -> str | None:
    """What a selector computes, with everything that it calls; None where that is not seen."""
    text = _text(run, selector, frozenset())
    if text is None or len(text) <= _MAX_SHOWN:
        return text
    return f"{text[:_MAX_SHOWN]}… {_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _text(run: Run, value: Value, seen: frozenset[int]) -> str | None:
    given: dict[str, ast.expr] = {}
    if isinstance(value, Instance):
        method = value.of.member("get_key")
        value = _bound(method, value) if isinstance(method, Function) else None
    elif isinstance(value, Partial):
        contents = [*value.positional, *dict(value.keywords).values()]
        if not isinstance(value.function, Function) or not all(isinstance(content, _PLAIN) for content in contents):
            return None
        given = {name: ast.Constant(content) for name, content in value.keywords}
        free = [name for name in _parameters(value.function) if name not in given]
        given.update(zip(free, map(ast.Constant, value.positional), strict=False))
        value = value.function
    if isinstance(value, itemgetter):
        places = value.__reduce__()[1]
        return f"$0[{places[0]!r}]" if len(places) == 1 else None
    if not isinstance(value, Function) or id(value.body) in seen:
        return None
    return _of_function(run, value, given, seen | {id(value.body)})


def _of_function(run: Run, function: Function, given: Mapping[str, ast.expr], seen: frozenset[int]) -> str | None:
    free = [name for name in _parameters(function) if name not in given]
    values: dict[str, ast.expr] = {**given, **{name: ast.Name(f"${number}") for number, name in enumerate(free)}}
    whole = expression_of(function.body)
    value = None if whole is None else replaced(whole, values)
    if value is not None:
        nodes: list[ast.AST] = [_Inlined(function.scope, seen).visit(value)]
    else:
        kept = [statement for statement in function.body if not (is_text(statement) or logs(statement))]
        nodes = [_Renamed(values).visit(copy.deepcopy(statement)) for statement in kept]
    text = "; ".join(ast.unparse(with_sums(copy.deepcopy(node))) for node in nodes).removeprefix("return ")
    around = [*_used(run, function, nodes, seen), *_members(run, function, nodes, seen)]
    defaults = dict(zip(reversed(_parameters(function)), reversed(function.defaults), strict=False))
    defaults.update(function.keyword_defaults)
    around += [described(run, default) for name, default in sorted(defaults.items()) if name not in given]
    return " where ".join([text, *around]) if all(around) else None


def _parameters(function: Function) -> list[str]:
    """Names of the parameters that a call gives by their place, without the object of a method."""
    declared = function.arguments
    names = [argument.arg for argument in (*declared.posonlyargs, *declared.args)]
    return names if function.bound is None else names[1:]


def _bound(function: Function, to: Instance) -> Function:
    if function.bound is not None or function.binds == "nothing":
        return function
    return Function(**{**{name: getattr(function, name) for name in function.__slots__}, "bound": to})


class _Inlined(ast.NodeTransformer):
    """Calls of functions that are one expression as this expression, constants as what they are."""

    def __init__(self, scope: Scope, seen: frozenset[int]) -> None:
        self._scope = scope
        self._seen = seen
        self._bound: set[str] = set()
        """Variables of comprehensions and lambdas inside."""

    def visit(self, node: ast.AST) -> ast.AST:
        """Any part of an expression."""
        if not self._bound:
            inside = list(ast.walk(node))
            own = _names(part.target for part in inside if isinstance(part, ast.comprehension))
            self._bound = {"", *own, *(part.arg for part in inside if isinstance(part, ast.arg))}
        found: ast.AST = super().visit(node)
        return found

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A variable."""
        scope = None if node.id in self._bound else self._scope.find(node.id)
        value = None if scope is None else scope.names[node.id]
        return ast.Constant(value) if isinstance(value, str | int | float) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call."""
        self.generic_visit(node)
        found = self._scope.find(node.func.id) if isinstance(node.func, ast.Name) else None
        called = found.names[node.func.id] if found is not None and isinstance(node.func, ast.Name) else None
        if not isinstance(called, Function) or called.generator or called.bound or id(called.body) in self._seen:
            return node
        whole, given = expression_of(called.body), arguments_of(called.arguments, node)
        if (
            whole is None
            or given is None
            or any(not _alike(called.scope, self._scope, name) for name in _names([whole]) - given.keys())
        ):
            return node
        value = replaced(whole, given)
        return node if value is None else _Inlined(self._scope, self._seen | {id(called.body)}).visit(value)


def _alike(first: Scope, second: Scope, name: str) -> bool:
    """Whether a name stands for the same in two pieces of code."""
    found = [None if scope is None else scope.names[name] for scope in (first.find(name), second.find(name))]
    paths = [value.path for value in found if isinstance(value, External) and not value.called]
    return found[0] is found[1] or (len(paths) == 2 and paths[0] == paths[1])


class _Renamed(ast.NodeTransformer):
    """Parameters by their place."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A variable."""
        value = self.values.get(node.id, node)
        return ast.Name(value.id, node.ctx) if isinstance(value, ast.Name) else value


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.id for top in nodes for node in ast.walk(top) if isinstance(node, ast.Name)}


def _names_anywhere(nodes: Iterable[ast.AST]) -> set[str]:
    return {getattr(node, "attr", getattr(node, "id", "")) for top in nodes for node in ast.walk(top)}


def _used(run: Run, function: Function, nodes: list[ast.AST], seen: frozenset[int]) -> list[str]:
    """The variables that a function takes from outside, each with its value; empty where one is not known."""
    found: list[str] = []
    for name in sorted(_names(nodes) - {argument.arg for argument in ast.walk(function.arguments)
                                        if isinstance(argument, ast.arg)}):  # fmt: skip
        scope = function.scope.find(name)
        if scope is not None:
            text = _of_variable(run, scope.names[name], name, nodes, seen)
            found.append(f"{name} = {text}" if text else "")
    return found


def _of_variable(run: Run, value: Value, name: str, nodes: list[ast.AST], seen: frozenset[int]) -> str | None:
    if isinstance(value, Function | Instance | Partial):
        return _text(run, value, seen)
    if isinstance(value, Class):
        return _of_class(value, nodes)
    if isinstance(value, dict) and (parts := _parts(name, nodes)) is not None:
        return described(run, {part: value[part] for part in sorted(parts, key=str) if part in value})
    return value.path if isinstance(value, External) and not value.called else described(run, value)


def _parts(name: str, nodes: list[ast.AST]) -> set[object] | None:
    """The entries of a dictionary that code reads; None where it does anything else with it."""
    parts = {
        id(node.value): node.slice.value
        for top in nodes
        for node in ast.walk(top)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    }
    uses = [node for top in nodes for node in ast.walk(top) if isinstance(node, ast.Name) and node.id == name]
    return {parts[id(use)] for use in uses} if all(id(use) in parts for use in uses) else None


def _members(run: Run, function: Function, nodes: list[ast.AST], seen: frozenset[int]) -> list[str]:
    """What a method reads of its object, each with its value; empty where one is not known."""
    this = function.bound
    if not isinstance(this, Instance):
        return []
    own = [*function.arguments.posonlyargs, *function.arguments.args][0].arg
    names = {
        node.attr
        for top in nodes
        for node in ast.walk(top)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == own
    }
    found: list[str] = []
    for name in sorted(names):
        value = this.attributes.get(name, this.of.member(name))
        if isinstance(value, Function):
            text = _text(run, _bound(value, this), seen)
        else:
            text = None if value is MISSING else _of_variable(run, value, name, [], seen)
        found.append(f"{name} = {text}" if text else "")
    return found


def _of_class(of: Class, users: list[ast.AST]) -> str:
    """How objects of a class are pickled, and what its methods give: all of its code, and that of classes above it.

    How an object is shown counts only where its methods or the ``users`` may ask for that.
    """
    texts: list[str] = []
    code = [*users, *(s for above in of.ancestors() for s in above.node.body if getattr(s, "name", "") not in _SHOWS)]
    shown = any(isinstance(n, ast.JoinedStr | ast.Mod) for top in code for n in ast.walk(top))
    unread = _IDENTITY if shown or not _names_anywhere(code).isdisjoint(_SHOWING) else (*_IDENTITY, *_SHOWS)
    for above in of.ancestors():
        node = copy.copy(above.node)
        kept = [s for s in node.body if not (is_text(s) or getattr(s, "name", "") in unread)]
        node.body = [_without_text(statement) for statement in kept] or [ast.Pass()]
        texts.append(ast.unparse(node))
    return f"class {of.name} {_digest(' '.join(texts))}"


def _without_text(statement: ast.stmt) -> ast.stmt:
    """A method without its docstring."""
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) or not is_text(statement.body[0]):
        return statement
    found = copy.copy(statement)
    found.body = statement.body[1:] or [ast.Pass()]
    return found
