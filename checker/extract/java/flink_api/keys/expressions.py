"""What a key selector computes of an element, as a text that is equal in two revisions only if the keys are.

Getters read as the fields that they return, and methods of the repository as the expression that they return, so
``o -> o.getUser().id``, ``Order::userId`` and ``o -> Keys.user(o)`` read alike: ``.user.id``. Code that does more than
name parts of an expression and return it, or that subclasses override, has no text: it is compared by its tokens.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from checker.extract.java.flink_api.keys.texts import (
    KeyText,
    constants_of,
    converted,
    is_of_java,
    of_library,
    operands,
    shown,
)
from checker.extract.java.machine.values import Constant
from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import STRING, JavaType, of_class, resolved
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, FieldDecl, MethodDecl
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import arguments_of, find_field
from checker.extract.java.syntax.tree import Node, children, text
from checker.extract.java.syntax.tree import field as part
from checker.extract.java.syntax.type_refs import type_ref

_STEPS = 10_000
"""About ten times what the largest functions of everyday programs need."""


@dataclass
class Effort:
    """The steps that are left for one answer."""

    left: int = _STEPS


_DEPTH = 12
_SUBCLASSES = 20
"""As many subclasses as the index looks for: with more, one may override any method."""
_INITIALIZERS = frozenset({"block", "compact_constructor_declaration"})
_LITERALS = frozenset(
    {"string_literal", "decimal_integer_literal", "hex_integer_literal", "decimal_floating_point_literal",
     "character_literal", "true", "false", "null_literal"}
)  # fmt: skip


@dataclass(frozen=True)
class _Code:
    """Code that is read: its types, what its variables stand for, and the object whose method it is."""

    typer: Typer
    values: Mapping[str, KeyText]
    this: KeyText | None = None
    depth: int = 0
    fields: Mapping[str, KeyText] = field(default_factory=dict)
    """What the fields of the selector hold, in its own code."""
    effort: Effort = field(default_factory=Effort)


def of_lambda(typer: Typer, body: Node, parameter: str, captured: Mapping[str, KeyText]) -> str | None:
    """What a lambda returns for the element that ``parameter`` names."""
    code = _Code(typer, {**captured, parameter: _element(typer.names.get(parameter))})
    return shown(_returned(code, children(body)) if body.type == "block" else _read(code, body))


def of_selector(typer: Typer, method: MethodDecl, fields: Mapping[str, KeyText]) -> str | None:
    """What a selector's ``getKey`` returns; None where it reads other fields of the selector."""
    taken = resolved(typer.index, method.parameters[0].type, method.owner) if method.parameters else None
    return shown(_inlined(_Code(typer, {}, fields=fields), method, None, [_element(taken)]))


def known_strings(values: Mapping[str, object]) -> Mapping[str, KeyText]:
    """The strings among values that are known when the program is built, as its code could write them."""
    known = ((name, v.value) for name, v in values.items() if isinstance(v, Constant) and not v.depends)
    return {name: KeyText(json.dumps(value), STRING) for name, value in known if isinstance(value, str)}


def of_reference(typer: Typer, owner: JavaType, name: str, element: JavaType | None) -> str | None:
    """What ``Owner::name`` gives: a getter or another method of the element, or a static method of it."""
    static = any(m.static for m in typer.methods(owner, name, 1))
    code = _Code(typer, {})
    if static:
        return shown(_method(code, owner, name, [_element(element)], None))
    return shown(_method(code, owner, name, [], _element(owner)))


def _element(type_: JavaType | None) -> KeyText:
    return KeyText("", type_, part=True)


def _read(code: _Code, node: Node | None) -> KeyText | None:
    code.effort.left -= 1
    if node is None or code.depth > _DEPTH or code.effort.left < 0:
        return None
    if node.type in _LITERALS:
        return KeyText(text(node), code.typer.of(node))
    match node.type:
        case "parenthesized_expression":
            return _read(code, children(node)[0])
        case "identifier":
            return _name(code, node)
        case "this":
            return code.this
        case "field_access":
            return _field(code, node)
        case "method_invocation":
            return _called(code, node)
        case "object_creation_expression":
            return _created(code, node)
        case "binary_expression":
            return _binary(code, node)
        case "ternary_expression":
            return _choice(code, node)
        case "unary_expression":
            operand = operands(_read(code, part(node, "operand")))
            return KeyText(f"({text(part(node, 'operator'))}{operand[0]})", code.typer.of(node)) if operand else None
        case "cast_expression":
            operand = operands(_read(code, part(node, "value")))
            type_ = code.typer.of(node)
            return KeyText(f"(({type_}) {operand[0]})", type_) if operand and type_ is not None else None
    return None


def _choice(code: _Code, node: Node) -> KeyText | None:
    """One of two values."""
    condition, *ways = (_read(code, part(node, name)) for name in ("condition", "consequence", "alternative"))
    known = operands(*ways)
    if condition is None or known is None:
        return None
    return KeyText(f"({condition.spelled} ? {known[0]} : {known[1]})", code.typer.of(node))


def _binary(code: _Code, node: Node) -> KeyText | None:
    left, right = _read(code, part(node, "left")), _read(code, part(node, "right"))
    operator, known = text(part(node, "operator")), operands(left, right)
    if left is None or right is None or known is None:
        return None
    joined = operator == "+" and (left.string or right.string)
    if operator == "+" and not joined and (left.type is None or right.type is None):
        return None
    return KeyText(f"({known[0]} {operator} {known[1]})", STRING if joined else code.typer.of(node))


def _name(code: _Code, node: Node) -> KeyText | None:
    name = text(node)
    if name in code.values:
        return code.values[name]
    if find_local(node, name) is not None:
        return None
    declared = find_field(code.typer.index, code.typer.scope, name)
    if declared is None:
        return None
    if declared.static:
        return _constant(code, declared)
    return code.fields.get(name) if code.this is None else _member(code, code.this, of_class(code.typer.scope), name)


def _constant(code: _Code, declared: FieldDecl | None) -> KeyText | None:
    """A static field that only its initializer sets."""
    if declared is None or not declared.static or not declared.final:
        return None
    index, owner = code.typer.index, declared.owner
    found = _read(_Code(Typer(index, owner), {}, None, code.depth + 1, effort=code.effort), declared.value)
    return converted(found, resolved(index, declared.type, owner)) if found is not None else None


def _field(code: _Code, node: Node) -> KeyText | None:
    target, name = part(node, "object"), text(part(node, "field"))
    if target is None:
        return None
    static = code.typer.class_named(target)
    owner = static.decl if static is not None else None
    if owner is not None:
        if owner.kind is ClassKind.ENUM and any(constant.name == name for constant in owner.enum_constants):
            return KeyText(f"{owner.name}.{name}", of_class(owner), part=True)
        return _constant(code, find_field(code.typer.index, owner, name))
    if static is not None and code.typer.of(target) is None and is_of_java(static):
        return KeyText(f"{static}.{name}")
    if target.type == "this" and code.this is None:
        return code.fields.get(name)
    receiver = _read(code, target)
    return None if receiver is None else _member(code, receiver, code.typer.of(target), name)


def _member(code: _Code, receiver: KeyText, owner: JavaType | None, name: str) -> KeyText | None:
    """A field of an object. What a constant of an enum holds is set by its constructor, which is not read."""
    if owner is not None and owner.decl is not None and owner.decl.kind is ClassKind.ENUM:
        return None
    return KeyText(f"{receiver.text}.{name}", code.typer.member(owner, name) if owner is not None else None, part=True)


def _called(code: _Code, node: Node) -> KeyText | None:
    target, name = part(node, "object"), text(part(node, "name"))
    read = [_read(code, child) for child in arguments_of(node)]
    given = [key for key in read if key is not None]
    if len(given) < len(read) or (target is not None and target.type == "super"):
        return None
    typer = code.typer
    if target is None:
        for around in typer.scope.outward():
            if next(typer.methods(of_class(around), name, len(given)), None) is not None:
                return _method(code, of_class(around), name, given, code.this if around is typer.scope else None)
        return None
    static = typer.class_named(target)
    if static is not None and typer.of(target) is None:
        return _method(code, static, name, given, None)
    receiver = _read(code, target)
    owner = receiver.type or typer.of(target) if receiver is not None else None
    return None if receiver is None or owner is None else _method(code, owner, name, given, receiver)


def _method(
    code: _Code, owner: JavaType, name: str, given: Sequence[KeyText], receiver: KeyText | None
) -> KeyText | None:
    """A call: what the repository's method returns, or the call itself where a library has the method.

    A record, or Lombok, may give a class the accessor that an interface of it declares.
    """
    typer = code.typer
    if owner.decl is None:
        return of_library(typer, owner, name, given, receiver)
    found = list(typer.methods(owner, name, len(given)))
    generated = bool(found) and not owner.decl.abstract and all(method.abstract for method in found)
    if found and not generated:
        first = found[0]
        signature = [str(p.type) for p in first.parameters]
        alone = all(method is first or method.owner is not first.owner for method in found) and all(
            [str(p.type) for p in method.parameters] == signature for method in found
        )
        return _inlined(code, first, receiver, given) if alone and not _overridden(typer, owner, first) else None
    if given or receiver is None or (generated and _overridden(typer, owner, found[0])):
        return None
    bare = name.removeprefix("get").removeprefix("is")
    for candidate in (name, bare[:1].lower() + bare[1:]):
        if typer.member(owner, candidate) is not None:
            return _member(code, receiver, owner, candidate)
    named = owner.decl.kind is ClassKind.ENUM and name in ("name", "toString")  # a toString of its own was found above
    return KeyText(f"{receiver.spelled}.name({constants_of(owner.decl)})", STRING) if named else None


def _overridden(typer: Typer, owner: JavaType, method: MethodDecl) -> bool:
    """Whether a class below has a method of its own."""
    if method.static or owner.decl is None:
        return False
    below = typer.index.implementations(owner.decl)
    return len(below) >= _SUBCLASSES or any(
        next(typer.methods(of_class(decl), method.name, len(method.parameters)), method).owner is not method.owner
        for decl in below
    )


def _inlined(code: _Code, method: MethodDecl, receiver: KeyText | None, given: Sequence[KeyText]) -> KeyText | None:
    """What a method returns for these arguments."""
    if method.body is None or method.varargs or len(method.parameters) != len(given):
        return None
    index = code.typer.index
    names = {p.name: resolved(index, p.type, method.owner) for p in method.parameters}
    values = {p.name: converted(value, names[p.name]) for p, value in zip(method.parameters, given, strict=True)}
    fields = code.fields if receiver is code.this and not method.static else {}
    this = None if method.static else receiver
    inside = _Code(Typer(index, method.owner, names), values, this, code.depth + 1, fields, code.effort)
    found = _returned(inside, children(method.body))
    return converted(found, resolved(index, method.return_type, method.owner)) if found is not None else None


def _returned(code: _Code, statements: Sequence[Node]) -> KeyText | None:
    """What code returns that does nothing else but naming parts of it."""
    for statement in statements:
        if statement.type == "return_statement":
            return _read(code, next(iter(children(statement)), None))
        declared = _declared(code, statement)
        if declared is None:
            return None
        code = declared
    return None


def _declared(code: _Code, declaration: Node) -> _Code | None:
    """The code with the variables that a statement declares; None for other statements."""
    if declaration.type != "local_variable_declaration":
        return None
    written = type_ref(part(declaration, "type"))
    for declarator in children(declaration):
        if declarator.type == "variable_declarator":
            value = _read(code, part(declarator, "value"))
            if value is None:
                return None
            if written.name != "var":
                value = converted(value, resolved(code.typer.index, written, code.typer.scope))
            code = replace(code, values={**code.values, text(part(declarator, "name")): value})
    return code


def _created(code: _Code, node: Node) -> KeyText | None:
    """A new object: of a library, or of a repository's class whose constructor only keeps its arguments."""
    read = [_read(code, child) for child in arguments_of(node)]
    given = [key for key in read if key is not None]
    if len(given) < len(read) or any(child.type == "class_body" for child in children(node)):
        return None
    index, type_ = code.typer.index, code.typer.of(node)
    found = index.resolve_type(type_ref(part(node, "type")), code.typer.scope)
    if isinstance(found, External):
        tuple_ = found.simple.startswith("Tuple")
        known = [argument.spelled for argument in given] if tuple_ else operands(*given)
        return None if known is None else KeyText(f"new {found.simple}({', '.join(known)})", type_)
    if not isinstance(found, ClassDecl) or any(isinstance(a, ClassDecl) for a in index.ancestors(found)):
        return None
    constructors = found.constructors or found.canonical_constructor
    fitting = [c for c in constructors if len(c.parameters) == len(given) and not c.varargs]
    initial = any(f.value is not None and not f.static for f in found.fields.values())
    default = not constructors and not given
    if (len(fitting) != 1 and not default) or initial or any(member.type in _INITIALIZERS for member in found.members):
        return None
    kept = {} if default else _kept(code, fitting[0], given)
    if kept is None:
        return None
    fields = ", ".join(f"{name} = {kept[name]}" for name in sorted(kept))
    return KeyText(f"new {found.qualified_name}({fields})", type_)


def _kept(code: _Code, constructor: MethodDecl, given: Sequence[KeyText]) -> dict[str, str] | None:
    """What a constructor sets the fields to; None where it does anything else."""
    index, made = code.typer.index, constructor.owner
    names = {p.name: resolved(index, p.type, made) for p in constructor.parameters}
    values = {p.name: converted(value, names[p.name]) for p, value in zip(constructor.parameters, given, strict=True)}
    if constructor.body is None:
        return {name: value.spelled for name, value in values.items()} if made.kind is ClassKind.RECORD else None
    inside = _Code(Typer(index, made, names), values, None, code.depth + 1, effort=code.effort)
    kept: dict[str, str] = {}
    for statement in children(constructor.body):
        assignment = next(iter(children(statement)), None) if statement.type == "expression_statement" else None
        plain = assignment is not None and assignment.type == "assignment_expression"
        if assignment is None or not plain or text(part(assignment, "operator")) != "=":
            return None
        name = text(part(assignment, "left")).removeprefix("this.")
        value = _read(inside, part(assignment, "right"))
        if name not in made.fields or name in kept or value is None:
            return None
        kept[name] = value.spelled
    return kept
