"""The members of a class as an account compares them: keys, tokens, and what they mention. Kept by content of files."""

from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import field as fields
from functools import partial
from typing import Any

from checker.extract.asking.content_facts import keep_of, known_of
from checker.extract.java.syntax.compilation_unit import CompilationUnit
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl, with_nested
from checker.extract.java.syntax.tree import Node, children, field, text
from checker.extract.java.syntax.type_refs import modifiers
from checker.extract.texts import Mentions, Token, mentions, tokens
from checker.model.program_code import Declaration, Detail, Key, Part
from checker.model.unknowns import Location

_MEMBERS = "members of java classes"
_IDENTITY = frozenset({"hashCode", "equals", "compareTo"})


@dataclass(frozen=True, slots=True)
class Span:
    """Where a declaration of a class stands: ``node`` may hold more than it, from ``start`` to ``end``."""

    owner: ClassDecl
    start: int
    end: int

    @property
    def node(self) -> Node:
        """The member that starts there, else the class."""
        return next((node for node in self.owner.members if node.start_byte == self.start), self.owner.node)


@dataclass(frozen=True, eq=False)
class Members:
    """One class: its declarations without those of nested classes, and the names that they mention."""

    unit: CompilationUnit
    declarations: tuple[Declaration, ...]
    spans: dict[Key, Span]
    types: frozenset[str]
    """Names that may be classes."""
    qualified: frozenset[str]
    """Qualified names as written."""
    details: dict[Key, Detail] = fields(default_factory=dict)
    """Those of its declarations that were looked at closely where nothing of them is followed."""


def method_key(method: MethodDecl) -> Key:
    """The key of a method or constructor."""
    types = ",".join(f"{p.type}{'...' if p.varargs else ''}" for p in method.parameters)
    return method.owner.qualified_name, f"{method.name}({types})"


def members_of(unit: CompilationUnit, decl: ClassDecl) -> Members:
    """The members of a class. Units are kept by content, so members are as well: in the cache, too."""
    if decl.place not in unit.kept and known_of(_MEMBERS, unit.content, partial(_take, unit)) is None:
        found = [_Reader(unit, own).members() for own in with_nested(unit.types.values())]
        keep_of(_MEMBERS, unit.content, found)
        _take(unit, found)
    members: Members = unit.kept[decl.place]
    return members


def _take(unit: CompilationUnit, kept: Iterable[Any]) -> CompilationUnit:
    """Give a file the members of all its classes. Raises ValueError or TypeError for anything else."""
    owners = list(with_nested(unit.types.values()))
    unit.kept.update({own.place: _members(unit, own, *found) for own, found in zip(owners, kept, strict=True)})
    return unit


def _members(
    unit: CompilationUnit, owner: ClassDecl, types: Iterable[str], qualified: Iterable[str], declared: Iterable[Any]
) -> Members:
    declarations: list[Declaration] = []
    spans: dict[Key, Span] = {}
    for name, part, start, end, line, column, names, strings, marks in declared:
        key = (owner.qualified_name, name)
        spans[key] = Span(owner, start, end)
        declarations.append(
            Declaration(
                key=key,
                part=Part(part),
                location=Location(unit.path, line, column),
                written=partial(_written, unit, start, end),
                names=frozenset(names),
                strings=frozenset(strings),
                static="static" in marks,
                accessor="accessor" in marks,
                identity="identity" in marks,
                private="private" in marks,
            )
        )
    return Members(unit, tuple(declarations), spans, frozenset(types), frozenset(qualified))


class _Reader:
    """Reads the members of one class, as they are kept."""

    def __init__(self, unit: CompilationUnit, decl: ClassDecl) -> None:
        self.unit = unit
        self.decl = decl
        self.declared: dict[str, list[Any]] = {}
        self.types: set[str] = set()
        self.qualified = {found.name for found in unit.imports if found.static and found.on_demand}

    def members(self) -> list[Any]:
        """Names of classes, qualified names, and its declarations."""
        decl = self.decl
        body = decl.body
        self._add("<header>", Part.HEADER, decl.node, end=body.start_byte if body else None)
        constants = decl.enum_constants
        if constants:
            first, last = constants[0].node, constants[-1].node
            self._add("<constants>", Part.CONSTANT, decl.node, start=first.start_byte, end=last.end_byte)
        methods = {method.node.id: method for method in decl.methods}
        blocks = 0
        for node in decl.members:
            if node.type in ("field_declaration", "constant_declaration"):
                self._field(node)
            elif node.id in methods:
                self._method(methods[node.id])
            elif node.type in ("static_initializer", "block"):
                self._add(f"<{node.type}>#{blocks}", Part.INITIALIZER, node, static=node.type != "block")
                blocks += 1
        return [sorted(self.types), sorted(self.qualified), list(self.declared.values())]

    def _field(self, node: Node) -> None:
        declared = [text(field(child, "name")) for child in children(node) if child.type == "variable_declarator"]
        constant = node.type == "constant_declaration" or self.decl.kind is ClassKind.INTERFACE
        self._add(",".join(declared), Part.FIELD, node, static=constant or "static" in modifiers(node))

    def _method(self, method: MethodDecl) -> None:
        name = method.name
        plain = not method.static and name.startswith(("get", "is") if not method.parameters else "set")
        self._add(
            method_key(method)[1],
            Part.METHOD,
            method.node,
            static=method.static,
            accessor=(plain and len(method.parameters) < 2) or name == "<init>",
            identity=name in _IDENTITY,
            private=name != "<init>" and "private" in modifiers(method.node),
        )

    def _add(
        self, name: str, part: Part, node: Node, *, start: int | None = None, end: int | None = None, **marks: bool
    ) -> None:
        start, end = node.start_byte if start is None else start, node.end_byte if end is None else end
        mentioned = mentions(self.unit.source.data, start, end)
        self._mention(mentioned)
        while name in self.declared:  # what does not compile may declare a thing twice
            name += "'"
        place = self.unit.source.location(field(node, "name") or node)
        names = {part for name in mentioned.names for part in name.split(".")}
        self.declared[name] = [
            name, part.value, start, end, place.line, place.column, sorted(names), sorted(mentioned.strings),
            [mark for mark, has in marks.items() if has],
        ]  # fmt: skip

    def _mention(self, mentioned: Mentions) -> None:
        for name in mentioned.names:
            first, *rest = name.split(".")
            if first[:1].isupper():
                self.types.add(first)
            for end, part in enumerate(rest, 2):
                if part[:1].isupper():
                    self.qualified.add(".".join([first, *rest][:end]))
            for part in (first, *rest):
                self.qualified.update(self.unit.static_imports.get(part, ()))


def _written(unit: CompilationUnit, start: int, end: int) -> str:
    return " ".join(in_full(tokens(unit.source.data, start, end), unit))


def in_full(found: list[Token], unit: CompilationUnit) -> list[str]:
    """The tokens' texts, with imported names as what they name: another import is another token."""
    imports, statics = unit.full_names, unit.static_imports
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
