"""Syntax trees of our own: what tree-sitter found, as records that are made once and never change.

A node's children are read from the parser when somebody first asks for them, so that a file whose methods nobody
looks into costs no more than its declarations. From then on they are plain tuples.

Kinds of nodes and fields are those of ``tree-sitter-java``: a test compares all that are asked for with the grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from tree_sitter import Node as ParsedNode

from checker.extract.texts import tokens

NodeKind: TypeAlias = str
"""The kind of a node: the name that the grammar gives it, ``ERROR`` where the source does not parse. Of a keyword,
operator or punctuation it is the text."""
FieldName: TypeAlias = str
"""The name of a field by which a node knows a child."""
COMMENTS: Final[frozenset[NodeKind]] = frozenset({"line_comment", "block_comment"})
_NONE: Final[tuple[Node, ...]] = ()
_NO_FIELDS: Final[Mapping[FieldName, Node]] = {}


class Node:
    """One node of a syntax tree."""

    __slots__ = (
        "_field_names",
        "_fields",
        "_parsed",
        "_source",
        "children",
        "end_byte",
        "is_missing",
        "is_named",
        "named_children",
        "parent",
        "parts",
        "start_byte",
        "text",
        "type",
    )

    type: NodeKind
    """Its kind, as the grammar calls it: ``method_invocation``; of a token that has no name, its text."""
    start_byte: int
    """Where it starts in the file's UTF-8."""
    end_byte: int
    """Where it ends: the first byte behind it."""
    is_named: bool
    """Whether the grammar names its kind; punctuation and keywords are not named."""
    is_missing: bool
    """Whether the parser put it in to go on after an error."""
    parent: Node | None
    """The node around it, None of the root."""
    children: tuple[Node, ...]
    """All nodes directly inside of it."""
    named_children: tuple[Node, ...]
    """The children that are named."""
    parts: tuple[Node, ...]
    """The named children that are no comments."""
    text: str
    """Its source text."""
    _fields: Mapping[FieldName, Node]
    _field_names: tuple[FieldName | None, ...]

    def __init__(self, parsed: ParsedNode, source: bytes, parent: Node | None) -> None:
        self.type = parsed.type
        self.start_byte = parsed.start_byte
        self.end_byte = parsed.end_byte
        self.is_named = parsed.is_named
        self.is_missing = parsed.is_missing
        self.parent = parent
        self._source = source
        self._parsed = parsed if parsed.child_count else None
        if self._parsed is None:
            self.children = self.named_children = self.parts = _NONE
            self._fields = _NO_FIELDS
            self._field_names = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Called for slots that were not accessed yet."""
            if name == "text":
                self.text = self._source[self.start_byte : self.end_byte].decode("utf-8", "replace")
                return self.text
            if name in ("children", "named_children", "parts", "_fields", "_field_names"):
                self._read()
                return getattr(self, name)
            raise AttributeError(name)

    def _read(self) -> None:
        """Take the children over from the parser."""
        parsed = self._parsed
        assert parsed is not None
        found = [Node(child, self._source, self) for child in parsed.children]
        names = [parsed.field_name_for_child(place) for place in range(len(found))]
        if self.type == "switch_rule":
            found[0]._give_function_to(found)
        self.children = tuple(found)
        named = [child for child in found if child.is_named]
        self.named_children = self.children if len(named) == len(found) else tuple(named)
        parts = [child for child in named if child.type not in COMMENTS]
        self.parts = self.named_children if len(parts) == len(named) else tuple(parts)
        self._field_names = tuple(names)
        fields = {name: child for name, child in zip(reversed(names), reversed(found), strict=True) if name is not None}
        self._fields = fields or _NO_FIELDS  # many nodes have none, and most are kept as long as their file
        self._parsed = None

    def _give_function_to(self, rule: list[Node]) -> None:
        """``case A -> x -> f(x)``: the grammar reads ``A -> x`` as the label and ``f(x)`` as what it leads to."""
        function, (_, arrow, statement) = self.children[-1], rule
        if function.type != "lambda_expression":
            return
        constant, rule[1], parameter = function.children
        if parameter.type == "parenthesized_expression":
            parameter.type = "inferred_parameters"
        body, *rest = statement.children
        function._become((parameter, arrow, body), ("parameters", None, "body"))
        statement._become((function, *rest), (None,) * len(statement.children))
        self._become((*self.children[:-1], constant), self._field_names)

    def _become(self, inside: tuple[Node, ...], names: tuple[FieldName | None, ...]) -> None:
        """Hold other nodes than the parser says."""
        for child in inside:
            child.parent = self
        self.children, self._field_names = inside, names
        self.named_children = self.parts = tuple(child for child in inside if child.is_named)
        self._fields = {name: child for name, child in zip(names, inside, strict=True) if name is not None}
        self.start_byte, self.end_byte = inside[0].start_byte, inside[-1].end_byte

    @property
    def id(self) -> int:
        """Its identity, valid for as long as the node lives."""
        return id(self)

    def field(self, name: FieldName) -> Node | None:
        """The child in a field of the grammar, the first of several, None where absent."""
        return self._fields.get(name)

    def fields(self, name: FieldName) -> list[Node]:
        """All children in a field of the grammar."""
        return [child for child, own in zip(self.children, self._field_names, strict=True) if own == name]

    def __repr__(self) -> str:
        return f"<{self.type} {self.start_byte}..{self.end_byte}>"


def text(node: Node | None) -> str:
    """The source text of a node, empty for None."""
    return node.text if node is not None else ""


_OF_WORDS = re.compile(r"[\w$]")


def code_text(node: Node) -> str:
    """The source text of a node without comments and layout: only words that would be one have a space between."""
    found = [""]
    for token in tokens(text(node).encode("utf-8", "replace")):
        apart = _OF_WORDS.match(token.text) and _OF_WORDS.match(found[-1][-1:])
        found += [" ", token.text] if apart else [token.text]
    return "".join(found)


def children(node: Node) -> tuple[Node, ...]:
    """Named children without comments."""
    return node.parts


def field(node: Node, name: FieldName) -> Node | None:
    """The child in a field of the grammar, None where absent."""
    return node._fields.get(name)


def walk(node: Node, without: frozenset[NodeKind] = frozenset()) -> Iterator[Node]:
    """The node and all named nodes below it but those of some kinds, in source order, without recursion."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        below = current.named_children
        pending.extend(reversed([n for n in below if n.type not in without] if without else below))


def above(node: Node, *ends: NodeKind) -> Iterator[Node]:
    """The nodes around a node, nearest first, up to one of some kinds, which is left out."""
    current = node.parent
    while current is not None and current.type not in ends:
        yield current
        current = current.parent


def broken(node: Node) -> bool:
    """Whether the node, or any below it, does not parse."""
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type == "ERROR" or current.is_missing:
            return True
        pending.extend(current.children)
    return False


TYPE_DECLARATIONS: Final[frozenset[NodeKind]] = frozenset({
    "class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
    "annotation_type_declaration",
})  # fmt: skip


def annotations_of(node: Node) -> Iterator[tuple[str, Node]]:
    """The annotations of a class, field, method or parameter: their simple names and nodes."""
    for holder in node.children:
        if holder.type == "modifiers":
            for part in holder.children:
                if part.type in ("annotation", "marker_annotation"):
                    yield text(field(part, "name")).rpartition(".")[2], part


def elements(annotation: Node) -> dict[str, Node]:
    """What an annotation is given, by name; a single unnamed one is called ``value``."""
    given = field(annotation, "arguments")
    found: dict[str, Node] = {}
    for part in children(given) if given is not None else ():
        name, value = field(part, "key"), field(part, "value")
        if part.type == "element_value_pair" and value is not None:
            found[text(name)] = value
        elif part.type != "element_value_pair":
            found["value"] = part
    return found
