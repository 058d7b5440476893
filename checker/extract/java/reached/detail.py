"""A declaration statement by statement: which were followed, which call something unknown, which only run later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from checker.extract.interpreting.memory import Trace
from checker.extract.java.reached.members import Span
from checker.extract.java.reached.roles import (
    GRAPH_NAMES,
    KEY_CALLS,
    LOOK_UPS,
    PATTERN_CONDITION,
    SERIALIZER_CALLS,
    SERIALIZER_KEYS,
    STATE_NAMES,
)
from checker.extract.java.syntax.compilation_unit import CompilationUnit
from checker.extract.java.syntax.nodes import arguments_of, is_log
from checker.extract.java.syntax.tree import COMMENTS, Node, NodeKind, text, walk
from checker.extract.java.syntax.tree import field as part_of
from checker.model.program_code import Detail, Statement

_LATER: Final[frozenset[NodeKind]] = frozenset(
    {"lambda_expression", "class_body", "class_declaration", "record_declaration"}
)
_LOCALS: Final[frozenset[NodeKind]] = frozenset(
    {"variable_declarator", "formal_parameter", "catch_formal_parameter", "resource", "enhanced_for_statement",
     "instanceof_expression", "type_pattern", "record_pattern_component"}
)  # fmt: skip
STATEMENTS: Final[frozenset[NodeKind]] = frozenset(
    {
        "local_variable_declaration", "expression_statement", "return_statement", "throw_statement", "if_statement",
        "while_statement", "for_statement", "enhanced_for_statement", "do_statement", "try_statement",
        "try_with_resources_statement", "synchronized_statement", "labeled_statement", "yield_statement",
        "assert_statement", "break_statement", "continue_statement", "explicit_constructor_invocation",
    }
)  # fmt: skip
_MARKED_LOCALS: Final[frozenset[NodeKind]] = frozenset(
    {"formal_parameter", "catch_formal_parameter", "local_variable_declaration", "enhanced_for_statement", "resource"}
)
_WHOLE_LEAVES: Final[frozenset[NodeKind]] = frozenset({"string_literal", "character_literal"})
_NAMES: Final[frozenset[NodeKind]] = frozenset({"identifier", "type_identifier"})
_GIVEN: Final[frozenset[NodeKind]] = frozenset(
    {"lambda_expression", "method_reference", "object_creation_expression", "type_arguments", "class_literal"}
)


@dataclass(frozen=True, slots=True)
class Followed:
    """What was followed in one file, by places."""

    executed: AbstractSet[int] = frozenset()
    gaps: AbstractSet[int] = frozenset()
    repeated: AbstractSet[int] = frozenset()
    """Lines of descriptors that say what another one says."""

    @classmethod
    def of(cls, trace: Trace, path: str) -> Followed:
        """What a trace has of a file."""
        repeated = frozenset(line for file, line in trace.repeated if file == path)
        return cls(trace.executed.get(path, frozenset()), trace.gaps.get(path, frozenset()), repeated)


@dataclass(eq=False)
class _Open:
    """A statement while its parts are collected."""

    node: Node
    deferred: bool
    in_key: bool
    leaves: list[Node] = field(default_factory=list)
    inner: list[Node] = field(default_factory=list)
    """Its expressions."""


def detail_of(unit: CompilationUnit, span: Span, followed: Followed, *, whole: bool) -> Detail:
    """Look at a declaration. ``whole``: it has no statements."""
    texts = _Texts(unit, frozenset() if whole else _locals_of(span.node))
    opened = [s for s in _opened(span, whole=whole) if s.leaves]
    leaves = sorted((leaf for s in opened for leaf in s.leaves), key=lambda leaf: leaf.start_byte)
    return Detail(normal=texts.of(leaves), statements=tuple(_statement(texts, s, followed) for s in opened))


def _locals_of(node: Node) -> frozenset[str]:
    """Names of local variables and parameters."""
    names: set[str] = set()
    for child in walk(node):
        around = None if child.parent is None else child.parent.type
        of_class = child.type == "variable_declarator" and around in ("field_declaration", "constant_declaration")
        if child.type in _LOCALS and not of_class:
            names.add(text(part_of(child, "name")))
        elif child.type == "lambda_expression":
            parameters = part_of(child, "parameters")
            if parameters is not None and parameters.type in ("identifier", "inferred_parameters"):
                names.update(text(n) for n in walk(parameters) if n.type == "identifier")
    names.discard("")
    return frozenset(names)


@dataclass(frozen=True)
class _Texts:
    """Code of a declaration as texts that are equal where the code is: names in full, local variables by numbers."""

    unit: CompilationUnit
    local: frozenset[str]

    def of(self, leaves: Iterable[Node]) -> str:
        """The text of some leaves. Local variables are numbered in the order of their first use."""
        numbers: dict[str, str] = {}
        found: list[str] = []
        for leaf in leaves:
            name = leaf.text
            if leaf.type in _NAMES and not _is_member(leaf):
                name = numbers.setdefault(name, f"${len(numbers)}") if name in self.local else self.in_full(leaf)
            found.append(name)
        return " ".join(found)

    def in_full(self, leaf: Node) -> str:
        """An imported name as what it names; any other as it is written."""
        name, imports, statics = leaf.text, self.unit.full_names, self.unit.static_imports
        return imports.get(name) or (f"{statics[name][0]}.{name}" if name in statics else name)


def _is_member(leaf: Node) -> bool:
    """Whether a name is that of a member of something, or of a method that is called."""
    around = leaf.parent
    if around is None:
        return False
    if around.type == "method_invocation":
        return part_of(around, "name") is leaf
    return (
        around.type in ("field_access", "scoped_type_identifier", "scoped_identifier")
        and around.children[0] is not leaf
    )


def _leaves(node: Node) -> Iterator[Node]:
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type in _WHOLE_LEAVES or not current.children:
            if _says_something(current):
                yield current
        else:
            pending.extend(reversed(current.children))


def _says_something(leaf: Node) -> bool:
    """Whether code means another thing without a leaf: not for comments, nor for a local variable's ``final``."""
    marks = leaf.parent if leaf.type == "final" else None
    of_local = marks is not None and marks.parent is not None and marks.parent.type in _MARKED_LOCALS
    return not of_local and leaf.type not in COMMENTS and leaf.end_byte > leaf.start_byte


def _opened(span: Span, *, whole: bool) -> list[_Open]:
    """The declaration itself, then its statements in the order in which they start."""
    root = _Open(span.node, deferred=False, in_key=False)
    if whole:
        root.leaves = [leaf for leaf in _leaves(span.node) if span.start <= leaf.start_byte < span.end]
        return [root]
    found = [root]
    pending = [(span.node, root, False, False)]
    while pending:
        node, around, later, in_key = pending.pop()
        if node.type in STATEMENTS:
            around = _Open(node, later, in_key)
            found.append(around)
        if node.type in _WHOLE_LEAVES or not node.children:
            if _says_something(node):
                around.leaves.append(node)
            continue
        around.inner.append(node)
        later = later or node.type in _LATER
        arguments = part_of(node, "arguments") if _chooses_keys(node) else None
        pending.extend((child, around, later, in_key or child is arguments) for child in reversed(node.children))
    return found


def _chooses_keys(node: Node) -> bool:
    called = node.type == "method_invocation" and text(part_of(node, "name")) in KEY_CALLS
    return called and not any(PATTERN_CONDITION.match(text(argument)) for argument in arguments_of(node)[:1])


def _statement(texts: _Texts, opened: _Open, followed: Followed) -> Statement:
    node, source = opened.node, texts.unit.source
    places = {leaf.start_byte for leaf in opened.leaves}
    names = frozenset(leaf.text for leaf in opened.leaves if leaf.type in _NAMES or leaf.text in ("true", "false"))
    calls = [inner for inner in opened.inner if inner.type == "method_invocation"]
    made = [inner for inner in opened.inner if inner.type == "object_creation_expression"]
    keys = [argument for call in calls if _chooses_keys(call) for argument in arguments_of(call)]
    given = [inner for inner in opened.inner if inner.type in _GIVEN]
    return Statement(
        code=texts.of(opened.leaves),
        location=source.location(node),
        end_line=source.line(node.end_byte),
        names=names,
        qualified=frozenset(_qualified(texts, opened)),
        executed=not places.isdisjoint(followed.executed),
        gap=not places.isdisjoint(followed.gaps),
        looks_up=not names.isdisjoint(LOOK_UPS),
        deferred=opened.deferred,
        logs=is_log(node),
        in_key=opened.in_key,
        touches_state=not names.isdisjoint(STATE_NAMES),
        builds_graph=not names.isdisjoint(GRAPH_NAMES),
        key_names=frozenset(leaf.text for argument in keys for leaf in _leaves(argument) if leaf.type in _NAMES),
        given=frozenset(texts.of(_leaves(part)) for part in (*keys, *given)),
        settings=any(_configures_serializers(call, names) for call in calls),
        registers=tuple(
            line
            for inner in made
            if (line := source.line(inner.start_byte)) not in followed.repeated and _makes_descriptor(inner)
        ),
    )


def _simple_type(made: Node) -> str:
    return text(part_of(made, "type")).partition("<")[0].rpartition(".")[2].strip()


_LISTED = frozenset(
    {"PipelineOptions", "SERIALIZATION_CONFIG", "List", "Arrays", "Collections", "of", "asList", "singletonList"}
)
"""What may stand around the texts of ``pipeline.serialization-config``."""


def _configures_serializers(call: Node, names: frozenset[str]) -> bool:
    given = arguments_of(call)
    leaves = [leaf for argument in given for leaf in _leaves(argument)]
    listed = _LISTED.issuperset(leaf.text for leaf in leaves if leaf.type == "identifier")
    if listed and "{type: " in text(call) and "class" not in text(call):
        return False  # it only registers classes
    if not SERIALIZER_CALLS.isdisjoint(names & {text(part_of(call, "name")), *(leaf.text for leaf in leaves)}):
        return True
    return any(argument.type == "string_literal" and SERIALIZER_KEYS.search(argument.text) for argument in given)


def _qualified(texts: _Texts, opened: _Open) -> Iterator[str]:
    for leaf in opened.leaves:
        if leaf.type in _NAMES and not _is_member(leaf) and "." in (name := texts.in_full(leaf)):
            yield name
    for inner in opened.inner:
        if inner.type in ("scoped_type_identifier", "field_access"):
            yield "".join(text(inner).split())


def _makes_descriptor(made: Node) -> bool:
    """Whether an object is a descriptor of state."""
    return _simple_type(made).endswith("StateDescriptor")
