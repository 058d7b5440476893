"""A declaration statement by statement: which were followed, which call something unknown, which only run later."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from checker.extract.interpreting.trace import Trace
from checker.extract.java.reached.members import Members, Span, in_full
from checker.extract.java.reached.roles import (
    GRAPH_NAMES,
    KEY_CALLS,
    LOOK_UPS,
    PATTERN_CONDITION,
    SERIALIZER_CALLS,
    SERIALIZER_KEYS,
    STATE_GETTERS,
    STATE_NAMES,
)
from checker.extract.java.syntax.compilation_unit import CompilationUnit
from checker.extract.java.syntax.kinds import NodeKind
from checker.extract.java.syntax.tokens import Token, tokens
from checker.extract.java.syntax.tree import Node, above, text, walk
from checker.extract.java.syntax.tree import field as part_of
from checker.model.program_code import Detail, Key, Statement

_LATER: Final[frozenset[NodeKind]] = frozenset(
    {"lambda_expression", "class_body", "class_declaration", "record_declaration"}
)
_CALLED_LATER: Final[frozenset[NodeKind]] = frozenset({"lambda_expression", "class_body"})
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
LOGS = re.compile(r"^(?:this \. )?(?:LOG|LOGGER|log|logger|Log|System \. (?:out|err))\b \. \w+ \(")
_TYPED: Final[frozenset[NodeKind]] = frozenset({"lambda_expression", "method_reference", "object_creation_expression"})
_TYPE_CALLS = frozenset({"returns", "getProducedType", "process", "map", "flatMap", "aggregate", "reduce", "apply"})

_DECLARATIONS: Final[frozenset[NodeKind]] = frozenset(
    {"method_declaration", "constructor_declaration", "lambda_expression", "field_declaration", "class_body"}
)
_CONDITIONAL: Final = frozenset(
    {"if_statement", "for_statement", "enhanced_for_statement", "while_statement", "do_statement",
     "switch_expression", "switch_block_statement_group", "catch_clause", "ternary_expression"}
)  # fmt: skip
_EXITS: Final = frozenset({"return_statement", "throw_statement"})


@dataclass(eq=False)
class _Open:
    """A statement while its tokens are collected."""

    node: Node
    deferred: bool
    in_key: bool
    depth: int = 0
    numbers: list[int] = field(default_factory=list)
    """Numbers of its tokens."""


@dataclass(frozen=True, slots=True)
class Followed:
    """What was followed in one file, by places."""

    executed: AbstractSet[int] = frozenset()
    gaps: AbstractSet[int] = frozenset()
    libraries: AbstractSet[int] = frozenset()
    """Names of calls that only libraries answered."""

    @classmethod
    def of(cls, trace: Trace, path: str) -> Followed:
        """What a trace has of a file."""
        answered = trace.libraries.get(path, {})
        libraries = frozenset(place for place, by_library in answered.items() if by_library)
        return cls(trace.executed.get(path, frozenset()), trace.gaps.get(path, frozenset()), libraries)


def detail_of(unit: CompilationUnit, span: Span, followed: Followed, *, whole: bool) -> Detail:
    """Look at a declaration. ``whole``: it has no statements."""
    node = span.node
    found = tokens(unit.source.data, span.start, span.end)
    texts = numbered(found, in_full(found, unit), frozenset() if whole else locals_of(node))
    opened = _Open(node, deferred=False, in_key=False)
    statements = [opened] if whole else _statements(node, opened)
    _deal(found, statements)
    later = [] if whole else [(n.start_byte, n.end_byte) for n in walk(node) if n.type in _CALLED_LATER]
    described = tuple(
        _statement(unit, statement, found, texts, followed, later) for statement in statements if statement.numbers
    )
    return Detail(
        normal=" ".join(texts),
        statements=described,
        executed=any(s.executed and not s.deferred for s in described),
    )


def key_words(members: Members, key: Key, *, whole: bool) -> frozenset[str]:
    """Names in the arguments of a declaration's calls that choose keys, whatever was followed of it."""
    kept = members.key_words
    if key not in kept:
        statements = detail_of(members.unit, members.spans[key], Followed(), whole=whole).statements
        words = {word for s in statements for text in s.keys for word in re.findall(r"\w+", text)}
        kept[key] = frozenset(words.union(*(s.names for s in statements if s.in_key)))
    return kept[key]


def locals_of(node: Node) -> frozenset[str]:
    """Names of local variables and parameters."""
    names: set[str] = set()
    for child in walk(node):
        if child.type in _LOCALS and not (child.type == "variable_declarator" and _is_field(child)):
            names.add(text(part_of(child, "name")))
        elif child.type == "lambda_expression":
            parameters = part_of(child, "parameters")
            if parameters is not None and parameters.type in ("identifier", "inferred_parameters"):
                names.update(text(n) for n in walk(parameters) if n.type == "identifier")
    names.discard("")
    return frozenset(names)


def _is_field(node: Node) -> bool:
    return node.parent is not None and node.parent.type in ("field_declaration", "constant_declaration")


def numbered(found: list[Token], texts: list[str], local: frozenset[str]) -> list[str]:
    """Local variables by the order of their first use: a consistent new name makes no difference."""
    numbers: dict[str, str] = {}
    result = list(texts)
    for place, token in enumerate(found):
        if token.kind != "name" or token.text not in local:
            continue
        after_dot = place > 0 and found[place - 1].text == "."
        called = place + 1 < len(found) and found[place + 1].text == "("
        if not after_dot and not called:
            result[place] = numbers.setdefault(token.text, f"${len(numbers)}")
    return result


def _statements(node: Node, root: _Open) -> list[_Open]:
    """The declaration itself, then its statements in the order in which they start."""
    found = [root]
    pending: list[tuple[Node, bool, bool, int]] = [(child, False, False, 0) for child in reversed(node.children)]
    while pending:
        current, deferred, in_key, depth = pending.pop()
        if current.type in STATEMENTS:
            found.append(_Open(current, deferred, in_key, depth))
            depth += 1
        if current.type in _LATER:
            deferred = True
        keys = current.type == "method_invocation" and text(part_of(current, "name")) in KEY_CALLS
        arguments = part_of(current, "arguments") if keys else None
        if arguments is not None and PATTERN_CONDITION.match(text(arguments).lstrip("( \n\t")):
            arguments = None
        for child in reversed(current.children):
            inside = arguments is not None and child == arguments
            pending.append((child, deferred, in_key or inside, depth))
    return found


def _deal(found: list[Token], statements: list[_Open]) -> None:
    """Give each token to the innermost statement around it."""
    stack: list[_Open] = []
    upcoming = iter(statements)
    following = next(upcoming, None)
    for number, token in enumerate(found):
        while following is not None and following.node.start_byte <= token.place:
            stack.append(following)
            following = next(upcoming, None)
        while stack and stack[-1].node.end_byte <= token.place:
            stack.pop()
        if stack:
            stack[-1].numbers.append(number)


def _statement(
    unit: CompilationUnit,
    statement: _Open,
    found: list[Token],
    texts: list[str],
    followed: Followed,
    later: list[tuple[int, int]],
) -> Statement:
    own = [found[number] for number in statement.numbers]
    places = {token.place for token in own}
    code = " ".join(texts[number] for number in statement.numbers)
    names = frozenset(token.text for token in own if token.kind == "name")
    calls = list(_calls(found, statement, later))
    return Statement(
        tokens=code,
        location=unit.source.location(statement.node),
        end_line=unit.source.line(statement.node.end_byte),
        names=names,
        serializes=not names.isdisjoint(SERIALIZER_CALLS) or SERIALIZER_KEYS.search(code) is not None,
        touches_state=not names.isdisjoint(STATE_NAMES),
        builds_graph=not names.isdisjoint(GRAPH_NAMES),
        executed=not places.isdisjoint(followed.executed),
        calls=frozenset(token.text for token in calls),
        of_libraries=frozenset(token.text for token in calls)
        - {token.text for token in calls if token.place not in followed.libraries},
        looks_up=not names.isdisjoint(LOOK_UPS),
        elements=frozenset(_elements(found, statement, later)),
        gap=not places.isdisjoint(followed.gaps),
        place=statement.node.start_byte,
        depth=statement.depth,
        deferred=statement.deferred,
        keys=tuple(a for a in _arguments(found, texts, statement, KEY_CALLS) if not PATTERN_CONDITION.match(a)),
        in_key=statement.in_key,
        typed=tuple(_typed(statement.node, found, texts)) if statement.node.type in STATEMENTS else (),
        logs=LOGS.match(" ".join(token.text for token in own)) is not None,
        registers=tuple(_registrations(unit, own)),
        asks_for_state=not names.isdisjoint(STATE_GETTERS),
        guards=tuple(_guards(statement.node)) if not names.isdisjoint(STATE_GETTERS) else (),
    )


def _guards(node: Node) -> Iterator[str]:
    """Conditions around a statement and exits before it, each as its text."""
    for current, around in pairwise((node, *above(node, *_DECLARATIONS))):
        if around.type in _CONDITIONAL:
            test = part_of(around, "condition") or part_of(around, "value") or around
            negated = part_of(around, "alternative") == current
            yield f"{around.type} {' '.join(text(test).split())}{' else' if negated else ''}"
        for before in around.children:
            if before.start_byte >= current.start_byte:
                break
            yield from (" ".join(text(exit_.parent or exit_).split()) for exit_ in walk(before) if exit_.type in _EXITS)


def _calls(found: list[Token], statement: _Open, later: list[tuple[int, int]]) -> Iterator[Token]:
    for number in statement.numbers:
        token = found[number]
        called = token.kind == "name" and number + 1 < len(found) and found[number + 1].text == "("
        if called and not any(start <= token.place < end for start, end in later):
            yield token


def _elements(found: list[Token], statement: _Open, later: list[tuple[int, int]]) -> Iterator[str]:
    depth = 0
    for number in statement.numbers:
        token = found[number]
        following = [sibling.text for sibling in found[number + 1 : number + 3]]
        depth = 0 if token.text in (";", "{") else depth + (token.text == "<") - (token.text == ">")
        if token.kind == "name" and token.text[:1].isupper():
            deferred = any(start <= token.place < end for start, end in later)
            if depth > 0 or deferred or following in ([":", ":"], [".", "class"]):
                yield token.text


def _arguments(found: list[Token], texts: list[str], statement: _Open, calls: frozenset[str]) -> list[str]:
    """The texts of the arguments of some calls."""
    result: list[str] = []
    for number in statement.numbers:
        if found[number].text in calls and number + 1 < len(found) and found[number + 1].text == "(":
            depth, end = 0, number + 1
            while end < len(found):
                depth += (found[end].text == "(") - (found[end].text == ")")
                if depth == 0:
                    break
                end += 1
            result.append(" ".join(texts[number + 2 : end]))
    return result


def _typed(node: Node, found: list[Token], texts: list[str]) -> list[str]:
    """The arguments of a statement's calls that are functions or objects, or that give types."""
    spans = [
        (child.start_byte, child.end_byte)
        for child_ in walk(node)
        if child_.type == "argument_list" and child_.parent is not None and child_.parent.type == "method_invocation"
        for child in child_.named_children
        if child.type in _TYPED or text(part_of(child_.parent, "name")) in _TYPE_CALLS
    ]
    return [
        " ".join(texts[number] for number, token in enumerate(found) if start <= token.place < end)
        for start, end in spans
    ]


def _registrations(unit: CompilationUnit, own: list[Token]) -> Iterator[int]:
    """The lines on which descriptors of state are made; none that only finds a state which the file registers."""
    for place, (before, token, after) in enumerate(zip(own, own[1:], own[2:], strict=False)):
        if place > 1 and own[place - 2].text == "applyToKeyedState":
            name = next((t.text for t in own[place:] if t.text.startswith('"')), "")
            made = re.compile(rb"\bnew \w+StateDescriptor<[^()]*\(\s*" + re.escape(name.encode()))
            if len(made.findall(unit.source.data)) > 1:
                continue
        if token.text.endswith("StateDescriptor") and before.text in ("new", ".") and after.text in ("<", "("):
            yield unit.source.data.count(b"\n", 0, token.place) + 1
