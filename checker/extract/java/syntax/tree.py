"""Syntax trees of our own: what tree-sitter found, as records that are made once and never change.

A node's children are read from the parser when somebody first asks for them, so that a file whose methods nobody
looks into costs no more than its declarations. From then on they are plain tuples.

The kinds of nodes and fields of Java's grammar, as types: a name that the grammar does not have is a type error.

They are those of ``tree-sitter-java``; a test compares them with the grammar that is installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from tree_sitter import Node as ParsedNode

NamedKind: TypeAlias = Literal[
    "ERROR", "annotated_type", "annotation", "annotation_argument_list", "annotation_type_body",
    "annotation_type_declaration", "annotation_type_element_declaration", "argument_list", "array_access",
    "array_creation_expression", "array_initializer", "array_type", "assert_statement", "assignment_expression",
    "asterisk", "binary_expression", "binary_integer_literal", "block", "block_comment", "boolean_type",
    "break_statement", "cast_expression", "catch_clause", "catch_formal_parameter", "catch_type", "character_literal",
    "class_body", "class_declaration", "class_literal", "compact_constructor_declaration", "constant_declaration",
    "constructor_body", "constructor_declaration", "continue_statement", "decimal_floating_point_literal",
    "decimal_integer_literal", "dimensions", "dimensions_expr", "do_statement", "element_value_array_initializer",
    "element_value_pair", "enhanced_for_statement", "enum_body", "enum_body_declarations", "enum_constant",
    "enum_declaration", "escape_sequence", "explicit_constructor_invocation", "exports_module_directive",
    "expression_statement", "extends_interfaces", "false", "field_access", "field_declaration", "finally_clause",
    "floating_point_type", "for_statement", "formal_parameter", "formal_parameters", "generic_type", "guard",
    "hex_floating_point_literal", "hex_integer_literal", "identifier", "if_statement", "import_declaration",
    "inferred_parameters", "instanceof_expression", "integral_type", "interface_body", "interface_declaration",
    "labeled_statement", "lambda_expression", "line_comment", "local_variable_declaration", "marker_annotation",
    "method_declaration", "method_invocation", "method_reference", "modifiers", "module_body", "module_declaration",
    "multiline_string_fragment", "null_literal", "object_creation_expression", "octal_integer_literal",
    "opens_module_directive", "package_declaration", "parenthesized_expression", "pattern", "permits", "program",
    "provides_module_directive", "receiver_parameter", "record_declaration", "record_pattern", "record_pattern_body",
    "record_pattern_component", "requires_modifier", "requires_module_directive", "resource",
    "resource_specification", "return_statement", "scoped_identifier", "scoped_type_identifier", "spread_parameter",
    "static_initializer", "string_fragment", "string_interpolation", "string_literal", "super", "super_interfaces",
    "superclass", "switch_block", "switch_block_statement_group", "switch_expression", "switch_label", "switch_rule",
    "synchronized_statement", "template_expression", "ternary_expression", "this", "throw_statement", "throws",
    "true", "try_statement", "try_with_resources_statement", "type_arguments", "type_bound", "type_identifier",
    "type_list", "type_parameter", "type_parameters", "type_pattern", "unary_expression", "underscore_pattern",
    "update_expression", "uses_module_directive", "variable_declarator", "void_type", "while_statement", "wildcard",
    "yield_statement",
]  # fmt: skip
"""Kinds of nodes that the grammar names, and ``ERROR`` for what does not parse."""

TokenKind: TypeAlias = Literal[
    "!", "!=", '"', '"""', "%", "%=", "&", "&&", "&=", "(", ")", "*", "*=", "+", "++", "+=", ",", "-", "--", "-=",
    "->", ".", "...", "/", "/=", ":", "::", ";", "<", "<<", "<<=", "<=", "=", "==", ">", ">=", ">>", ">>=", ">>>",
    ">>>=", "?", "@", "@interface", "[", "\\{", "]", "^", "^=", "abstract", "assert", "break", "byte", "case",
    "catch", "char", "class", "continue", "default", "do", "double", "else", "enum", "exports", "extends", "final",
    "finally", "float", "for", "if", "implements", "import", "instanceof", "int", "interface", "long", "module",
    "native", "new", "non-sealed", "open", "opens", "package", "private", "protected", "provides", "public", "record",
    "requires", "return", "sealed", "short", "static", "strictfp", "switch", "synchronized", "throw", "to",
    "transient", "transitive", "try", "uses", "volatile", "when", "while", "with", "yield", "{", "|", "|=", "||", "}",
    "~",
]  # fmt: skip
"""Keywords, operators and punctuation: their kind is their text."""

NodeKind: TypeAlias = NamedKind | TokenKind
"""The kind of any node."""

FieldName: TypeAlias = Literal[
    "alternative", "arguments", "array", "body", "condition", "consequence", "constructor", "declarator",
    "dimensions", "element", "field", "index", "init", "interfaces", "key", "left", "modifiers", "module", "modules",
    "name", "object", "operand", "operator", "package", "parameters", "pattern", "permits", "provided", "provider",
    "resources", "right", "scope", "superclass", "template_argument", "template_processor", "type", "type_arguments",
    "type_parameters", "update", "value",
]  # fmt: skip
"""Names of the fields by which a node knows its children."""


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
        self.type = cast("NodeKind", parsed.type)
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
        names = [cast("FieldName | None", parsed.field_name_for_child(place)) for place in range(len(found))]
        self.children = tuple(found)
        named = [child for child in found if child.is_named]
        self.named_children = self.children if len(named) == len(found) else tuple(named)
        parts = [child for child in named if child.type not in COMMENTS]
        self.parts = self.named_children if len(parts) == len(named) else tuple(parts)
        self._field_names = tuple(names)
        fields = {name: child for name, child in zip(reversed(names), reversed(found), strict=True) if name is not None}
        self._fields = fields or _NO_FIELDS  # many nodes have none, and most are kept as long as their file
        self._parsed = None

    @property
    def id(self) -> int:
        """Its identity, valid for as long as the node lives."""
        return id(self)

    @property
    def is_error(self) -> bool:
        """Whether the source does not parse here."""
        return self.type == "ERROR"

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
        if current.is_error or current.is_missing:
            return True
        pending.extend(current.children)
    return False


TYPE_DECLARATIONS: Final[frozenset[NodeKind]] = frozenset(
    {
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    }
)


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
