"""Builders that Lombok generates for a constructor or a static method with ``@Builder``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from checker.extract.java.interpreter import assignments, objects, repository_methods
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Bindings, ExternalObject, Instance, TypeName, Value
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.parse import string_literal
from checker.extract.java.syntax.tree import Node, annotations_of, elements, field, text

_NAMES: Final = frozenset({"builderMethodName", "buildMethodName", "toBuilder", "access"})
"""Elements of ``@Builder`` that are followed; ``setterPrefix`` and ``builderClassName`` are not."""


class LombokBuilder(ExternalObject):
    """A generated builder, with the arguments that it was given by name."""

    __slots__ = ("build", "given", "maker")

    def __init__(self, maker: MethodDecl, build: str) -> None:
        ExternalObject.__init__(self, External((f"{maker.owner.qualified_name}Builder",)))
        self.maker = maker
        self.build = build
        self.given = Bindings()


def made(run: Run, receiver: TypeName, call: Call) -> Value | None:
    """``Type.builder()`` of a class whose constructor or static method has ``@Builder``; None for other calls."""
    decl = receiver.type
    if not isinstance(decl, ClassDecl) or call.arguments:
        return None
    return next((b for name, b in _builders(decl) if name == call.name), None)


def of_object(run: Run, receiver: Instance, call: Call) -> Value | None:
    """``toBuilder()``: a builder with what the fields of the same names hold. None for other calls."""
    if call.name != "toBuilder" or call.arguments or "Builder" in receiver.decl.annotation_names:
        return None
    builder = next((b for _, b in _builders(receiver.decl)), None)
    if builder is None or any(p.name not in receiver.fields for p in builder.maker.parameters):
        return None
    builder.given.update({p.name: receiver.fields[p.name] for p in builder.maker.parameters})
    return builder


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """A method of such a builder: one parameter is given, or the object is made. None for other calls."""
    if not isinstance(receiver, LombokBuilder):
        return None
    maker, given = receiver.maker, call.arguments
    if len(given) == 1 and any(p.name == call.name for p in maker.parameters):
        run.memory.put(receiver.given, call.name, given[0])
        return receiver
    if given or call.name != receiver.build:
        return None
    arguments = [receiver.given.get(p.name) or assignments.default_value(p.type) for p in maker.parameters]
    if maker.name == "<init>":
        return objects.instantiate(run, maker.owner, call.having(name="new", arguments=arguments))
    return repository_methods.call_method(run, maker, None, call.having(name=maker.name, arguments=arguments))


def _builders(decl: ClassDecl) -> list[tuple[str, LombokBuilder]]:
    """A new builder for each ``@Builder`` that is understood, with the name of the method that gives it."""
    found = []
    for maker in decl.methods:
        mark = dict(annotations_of(maker.node)).get("Builder")
        overloads = [m for m in decl.methods_named(maker.name) if len(m.parameters) == len(maker.parameters)]
        if mark is None or len(overloads) > 1 or (maker.name != "<init>" and not maker.static):
            continue
        settings = elements(mark)
        written = f"{decl.name if maker.name == '<init>' else maker.return_type.name}Builder" in decl.nested
        if settings.keys() <= _NAMES and not written and "@Singular" not in text(field(maker.node, "parameters")):
            builder = LombokBuilder(maker, _name(settings, "buildMethodName", "build"))
            found.append((_name(settings, "builderMethodName", "builder"), builder))
    return found


def _name(settings: Mapping[str, Node], element: str, otherwise: str) -> str:
    """What a generated method is called."""
    return string_literal(text(settings[element])) if element in settings else otherwise
