"""What a function holds: the objects and lambdas to which its methods may hand on what Flink calls them with."""

import re
from collections.abc import Iterator

from checker.extract.datastream.table import table
from checker.extract.java.flink_api.states import registering
from checker.extract.java.machine.descriptions import described_as
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Constant,
    ExternalObject,
    Frame,
    Instance,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    Value,
    parts_of,
)
from checker.extract.java.syntax.class_index import ClassIndex, Resolved
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.nodes import functional_method, stands_for_value
from checker.extract.java.syntax.tree import Node, text, walk
from checker.model.declared_state import ELEMENT

MANY = 300
"""As many objects of one function are looked at."""
_DEEPEST = 6
"""How far inside of a function a state is looked for."""
_BY_NUMBER = re.compile(r"\b(\w+)(?:\.get\([^()]*\))?(?:\.get\(|\[)\d")
"""Lists and arrays whose elements code takes by numbers that it names."""
_SINGLE = table("methods_of_interfaces")
NAMES = re.compile(r"\w+")
_ASKING = frozenset({*registering.ASKING, *registering.TIMERS, *registering.TIMER_SERVICES})
"""Methods by which code asks for states."""


def closed_over(node: Node, frame: Frame) -> Iterator[tuple[str, Value]]:
    """The variables around a function that its code names, with their values."""
    for name in dict.fromkeys(text(n) for n in walk(node) if n.type == "identifier" and stands_for_value(n)):
        holder = frame.scope.holder(name)
        if holder is not None:
            yield name, holder.variables[name]


def around(value: Value) -> dict[str, Value]:
    """What a lambda or an object of an anonymous class closes over, the object around it as ``this``."""
    if isinstance(value, Lambda | MethodRef):
        found = {} if value.node is None else dict(closed_over(value.node, value.frame))
        outer = value.frame.this
    elif isinstance(value, Instance):
        found = {} if value.captured is None else dict(closed_over(value.decl.node, value.captured))
        outer = value.outer
    else:
        return {}
    return {**found, "this": outer} if isinstance(outer, Instance) else found


def reached_from(function: Instance) -> tuple[Value, ...]:
    """The function and all that its fields hold or close over, at any depth, collections and maps included."""
    found: dict[int, Value] = {}
    pending: list[Value] = [function]
    while pending and len(found) < MANY:
        value = pending.pop(0)
        if isinstance(value, Constant) or id(value) in found:
            continue
        found[id(value)] = value
        given = value.made_with if isinstance(value, ExternalObject) else parts_of(value)
        pending += (*given, *around(value).values())
    return tuple(found.values())


def key_of(function: Instance) -> tuple[object, ...]:
    """What tells objects of functions apart: their classes, what they hold and what they close over."""
    bound = (around(value) for value in reached_from(function))
    texts = tuple(f"{name}: {described_as(value)}" for kept in bound for name, value in kept.items())
    return (id(function.decl), described_as(function), texts)


def ways_to(run: Run, function: Instance) -> Iterator[tuple[str, str]]:
    """Symbols of what a function holds, each with a way: fields, keys of maps, the class of the object that has it."""
    code = (text(owner.node) for owner in run.index.lineage(function.decl))
    by_number = {name for written in code for name in _BY_NUMBER.findall(written)}
    seen: set[int] = set()
    pending: list[tuple[str, str, Value, int]] = [("", "", function, 0)]
    for way, owner, holder, depth in pending:
        for value in run.alternatives(holder):
            if isinstance(value, Opaque) and not way.endswith(ELEMENT):
                yield value.symbol, way + owner
            if depth == _DEEPEST or id(value) in seen or len(seen) > MANY:
                continue
            seen.add(id(value))
            of, parts = owner, list[tuple[str, Value]]()
            if isinstance(value, Instance):
                dot, of = (f"{way}.", f" of {value.decl.name}") if way else ("", "")
                parts = [(dot + name, part) for name, part in value.fields.items()]
            elif isinstance(value, MapValue):
                keys = [(getattr(key, "name", None) or described_as(key), part) for key, part in value.entries or ()]
                parts = [(f"{way}[{key}]", part) for key, part in keys]
            elif isinstance(value, ListValue):
                each = enumerate(value.contents[:MANY])
                counted = "." not in way and way.partition("[")[0] in by_number
                parts = [(f"{way}[{place}]" if counted else way + ELEMENT, part) for place, part in each]
            pending += ((name, of, part, depth + 1) for name, part in parts)


def single_methods(index: ClassIndex, function: Lambda | MethodRef) -> tuple[str, ...]:
    """The names by which code calls a lambda or method reference: one where its interface is known."""
    if isinstance(function.interface, ClassDecl):
        method = functional_method(index, function.interface)
        return (method.name,) if method is not None else ()
    known = _SINGLE.get(function.interface.simple) if function.interface is not None else None
    return (known,) if known is not None else tuple(set(_SINGLE.values()))


def may_ask(index: ClassIndex, owners: list[ClassDecl], reached: tuple[Value, ...]) -> frozenset[str]:
    """The names of methods that may ask for states: the function's, those of what it holds and of their helpers."""
    mentioned: dict[str, set[str]] = {}
    roots = dict.fromkeys(owners)
    helping: list[ClassDecl] = []
    for value in reached:
        if isinstance(value, Instance):
            roots.update(dict.fromkeys(index.lineage(value.decl)))
        elif isinstance(value, Lambda | MethodRef) and value.node is not None:
            words = set(NAMES.findall(text(value.node)))
            for name in single_methods(index, value):
                mentioned.setdefault(name, set()).update(words)
            helping += _helping(index, value.frame.decl, words)
    around = {outer for owner in roots for outer in owner.outward()}.difference(roots)
    for decl in _with_helpers(index, [*roots, *helping]):
        for method in decl.methods:
            if decl in around and any(node.type == "class_body" for node in walk(method.node)):
                continue  # it makes functions, and helps none
            for name in (method.name, decl.name) if method.name == "<init>" else (method.name,):
                mentioned.setdefault(name, set()).update(NAMES.findall(text(method.node)))
    asking = {name for name, words in mentioned.items() if words & _ASKING}
    if not asking and any(asks(owner) for owner in roots):
        asking = {"<init>"}
    while grown := {name for name, words in mentioned.items() if name not in asking and words & asking}:
        asking |= grown
    return frozenset(asking)


def _helping(index: ClassIndex, decl: ClassDecl, words: set[str]) -> Iterator[ClassDecl]:
    """The classes whose methods a lambda in a class can call: those that it names, and the class itself."""
    named = (index.resolve(word, decl) for word in words if word[0].isupper())
    yield from (found for found in named if isinstance(found, ClassDecl) and asks_anywhere(found))
    if any(method.name in words for method in decl.methods):
        yield decl


def _with_helpers(index: ClassIndex, owners: list[ClassDecl]) -> list[ClassDecl]:
    """The function's classes, and those of the repository whose methods their code can call, directly or not."""
    found, pending = dict.fromkeys(owners), list(owners)
    while pending and len(found) < 60 + len(owners):
        for near in _near(index, pending.pop(0)):
            if isinstance(near, ClassDecl) and near not in found and asks_anywhere(near):
                found[near] = None
                pending.append(near)
    return list(found)


def _near(index: ClassIndex, decl: ClassDecl) -> Iterator[Resolved]:
    """What a class names, the classes around it, and those of which it imports members."""
    yield from (index.resolve(name, decl) for name in decl.capitalized)
    yield from decl.outward()
    unit = index.unit_of(decl)
    imported = (owner for name, owners in unit.static_imports.items() if name in decl.words for owner in owners)
    yield from (index.find(owner, decl.unit.path) for owner in (*imported, *unit.static_on_demand))


def asks(code: ClassDecl | Lambda) -> bool:
    """Whether code asks for state itself."""
    return not _ASKING.isdisjoint(code.words if isinstance(code, ClassDecl) else NAMES.findall(text(code.node)))


def asks_anywhere(decl: ClassDecl) -> bool:
    """Whether a class may ask for state, or hand a store on."""
    return asks(decl) or any(word.endswith(("Context", "StateStore")) for word in decl.words)
