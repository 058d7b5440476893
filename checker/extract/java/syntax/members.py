"""Members of a class as inheritance gives them: methods, fields, the nearest superclass that the repository lacks."""

from __future__ import annotations

from collections.abc import Iterator

from checker.extract.java.syntax.class_index import ClassIndex, External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl, FieldDecl, MethodDecl


def in_hierarchy(index: ClassIndex, decl: ClassDecl, name: str) -> Iterator[MethodDecl]:
    """Methods of that name in a class and its ancestors of the repository, nearest first, overridden ones left out."""
    seen: set[tuple[str, ...]] = set()
    for owner in index.lineage(decl):
        for method in owner.methods_named(name):
            signature = tuple(f"{p.type.simple}{p.type.dimensions}" for p in method.parameters)
            if owner.type_parameters or method.type_parameters:
                variables = owner.type_parameters | method.type_parameters
                signature = tuple(
                    "?" if p.type.name in variables else f"{p.type.simple}{p.type.dimensions}"
                    for p in method.parameters
                )
            if signature not in seen:
                seen.add(signature)
                yield method


def functional_method(index: ClassIndex, decl: ClassDecl) -> MethodDecl | None:
    """The one abstract method of a functional interface of the repository."""
    methods = (method for owner in index.lineage(decl) for method in owner.methods)
    return next((method for method in methods if method.abstract and not method.static), None)


def declared_field(index: ClassIndex, decl: ClassDecl, name: str) -> FieldDecl | None:
    """The declaration of a field in the class or its ancestors."""
    return next((owner.fields[name] for owner in index.lineage(decl) if name in owner.fields), None)


def field_owner(index: ClassIndex, decl: ClassDecl, name: str) -> tuple[ClassDecl, FieldDecl | None] | None:
    """The class that declares a static field or enum constant of that name: the class itself or an ancestor."""
    for owner in index.lineage(decl):
        declared = owner.fields.get(name)
        if declared is not None:
            return (owner, declared) if declared.static else None
        if name in owner.constant_names:
            return owner, None
    return None


def superclasses(index: ClassIndex, decl: ClassDecl) -> Iterator[ClassDecl]:
    """The class and its superclasses in the repository, nearest first."""
    found: list[Resolved] = [decl]
    while isinstance(owner := found[-1], ClassDecl) and owner not in found[:-1]:
        yield owner
        found.append(index.superclass(owner) if owner.superclass is not None else None)


def library_ancestor(index: ClassIndex, decl: ClassDecl) -> External | None:
    """The nearest superclass outside of the repository, Object left out."""
    current: Resolved = decl
    while isinstance(current, ClassDecl):
        current = index.superclass(current)
    return current
