"""Edits of Java programs that keep their meaning, as people make them: what restores before restores after.

Each takes the files of a program and gives them edited, or None where it does not fit. They work on the text, at places
that a syntax tree names, so that the edited program compiles as the first one does.
"""

import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from checker.extract.java.syntax.parse import SourceUnit
from checker.extract.java.syntax.tree import TYPE_DECLARATIONS, Node, text, walk

Files = dict[str, str]
Refactoring = Callable[[Files, random.Random], Files | None]
_IMPORTS = re.compile(r"^(?:package|import) .*$", re.MULTILINE)


def _sources(files: Files) -> list[str]:
    return sorted(path for path in files if path.endswith(".java"))


def _tree(files: Files, path: str) -> Node:
    return SourceUnit(path, files[path].encode).root


def _spliced(source: str, edits: list[tuple[int, int, str]]) -> str:
    """The text with byte ranges replaced."""
    data = source.encode()
    for start, end, new in sorted(edits, reverse=True):
        data = data[:start] + new.encode() + data[end:]
    return data.decode()


def _nodes(files: Files, kind: str) -> Iterator[tuple[str, Node]]:
    for path in _sources(files):
        yield from ((path, node) for node in walk(_tree(files, path)) if node.type == kind)


def comments(files: Files, rng: random.Random) -> Files | None:
    """A comment in front of a statement, and another layout."""
    places = list(_nodes(files, "expression_statement"))
    if not places:
        return None
    path, node = rng.choice(places)
    note = "// reads the orders\n        /* and\n           more */\n        "
    return {**files, path: _spliced(files[path], [(node.start_byte, node.start_byte, note)])}


def renamed_local(files: Files, rng: random.Random) -> Files | None:
    """Another name for a local variable, everywhere in its method."""
    places = [
        (path, method, text(variable.field("name")))
        for path, method in _nodes(files, "method_declaration")
        for variable in walk(method, TYPE_DECLARATIONS | {"class_body"})
        if variable.type == "variable_declarator"
    ]
    if not places:
        return None
    path, method, name = rng.choice(places)
    uses = [
        (node.start_byte, node.end_byte, f"{name}Renamed")
        for node in walk(method)
        if node.type == "identifier" and text(node) == name and not _member(node)
    ]
    return {**files, path: _spliced(files[path], uses)}


def _member(node: Node) -> bool:
    """Whether an identifier is the name of a method that is called, or of a field of something."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "method_invocation":
        return parent.field("name") == node
    return parent.type == "field_access" and parent.field("field") == node


def reordered(files: Files, rng: random.Random) -> Files | None:
    """Two methods of a class in another order."""
    pairs = []
    for path, body in _nodes(files, "class_body"):
        methods = [child for child in body.named_children if child.type == "method_declaration"]
        pairs.extend((path, upper, lower) for upper, lower in pairwise(methods))
    if not pairs:
        return None
    path, upper, lower = rng.choice(pairs)
    swapped = [(upper.start_byte, upper.end_byte, text(lower)), (lower.start_byte, lower.end_byte, text(upper))]
    return {**files, path: _spliced(files[path], swapped)}


def extracted_constant(files: Files, rng: random.Random) -> Files | None:
    """A text becomes a constant of its class."""
    places = []
    for path, body in _nodes(files, "class_body"):
        top = body.parent is not None and body.parent.parent is not None and body.parent.parent.type == "program"
        if top:
            places.extend((path, body, node) for node in walk(body) if node.type == "string_literal")
    if not places:
        return None
    path, body, literal = rng.choice(places)
    written = text(literal)
    if written.startswith('"""') or (literal.parent is not None and literal.parent.type == "element_value_pair"):
        return None
    if f"private static final String EXTRACTED = {written}" in files[path]:
        return None
    start = body.start_byte + 1
    field = f"\n    private static final String EXTRACTED = {written};\n"
    return {
        **files,
        path: _spliced(files[path], [(start, start, field), (literal.start_byte, literal.end_byte, "EXTRACTED")]),
    }


def extracted_method(files: Files, rng: random.Random) -> Files | None:
    """A statement of main that needs nothing but the environment becomes a method."""
    places = []
    for path, method in _nodes(files, "method_declaration"):
        if text(method.field("name")) != "main":
            continue
        body = method.field("body")
        statements = [c for c in body.named_children if c.type == "expression_statement"] if body is not None else []
        local = {text(v.field("name")) for v in walk(method) if v.type == "variable_declarator"} | {"args"}
        for statement in statements:
            used = {text(n) for n in walk(statement) if n.type == "identifier" and not _member(n)} & local
            if used == {"env"}:
                places.append((path, method, statement))
    if not places:
        return None
    path, method, statement = rng.choice(places)
    head = "private static void extracted(StreamExecutionEnvironment env) throws Exception"
    made = f"\n    {head} {{\n        {text(statement)}\n    }}\n"
    edits = [(statement.start_byte, statement.end_byte, "extracted(env);"), (method.end_byte, method.end_byte, made)]
    return {**files, path: _spliced(files[path], edits)}


def moved_function(files: Files, rng: random.Random) -> Files | None:
    """A nested class of a user function moves to a file of its own."""
    places = []
    for path, node in _nodes(files, "class_declaration"):
        header = text(node).partition("{")[0]
        nested = node.parent is not None and node.parent.type == "class_body"
        inside = {text(n) for n in walk(node) if n.type == "type_identifier"}
        around = {
            text(c.field("name"))
            for c in (node.parent.named_children if nested and node.parent is not None else [])
            if c.type.endswith("_declaration") and c.type != "method_declaration" and c != node
        }
        methods = {
            text(c.field("name"))
            for c in (node.parent.named_children if nested and node.parent is not None else [])
            if c.type == "method_declaration"
        }
        called = {text(n.field("name")) for n in walk(node) if n.type == "method_invocation" and not n.field("object")}
        function = re.search(r"extends (Keyed)?ProcessFunction|extends Rich\w+Function", header)
        alone = inside.isdisjoint(around) or "Order" in inside & around
        if nested and function and alone and called.isdisjoint(methods) and "static" in header:
            places.append((path, node))
    if not places:
        return None
    path, node = rng.choice(places)
    name = text(node.field("name"))
    outer = path.rpartition("/")[2].removesuffix(".java")
    target = f"{path.rpartition('/')[0]}/{name}.java"
    if target in files or re.search(rf"\b{outer}\s*\.\s*{name}\b", files[path]):
        return None
    package = re.search(r"^package ([\w.]+);", files[path], re.MULTILINE)
    lines = _IMPORTS.findall(files[path])
    own = f"import {package.group(1)}.{outer}.*;" if package else ""
    moved = re.sub(r"^((?:public )?)static ", r"\1", text(node))
    return {
        **files,
        path: _spliced(files[path], [(node.start_byte, node.end_byte, "")]),
        target: "\n".join((*lines, own, "", moved, "")),
    }


REFACTORINGS: dict[str, Refactoring] = {
    "comments": comments,
    "renamed local": renamed_local,
    "reordered methods": reordered,
    "extracted constant": extracted_constant,
    "extracted method": extracted_method,
    "moved function": moved_function,
}
