"""One Java file: package, imports, top-level types; found out once for all revisions that hold the same content.

Of a file that was parsed before, in this process or another one, these and the super types of its classes are known.
Everything else, such as fields and methods, is read from its tree when it is asked for.
"""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from checker.extract.asking.content_facts import RecordsAsJson, keep_of, known_of
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, declare, with_nested
from checker.extract.java.syntax.parse import SourceUnit
from checker.extract.java.syntax.tree import TYPE_DECLARATIONS, Node, children, text
from checker.extract.java.syntax.type_refs import JAVA_UTIL, TypeRef

_OUTLINE = "outlines of java files"
_TYPES = RecordsAsJson(TypeRef)


@dataclass(frozen=True, slots=True)
class Import:
    """One import declaration."""

    name: str
    static: bool
    on_demand: bool


class CompilationUnit:
    """A file: package, imports, top-level types."""

    def __init__(self, source: SourceUnit, content: str) -> None:
        self.source = source
        self.content = content
        """What the file's content is known by."""
        self.package = ""
        self.imports: list[Import] = []
        self.types: dict[str, ClassDecl] = {}
        self.kept: dict[int, Any] = {}
        """What is found out of its declarations, by where these start, for as long as it is kept itself."""
        if known_of(_OUTLINE, content, self._take) is None:
            self._parse()
            imports = [(found.name, found.static, found.on_demand) for found in self.imports]
            keep_of(_OUTLINE, content, [self.package, imports, [*map(_outlined, self.types.values())]])

    def _take(self, outline: Any) -> CompilationUnit:
        package, imports, types = outline
        self.imports = [Import(*found) for found in imports]
        self.types = {decl.name: decl for decl in (_declared(self.source, found, package) for found in types)}
        self.package = package
        return self

    def _parse(self) -> None:
        source = self.source
        self.imports.clear()
        for node in children(source.root):
            if node.type == "package_declaration":
                self.package = "".join(text(children(node)[-1]).split())
            elif node.type == "import_declaration":
                self.imports.append(_import(node))
        for node in children(source.root):
            decl = declare(source, node, self.package, None)
            if decl is not None:
                self.types.setdefault(decl.name, decl)

    @property
    def path(self) -> str:
        """The file's path."""
        return self.source.path

    @cached_property
    def by_name(self) -> dict[str, ClassDecl]:
        """All its types by their qualified names, those inside of methods left out."""
        return {decl.qualified_name: decl for decl in with_nested(self.types.values())}

    @cached_property
    def single_imports(self) -> dict[str, str]:
        """Simple name → qualified name, static imports left out."""
        return {i.name.rpartition(".")[2]: i.name for i in self.imports if not i.static and not i.on_demand}

    @cached_property
    def full_names(self) -> dict[str, str]:
        """The same, with the classes of ``java.util.*``: it makes no difference how they are imported."""
        known = JAVA_UTIL.difference(self.types) if "java.util" in self.on_demand else ()
        return {**{name: f"java.util.{name}" for name in known}, **self.single_imports}

    @cached_property
    def static_imports(self) -> dict[str, tuple[str, ...]]:
        """Member name → classes that it is imported from."""
        found: dict[str, tuple[str, ...]] = {}
        for i in self.imports:
            if i.static and not i.on_demand:
                owner, _, member = i.name.rpartition(".")
                found[member] = (*found.get(member, ()), owner)
        return found

    @cached_property
    def on_demand(self) -> tuple[str, ...]:
        """Packages (or classes) whose types are all imported."""
        return tuple(i.name for i in self.imports if i.on_demand and not i.static)

    @cached_property
    def static_on_demand(self) -> tuple[str, ...]:
        """Classes whose static members are all imported."""
        return tuple(i.name for i in self.imports if i.on_demand and i.static)


def _outlined(decl: ClassDecl) -> list[Any]:
    """A class, with those that are nested in it, as JSON."""
    written = (decl.modifiers, decl.type_variables, decl.superclass, decl.interfaces)
    nested = [*map(_outlined, decl.nested.values())]
    return [decl.place, decl.kind.value, decl.name, nested, *map(_TYPES.document, written)]


def _declared(unit: SourceUnit, outline: list[Any], package: str, outer: ClassDecl | None = None) -> ClassDecl:
    """The class of which ``_outlined`` is known. Raises ValueError, TypeError or KeyError for anything else."""
    place, kind, name, inner, *written = outline
    decl = ClassDecl(unit, place, ClassKind(kind), name, package, outer)
    nested = {found.name: found for found in (_declared(unit, below, package, decl) for below in inner)}
    parts = ("modifiers", "type_variables", "superclass", "interfaces")
    vars(decl).update(zip(parts, map(_TYPES.made, written), strict=True), nested=nested)
    return decl


def _import(node: Node) -> Import:
    static = any(child.type == "static" for child in node.children)
    on_demand = any(child.type == "asterisk" for child in node.children)
    names = [child for child in children(node) if child.type in ("scoped_identifier", "identifier")]
    return Import("".join(text(names[0]).split()) if names else "", static, on_demand)


def anonymous_bodies(scope: ClassDecl) -> list[int]:
    """Where the anonymous classes directly inside of a class start, in order: that numbers them."""
    found: list[int] = []
    pending = list(reversed(children(scope.body))) if scope.body is not None else []
    while pending:
        node = pending.pop()
        if node.type in TYPE_DECLARATIONS:
            continue
        inner = node.named_children
        if node.type in ("object_creation_expression", "enum_constant") and any(c.type == "class_body" for c in inner):
            found.append(node.start_byte)
            inner = tuple(child for child in inner if child.type != "class_body")
        pending.extend(reversed(inner))
    return found


_units: OrderedDict[tuple[str, str], CompilationUnit] = OrderedDict()
_MAX_UNITS = 2_000


def parsed(path: str, content: str, read: Callable[[str], bytes]) -> CompilationUnit:
    """The file, kept by content: revisions share most of their files, which are read once."""
    found = _units.get((path, content))
    if found is None:
        found = _units[path, content] = CompilationUnit(SourceUnit(path, lambda: read(path)), content)
        if len(_units) > _MAX_UNITS:
            for oldest in list(_units)[: _MAX_UNITS // 2]:
                del _units[oldest]
            gc.collect()  # nodes of trees hold each other: Python alone would search for them too late
    _units.move_to_end((path, content))
    return found
