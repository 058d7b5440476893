"""Which value a variable has where it is read, as far as ``if`` statements decide on that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from checker.extract.java.syntax.kinds import NodeKind
from checker.extract.java.syntax.tree import Node, above, children
from checker.extract.java.syntax.tree import field as part

_ENDS: Final[frozenset[NodeKind]] = frozenset(
    {"method_declaration", "constructor_declaration", "lambda_expression", "class_body"}
)
_OTHER: Final[frozenset[NodeKind]] = frozenset(
    {"for_statement", "enhanced_for_statement", "while_statement", "do_statement", "switch_expression",
     "switch_block_statement_group", "catch_clause", "try_statement", "try_with_resources_statement"}
)  # fmt: skip
_LEAVING: Final[frozenset[NodeKind]] = frozenset({"return_statement", "throw_statement"})
Branch = tuple[Node, bool]
"""An ``if`` statement or ``?:``, and whether its condition is true."""


@dataclass(frozen=True)
class Choice:
    """One of two values: texts, further choices, or None where the variable is not set."""

    condition: str
    yes: Choice | str | None
    no: Choice | str | None


def branches_of(node: Node) -> tuple[Branch, ...] | None:
    """The branches around code, the outermost first; None inside of loops, switches and handlers."""
    found: list[Branch] = []
    for current, around in pairwise((node, *above(node, *_ENDS))):
        if around.type in _OTHER:
            return None
        if around.type in ("if_statement", "ternary_expression") and part(around, "condition") != current:
            found.append((around, part(around, "alternative") != current))
    return tuple(reversed(found))


def returned_by(statements: Sequence[Node]) -> list[tuple[Node, tuple[Branch, ...]]]:
    """The values that a body returns, with the branches around each, where it does nothing else; none for any other."""
    found: list[tuple[Node, tuple[Branch, ...]]] = []
    for statement in statements:
        if statement.type == "block":
            inside = returned_by(children(statement))
        elif statement.type == "return_statement" and children(statement):
            inside = [(children(statement)[0], branches_of(statement) or ())]
        elif statement.type == "if_statement":
            either = [n for n in (part(statement, "consequence"), part(statement, "alternative")) if n is not None]
            inside = [value for branch in either for value in returned_by([branch])]
        else:
            inside = []
        if not inside and statement.type != "local_variable_declaration":
            return []
        found += inside
    return found


def branches_to(node: Node) -> tuple[Branch, ...]:
    """The branches around code, and those before it that leave where their conditions hold."""
    branches = branches_of(node)
    if branches is None:
        return ()
    left: list[Branch] = []
    for current, around in pairwise((node, *above(node, *_ENDS))):
        if around.type == "block":
            before = (statement for statement in around.parts if statement.end_byte <= current.start_byte)
            left += [(s, False) for s in before if s.type == "if_statement" and _leaves(part(s, "consequence"))]
    return (*branches, *left)


def _leaves(consequence: Node | None) -> bool:
    """Whether code always ends its body."""
    if consequence is None or consequence.type != "block":
        return consequence is not None and consequence.type in _LEAVING
    return bool(consequence.parts) and consequence.parts[-1].type in _LEAVING


def settings_before(use: Node, values: Sequence[Node]) -> list[tuple[Node, tuple[Branch, ...]]] | None:
    """The values that may be there where a variable is read, with the branches that these have of their own.

    In the order in which they are set; None where that is not plain.
    """
    reading = branches_of(use)
    found = []
    for value in sorted(values, key=lambda value: value.start_byte):
        branches = branches_of(value)
        if branches is None or reading is None:
            return None
        own = _own(branches, reading)
        if value.end_byte <= use.start_byte and own is not None:
            found.append((value, own))
    return found or None


def _own(branches: tuple[Branch, ...], reading: tuple[Branch, ...]) -> tuple[Branch, ...] | None:
    """Branches without those that a reader is in as well; None where it is in the opposite one."""
    for place, (branch, read) in enumerate(zip(branches, reading, strict=False)):
        if branch[0] != read[0]:
            return branches[place:]
        if branch[1] is not read[1]:
            return None
    return branches[len(reading) :]


def set_in(tree: Choice | str | None, conditions: Sequence[tuple[str, bool]], value: str) -> Choice | str | None:
    """A variable's values after it is set under conditions."""
    if not conditions:
        return value
    (condition, holds), *rest = conditions
    same = isinstance(tree, Choice) and tree.condition == condition
    yes, no = (tree.yes, tree.no) if isinstance(tree, Choice) and same else (tree, tree)
    made = Choice(condition, set_in(yes, rest, value) if holds else yes, no if holds else set_in(no, rest, value))
    return made.yes if made.yes == made.no else made


def is_whole(tree: Choice | str | None) -> bool:
    """Whether a variable is set on every way."""
    return isinstance(tree, str) or (isinstance(tree, Choice) and is_whole(tree.yes) and is_whole(tree.no))


def shown(tree: Choice | str | None) -> str:
    """The values as one text."""
    if isinstance(tree, Choice):
        return f"({tree.condition} ? {shown(tree.yes)} : {shown(tree.no)})"
    return tree if tree is not None else "unset"
