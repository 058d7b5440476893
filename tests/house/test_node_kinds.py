"""The kinds of nodes and fields that the Java reader asks for are those of the grammar."""

import ast
from collections.abc import Iterator
from pathlib import Path

import tree_sitter_java
from tree_sitter import Language

READER = Path(__file__).parents[2] / "checker" / "extract" / "java"
TREES = [ast.parse(path.read_text()) for path in sorted(READER.rglob("*.py"))]
GRAMMAR = Language(tree_sitter_java.language())
KINDS = {GRAMMAR.node_kind_for_id(number) for number in range(GRAMMAR.node_kind_count)}
FIELDS = {GRAMMAR.field_name_for_id(number + 1) for number in range(GRAMMAR.field_count)}


def test_every_kind_is_one_of_the_grammar() -> None:
    kinds = {kind for tree in TREES for node in ast.walk(tree) for kind in kinds_in(node)}
    assert len(kinds) > 100
    assert sorted(kind for kind in kinds - KINDS if kind.islower()) == []  # classes are compared by ``type``, too


def test_every_field_is_one_of_the_grammar() -> None:
    fields = {name for tree in TREES for node in ast.walk(tree) for name in fields_in(node)}
    assert len(fields) > 20
    assert sorted(fields - FIELDS) == []


def kinds_in(node: ast.AST) -> Iterator[str]:
    """The strings that the ``type`` of something is compared with, and those in what is annotated as holding kinds."""
    if isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute) and node.left.attr == "type":
        yield from texts(*node.comparators)
    elif isinstance(node, ast.Match) and isinstance(node.subject, ast.Attribute) and node.subject.attr == "type":
        yield from texts(*(case.pattern for case in node.cases))
    elif isinstance(node, ast.AnnAssign) and "NodeKind" in ast.unparse(node.annotation) and node.value is not None:
        yield from texts(*(node.value.keys if isinstance(node.value, ast.Dict) else [node.value]))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "above":
        yield from texts(*node.args[1:])


def fields_in(node: ast.AST) -> Iterator[str]:
    """The fields that ``field(node, …)`` is asked for, which may be imported as ``part``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("field", "part"):
        yield from texts(*node.args[1:2])


def texts(*nodes: ast.AST | None) -> Iterator[str]:
    """All strings in some code."""
    for inner in (inner for node in nodes if node is not None for inner in ast.walk(node)):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value
