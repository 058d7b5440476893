"""One Java file: package, imports, top-level types; parsed once for all revisions that hold the same content."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from checker.extract.java.syntax.declarations import ClassDecl, declare, with_nested
from checker.extract.java.syntax.parse import SourceUnit, parse
from checker.extract.java.syntax.tree import TYPE_DECLARATIONS, Node, children, text


@dataclass(frozen=True, slots=True)
class Import:
    """One import declaration."""

    name: str
    static: bool
    on_demand: bool


class CompilationUnit:
    """A parsed file: package, imports, top-level types."""

    def __init__(self, source: SourceUnit) -> None:
        self.source = source
        self.package = ""
        self.imports: list[Import] = []
        self.types: dict[str, ClassDecl] = {}
        self.kept: dict[int, Any] = {}
        """What is found out of its declarations, by where these start, for as long as it is kept itself."""
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
    """The parsed file, kept by content: revisions share most of their files, which are read once."""
    found = _units.get((path, content))
    if found is None:
        found = _units[path, content] = CompilationUnit(parse(path, read(path)))
        if len(_units) > _MAX_UNITS:
            for oldest in list(_units)[: _MAX_UNITS // 2]:
                del _units[oldest]
            gc.collect()  # nodes of trees hold each other: Python alone would search for them too late
    _units.move_to_end((path, content))
    return found
