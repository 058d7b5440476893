"""Types as the program means them: every name resolved where it is written, type variables bound by subclasses.

``resolved(index, ref, scope)`` gives the meaning of a written type. ``supertype(index, type, "KeySelector")`` gives
what a class makes of a generic supertype: ``class Keys implements KeySelector<Order, String>``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from checker.extract.datastream.table import table, words
from checker.extract.java.syntax.class_index import PRIMITIVES, ClassIndex, External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, with_nested
from checker.extract.java.syntax.type_refs import BOXES, TypeRef
from checker.model.flink_releases import ReleasedApi

BOXED: Mapping[str, str] = {**BOXES, "void": "Void"}
_DEPTH = 12


@dataclass(frozen=True, slots=True)
class JavaType:
    """A type: its name without a package, what it names, its arguments and array dimensions.

    ``variable`` is True for a type variable that nothing binds.
    """

    name: str
    target: Resolved = field(default=None, compare=False)
    arguments: tuple[JavaType, ...] = ()
    dimensions: int = 0
    variable: bool = False

    def __str__(self) -> str:
        arguments = f"<{', '.join(map(str, self.arguments))}>" if self.arguments else ""
        return f"{self.name}{arguments}{'[]' * self.dimensions}"

    @property
    def simple(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]

    @property
    def decl(self) -> ClassDecl | None:
        """The repository's class that it names."""
        return self.target if isinstance(self.target, ClassDecl) else None

    @property
    def known(self) -> bool:
        """Whether no part of it is a type variable or left to inference."""
        return not self.variable and self.name != "var" and all(argument.known for argument in self.arguments)

    @property
    def boxed(self) -> JavaType:
        """The type as a type argument: primitives boxed."""
        return named(BOXED[self.name]) if self.name in BOXED and not self.dimensions else self

    @property
    def element(self) -> JavaType:
        """What an array holds."""
        return replace(self, dimensions=max(self.dimensions - 1, 0))

    def classes(self) -> Iterator[ClassDecl]:
        """The repository's classes that it names, itself first."""
        if isinstance(self.target, ClassDecl):
            yield self.target
        for argument in self.arguments:
            yield from argument.classes()


def named(name: str, *arguments: JavaType, package: str = "java.lang") -> JavaType:
    """A type of a library."""
    return JavaType(name, External((f"{package}.{name}",)), arguments)


STRING = named("String")
Bindings = Mapping[tuple[str, str], JavaType]
"""(Qualified name of the class, its type variable) → what it stands for."""


def resolved(
    index: ClassIndex, ref: TypeRef, scope: ClassDecl, bindings: Bindings | None = None, depth: int = 0
) -> JavaType:
    """What a type written inside of ``scope`` means."""
    owner = next((around for around in scope.outward() if ref.name in around.type_variables), None)
    bound = (bindings or {}).get((owner.qualified_name, ref.name)) if owner is not None else None
    if bound is not None:
        return replace(bound, dimensions=bound.dimensions + ref.dimensions)
    if ref.name in PRIMITIVES:
        return JavaType(ref.name, None, (), ref.dimensions)
    target = index.resolve(ref.name, scope)
    if target is None:
        return JavaType(ref.name, None, (), ref.dimensions, variable=True)
    arguments: tuple[JavaType, ...] = ()
    if depth < _DEPTH:
        arguments = tuple(resolved(index, argument, scope, bindings, depth + 1) for argument in ref.arguments)
    return JavaType(_spelled(ref.name), target, arguments, ref.dimensions)


def _spelled(name: str) -> str:
    """A name without its package: ``java.util.Map.Entry`` is ``Map.Entry``."""
    parts = name.split(".")
    while len(parts) > 1 and parts[0][:1].islower():
        parts.pop(0)
    return ".".join(parts)


def of_class(decl: ClassDecl, arguments: tuple[JavaType, ...] = ()) -> JavaType:
    """The type of a class of the repository."""
    return JavaType(decl.name, decl, arguments)


def bindings_of(index: ClassIndex, type_: JavaType) -> dict[tuple[str, str], JavaType]:
    """What the type variables of a class and of its supertypes in the repository stand for."""
    found: dict[tuple[str, str], JavaType] = {}
    for _ in lineage(index, type_, found):
        pass
    return found


def lineage(
    index: ClassIndex, type_: JavaType, bindings: dict[tuple[str, str], JavaType] | None = None
) -> Iterator[JavaType]:
    """The type and all its supertypes, nearest first, with their type arguments as far as they are known."""
    bindings = {} if bindings is None else bindings
    pending, seen = [type_], set[str]()
    while pending:
        current = pending.pop(0)
        target = current.target
        name = target.qualified_name if isinstance(target, ClassDecl) else target.name if target else current.name
        if name in seen:
            continue
        seen.add(name)
        yield current
        if not isinstance(target, ClassDecl):
            continue
        for variable, argument in zip(target.type_variables, current.arguments, strict=False):
            bindings[target.qualified_name, variable] = argument
        scope = target.outer if target.kind is ClassKind.ANONYMOUS and target.outer is not None else target
        pending.extend(resolved(index, ref, scope, bindings) for ref, _ in index.supertypes(target))


def supertype(index: ClassIndex, type_: JavaType, simple: str) -> JavaType | None:
    """The supertype of that simple name, with its arguments; a class may be called as its supertype is."""
    above = (ancestor for ancestor in lineage(index, type_) if ancestor.decl is None or ancestor.decl is not type_.decl)
    return next((ancestor for ancestor in above if ancestor.simple == simple), None)


# -- types as Flink takes them -----------------------------------------------------------------------------------

_EXTRACTED = words("types_with_other_serializers")
"""Classes of Java's library for which it finds a serializer other than Kryo's: basic types and enums."""
_COLLECTIONS = table("collections")
"""Collections that Flink writes itself since 2.0, where all type arguments are plain classes."""


def flink_text(api: ReleasedApi, type_: JavaType) -> str:
    """The type as ``TypeExtractor`` takes it, as ``GenericType<…>`` where Kryo writes it as a whole."""
    if type_.dimensions:
        return flink_text(api, type_.element) + "[]"
    name, arguments = type_.name, type_.arguments
    if isinstance(type_.target, External) and not type_.target.name.startswith("org.apache.flink."):
        collection = _COLLECTIONS.get(type_.target.name) if api.collections_have_serializers else None
        plain = all(not argument.arguments and argument.known and argument.name != "?" for argument in arguments)
        if collection is not None and arguments and plain:
            name = collection
        elif arguments or (type_.target.name.startswith("java.") and type_.target.name not in _EXTRACTED):
            return f"GenericType<{type_}>"
    elif isinstance(type_.target, External) and type_.simple == "Row":
        return "GenericType<Row>"  # nothing says which fields it has
    spelled = ", ".join(flink_text(api, argument) for argument in arguments)
    return f"{name}<{spelled}>" if spelled else name


def classes_in_sight(index: ClassIndex, scope: ClassDecl) -> Iterator[ClassDecl]:
    """The classes that code of ``scope`` names without a package, for receivers of unknown type."""
    unit = index.unit_of(scope)
    imported = (index.find(name, unit.path) for name in unit.single_imports.values())
    return with_nested([*unit.types.values(), *(decl for decl in imported if decl is not None)])
