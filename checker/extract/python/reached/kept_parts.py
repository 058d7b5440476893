"""What the parts of tuples are made of that the functions of a script keep: of which part of the tuple before.

Two parts that trade places, and one that begins anew with each record, keep the type of the whole. The attributes of
objects that may lie in state are such parts, too: each alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Final

from checker.extract.effort import EffortError
from checker.extract.python.reached.bindings import (
    FunctionNode,
    attribute_of_self,
    called,
    locals_of,
    parameters,
    targets,
)
from checker.extract.python.reached.scopes import Found, Scope
from checker.extract.python.reached.value_texts import ValueTexts
from checker.model.program_code import Key
from checker.model.used_states import BEFORE, REDUCED, KeptParts

_WRITES: Final = frozenset({"update", "put", "add"})
_ACCUMULATORS: Final = {"add": (2,), "merge": (1, 2)}
"""Methods of aggregates that return an accumulator, and as which parameters they are given such."""
_LONGEST: Final = 1000
_INSIDE: Final = r"(?:[^()]|\([^()]*\))*"
_READ: Final = rf"\.(?:value|get)\({_INSIDE}\)"
_PART: Final = re.compile(
    rf"(?:{BEFORE}|\({_INSIDE}{BEFORE}{_INSIDE}\)|one of \{{[^{{}}]*{BEFORE}[^{{}}]*\}})(?:\[(\d+)\]|\.(\w+)\b(?!\())"
)
"""A part of what was there before: itself, with a default, or one of several values."""

_Parts = list[tuple[frozenset[str], ast.expr]]
"""The parts of a tuple, each with its number, and the name that it has."""


def kept_parts(
    values: ValueTexts,
    functions: Mapping[FunctionNode, Key],
    aggregates: frozenset[str],
    data: frozenset[str],
    reduced: Mapping[FunctionNode, Key],
) -> KeptParts:
    """The tuples that functions write to their states, and those that the classes ``aggregates`` return.

    ``data`` are the classes whose objects may lie in state, ``reduced`` functions that Flink reduces values with.
    """
    by_place: dict[str, set[tuple[str, ...]]] = {}
    through: dict[str, set[Key]] = {}
    for function, key in {**functions, **reduced}.items():
        found = Found(frozenset(), set())
        scope = Scope(key[0], {p: f"${n}" for n, p in enumerate(parameters(function))}, locals_of(function))
        try:
            folding = _reduced(function, key, scope, values) if function in reduced else ()
            for place, before, written in (*folding, *_written(values, found, function, key, scope, aggregates)):
                texts = [values.text(found, part, scope, frozenset()) for _, part in written]
                named = zip(texts, (names for names, _ in written), strict=True)
                parts = tuple(_numbered(re.sub(before, BEFORE, text), names) for text, names in named)
                by_place.setdefault(place, set()).add(parts)
                through.setdefault(place, set()).update({key, *found.through})
            for name, value in _attributes(function) if key[0] in data else ():
                text = re.sub(rf"\$0\.{name}\b", f"{BEFORE}.own", values.text(found, value, scope, frozenset()))
                by_place.setdefault(f"{key[0]}.{name}", set()).add((text,))
                through.setdefault(f"{key[0]}.{name}", set()).update({key, *found.through})
        except (EffortError, RecursionError):
            continue
    return KeptParts({place: frozenset(texts) for place, texts in by_place.items()}, through)


def _written(
    values: ValueTexts, found: Found, function: FunctionNode, key: Key, scope: Scope, aggregates: frozenset[str]
) -> Iterator[tuple[str, str, _Parts]]:
    """Where tuples are written, how what was there before is read, and their parts."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None and key[0] in aggregates:
            for parts in _tuples(node.value, scope, values):
                for place in _ACCUMULATORS.get(key[1], ()):
                    yield f"{key[0]}.{key[1]}{place}", rf"\${place}\b", parts
        elif isinstance(node, ast.Call) and called(node) in _WRITES and isinstance(node.func, ast.Attribute):
            receiver = node.func.value
            if isinstance(receiver, ast.Attribute) or (
                isinstance(receiver, ast.Name) and called(node) != "add"
            ):  # no set
                state = values.text(found, receiver, scope, frozenset())
                for parts in _tuples(node.args[-1], scope, values) if node.args else ():
                    yield f"{key[0]}.{attribute_of_self(receiver) or state}", re.escape(state) + _READ, parts


def _reduced(function: FunctionNode, key: Key, scope: Scope, values: ValueTexts) -> Iterator[tuple[str, str, _Parts]]:
    """The tuples that a function returns which reduces two values."""
    first = rf"\${parameters(function)[:1] == ['self']:d}\b"
    returns = (node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None)
    for value in [function.body] if isinstance(function, ast.Lambda) else returns:
        for parts in _tuples(value, scope, values):
            yield f"{key[0]}.{REDUCED}", first, parts


def _attributes(function: FunctionNode) -> Iterator[tuple[str, ast.expr]]:
    """The attributes of its object that a method sets, and what to."""
    for node in ast.walk(function):
        for target in targets(node):
            name, value = attribute_of_self(target), getattr(node, "value", None)
            if name is not None and isinstance(node, ast.AugAssign):
                yield (
                    name,
                    ast.BinOp(ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load()), node.op, node.value),
                )
            elif name is not None and isinstance(value, ast.expr):
                yield name, value


def _tuples(node: ast.expr, scope: Scope, values: ValueTexts, depth: int = 0) -> Iterator[_Parts]:
    """The parts of each tuple, list, row or object of the program that an expression may be."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            yield from _numbers(parts)
        case ast.Call(args=parts, keywords=[]) if called(node) == "Row":
            yield from _numbers(parts)
        case ast.Call() if called(node) in values.code.constructors:
            names = list(values.code.constructors[called(node)])
            given = {**dict(zip(names, node.args, strict=False)), **{k.arg: k.value for k in node.keywords if k.arg}}
            yield [(frozenset({name, str(n)}), given[name]) for n, name in enumerate(names) if name in given]
        case ast.IfExp(body=body, orelse=orelse):
            yield from _tuples(body, scope, values, depth)
            yield from _tuples(orelse, scope, values, depth)
        case ast.Name(id=name) if depth == 0:
            for value in scope.locals.get(name, ()):
                yield from _tuples(value, scope, values, depth + 1)


def _numbers(parts: list[ast.expr]) -> Iterator[_Parts]:
    if parts and not any(isinstance(part, ast.Starred) for part in parts):
        yield [(frozenset({str(number)}), part) for number, part in enumerate(parts)]


def _numbered(text: str, own: frozenset[str]) -> str:
    """A text in which parts of what was there are the own one or another."""
    if len(text) > _LONGEST:
        return text

    def part(found: re.Match[str]) -> str:
        if found[2] and len(own) == 1:  # a tuple that is made of an object
            return found[0]
        return f"{BEFORE}.own" if (found[1] or found[2]) in own else f"{BEFORE}.other"

    return _PART.sub(part, text)
