"""What a compilation unit declares: types, methods, fields. Made lazily from the tree, nothing is resolved here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from checker.extract.java.syntax.local_variables import created_type
from checker.extract.java.syntax.parse import SourceUnit
from checker.extract.java.syntax.tree import (
    TYPE_DECLARATIONS,
    Node,
    NodeKind,
    annotations_of,
    children,
    field,
    text,
    walk,
)
from checker.extract.java.syntax.type_refs import Parameter, TypeRef, modifiers, parameters_of, type_ref
from checker.model.unknowns import Location


class ClassKind(StrEnum):
    """What a type declaration is."""

    CLASS = "class"
    INTERFACE = "interface"
    ENUM = "enum"
    RECORD = "record"
    ANNOTATION = "annotation"
    ANONYMOUS = "anonymous"


_WORD = re.compile(r"\w+")
_KINDS: Final[dict[NodeKind, ClassKind]] = {
    "class_declaration": ClassKind.CLASS,
    "interface_declaration": ClassKind.INTERFACE,
    "enum_declaration": ClassKind.ENUM,
    "record_declaration": ClassKind.RECORD,
    "annotation_type_declaration": ClassKind.ANNOTATION,
}


@dataclass(frozen=True, eq=False)
class MethodDecl:
    """A method or constructor (``name`` is then ``<init>``)."""

    owner: ClassDecl
    node: Node
    name: str
    parameters: tuple[Parameter, ...]
    modifiers: frozenset[str]

    @property
    def body(self) -> Node | None:
        """The block, None for abstract and native methods."""
        return field(self.node, "body")

    @property
    def static(self) -> bool:
        """Whether it is called without an instance."""
        return "static" in self.modifiers

    @property
    def abstract(self) -> bool:
        """Whether only subclasses give a body."""
        return self.body is None

    @property
    def varargs(self) -> bool:
        """Whether the last parameter takes any number of arguments."""
        return bool(self.parameters) and self.parameters[-1].varargs

    @cached_property
    def return_type(self) -> TypeRef:
        """The declared result type, ``void`` for constructors."""
        node = field(self.node, "type")
        return type_ref(node) if node is not None else TypeRef("void")

    @cached_property
    def type_variables(self) -> tuple[str, ...]:
        """Names of the method's own type variables."""
        return _type_parameters(self.node)

    @property
    def location(self) -> Location:
        """Where it is declared."""
        return self.owner.unit.location(self.node)


@dataclass(frozen=True, eq=False)
class FieldDecl:
    """One declared variable of a class; ``value`` is its initializer."""

    owner: ClassDecl
    node: Node
    name: str
    type: TypeRef
    value: Node | None
    static: bool
    final: bool

    @property
    def annotated(self) -> bool:
        """Whether an annotation stands before it."""
        return any(True for _ in annotations_of(self.node))


@dataclass(frozen=True, eq=False)
class EnumConstantDecl:
    """A constant of an enum, with its constructor arguments and body."""

    name: str
    ordinal: int
    node: Node
    arguments: Node | None
    body: Node | None


def _type_parameters(node: Node) -> tuple[str, ...]:
    holder = field(node, "type_parameters")
    if holder is None:
        holder = next((child for child in node.children if child.type == "type_parameters"), None)
    if holder is None:
        return ()
    names = []
    for parameter in children(holder):
        identifiers = [part for part in children(parameter) if part.type in ("identifier", "type_identifier")]
        if identifiers:
            names.append(text(identifiers[0]))
    return tuple(names)


@dataclass(frozen=True, eq=False)
class ClassDecl:
    """A type declared in the repository. ``qualified_name`` joins outer classes with dots.

    Anonymous classes are called ``Outer.$1`` by their place in the unit; local classes count as nested in the
    class whose method declares them.
    """

    unit: SourceUnit
    place: int
    """Where it starts in the file."""
    kind: ClassKind
    name: str
    package: str
    outer: ClassDecl | None = None
    local: bool = False
    given: Node | None = None

    @cached_property
    def node(self) -> Node:
        """Its node, looked for where the class is known without its file's tree."""
        return self.unit.declaration(self.place) if self.given is None else self.given

    @cached_property
    def qualified_name(self) -> str:
        """Package, outer classes and name, joined with dots."""
        prefix = self.outer.qualified_name if self.outer is not None else self.package
        return f"{prefix}.{self.name}" if prefix else self.name

    @property
    def binary_name(self) -> str:
        """As the JVM names it: nested classes joined with ``$``."""
        if self.outer is not None:
            return f"{self.outer.binary_name}${self.name.lstrip('$')}"
        return self.qualified_name

    def __repr__(self) -> str:
        return f"ClassDecl({self.qualified_name})"

    @property
    def location(self) -> Location:
        """Where it is declared."""
        return self.unit.location(field(self.node, "name") or self.node)

    @cached_property
    def modifiers(self) -> frozenset[str]:
        """Modifier keywords."""
        return modifiers(self.node)

    @cached_property
    def annotation_names(self) -> frozenset[str]:
        """Simple names of its annotations."""
        if self.kind is ClassKind.ANONYMOUS:
            return frozenset()
        return frozenset(name for name, _ in annotations_of(self.node))

    @property
    def abstract(self) -> bool:
        """Whether it can't be instantiated."""
        return self.kind is ClassKind.INTERFACE or "abstract" in self.modifiers

    @property
    def static(self) -> bool:
        """Whether instances have no enclosing instance."""
        if self.outer is None or self.kind in (ClassKind.INTERFACE, ClassKind.ENUM, ClassKind.RECORD):
            return True
        return "static" in self.modifiers or self.outer.kind is ClassKind.INTERFACE

    @cached_property
    def type_variables(self) -> tuple[str, ...]:
        """The class's type variables in order."""
        return _type_parameters(self.node) if self.kind is not ClassKind.ANONYMOUS else ()

    @cached_property
    def superclass(self) -> TypeRef | None:
        """What it extends, as written. For an anonymous class the type after ``new`` (may be an interface)."""
        if self.node.type == "enum_constant" and self.outer is not None:
            return TypeRef(self.outer.name)
        if self.kind is ClassKind.ANONYMOUS:
            return created_type(self.node)
        if self.kind is ClassKind.INTERFACE:
            return None
        node = field(self.node, "superclass")
        return type_ref(children(node)[0]) if node is not None and children(node) else None

    def outward(self) -> Iterator[ClassDecl]:
        """The class, then the classes around it."""
        current: ClassDecl | None = self
        while current is not None:
            yield current
            current = current.outer

    @cached_property
    def interfaces(self) -> tuple[TypeRef, ...]:
        """What it implements (an interface: extends), as written."""
        found: list[TypeRef] = []
        for child in self.node.children:
            if child.type in ("super_interfaces", "extends_interfaces"):
                for part in children(child):
                    found.extend(type_ref(item) for item in (children(part) if part.type == "type_list" else [part]))
        return tuple(found)

    @cached_property
    def body(self) -> Node | None:
        """The class body."""
        if self.kind is ClassKind.ANONYMOUS:
            return next((child for child in self.node.children if child.type == "class_body"), None)
        return field(self.node, "body")

    @cached_property
    def members(self) -> tuple[Node, ...]:
        """The declarations in the body, an enum's constants left out."""
        if self.body is None:
            return ()
        found: list[Node] = []
        for child in children(self.body):
            if child.type == "enum_body_declarations":
                found.extend(children(child))
            elif child.type != "enum_constant":
                found.append(child)
        return tuple(found)

    @cached_property
    def enum_constants(self) -> tuple[EnumConstantDecl, ...]:
        """Constants in order, for enums."""
        if self.kind is not ClassKind.ENUM or self.body is None:
            return ()
        nodes = [child for child in children(self.body) if child.type == "enum_constant"]
        return tuple(
            EnumConstantDecl(text(field(node, "name")), place, node, field(node, "arguments"), field(node, "body"))
            for place, node in enumerate(nodes)
        )

    @cached_property
    def constant_names(self) -> frozenset[str]:
        """The names of the constants."""
        return frozenset(constant.name for constant in self.enum_constants)

    @cached_property
    def methods(self) -> tuple[MethodDecl, ...]:
        """Methods in order, constructors included."""
        found: list[MethodDecl] = []
        for node in self.members:
            if node.type in ("method_declaration", "constructor_declaration", "compact_constructor_declaration"):
                constructor = node.type != "method_declaration"
                name = "<init>" if constructor else text(field(node, "name"))
                if node.type == "compact_constructor_declaration":
                    parameters = parameters_of(field(self.node, "parameters"))
                else:
                    parameters = parameters_of(field(node, "parameters"))
                found.append(MethodDecl(self, node, name, parameters, modifiers(node)))
        return tuple(found)

    def methods_named(self, name: str) -> tuple[MethodDecl, ...]:
        """Methods of that name declared in this class."""
        return tuple(method for method in self.methods if method.name == name)

    @property
    def constructors(self) -> tuple[MethodDecl, ...]:
        """The declared constructors."""
        return self.methods_named("<init>")

    @cached_property
    def canonical_constructor(self) -> tuple[MethodDecl, ...]:
        """The constructor that a record has without declaring it: one parameter per component, and no body."""
        written = field(self.node, "parameters")
        types = [str(component.type) for component in self.record_components]
        declared = any([str(p.type) for p in constructor.parameters] == types for constructor in self.constructors)
        if written is None or self.kind is not ClassKind.RECORD or declared:
            return ()
        return (MethodDecl(self, written, "<init>", self.record_components, frozenset()),)

    @cached_property
    def record_components(self) -> tuple[Parameter, ...]:
        """The components of a record."""
        return parameters_of(field(self.node, "parameters")) if self.kind is ClassKind.RECORD else ()

    @cached_property
    def fields(self) -> dict[str, FieldDecl]:
        """Declared variables by name, in order (record components are not among them)."""
        found: dict[str, FieldDecl] = {}
        for node in self.members:
            if node.type not in ("field_declaration", "constant_declaration"):
                continue
            marks = modifiers(node)
            constant = node.type == "constant_declaration" or self.kind is ClassKind.INTERFACE
            declared = type_ref(field(node, "type"))
            for child in children(node):
                if child.type == "variable_declarator":
                    static, final = constant or "static" in marks, constant or "final" in marks
                    name, typed = text(field(child, "name")), declared.with_dimensions(child)
                    found[name] = FieldDecl(self, node, name, typed, field(child, "value"), static, final)
        return found

    @cached_property
    def nested(self) -> dict[str, ClassDecl]:
        """Member types by name."""
        found = (declare(self.unit, node, self.package, self) for node in self.members)
        return {decl.name: decl for decl in found if decl is not None}

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of its text."""
        return frozenset(_WORD.findall(text(self.node)))

    @cached_property
    def capitalized(self) -> tuple[str, ...]:
        """The names in its code that begin as those of classes do, each once, in their order."""
        names = (text(node) for node in walk(self.node) if node.type in ("type_identifier", "identifier"))
        return tuple(dict.fromkeys(name for name in names if name[:1].isupper()))

    @cached_property
    def local_types(self) -> dict[str, ClassDecl]:
        """Types declared inside of methods of this class, by name: filled as they are met."""
        return {}


def with_nested(types: Iterable[ClassDecl]) -> Iterator[ClassDecl]:
    """Classes and all that are nested in them, local and anonymous ones left out."""
    pending = list(types)
    while pending:
        current = pending.pop()
        yield current
        pending.extend(current.nested.values())


def declare(
    unit: SourceUnit, node: Node, package: str, outer: ClassDecl | None, *, local: bool = False
) -> ClassDecl | None:
    """The declaration that a type declaration node makes, None for any other node."""
    if node.type not in TYPE_DECLARATIONS:
        return None
    name = text(field(node, "name"))
    return ClassDecl(unit, node.start_byte, _KINDS[node.type], name, package, outer, local, node)
