"""Go templates as Helm renders them: values, conditions, loops, named templates and the plain functions.

A function that is not listed here, or a number that Go prints with an exponent, ends the rendering: what the template
becomes is not known then. Semantics follow ``text/template`` and Sprig as of Helm 3.
"""

from __future__ import annotations

import math
import re
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import yaml

_ACTION: Final = re.compile(
    r"\{\{(-(?=\s))?\s*(?P<comment>/\*.*?\*/)?(?P<text>(?:\"(?:\\.|[^\"\\])*\"|`[^`]*`|.)*?)\s*((?<=\s)-)?\}\}", re.S
)
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<string>\"(?:\\.|[^\"\\])*\"|`[^`]*`)|(?P<number>-?\d+(?:\.\d+)?)(?![\w.])|"
    r"(?P<path>\$\w*(?:\.\w+)*|(?:\.\w+)+|\.)|(?P<word>[A-Za-z_]\w*)|(?P<mark>:=|[=|(),]))"
)
_BLOCKS: Final = ("if", "range", "with", "define", "block")
_LARGEST: Final = 10**6
"""From here on Go prints numbers, which all are floating ones in Helm's values, with an exponent."""
_MOST_STEPS: Final = 20_000


class NeedsHelmError(Exception):
    """The result of a template is not known without Helm."""


@dataclass(frozen=True, slots=True)
class Block:
    """``if``, ``range``, ``with`` and ``define`` with what they hold: (keyword, expression, body) for each part."""

    parts: tuple[tuple[str, str, tuple[Node, ...]], ...]


Node: TypeAlias = "str | tuple[str] | Block"
"""Text, the expression of an action, or a block."""


@dataclass(slots=True)
class _Scope:
    dot: Any
    variables: ChainMap[str, Any]

    def inner(self, dot: Any) -> _Scope:
        return _Scope(dot, self.variables.new_child())


def parsed(text: str) -> tuple[Node, ...]:
    """The nodes of a template. Raises NeedsHelmError."""
    pieces: list[str | tuple[str]] = []
    place, trimming = 0, False
    for match in _ACTION.finditer(text):
        literal = text[place : match.start()]
        literal = literal.lstrip() if trimming else literal
        pieces.append(literal.rstrip() if match[1] else literal)
        if match["comment"] is None:
            pieces.append((match["text"].strip(),))
        place, trimming = match.end(), text[: match.end()].endswith("-}}")
    rest = text[place:]
    pieces.append(rest.lstrip() if trimming else rest)
    nodes, ended = _nodes(iter(pieces))
    if ended is not None:
        raise NeedsHelmError
    return nodes


def _nodes(pieces: Iterator[str | tuple[str]]) -> tuple[tuple[Node, ...], str | None]:
    """Nodes up to the ``end`` or ``else`` of the block that they are in, and that action."""
    found: list[Node] = []
    for piece in pieces:
        if isinstance(piece, str):
            found.append(piece)
            continue
        keyword, _, rest = piece[0].partition(" ")
        if keyword in ("end", "else"):
            return tuple(found), piece[0]
        if keyword not in _BLOCKS:
            found.append(piece)
            continue
        parts: list[tuple[str, str, tuple[Node, ...]]] = []
        ended: str | None = f"else {keyword} {rest}"
        while ended is not None and ended != "end":
            kind, _, expression = ended.removeprefix("else").strip().partition(" ")
            body, ended = _nodes(pieces)
            parts.append((kind, expression, body))
        if ended is None:
            raise NeedsHelmError
        found.append(Block(tuple(parts)))
    return tuple(found), None


@dataclass(slots=True)
class Renderer:
    """Renders the templates of one chart with one set of values. ``root`` is what ``$`` is."""

    root: Mapping[str, Any]
    named: dict[str, tuple[Node, ...]] = field(default_factory=dict)
    steps: int = 0

    def define(self, text: str) -> None:
        """Take the named templates of a file."""
        pending = list(parsed(text))
        while pending:
            node = pending.pop()
            if isinstance(node, Block):
                kind, expression, body = node.parts[0]
                pending.extend(inner for _, _, nodes in node.parts for inner in nodes)
                if kind == "define":
                    self.named[expression.strip().strip('"`')] = body

    def rendered(self, text: str) -> str:
        """A template's text. Raises NeedsHelmError."""
        try:
            return self._body(parsed(text), _Scope(self.root, ChainMap({"$": self.root})))
        except (TypeError, ValueError, LookupError, RecursionError, AttributeError, yaml.YAMLError):
            raise NeedsHelmError from None

    def _body(self, nodes: Sequence[Node], scope: _Scope) -> str:
        found: list[str] = []
        for node in nodes:
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise NeedsHelmError
            if isinstance(node, str):
                found.append(node)
            elif isinstance(node, Block):
                found.append(self._block(node, scope))
            else:
                found.append(self._action(node[0], scope))
        return "".join(found)

    def _action(self, text: str, scope: _Scope) -> str:
        assigned = re.match(r"(\$\w+)\s*(:?)=\s*(.*)", text, re.S)
        if assigned is not None:
            name, holders = assigned[1], scope.variables.maps
            holder = holders[0] if assigned[2] else next((m for m in holders if name in m), None)
            if holder is None:
                raise NeedsHelmError
            holder[name] = self.value(assigned[3], scope)
            return ""
        word, _, rest = text.partition(" ")
        return printed(self.value(f"include {rest}" if word == "template" else text, scope))

    def _block(self, block: Block, scope: _Scope) -> str:
        for kind, expression, body in block.parts:
            if kind == "define":
                return ""
            if kind == "range":
                rounds = list(self._rounds(expression, scope))
                if rounds:
                    return "".join(self._body(body, inner) for inner in rounds)
            elif kind == "":
                return self._body(body, scope)
            elif kind in ("if", "with"):
                inner = scope.inner(scope.dot)
                variable, expression = _declared(expression)
                value = self.value(expression, scope)
                inner.variables.update({variable[0]: value} if variable else {})
                if value:
                    inner.dot = value if kind == "with" else scope.dot
                    return self._body(body, inner)
            else:
                raise NeedsHelmError
        return ""

    def _rounds(self, expression: str, scope: _Scope) -> Iterator[_Scope]:
        variables, expression = _declared(expression)
        value = self.value(expression, scope)
        if isinstance(value, int | str) and value:
            raise NeedsHelmError
        items = sorted(value.items()) if isinstance(value, dict) else list(enumerate(value or ()))
        for key, element in items:
            inner = scope.inner(element)
            names = dict(zip(variables, (key, element) if len(variables) == 2 else (element,), strict=False))
            inner.variables.update(names)
            yield inner

    # -- expressions -----------------------------------------------------------------------------------------------

    def value(self, text: str, scope: _Scope) -> Any:
        """What a pipeline gives."""
        tokens: list[tuple[str, str]] = []
        place = 0
        text = text.strip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                raise NeedsHelmError
            tokens.append((match.lastgroup, match[match.lastgroup]))
            place = match.end()
        value = self._pipeline(tokens, scope)
        if tokens:
            raise NeedsHelmError
        return value

    def _pipeline(self, tokens: list[tuple[str, str]], scope: _Scope) -> Any:
        value = self._command(tokens, scope, [])
        while tokens and tokens[0] == ("mark", "|"):
            tokens.pop(0)
            value = self._command(tokens, scope, [value])
        return value

    def _command(self, tokens: list[tuple[str, str]], scope: _Scope, last: list[Any]) -> Any:
        kind, name = tokens[0]
        if kind == "word" and name not in ("true", "false", "nil"):
            tokens.pop(0)
            arguments = []
            while tokens and tokens[0] not in (("mark", "|"), ("mark", ")")):
                arguments.append(self._operand(tokens, scope))
            return self._called(name, [*arguments, *last])
        value = self._operand(tokens, scope)
        if last or (tokens and tokens[0] not in (("mark", "|"), ("mark", ")"))):
            raise NeedsHelmError
        return value

    def _operand(self, tokens: list[tuple[str, str]], scope: _Scope) -> Any:
        kind, text = tokens.pop(0)
        if kind == "string":
            return text[1:-1] if text[0] == "`" else yaml.safe_load(text)
        if kind == "number":
            return float(text) if "." in text else int(text)
        if kind == "path":
            return self._looked_up(text, scope)
        if kind == "word" and text in ("true", "false", "nil"):
            return {"true": True, "false": False, "nil": None}[text]
        if kind == "word":
            return self._called(text, [])
        if text == "(":
            value = self._pipeline(tokens, scope)
            if not tokens or tokens.pop(0) != ("mark", ")"):
                raise NeedsHelmError
            while tokens and tokens[0][0] == "path" and tokens[0][1].startswith(".") and len(tokens[0][1]) > 1:
                value = _member(value, tokens.pop(0)[1][1:])
            return value
        raise NeedsHelmError

    def _looked_up(self, path: str, scope: _Scope) -> Any:
        head, _, rest = path.partition(".")
        if head:
            if head not in scope.variables:
                raise NeedsHelmError
            value = scope.variables[head]
        else:
            value = scope.dot
        return _member(value, rest)

    def _called(self, name: str, given: list[Any]) -> Any:
        if name == "include":
            if len(given) != 2 or given[0] not in self.named:
                raise NeedsHelmError
            return self._body(self.named[given[0]], _Scope(given[1], ChainMap({"$": given[1]})))
        if name == "tpl":
            return self.rendered(given[0])
        if name not in FUNCTIONS:
            raise NeedsHelmError
        return FUNCTIONS[name](*given)


def _declared(expression: str) -> tuple[list[str], str]:
    match = re.match(r"\s*(\$\w+)(?:\s*,\s*(\$\w+))?\s*:=\s*(.*)", expression, re.S)
    return ([], expression) if match is None else ([v for v in (match[1], match[2]) if v], match[3])


def _member(value: Any, path: str) -> Any:
    for key in path.split(".") if path else ():
        if not isinstance(value, dict):
            raise NeedsHelmError  # Helm fails, or a method is called
        value = value.get(key)
    return value


def printed(value: Any) -> str:
    """A value as Go prints it. Raises NeedsHelmError."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list) or (isinstance(value, int | float) and abs(value) >= _LARGEST):
        raise NeedsHelmError
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _quoted(*values: Any) -> str:
    return " ".join('"' + printed(v).replace("\\", "\\\\").replace('"', '\\"') + '"' for v in values if v is not None)


def _formatted(pattern: str, *values: Any) -> str:
    rest = list(values)

    def fill(match: re.Match[str]) -> str:
        return "%" if match[0] == "%%" else _quoted(rest.pop(0)) if match[0] == "%q" else printed(rest.pop(0))

    if re.sub(r"%[sdvq%]", "", pattern).count("%"):
        raise NeedsHelmError
    return re.sub(r"%[sdvq%]", fill, pattern)


def _refused() -> Any:
    raise NeedsHelmError


def _required(_: str, value: Any) -> Any:
    if value in (None, ""):
        raise NeedsHelmError
    return value


def _whole(value: Any = None) -> int:
    return int(float(value)) if value not in (None, "") else 0


def _dumped(value: Any) -> str:
    return str(yaml.safe_dump(value, default_flow_style=False, width=10**6)).removesuffix("\n").removesuffix("\n...")


def _alike(first: Any, *operands: Any) -> bool:
    if any(isinstance(first, str) != isinstance(operand, str) for operand in operands if None not in (first, operand)):
        raise NeedsHelmError
    return any(first == operand and isinstance(first, bool) == isinstance(operand, bool) for operand in operands)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "quote": _quoted,
    "squote": lambda *values: " ".join(f"'{printed(v)}'" for v in values if v is not None),
    "default": lambda default, value=None: value or default,
    "required": _required,
    "toYaml": _dumped,
    "toString": printed,
    "indent": lambda n, text: "\n".join(" " * n + line for line in text.split("\n")),
    "nindent": lambda n, text: "\n" + "\n".join(" " * n + line for line in text.split("\n")),
    "int": _whole,
    "int64": _whole,
    "add": lambda *values: sum(map(_whole, values)),
    "sub": lambda first, second: _whole(first) - _whole(second),
    "mul": lambda *values: math.prod(map(_whole, values)),
    "trim": str.strip,
    "trimSuffix": lambda end, text: text.removesuffix(end),
    "trimPrefix": lambda start, text: text.removeprefix(start),
    "trunc": lambda n, text: text[:n] if n >= 0 else text[n:],
    "upper": str.upper,
    "lower": str.lower,
    "replace": lambda old, new, text: text.replace(old, new),
    "contains": lambda part, text: part in text,
    "hasPrefix": lambda start, text: text.startswith(start),
    "hasSuffix": lambda end, text: text.endswith(end),
    "printf": _formatted,
    "print": lambda *values: "".join(map(printed, values)) if all(isinstance(v, str) for v in values) else _refused(),
    "eq": _alike,
    "ne": lambda first, second: not _alike(first, second),
    "and": lambda *values: next((v for v in values if not v), values[-1]),
    "or": lambda *values: next((v for v in values if v), values[-1]),
    "not": lambda value: not value,
    "empty": lambda value=None: not value,
    "coalesce": lambda *values: next((v for v in values if v), None),
    "ternary": lambda yes, no, condition: yes if condition else no,
    "list": lambda *values: list(values),
    "dict": lambda *pairs: dict(zip(pairs[::2], pairs[1::2], strict=True)),
    "join": lambda between, values: between.join(map(printed, values)),
    "hasKey": lambda table, key: key in table,
    "get": lambda table, key: table.get(key, ""),
    "len": lambda value=None: len(value or ""),
    "concat": lambda *lists: [element for values in lists for element in values],
    "index": lambda value, *keys: value[keys[0]] if len(keys) == 1 else _refused(),
}
"""Functions of Go and Sprig. A call that Go refuses, or that is not modelled, raises an error."""
