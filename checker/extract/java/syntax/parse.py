"""Java source to tree-sitter trees, and the few things everybody asks of a node.

Contract for those who read trees: ``parse(path, data)`` never fails, whatever the bytes are. Broken syntax leaves
``ERROR`` nodes behind (``SourceUnit.errors`` says where); a file beyond ``MAX_FILE_BYTES`` or with nesting that
no person writes is not parsed at all (``SourceUnit.refused`` says why, the tree is then an empty program).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import tree_sitter_java
from tree_sitter import Language, Node, Parser, Tree

from checker.model.topology import Location

MAX_FILE_BYTES: Final = 3_000_000
"""Larger files are generated; nobody declares a pipeline in one."""

_LANGUAGE: Final = Language(tree_sitter_java.language())
_COMMENTS: Final = frozenset({"line_comment", "block_comment"})


@dataclass(frozen=True, eq=False)
class SourceUnit:
    """One parsed compilation unit. ``data`` is always UTF-8, whatever the file's encoding was."""

    path: str
    data: bytes
    tree: Tree
    refused: str | None = None

    @property
    def root(self) -> Node:
        """The ``program`` node."""
        return self.tree.root_node

    @cached_property
    def errors(self) -> tuple[Location, ...]:
        """Where the file does not parse: the outermost broken places, at most ten."""
        found: list[Location] = []
        pending = [self.root] if self.root.has_error else []
        while pending and len(found) < 10:
            node = pending.pop()
            if node.is_error or node.is_missing:
                found.append(self.location(node))
            else:
                pending.extend(child for child in reversed(node.children) if child.has_error or child.is_missing)
        return tuple(found)

    @cached_property
    def _line_starts(self) -> tuple[int, ...]:
        return (0, *(match.end() for match in re.finditer(rb"\n", self.data)))

    def location(self, node: Node) -> Location:
        """Line and column (in characters) where the node starts, both counted from 1."""
        row, column = node.start_point
        start = self._line_starts[row] if row < len(self._line_starts) else 0
        characters = len(self.data[start : start + column].decode("utf-8", "replace"))
        return Location(self.path, row + 1, characters + 1)


def parse(path: str, data: bytes) -> SourceUnit:
    """Parse one file. Never raises for bad content."""
    if len(data) > MAX_FILE_BYTES:
        reason = f"{path} has {len(data):,} bytes, more than the {MAX_FILE_BYTES:,} that are read as Java source"
        return SourceUnit(path, b"", Parser(_LANGUAGE).parse(b""), reason)
    clean = to_utf8(data)
    return SourceUnit(path, clean, Parser(_LANGUAGE).parse(clean))


def to_utf8(data: bytes) -> bytes:
    """The bytes as UTF-8 without a byte order mark: what is no UTF-8 or UTF-16 is read as Latin-1."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1").encode("utf-8")
    return data


def text(node: Node | None) -> str:
    """The source text of a node, empty for None."""
    raw = node.text if node is not None else None
    return raw.decode("utf-8", "replace") if raw is not None else ""


def children(node: Node) -> list[Node]:
    """Named children without comments."""
    return [child for child in node.named_children if child.type not in _COMMENTS]


def field(node: Node, name: str) -> Node | None:
    """The child in a field of the grammar, None where absent."""
    return node.child_by_field_name(name)


def walk(node: Node, *, into_classes: bool = True) -> Iterator[Node]:
    """The node and all named nodes below it, in source order, without recursion."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        if not into_classes and current is not node and current.type in TYPE_DECLARATIONS | {"class_body"}:
            continue
        pending.extend(reversed(current.named_children))


TYPE_DECLARATIONS: Final = frozenset(
    {
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    }
)

_ESCAPE: Final = re.compile(r"\\(u+[0-9a-fA-F]{4}|[0-3]?[0-7]{1,2}|.|\n)", re.DOTALL)
_SIMPLE_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b", "r": "\r", "f": "\f", "s": " ", "\n": ""}


def _unescape(match: re.Match[str]) -> str:
    body = match.group(1)
    if body[0] == "u" and len(body) > 1:
        return chr(int(body.lstrip("u"), 16))
    if body[0] in "01234567":
        return chr(int(body, 8))
    return _SIMPLE_ESCAPES.get(body, body)


def string_literal(source: str) -> str:
    """The value of a Java string literal or text block, given with its quotes."""
    if source.startswith('"""'):
        return _ESCAPE.sub(_unescape, _strip_text_block(source[3:-3]))
    return _join_surrogates(_ESCAPE.sub(_unescape, source[1:-1]))


def _join_surrogates(value: str) -> str:
    if any("\ud800" <= char <= "\udfff" for char in value):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return value


def _strip_text_block(body: str) -> str:
    lines = body.replace("\r\n", "\n").split("\n")[1:]
    relevant = [line for line in lines[:-1] if line.strip()] + lines[-1:]
    indent = min((len(line) - len(line.lstrip()) for line in relevant), default=0)
    return "\n".join(line[indent:].rstrip() for line in lines)


def char_literal(source: str) -> str:
    """The value of a Java character literal, given with its quotes."""
    return _ESCAPE.sub(_unescape, source[1:-1])
