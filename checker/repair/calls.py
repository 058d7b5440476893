"""Edits of fluent calls in Java and Python source: behind the call that makes an operator, or in one already there.

Replacements at exact spans of a file, and the unified diff they make.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import tree_sitter_java
import tree_sitter_python
from tree_sitter import Language, Node, Parser

from checker.extract.datastream.table import makes_operator
from checker.model.topology import Transformation
from checker.model.unknowns import Location
from checker.repair.repairs import CALLS, HASHES_CLASS, Edit, Field, Spelling, java_string, sink_hashes


@dataclass(frozen=True, slots=True, order=True)
class TextEdit:
    """``text`` in place of the bytes ``start`` to ``end`` of a file."""

    file: str
    start: int
    end: int
    text: str


def utf8(data: bytes) -> bytes:
    """A text in UTF-8 as it is. Raises CannotWrite for what is not."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise CannotWrite("the file is not in UTF-8") from None
    return data


def apply_edits(data: bytes, edits: Iterable[TextEdit]) -> bytes:
    """The file with all edits made; insertions at one place follow in the order given.

    Raises ValueError for edits that overlap.
    """
    source = utf8(data)
    parts: list[bytes] = []
    done = 0
    for edit in sorted(dict.fromkeys(edits), key=lambda e: (e.start, e.end)):
        if edit.start < done:
            raise ValueError(f"edits of {edit.file} overlap at byte {edit.start}")
        parts += [source[done : edit.start], edit.text.encode("utf-8")]
        done = edit.end
    return b"".join([*parts, source[done:]])


def unified_diff(file: str, before: bytes, after: bytes) -> str:
    """The change as ``git apply`` and ``patch -p1`` take it; empty where nothing changed."""
    # Not by splitlines, which also breaks at characters that are not line ends to diff: form feeds, U+2028.
    lines = [re.findall(r"[^\n]*\n|[^\n]+", utf8(d).decode("utf-8")) for d in (before, after)]
    plain = file.isprintable() and not {'"', "\\"} & set(file)  # others could hold lines of a diff of their own
    old, new = (name if plain else json.dumps(name) for name in (f"a/{file}", f"b/{file}"))
    made = difflib.unified_diff(lines[0], lines[1], old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in made)


class CannotWrite(Exception):  # noqa: N818 - a reason for people, not an error
    """Why an edit has to be made by hand."""


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How one language spells a fluent call."""

    language: Language
    call: str
    setters: dict[Field, str]
    breaks_lines: bool
    """A call may stand on a line of its own anywhere."""


JAVA = _Dialect(Language(tree_sitter_java.language()), "method_invocation", CALLS[Spelling.JAVA], breaks_lines=True)
PYTHON = _Dialect(Language(tree_sitter_python.language()), "call", CALLS[Spelling.PYTHON], breaks_lines=False)


@dataclass(frozen=True, eq=False)
class Calls:
    """The calls of one source file."""

    file: str
    source: bytes
    dialect: _Dialect

    @cached_property
    def _root(self) -> Node:
        return Parser(self.dialect.language).parse(self.source).root_node

    @cached_property
    def _lines(self) -> list[bytes]:
        return self.source.split(b"\n")

    def edits(self, transformation: Transformation, edits: list[Edit]) -> Iterator[TextEdit]:
        """The text edits that make some edits of one declaration. Raises CannotWrite."""
        insertion = ""
        for edit in edits:
            if edit.field not in self.dialect.setters:
                continue
            argument = str(edit.value) if isinstance(edit.value, int) else java_string(str(edit.value))
            existing = self._existing(transformation, edit.field)
            if existing is not None:
                yield self._removal(existing) if edit.value is None else self._argument(existing, argument)
            elif edit.value is not None:
                insertion += f".{self.dialect.setters[edit.field]}({argument})"
        hashes = [e for e in edits if e.field not in self.dialect.setters]
        if hashes:
            yield self._sink_hashes(transformation, hashes)
        if insertion:
            yield self._behind(self._anchor(transformation), insertion)

    def _existing(self, transformation: Transformation, field: Field) -> Node | None:
        """The call that sets a field already."""
        at = {Field.UID: transformation.uid_location, Field.UID_HASH: transformation.uid_hash_location}.get(field)
        if at is not None:
            return self._call_at(at)
        if field is not Field.MAX_PARALLELISM or transformation.location is None:
            return None
        node: Node | None = self._call_at(transformation.location)
        while node is not None:
            if self._name(node) == self.dialect.setters[field]:
                return node
            node = self._next(node)
            if node is not None and makes_operator(self._name(node)):
                return None
        return None

    def _anchor(self, transformation: Transformation) -> Node:
        """The call behind which to write: ``uid(...)`` where there is one, else the one that makes the operator."""
        if transformation.uid_location is not None:
            return self._call_at(transformation.uid_location)
        if transformation.location is None:
            raise CannotWrite(f"cannot tell where '{transformation.display_name}' is declared")
        call = self._call_at(transformation.location)
        name = self._name(call)
        if not makes_operator(name):
            raise CannotWrite(
                f"{transformation.location}: '{name}' is not a call of the DataStream API; "
                "write it where the operator is made"
            )
        return call

    def _call_at(self, location: Location) -> Node:
        """The call whose name, or which itself, starts at a location."""
        if not 1 <= location.line <= len(self._lines):
            raise CannotWrite(f"{location}: there is no such line any more")
        line = self._lines[location.line - 1].decode("utf-8", "replace")
        column = len(line[: location.column - 1].encode("utf-8"))
        point = (location.line - 1, column)
        node = self._root.named_descendant_for_point_range(point, point)
        while node is not None:
            if node.type == self.dialect.call:
                name = self._name_node(node)
                if (name is not None and name.start_point == point) or node.start_point == point:
                    return node
            node = node.parent
        raise CannotWrite(f"{location}: there is no call")

    def _name_node(self, call: Node) -> Node | None:
        if self.dialect is JAVA:
            return call.child_by_field_name("name")
        function = call.child_by_field_name("function")
        return function.child_by_field_name("attribute") if function is not None else None

    def _name(self, call: Node) -> str:
        node = self._name_node(call)
        raw = node.text if node is not None else None
        return raw.decode("utf-8", "replace") if raw else ""

    def _next(self, call: Node) -> Node | None:
        """The call on this call's result, in the same expression."""
        parent = call.parent
        if self.dialect is JAVA:
            fluent = parent is not None and parent.type == JAVA.call and parent.child_by_field_name("object") == call
            return parent if fluent else None
        if parent is None or parent.type != "attribute" or parent.parent is None:
            return None
        outer = parent.parent
        return outer if outer.type == PYTHON.call and outer.child_by_field_name("function") == parent else None

    def _dot(self, call: Node) -> Node | None:
        holder = call if self.dialect is JAVA else call.child_by_field_name("function")
        return next((c for c in holder.children if c.type == "."), None) if holder is not None else None

    def _behind(self, call: Node, text: str) -> TextEdit:
        """Write behind a call, on a line of its own where the neighbours do."""
        end = call.end_byte
        for neighbour in (self._next(call), call):
            dot = self._dot(neighbour) if neighbour is not None and self.dialect.breaks_lines else None
            if dot is not None and not self._lines[dot.start_point[0]][: dot.start_point[1]].strip():
                line = self._lines[dot.start_point[0]]
                indent = line[: dot.start_point[1]].decode("utf-8", "replace")
                newline = "\r\n" if line.endswith(b"\r") else "\n"
                return TextEdit(self.file, end, end, f"{newline}{indent}{text}")
        return TextEdit(self.file, end, end, text)

    def _arguments(self, call: Node) -> Node:
        arguments = call.child_by_field_name("arguments")
        if arguments is None:
            raise CannotWrite(f"{self.file}:{call.start_point[0] + 1}: the call has no arguments")
        return arguments

    def _argument(self, call: Node, text: str) -> TextEdit:
        """Another value for the only argument."""
        arguments = self._arguments(call)
        return TextEdit(self.file, arguments.start_byte + 1, arguments.end_byte - 1, text)

    def _removal(self, call: Node) -> TextEdit:
        """Take a call out of its chain, with the line break before it."""
        holder = call if self.dialect is JAVA else call.child_by_field_name("function")
        receiver = holder.child_by_field_name("object") if holder is not None else None
        if receiver is None or (self._next(call) is None and receiver.type in ("identifier", "field_access")):
            raise CannotWrite(f"{self.file}:{call.start_point[0] + 1}: remove this statement by hand")
        return TextEdit(self.file, receiver.end_byte, call.end_byte, "")

    def _sink_hashes(self, transformation: Transformation, edits: list[Edit]) -> TextEdit:
        """``CustomSinkOperatorUidHashes`` as the second argument of ``sinkTo``."""
        if self.dialect is not JAVA or transformation.location is None:
            raise CannotWrite(f"'{transformation.display_name}': {HASHES_CLASS} can only be given in Java")
        call = self._call_at(transformation.location)
        if self._name(call) != "sinkTo":
            raise CannotWrite(f"{transformation.location}: '{self._name(call)}' takes no uid hashes; use sinkTo")
        arguments = self._arguments(call)
        given = arguments.named_children
        if len(given) == 2:
            return TextEdit(self.file, given[1].start_byte, given[1].end_byte, sink_hashes(edits))
        end = arguments.end_byte - 1
        return TextEdit(self.file, end, end, f", {sink_hashes(edits)}")
