"""A stream's keys: their type, the program's own classes in it, and which part of an element they are.

The type comes from the selector (a class, a lambda, a method reference, positions or fields), else from the function
that is applied to the keyed stream. What an expression returns is followed through declarations of the repository.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from checker.extract.datastream.table import table
from checker.extract.java.flink_api import element_types
from checker.extract.java.flink_api.element_types import Element
from checker.extract.java.flink_api.function_facts import places, texts_of
from checker.extract.java.flink_api.keys.parts import given_by, part_of
from checker.extract.java.flink_api.states.held import closed_over
from checker.extract.java.flink_api.states.types import TypeReader, shapes_of
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, expression_of, holds_functions
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Constant,
    ExternalObject,
    Instance,
    Lambda,
    MethodRef,
    TypeName,
    Value,
    parts_of,
)
from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import JavaType, lineage, named, of_class, resolved, supertype
from checker.extract.java.state.read_by_libraries import ANY_OBJECT
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.tree import Node, children, field, text
from checker.extract.java.syntax.type_refs import type_ref
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.declared_state import ClassShape
from checker.model.unknowns import CODE, Cause, Location, Maybe, Unknown

_KEY_ARGUMENT = table("type_argument_of_key")
"""Functions on keyed streams → which of their type arguments is the key's."""
_DEPTH = 5  # of functions that are looked for in what selectors are made of


@dataclass(frozen=True, slots=True)
class Key:
    """``type`` as Flink writes it, the program's own ``classes`` in it, and the ``part`` of an element it is.

    ``explicit``: the program names the type information itself. Then neither selectors nor functions decide the type.
    """

    type: Maybe[str] | None = None
    classes: tuple[ClassShape, ...] = ()
    part: Maybe[str] | None = None
    explicit: bool = False
    at: Location | None = None
    """Where the code of the selector stands."""


NO_KEY = Key()

ONE_KEY = Key("Byte", (), "one key for all")
"""What Flink puts on streams without keys, for windows and patterns over everything (``NullByteKeySelector``)."""


def key_of(run: Run, given: list[Value], element: Element, call: Call) -> Key:
    """What is known of the keys that ``keyBy`` gives."""
    if not given:
        return NO_KEY
    value = given[0]
    if all(isinstance(argument, Constant) for argument in given):
        return _positions(run, [argument for argument in given if isinstance(argument, Constant)], element)
    if isinstance(value, ExternalObject) and value.type.simple == "NullByteKeySelector":
        return ONE_KEY
    part, asked = _part(run, value, element), element_types.queried(run, run.soften(value))
    if len(given) > 1:
        found = _explicit(run, given[-1], part)
    elif asked is None:
        found = _key(run, _type(run, value, element), part, value)
    else:
        type_, classes = element_types.written(run, asked, "the keys")
        found = Key(type_, classes, part, explicit=True)
    return replace(found, at=next(iter(places(run, [value])), None))


def _explicit(run: Run, information: Value, part: Maybe[str] | None) -> Key:
    """The key with the type information that the program passes: its serializer writes the keys."""
    return run.agreed(
        information,
        lambda given: _of_information(run, given, part),
        lambda: _not_known(part, expression_of(information, Cause.BRANCH), explicit=True),
    )


def _of_information(run: Run, information: Value, part: Maybe[str] | None) -> Key:
    found = element_types.of_information(run, information)
    if found.text is not None and not found.classes:
        return Key(found.text, (), part, explicit=True)
    if found.type is None or not found.type.known:
        written = TypeReader(run, {}, keys=True).of(information)
        unknown = _not_known(part, expression_of(information, Cause.EXTERNAL), explicit=True)
        return replace(unknown, type=written.type or unknown.type, classes=written.classes)
    return replace(_key(run, found.type, part, None), explicit=True)


def _not_known(part: Maybe[str] | None, digest: str | None, *, explicit: bool = False) -> Key:
    return Key(Unknown("cannot tell the type of the keys", Cause.EXTERNAL, derived_from=digest), (), part, explicit)


def _key(run: Run, type_: JavaType | None, part: Maybe[str] | None, value: Value | None) -> Key:
    if type_ is None or not type_.known:
        digest = part.derived_from if isinstance(part, Unknown) else part
        if value is not None and digest is None:
            digest = expression_of(value, Cause.EXTERNAL)
        return _not_known(part, digest)
    shapes = shapes_of(run)
    boxed = type_.boxed
    return Key(shapes.text(boxed), shapes.shapes_of((boxed,), keys=True), part)


def joined(stream: StreamValue) -> Key:
    """The key of an operator on a stream: of both inputs, where they have one."""
    if not stream.parts or stream.draft is not None:
        found = stream.extra.get("key", NO_KEY)
        return found if isinstance(found, Key) else NO_KEY
    return of_all([joined(part) for part in stream.parts])


def of_all(keys: list[Key]) -> Key:
    """The key of an operator by those of its inputs."""
    keys = [key for key in keys if key is not NO_KEY]
    if not keys:
        return NO_KEY
    known = next((key for key in keys if key.explicit or isinstance(key.type, str)), keys[0])
    parts = list(dict.fromkeys(key.part for key in keys))
    part: Maybe[str] | None = parts[0]
    if len(parts) > 1:
        text_of_all = " and ".join((p.derived_from if isinstance(p, Unknown) else p) or "" for p in parts)
        not_plain = [p for p in parts if not isinstance(p, str)]
        by_code = all(p is not None and (p.derived_from or "").startswith(CODE) for p in not_plain)
        part = _unknown(f"{CODE}{text_of_all}" if by_code else text_of_all) if not_plain else text_of_all
    return replace(known, part=part)


def refined(run: Run, key: Key, function: Value | None) -> Key:
    """The key with the type that a function on the keyed stream names, where the selector does not show it."""
    if function is None or key.explicit or not isinstance(key.type, Unknown):
        return key
    for value in run.alternatives(function):
        if not isinstance(value, Instance):
            continue
        for ancestor in lineage(run.index, of_class(value.decl)):
            place = _KEY_ARGUMENT.get(ancestor.simple)
            if place is not None and len(ancestor.arguments) > place and ancestor.arguments[place].known:
                return _key(run, ancestor.arguments[place], key.part, None)
    return key


def _positions(run: Run, given: list[Constant], element: Element) -> Key:
    """``keyBy(0)`` and ``keyBy("field", …)``: Flink makes tuples of these."""
    part = ", ".join(argument.text for argument in given)
    types = [_at(run, argument.text, element) for argument in given]
    if any(type_ is None for type_ in types):
        return _key(run, None, part, None)
    parts = tuple(type_.boxed for type_ in types if type_ is not None)
    return _key(run, named(f"Tuple{len(parts)}", *parts, package="org.apache.flink.api.java.tuple"), part, None)


def _at(run: Run, place: str, element: Element) -> JavaType | None:
    """The part of an element at a position or under a field expression like ``user.id``."""
    current = element.type
    for step in place.split("."):
        if current is None:
            return None
        if step.isdigit():
            current = current.arguments[int(step)] if int(step) < len(current.arguments) else None
        elif step not in ("*", "_"):
            scope = current.decl
            current = Typer(run.index, scope).member(current, step) if scope is not None else None
    return current


def _type(run: Run, value: Value, element: Element) -> JavaType | None:
    return run.agreed(value, lambda selector: _type_by(run, selector, element), lambda: None)


def _type_by(run: Run, value: Value, element: Element) -> JavaType | None:
    if isinstance(value, Instance):
        selector = supertype(run.index, of_class(value.decl), "KeySelector")
        return selector.arguments[1] if selector is not None and len(selector.arguments) == 2 else None
    if isinstance(value, MethodRef):
        for method in _referenced(run, value):
            return resolved(run.index, method.return_type, method.owner)
        if isinstance(value.target, TypeName) and isinstance(value.target.type, ClassDecl):
            return Typer(run.index, value.target.type).result(of_class(value.target.type), value.name)
    if isinstance(value, Lambda):
        return element_types.lambda_result(run, value, element)
    return None


def _referenced(run: Run, value: MethodRef) -> Iterator[MethodDecl]:
    owner: ClassDecl | None = None
    if isinstance(value.target, TypeName) and isinstance(value.target.type, ClassDecl):
        owner = value.target.type
    elif isinstance(value.target, Instance):
        owner = value.target.decl
    if owner is not None:
        for ancestor in lineage(run.index, of_class(owner)):
            if ancestor.decl is not None:
                yield from ancestor.decl.methods_named(value.name)


# -- which part of an element ------------------------------------------------------------------------------------


def _part(run: Run, value: Value, element: Element) -> Maybe[str] | None:
    """A text that is equal in two revisions whose selectors give every element the same key."""
    part_by = partial(_part_by, run, element=element)
    return run.agreed(value, part_by, lambda: _unknown(expression_of(value, Cause.BRANCH)))


def _part_by(run: Run, value: Value, element: Element) -> Maybe[str] | None:
    """A plain part as such, any other code by its tokens and those of all that it calls."""
    if isinstance(value, MethodRef):
        return _of_reference(run, value)
    if isinstance(value, Lambda):
        parameters, body = field(value.node, "parameters"), field(value.node, "body")
        first = None if parameters is None else next(iter(children(parameters)), parameters)
        bound = dict(closed_over(value.node, value.frame))
        this = value.frame.this
        fields = this.fields if isinstance(this, Instance) else {}
        return _of_code(run, body, value.frame.decl, first, element.type, {**fields, **bound})
    if isinstance(value, Instance):
        methods = [m for ancestor in lineage(run.index, of_class(value.decl)) if ancestor.decl is not None
                   for m in ancestor.decl.methods_named("getKey") if not m.abstract]  # fmt: skip
        if methods:
            bound = {} if value.captured is None else dict(closed_over(value.decl.node, value.captured))
            parameters = field(methods[0].node, "parameters")
            first = None if parameters is None else next(iter(children(parameters)), None)
            return _of_code(run, methods[0].body, methods[0].owner, first, None, {**bound, **value.fields}, value.decl)
    return _unknown(_with_code(run, value))


def _of_reference(run: Run, value: MethodRef) -> Maybe[str]:
    if isinstance(value.target, TypeName):
        owner = value.target.type
        if not isinstance(owner, ClassDecl):
            return f".{value.name}()"
        part = given_by(Typer(run.index, owner), of_class(owner), value.name)
        return part if part is not None else shapes_of(run).closures.of_reference(owner, value.name, None)
    if isinstance(value.target, Instance):
        return shapes_of(run).closures.of_reference(value.target.decl, value.name, _bound(run, value.target.fields))
    return _unknown(_with_code(run, value))


def _of_code(
    run: Run,
    body: Node | None,
    scope: ClassDecl,
    parameter: Node | None,
    element: JavaType | None,
    bound: Mapping[str, Value],
    this: ClassDecl | None = None,
) -> Maybe[str]:
    """The key that code gives; ``bound`` is what variables and fields around it hold."""
    if body is None or parameter is None:
        return _unknown(NEEDS_CODE)
    name, kind = text(field(parameter, "name") or parameter), field(parameter, "type")
    type_ = resolved(run.index, type_ref(kind), scope) if kind is not None else element
    names = {name: type_ if type_ is not None else JavaType("var")}
    part = part_of(Typer(run.index, scope, names), body, name)
    if part is not None:
        return part or "element"
    return shapes_of(run).closures.of_key(body, scope, names, _bound(run, bound), this)


def _bound(run: Run, values: Mapping[str, Value]) -> dict[str, Maybe[str]]:
    """What variables hold: a value with functions in it by the code that these run, too."""
    return {
        name: replace(known, derived_from=_with_code(run, values[name])) if isinstance(known, Unknown) else known
        for name, known in texts_of(values).items()
    }


def _with_code(run: Run, value: Value, depth: int = 0) -> str:
    """The expression that gives a value, with the code of functions in it; ``NEEDS_CODE`` where one is out of sight."""
    made, closures = expression_of(value, Cause.EXTERNAL), shapes_of(run).closures
    if isinstance(value, Lambda):
        around = texts_of(dict(closed_over(value.node, value.frame)))
        lost = any(isinstance(v, Unknown) and holds_functions(str(v.derived_from)) for v in around.values())
        return NEEDS_CODE if lost else closures.of(value.node, value.frame.decl, around)
    if isinstance(value, MethodRef) and isinstance(value.target, TypeName):
        part = _of_reference(run, value)
        return (part.derived_from if isinstance(part, Unknown) else part) or NEEDS_CODE
    owner = value.target if isinstance(value, MethodRef) else value
    above = run.index.ancestors(owner.decl) if isinstance(owner, Instance) else ()
    of_library = any(isinstance(a, External) and a.simple not in ANY_OBJECT for a in above)
    functions = holds_functions(made)
    if not (of_library or functions or isinstance(value, ExternalObject)):
        return made
    parts = value.made_with if isinstance(value, ExternalObject) else parts_of(value)
    found = [made, *(NEEDS_CODE if depth == _DEPTH else _with_code(run, part, depth + 1) for part in parts)]
    if isinstance(owner, Instance):
        found.append(closures.of_class(owner.decl))
    elif functions and value is owner and not any(holds_functions(described_as(part)) for part in parts):
        return NEEDS_CODE
    return NEEDS_CODE if NEEDS_CODE in found else "; ".join(found)


def _unknown(digest: str) -> Unknown:
    return Unknown("cannot tell which keys the selector returns", Cause.OTHER, derived_from=digest)
