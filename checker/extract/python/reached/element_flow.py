"""What functions of a script that run with records give to certain members of the elements that they make.

The same question as ``checker.extract.java.reached.element_flow`` answers: an edit before ``key_by`` that computes the
key in another way. Local variables stand for what they are set to, functions of the repository for their code.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from checker.extract.python.reached.declarations import Declared
from checker.model.program_code import ELEMENT, WHOLE, Flow, Key

_METHODS = frozenset(
    {"map", "flat_map", "process_element", "process_element1", "process_element2", "process_broadcast_element",
     "on_timer", "map1", "map2", "flat_map1", "flat_map2", "reduce", "add", "merge", "get_result", "create_accumulator",
     "apply", "process"}
)  # fmt: skip
"""Methods of functions that make elements."""
_CALLS = frozenset({"map", "flat_map", "process", "reduce", "apply"})
"""Calls that take such a function."""
_PLAIN = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.Constant, ast.JoinedStr)
"""Expressions whose values have no members."""
_DEPTH = 3
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass
class _Found:
    wanted: frozenset[str]
    through: set[Key]
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Scope:
    parameters: Mapping[str, str]
    locals: Mapping[str, tuple[ast.expr, ...]]
    depth: int = 0


class ElementFlow:
    """The functions of one script."""

    def __init__(self, declared: Mapping[Key, Declared], functions: Iterable[str]) -> None:
        """``functions`` are the qualified names of the classes that Flink calls."""
        self._declared = declared
        self._classes = frozenset(functions)
        self._by_name: dict[str, list[tuple[Key, _Function]]] = {}
        for key, found in declared.items():
            if found.function is not None:
                self._by_name.setdefault(key[1], []).append((key, found.function))

    def flows(self, wanted: frozenset[str]) -> Iterator[Flow]:
        """What each function gives to the wanted members."""
        for key, found in self._declared.items():
            if found.function is not None and key[0] in self._classes and key[1] in _METHODS:
                yield self._flow(key, None, found.function, wanted)
            for node in (node for statement in found.body for node in ast.walk(statement)):
                called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                if called and node.func.attr in _CALLS and node.args:  # type: ignore[attr-defined]
                    line = node.func.end_lineno  # type: ignore[attr-defined]
                    for place, function in self._given(key, node.args[0]):  # type: ignore[attr-defined]
                        yield self._flow(place, line, function, wanted, key)

    def _given(self, key: Key, node: ast.expr) -> list[tuple[Key, _Function]]:
        if isinstance(node, ast.Lambda):
            return [(key, node)]
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        return self._by_name.get(name.rpartition(".")[2], [])

    def _flow(
        self, key: Key, line: int | None, function: _Function, wanted: frozenset[str], site: Key | None = None
    ) -> Flow:
        found = _Found(wanted, {key} if site is None else {key, site})
        self._function(found, function, _scope(function, [f"${n}" for n in range(len(_parameters(function)))]))
        lines = line if site == key or site is None else None
        return Flow(
            root=key,
            line=lines,
            texts=frozenset(found.texts),
            names=frozenset(found.names),
            through=frozenset(found.through),
        )

    def _function(self, found: _Found, function: _Function, scope: _Scope) -> None:
        if isinstance(function, ast.Lambda):
            self._element(found, function.body, scope, frozenset())
            return
        for node in ast.walk(function):
            if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
                self._element(found, node.value, scope, frozenset())
            elif isinstance(node, ast.Assign | ast.AugAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(_member(target) in found.wanted for target in targets):
                    found.texts.add(self._text(found, node.value, scope, frozenset()))

    def _element(self, found: _Found, node: ast.expr, scope: _Scope, seen: frozenset[str]) -> None:
        """An expression that is an element, or holds one."""
        match node:
            case ast.Tuple() | ast.List():
                self._parts(found, [(str(n), part) for n, part in enumerate(node.elts)], scope, seen)
            case ast.Dict():
                keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
                parts = zip(keys, node.values, strict=True)
                self._parts(found, [(str(key), value) for key, value in parts], scope, seen)
            case ast.IfExp():
                before = len(found.texts)
                for way in (node.body, node.orelse):
                    self._element(found, way, scope, seen)
                if len(found.texts) > before + 1:
                    found.texts.add(self._text(found, node.test, scope, seen))
            case ast.Name():
                for value in scope.locals.get(node.id, ()) if node.id not in seen else ():
                    self._element(found, value, scope, seen | {node.id})
                if ELEMENT in found.wanted and node.id in scope.parameters:
                    found.texts.add(scope.parameters[node.id])
            case ast.Call():
                self._made_by(found, node, scope, seen)
            case ast.Lambda():
                return
            case _:
                if not isinstance(node, _PLAIN) or ELEMENT in found.wanted:
                    found.texts.add(self._text(found, node, scope, seen))

    def _parts(self, found: _Found, parts: Iterable[tuple[str, ast.expr]], scope: _Scope, seen: frozenset[str]) -> None:
        for name, part in parts:
            if not found.wanted.isdisjoint((name, WHOLE)):
                found.texts.add(f"{name} = {self._text(found, part, scope, seen)}")
            elif isinstance(part, ast.Tuple | ast.Dict):
                self._element(found, part, scope, seen)  # ``yield TAG, (…)`` and nested tuples

    def _made_by(self, found: _Found, node: ast.Call, scope: _Scope, seen: frozenset[str]) -> None:
        name = _called(node)
        callees = self._by_name.get(name, []) if scope.depth < _DEPTH else []
        for key, function in callees:
            found.through.add(key)
            given = [self._text(found, argument, scope, seen) for argument in node.args]
            given = (
                ["self", *given] if isinstance(node.func, ast.Attribute) and "self" in _parameters(function) else given
            )
            self._function(found, function, _scope(function, given, scope.depth + 1))
        if not callees and name[:1].isupper():
            named = [(keyword.arg or "", keyword.value) for keyword in node.keywords]
            self._parts(found, [*((str(n), a) for n, a in enumerate(node.args)), *named], scope, seen)
            if name != "Row" and any(not w.isdecimal() for w in found.wanted):
                found.texts.update(self._text(found, argument, scope, seen) for argument in node.args)
        elif not callees:
            found.texts.add(self._text(found, node, scope, seen))

    def _text(self, found: _Found, node: ast.expr, scope: _Scope, seen: frozenset[str]) -> str:
        """What an expression is made of."""
        used: dict[str, str] = {}
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id not in used:
                used[inner.id] = self._variable(found, inner.id, scope, seen)
            elif isinstance(inner, ast.Attribute):
                found.names.add(inner.attr)
            elif isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Constant):
                found.names.add(str(inner.slice.value))
        bare = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} & scope.parameters.keys()
        if any(not _read_below(node, name) for name in bare):
            found.names.add(ELEMENT)
        calls = [inner for inner in ast.walk(node) if isinstance(inner, ast.Call)]
        texts = [_Filled(used).visit(copy.deepcopy(node))]
        code: list[str] = []
        for name in sorted({_called(call) for call in calls}) if scope.depth < _DEPTH else ():
            for key, function in self._by_name.get(name, []):
                found.through.add(key)
                body = _scope(function, _parameters(function), scope.depth + 1)
                inner_found = _Found(frozenset({ELEMENT, WHOLE}), found.through, names=found.names)
                self._function(inner_found, function, body)
                code.append(f"{name} = {sorted(inner_found.texts)}")
        return " where ".join([*(ast.unparse(text) for text in texts), *code])

    def _variable(self, found: _Found, name: str, scope: _Scope, seen: frozenset[str]) -> str:
        if name in scope.locals and name not in seen:
            values = sorted({self._text(found, v, scope, seen | {name}) for v in scope.locals[name]})
            return values[0] if len(values) == 1 else f"one of {{{' | '.join(values)}}}"
        return scope.parameters.get(name, name)


class _Filled(ast.NodeTransformer):
    """Variables by what they stand for."""

    def __init__(self, used: Mapping[str, str]) -> None:
        self._used = used

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A variable."""
        return ast.Name(self._used.get(node.id, node.id), node.ctx)


def _scope(function: _Function, given: list[str], depth: int = 0) -> _Scope:
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]):
                values.setdefault(name, []).append(node.value)
            case ast.Assign(targets=[ast.Tuple(elts=elements)]):
                for number, element in enumerate(elements):
                    if isinstance(element, ast.Name):
                        part = ast.Subscript(node.value, ast.Constant(number), ast.Load())
                        values.setdefault(element.id, []).append(part)
            case ast.AugAssign(target=ast.Name(id=name)) | ast.AnnAssign(target=ast.Name(id=name)) if node.value:
                values.setdefault(name, []).append(node.value)
            case ast.For(target=ast.Name(id=name)):
                values.setdefault(name, []).append(node.iter)
    parameters = dict(zip(_parameters(function), given, strict=False))
    return _Scope(parameters, {name: tuple(found) for name, found in values.items()}, depth)


def _parameters(function: _Function) -> list[str]:
    return [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]


def _called(node: ast.Call) -> str:
    function = node.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return str(name).rpartition(".")[2]


def _member(target: ast.expr) -> str | None:
    if isinstance(target, ast.Attribute):
        return target.attr
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        return str(target.slice.value)
    return None


def _read_below(node: ast.expr, name: str) -> bool:
    """Whether only members of a variable are read."""
    text = re.escape(name)
    return re.search(rf"\b{text}\b(?!\[|\.\w+\b(?!\())", ast.unparse(node)) is None
