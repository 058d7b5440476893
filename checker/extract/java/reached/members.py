"""The members of a class as an account compares them: keys, tokens, and what they mention. Kept by content of files."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as fields
from functools import cached_property, partial

from checker.extract.java.syntax.compilation_unit import CompilationUnit
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.tree import Node, children, field, text, walk
from checker.extract.java.syntax.type_refs import modifiers
from checker.extract.texts import Mentions, Token, mentions, tokens
from checker.model.program_code import Declaration, Detail, Key, Part

_IDENTITY = frozenset({"hashCode", "equals", "compareTo"})


@dataclass(frozen=True, slots=True)
class Span:
    """Where a declaration stands: ``node`` may hold more than it, from ``start`` to ``end``."""

    node: Node
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Members:
    """One class: its declarations without those of nested classes, and the names that they mention."""

    unit: CompilationUnit
    declarations: tuple[Declaration, ...]
    spans: dict[Key, Span]
    types: frozenset[str]
    """Names that may be classes."""
    strings: frozenset[str]
    qualified: frozenset[str]
    """Qualified names as written."""
    details: dict[Key, Detail] = fields(default_factory=dict)
    """Those of its declarations that were looked at closely where nothing of them is followed."""

    @cached_property
    def texts(self) -> str:
        """All its texts and qualified names, to search in."""
        return "\0".join((*self.strings, *self.qualified))

    @cached_property
    def functions(self) -> dict[Key, tuple[Node, ...]]:
        """The lambdas, method references and objects of anonymous classes in each declaration but its header."""
        within = {d.key: walk(self.spans[d.key].node) for d in self.declarations if d.part is not Part.HEADER}
        return {key: tuple([node for node in nodes if _is_function(node)]) for key, nodes in within.items()}


def _is_function(node: Node) -> bool:
    if node.type == "object_creation_expression":
        return node.children[-1].type == "class_body"
    return node.type in ("lambda_expression", "method_reference")


def method_key(method: MethodDecl) -> Key:
    """The key of a method or constructor."""
    types = ",".join(f"{p.type}{'...' if p.varargs else ''}" for p in method.parameters)
    return method.owner.qualified_name, f"{method.name}({types})"


def members_of(unit: CompilationUnit, decl: ClassDecl) -> Members:
    """The members of a class. Units are kept by content, so members are as well."""
    place = decl.node.start_byte
    if place not in unit.kept:
        unit.kept[place] = _Reader(unit, decl).members()
    found: Members = unit.kept[place]
    return found


class _Reader:
    def __init__(self, unit: CompilationUnit, decl: ClassDecl) -> None:
        self.unit = unit
        self.decl = decl
        self.owner = decl.qualified_name
        self.declarations: list[Declaration] = []
        self.spans: dict[Key, Span] = {}
        self.types: set[str] = set()
        self.strings: set[str] = set()
        self.qualified = {found.name for found in unit.imports if found.static and found.on_demand}

    def members(self) -> Members:
        decl = self.decl
        body = decl.body
        self._add(
            "<header>",
            Part.HEADER,
            Span(decl.node, decl.node.start_byte, body.start_byte if body else decl.node.end_byte),
        )
        constants = decl.enum_constants
        if constants:
            first, last = constants[0].node, constants[-1].node
            self._add("<constants>", Part.CONSTANT, Span(decl.node, first.start_byte, last.end_byte))
        methods = {method.node.id: method for method in decl.methods}
        blocks = 0
        for node in decl.members:
            if node.type in ("field_declaration", "constant_declaration"):
                self._field(node)
            elif node.id in methods:
                self._method(methods[node.id])
            elif node.type in ("static_initializer", "block"):
                self._add(f"<{node.type}>#{blocks}", Part.INITIALIZER, _whole(node), static=node.type != "block")
                blocks += 1
        return Members(
            self.unit,
            tuple(self.declarations),
            self.spans,
            frozenset(self.types),
            frozenset(self.strings),
            frozenset(self.qualified),
        )

    def _field(self, node: Node) -> None:
        declared = [text(field(child, "name")) for child in children(node) if child.type == "variable_declarator"]
        constant = node.type == "constant_declaration" or self.decl.kind is ClassKind.INTERFACE
        self._add(",".join(declared), Part.FIELD, _whole(node), static=constant or "static" in modifiers(node))

    def _method(self, method: MethodDecl) -> None:
        name = method.name
        plain = not method.static and name.startswith(("get", "set", "is")) and len(method.parameters) < 2
        self._add(
            method_key(method)[1],
            Part.METHOD,
            _whole(method.node),
            static=method.static,
            accessor=plain or name == "<init>",
            identity=name in _IDENTITY,
            private=name != "<init>" and "private" in modifiers(method.node),
        )

    def _add(
        self,
        name: str,
        part: Part,
        span: Span,
        *,
        static: bool = False,
        accessor: bool = False,
        identity: bool = False,
        private: bool = False,
    ) -> None:
        node = span.node
        mentioned = mentions(self.unit.source.data, span.start, span.end)
        self._mention(mentioned)
        key = (self.owner, name)
        while key in self.spans:  # what does not compile may declare a thing twice
            key = (self.owner, key[1] + "'")
        self.spans[key] = span
        self.declarations.append(
            Declaration(
                key=key,
                part=part,
                location=self.unit.source.location(field(node, "name") or node),
                written=partial(_written, self.unit, span),
                names=frozenset(part for name in mentioned.names for part in name.split(".")),
                strings=mentioned.strings,
                static=static,
                accessor=accessor,
                identity=identity,
                private=private,
            )
        )

    def _mention(self, mentioned: Mentions) -> None:
        self.strings |= mentioned.strings
        for name in mentioned.names:
            first, *rest = name.split(".")
            if first[:1].isupper():
                self.types.add(first)
            for end, part in enumerate(rest, 2):
                if part[:1].isupper():
                    self.qualified.add(".".join([first, *rest][:end]))
            for part in (first, *rest):
                self.qualified.update(self.unit.static_imports.get(part, ()))


def _whole(node: Node) -> Span:
    return Span(node, node.start_byte, node.end_byte)


def _written(unit: CompilationUnit, span: Span) -> str:
    return " ".join(in_full(tokens(unit.source.data, span.start, span.end), unit))


def in_full(found: list[Token], unit: CompilationUnit) -> list[str]:
    """The tokens' texts, with imported names as what they name: another import is another token."""
    imports, statics = unit.single_imports, unit.static_imports
    texts: list[str] = []
    for place, token in enumerate(found):
        written = token.text
        if token.kind == "name" and not (place and found[place - 1].text == "."):
            if written in imports:
                written = imports[written]
            elif written in statics:
                written = f"{statics[written][0]}.{written}"
        texts.append(written)
    return texts
