"""The beans that classes of a program define: components, and methods of configurations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from checker.extract.java.interpreter.spring.properties import Properties
from checker.extract.java.machine.exceptions import UnreadError
from checker.extract.java.machine.speculation import Run
from checker.extract.java.syntax.class_index import External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.tree import Node, annotations_of, children, elements, text
from checker.extract.java.syntax.type_refs import TypeRef

STEREOTYPES: Final = frozenset(
    {"Component", "Service", "Repository", "Configuration", "Controller", "RestController", "SpringBootApplication",
     "SpringBootConfiguration", "ControllerAdvice", "RestControllerAdvice"}
)  # fmt: skip
_BRINGS_OTHERS: Final = frozenset(
    {"Import", "ImportResource", "ComponentScans", "ServletComponentScan", "PropertySource"}
)
_OTHER_LIVES: Final = frozenset({"Scope", "Lazy", "RequestScope", "SessionScope", "RefreshScope", "DependsOn"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A bean: a class, or a method of a configuration that makes it."""

    name: str
    type: Resolved
    ref: TypeRef
    owner: ClassDecl
    method: MethodDecl | None
    primary: bool
    plain: bool
    """Whether it is made once, with all others."""
    conditional: bool
    """Whether a profile or another condition decides if it is there."""
    conditions: dict[str, Node]
    """Those annotations, by their names."""
    order: int | None
    prefix: str | None = None
    """Under which properties are bound to it."""


def definitions(run: Run, main: ClassDecl) -> list[Definition]:
    """The beans of a program with its main configuration. Raises UnreadError where others may be there."""
    packages = _packages(run, main)
    found: list[Definition] = []
    for path in sorted(path for path in run.index.found_beside(main.unit.path) if path.endswith(".java")):
        unit = run.index.unit(path)
        if not any(f"{unit.package}.".startswith(f"{package}.") for package in packages):
            continue
        for decl in run.index.types_of(unit):
            try:
                found.extend(_of_class(run, decl))
            except UnreadError as error:
                raise UnreadError(f"{error} ({decl.location})") from None
    by_name = {definition.name: definition for definition in found}
    for definition in found:
        if by_name[definition.name] is not definition:
            places = f"{definition.owner.location} and {by_name[definition.name].owner.location}"
            raise UnreadError(f"two beans are called '{definition.name}' ({places})")
    return found


def _packages(run: Run, main: ClassDecl) -> list[str]:
    packages = [main.package]
    for name, node in annotations_of(main.node):
        given = elements(node)
        if name in _BRINGS_OTHERS or given.keys() - {"exclude", "excludeName"} - _SCANNED:
            raise UnreadError(f"@{name} of {main.name} brings beans that are not looked for")
        named = [given[key] for key in _SCANNED & given.keys()]
        if name in ("SpringBootApplication", "ComponentScan") and named:
            packages = [package.strip('"') for node in named for package in _texts(node)]
    return packages


_SCANNED: Final = frozenset({"scanBasePackages", "basePackages", "value"})


def _texts(node: Node) -> Iterator[str]:
    for part in children(node) if node.type == "element_value_array_initializer" else (node,):
        if part.type != "string_literal":
            raise UnreadError(f"'{text(part)}' names packages in which beans are looked for, and is no plain text")
        yield text(part)


def _of_class(run: Run, decl: ClassDecl) -> Iterator[Definition]:
    marks = dict(annotations_of(decl.node))
    for name in marks:
        resolved = run.index.resolve(name, decl)
        if isinstance(resolved, ClassDecl) and resolved.annotation_names & STEREOTYPES:
            raise UnreadError(f"@{name} is an annotation of the program")
    stereotype = next((name for name in marks if name in STEREOTYPES), None)
    bound = marks.get("ConfigurationProperties")
    if decl.kind is ClassKind.ANNOTATION or (stereotype is None and bound is None):
        return
    if not decl.abstract and decl.static:
        prefix = None if bound is None else _text(elements(bound), "prefix", "value") or ""
        simple = decl.name[:1].lower() + decl.name[1:]
        named = (
            _text(elements(marks[stereotype]), "value") if stereotype not in (None, "SpringBootApplication") else None
        )
        name = named or (decl.name if decl.name[1:2].isupper() else simple)
        yield _definition(name, decl, TypeRef(decl.name), decl, None, marks, prefix)
    for method in decl.methods if stereotype is not None else ():
        own = dict(annotations_of(method.node))
        if "Bean" in own:
            ref = method.return_type
            name = _text(elements(own["Bean"]), "name", "value") or method.name
            bound = own.get("ConfigurationProperties")
            prefix = None if bound is None else _text(elements(bound), "prefix", "value") or ""
            kind = run.index.resolve_type(ref, decl)
            yield _definition(name, kind, ref, decl, method, own | _conditions(marks), prefix)


def _conditions(marks: dict[str, Node]) -> dict[str, Node]:
    return {name: node for name, node in marks.items() if _is_condition(name)}


def _is_condition(name: str) -> bool:
    return name == "Profile" or name.startswith("Conditional")


def _definition(
    name: str, kind: Resolved, ref: TypeRef, owner: ClassDecl, method: MethodDecl | None, marks: dict[str, Node],
    prefix: str | None,
) -> Definition:  # fmt: skip
    order = _text(elements(marks["Order"]), "value") if "Order" in marks else None
    if marks.keys() & _BRINGS_OTHERS:
        raise UnreadError(f"{owner.name} brings beans that are not looked for")
    return Definition(
        name=name,
        type=kind,
        ref=ref,
        owner=owner,
        method=method,
        primary="Primary" in marks,
        plain=not marks.keys() & _OTHER_LIVES,
        conditional=any(_is_condition(mark) for mark in marks),
        conditions=_conditions(marks),
        order=int(order) if order is not None and order.lstrip("-").isdecimal() else None,
        prefix=prefix,
    )


def _text(given: dict[str, Node], *names: str) -> str | None:
    for name in names:
        if name in given:
            node = given[name]
            if node.type in ("string_literal", "decimal_integer_literal", "unary_expression"):
                return text(node).strip('"')
            raise UnreadError(f"'{text(node)}' in an annotation is no plain text")
    return None


def known_ones(found: list[Definition], properties: Properties) -> list[Definition]:
    """The beans that are there, and those of which that is not known."""
    kept: list[Definition] = []
    for definition in found:
        met = [_met(name, node, properties) for name, node in definition.conditions.items()]
        if False not in met:
            kept.append(replace(definition, conditional=None in met))
    return kept


_ON_PROPERTY: Final = frozenset({"value", "name", "prefix", "havingValue", "matchIfMissing"})


def _met(name: str, node: Node, properties: Properties) -> bool | None:
    """Whether a condition holds, None where that is not known."""
    given = elements(node)
    try:
        if name == "Profile" and given.keys() == {"value"}:
            wanted = _text(given, "value") or ""
            if not (properties.no_profile and properties.readable) or not wanted.removeprefix("!").isalnum():
                return None
            return wanted.startswith("!") != (wanted.removeprefix("!") == "default")
        if name != "ConditionalOnProperty" or given.keys() - _ON_PROPERTY:
            return None
        prefix = (_text(given, "prefix") or "").rstrip(".")
        key = _text(given, "name", "value") or ""
        value = properties.value(f"{prefix}.{key}" if prefix else key)
        if value is None:
            return "matchIfMissing" in given and text(given["matchIfMissing"]) == "true"
        resolved = properties.resolved(value) if isinstance(value, str) else value
    except UnreadError:
        return None
    if not isinstance(resolved, str):
        return None
    wanted = _text(given, "havingValue") or ""
    return resolved.lower() == wanted.lower() if wanted else resolved.lower() != "false"


def fits(run: Run, bean: Definition, wanted: Resolved, ref: TypeRef, scope: ClassDecl) -> bool:
    """Whether a bean can be injected where a type is asked for."""
    if wanted is None or bean.type is None:
        return False
    if isinstance(bean.type, External):
        alike = isinstance(wanted, External) and bean.type.simple in (wanted.simple, f"Local{wanted.simple}")
        return alike and (not ref.arguments or not bean.ref.arguments or _arguments(ref) == _arguments(bean.ref))
    if bean.type is wanted:
        return True
    simple = wanted.simple if isinstance(wanted, External) else None
    pending: list[ClassDecl] = [bean.type]
    while pending:
        for above, resolved in run.index.supertypes(pending.pop()):
            if resolved is wanted or (isinstance(resolved, External) and resolved.simple == simple):
                given = [a for a in _arguments(above) if len(a) > 1]
                return not ref.arguments or len(given) != len(ref.arguments) or _arguments(above) == _arguments(ref)
            if isinstance(resolved, ClassDecl):
                pending.append(resolved)
    return False


def _arguments(ref: TypeRef) -> tuple[str, ...]:
    return tuple(a.simple for a in ref.arguments)
