"""Java source to syntax trees, and the values of its literals.

Contract for those who read trees: a ``SourceUnit`` never fails, whatever the bytes are. Broken syntax leaves
``ERROR`` nodes behind (``SourceUnit.errors`` says where); a file beyond ``MAX_FILE_BYTES`` or with nesting that
no person writes is not parsed at all (``SourceUnit.refused`` says why, the tree is then an empty program).
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import tree_sitter_java
from tree_sitter import Language, Parser
from tree_sitter import Node as ParsedNode

from checker.extract.java.syntax.tree import TYPE_DECLARATIONS, Node
from checker.model.unknowns import Location

MAX_FILE_BYTES: Final = 3_000_000
"""Larger files are generated code, which declares no pipelines."""

_LANGUAGE: Final = Language(tree_sitter_java.language())
_SIGN_BEHIND_NAME: Final = re.compile(
    rb"(?P<name>\(\s*+[\w$\x80-\xff]++(?:\s*+\.\s*+[\w$\x80-\xff]++)++\s*+\))"
    rb"(?:\s|/\*(?:[^*]|\*(?!/))*+\*/|//[^\n]*+\n)*+[-+]",
    re.DOTALL,
)
"""``(a.b) +``: the grammar takes it for a cast of ``+…``. Only primitive types are cast so (JLS 15.16)."""


def _is_no_cast(root: ParsedNode, start: int, end: int) -> bool:
    """Whether the parentheses there are those of a cast to a class, of a value with a sign."""
    cast = root.descendant_for_byte_range(start, end)
    value = None if cast is None or cast.type != "cast_expression" else cast.child_by_field_name("value")
    operator = None if value is None or value.type != "unary_expression" else value.child_by_field_name("operator")
    return operator is not None and operator.type in ("+", "-")


@dataclass(frozen=True, eq=False)
class SourceUnit:
    """One compilation unit, read and parsed when somebody first asks for its text or its tree."""

    path: str
    read: Callable[[], bytes]

    @property
    def data(self) -> bytes:
        """Its text as UTF-8, whatever the file's encoding was; nothing of a file that is refused."""
        return self._content[0]

    @property
    def refused(self) -> str | None:
        """Why the file is not parsed at all, None where it is."""
        return self._content[1]

    @cached_property
    def _content(self) -> tuple[bytes, str | None]:
        data = self.read()
        if len(data) > MAX_FILE_BYTES:
            more = f"more than the {MAX_FILE_BYTES:,} that are read as Java source"
            return b"", f"{self.path} has {len(data):,} bytes, {more}"
        return to_utf8(data), None

    @cached_property
    def root(self) -> Node:
        """The ``program`` node."""
        return Node(self._parsed, self.data, None)

    @property
    def _parsed(self) -> ParsedNode:
        """What the parser makes of the file, with sums that it takes for casts read as sums."""
        parsed = Parser(_LANGUAGE).parse(self.data).root_node
        names = [found.span("name") for found in _SIGN_BEHIND_NAME.finditer(self.data)]
        mistaken = [span for span in names if _is_no_cast(parsed, *span)]
        if not mistaken:
            return parsed
        data = bytearray(self.data)
        for start, end in mistaken:
            data[start], data[end - 1] = b"  "
        return Parser(_LANGUAGE).parse(bytes(data)).root_node

    def declaration(self, place: int) -> Node:
        """The declaration of a class that starts at a byte. Raises KeyError where none does."""
        node: Node | None = self.root
        while node is not None and (node.start_byte != place or node.type not in TYPE_DECLARATIONS):
            node = next((child for child in node.children if child.start_byte <= place < child.end_byte), None)
        if node is None:
            raise KeyError(place)
        return node

    @cached_property
    def errors(self) -> tuple[Location, ...]:
        """Where the file does not parse: the outermost broken places, at most ten."""
        found: list[Location] = []
        pending = [self._parsed]
        while pending and len(found) < 10:
            node = pending.pop()
            if node.is_error or node.is_missing:
                found.append(self._at(node.start_byte))
            elif node.has_error:
                pending.extend(reversed(node.children))
        return tuple(found)

    @cached_property
    def _line_starts(self) -> tuple[int, ...]:
        return (0, *(match.end() for match in re.finditer(rb"\n", self.data)))

    def line(self, place: int) -> int:
        """The line of a byte, counted from 1."""
        return bisect_right(self._line_starts, place)

    def location(self, node: Node) -> Location:
        """Line and column (in characters) where the node starts, both counted from 1."""
        found = self._locations.get(node.start_byte)
        if found is None:
            found = self._locations[node.start_byte] = self._at(node.start_byte)
        return found

    @cached_property
    def _locations(self) -> dict[int, Location]:
        """Places that were asked for before: the same call is evaluated many times."""
        return {}

    def _at(self, place: int) -> Location:
        line = self.line(place)
        characters = len(self.data[self._line_starts[line - 1] : place].decode("utf-8", "replace"))
        return Location(self.path, line, characters + 1)

    def innermost(self, location: Location) -> Node:
        """The smallest node around a place of the file."""
        lines = self._line_starts
        start = lines[location.line - 1] if location.line <= len(lines) else len(self.data)
        before = self.data[start:].decode("utf-8", "replace")[: location.column - 1]
        place = start + len(before.encode("utf-8"))
        node = self.root
        while True:
            inner = next((child for child in node.children if child.start_byte <= place < child.end_byte), None)
            if inner is None:
                return node
            node = inner


def to_utf8(data: bytes) -> bytes:
    """The bytes as UTF-8 without a byte order mark: what is not UTF-8 or UTF-16 is read as Latin-1."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1").encode("utf-8")
    return data


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
    value = _ESCAPE.sub(_unescape, source[1:-1])
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
