"""The kinds of nodes that the Java reader asks for are those of the grammar."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import tree_sitter_java
from tree_sitter import Language

from checker.extract.java.syntax.tree import FieldName, NamedKind, TokenKind

READER = Path(__file__).parents[2] / "checker" / "extract" / "java"
GRAMMAR = Language(tree_sitter_java.language())


def test_the_kinds_are_those_of_the_grammar() -> None:
    kinds = [number for number in range(GRAMMAR.node_kind_count) if GRAMMAR.node_kind_is_visible(number)]
    named = {GRAMMAR.node_kind_for_id(number) for number in kinds if GRAMMAR.node_kind_is_named(number)}
    tokens = {GRAMMAR.node_kind_for_id(number) for number in kinds if not GRAMMAR.node_kind_is_named(number)}
    assert set(get_args(NamedKind)) == named | {"ERROR"}
    assert set(get_args(TokenKind)) == tokens - named
    assert set(get_args(FieldName)) == {GRAMMAR.field_name_for_id(n + 1) for n in range(GRAMMAR.field_count)}


def test_no_set_holds_a_kind_that_the_grammar_lacks() -> None:
    """A type checker finds a wrong kind behind ``==`` and in annotated tables, but not in a set behind ``in``."""
    known = {*get_args(NamedKind), *get_args(TokenKind)}
    kinds = [(str(path), kind) for path in sorted(READER.rglob("*.py")) for kind in kinds_in_sets(path)]
    assert kinds
    assert [(path, kind) for path, kind in kinds if kind not in known] == []


def kinds_in_sets(path: Path) -> Iterator[str]:
    """The strings of sets and tuples in which the ``type`` of something is looked for."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Attribute) or node.left.attr != "type":
            continue
        for choices in node.comparators:
            if isinstance(choices, ast.Set | ast.Tuple):
                yield from (e.value for e in choices.elts if isinstance(e, ast.Constant) and isinstance(e.value, str))
