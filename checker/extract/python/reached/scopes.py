"""What names in the code of a script stand for, and how that is written as text."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from checker.extract.effort import Effort
from checker.extract.python.texts import with_sums
from checker.model.program_code import Key


@dataclass
class Found:
    """What was found so far on the way through one function."""

    wanted: frozenset[str]
    through: set[Key]
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    effort: Effort = field(default_factory=Effort)
    attributes: set[tuple[str, str]] = field(default_factory=set)
    """What it reads of ``self``: the class, and the attribute."""

    def aside(self) -> Found:
        """A record for values whose members are not wanted; what they depend on is noted in this one, too."""
        return Found(frozenset(), self.through, attributes=self.attributes, effort=self.effort)


@dataclass(frozen=True)
class Scope:
    """A piece of code: what its parameters stand for, and what its local variables are set to."""

    owner: str
    """The class or the file of the code."""
    parameters: Mapping[str, str]
    locals: Mapping[str, tuple[ast.expr, ...]]
    depth: int = 0
    around: Mapping[str, str] = field(default_factory=dict)
    """The same for parameters of the enclosing declaration."""


@dataclass(frozen=True)
class Entered:
    """The arguments that calls give to a function's parameters, and the declarations that these calls are in."""

    values: Mapping[str, str]
    through: frozenset[Key]


class _Filled(ast.NodeTransformer):
    def __init__(self, used: Mapping[str, str], calls: Mapping[int, str]) -> None:
        self._used = used
        self._calls = calls

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A variable."""
        return as_part(self._used.get(node.id, node.id))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call."""
        return as_part(self._calls[id(node)]) if id(node) in self._calls else self.generic_visit(node)


WHERE = " where "
"""Stands between an expression and the code that it depends on."""
_PARAMETER = "ǂ"
"""Stands for ``$``, with which texts name parameters, where a text is read as Python."""


def as_part(text: str) -> ast.expr:
    """A text as a part of another one, in parentheses where it needs them."""
    text = text.split(WHERE)[0]
    try:
        return ast.parse(text.replace("$", _PARAMETER), mode="eval").body
    except (SyntaxError, ValueError):
        return ast.Name(text)


def filled(node: ast.expr, used: Mapping[str, str], calls: Mapping[int, str], code: Iterable[str]) -> str:
    """An expression with what its variables, and calls by their identity, stand for, and the code behind it."""
    around = {*code, *(part for text in (*used.values(), *calls.values()) for part in text.split(WHERE)[1:])}
    copies: dict[int, ast.AST] = {}
    copied = copy.deepcopy(node, copies)
    of_copies = {id(copies[call]): text for call, text in calls.items()}
    return WHERE.join([written(with_sums(_Filled(used, of_copies).visit(copied))), *sorted(around)])


def written(node: ast.AST) -> str:
    """A tree of ``as_part`` as text."""
    return ast.unparse(node).replace(_PARAMETER, "$")


def either(texts: Iterable[str]) -> str:
    """The text of a value that is one of several."""
    found = sorted(texts)
    return found[0] if len(found) == 1 else f"one of {{{' | '.join(found)}}}"


def is_module(owner: str, name: str) -> bool:
    """Whether ``owner`` is the file of a module of that name."""
    return re.search(rf"(^|[./]){re.escape(name)}(\.py|/__init__\.py)?$", owner) is not None


def only_members_read(node: ast.expr, name: str) -> bool:
    """Whether only members of a variable are read."""
    text = re.escape(name)
    return re.search(rf"\b{text}\b(?!\[(?![^\]]*:)|\.\w+\b(?!\())", ast.unparse(node)) is None
