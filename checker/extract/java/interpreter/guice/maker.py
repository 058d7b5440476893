"""Makes the objects of an injector: bound ones, and those of classes that Guice makes without a binding."""

from __future__ import annotations

from typing import Final

from checker.extract.java.interpreter.filled_objects import set_member
from checker.extract.java.interpreter.guice.bindings import (
    PACKAGE,
    Binding,
    ByProvider,
    Injector,
    Key,
    Provided,
    qualifier,
    type_key,
)
from checker.extract.java.machine import numbers
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.signals import UnreadError
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    ClassLiteral,
    Constant,
    ExternalObject,
    Instance,
    Lambda,
    MethodRef,
    Value,
)
from checker.extract.java.syntax.annotations import annotations_of, elements
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.tree import Node, children, field
from checker.extract.java.syntax.type_refs import TypeRef

_MOST_NESTED: Final = 40


class Maker:
    """Makes the objects of one injector, for one call."""

    def __init__(self, run: Run, injector: Injector, call: Call) -> None:
        self._run, self._injector, self._call = run, injector, call

    def of_key(self, key: Key, depth: int) -> Value:
        """The object that a key leads to. Raises UnreadError."""
        if depth > _MOST_NESTED:
            raise UnreadError
        if key in self._injector.made:
            return self._injector.made[key]
        binding = self._injector.bindings.get(key)
        found = self._unbound(key, depth) if binding is None else self._bound(binding, key, depth)
        alone = isinstance(key[0], ClassDecl) and "Singleton" in key[0].annotation_names
        if (binding is not None and binding.singleton) or (alone and key[1] is None):
            self._run.memory.put(self._injector.made, key, found)
        return found

    def _bound(self, binding: Binding, key: Key, depth: int) -> Value:
        target = binding.target
        if isinstance(target, Provided):
            arguments = self._arguments(target.method, depth)
            return self._run.settle(
                self._run.interpreter.call_method(
                    target.method, target.module, self._call.having(name=target.method.name, arguments=arguments)
                )
            )
        if isinstance(target, ByProvider):
            return self._provided(target.provider, depth)
        if isinstance(target, ClassLiteral):
            led = (type_key(target.type, target.ref), None)
            return self._unbound(led, depth) if led == key else self.of_key(led, depth + 1)
        if target is None:
            return self._unbound((key[0], None), depth)
        if isinstance(target, ExternalObject) and target.type.name.startswith(PACKAGE):
            raise UnreadError
        if isinstance(target, Instance):
            self.fill(target, depth)
        return target

    def _provided(self, provider: Value, depth: int) -> Value:
        """What ``get`` of a provider gives. Guice makes a provider that is named by its class, and fills others in."""
        if isinstance(provider, ClassLiteral):
            provider = self.of_key((type_key(provider.type, provider.ref), None), depth + 1)
        elif isinstance(provider, Instance):
            self.fill(provider, depth)
        found = self._run.settle(self._got(provider, self._call.having(name="get", arguments=[])))
        if found is NULL:
            raise UnreadError
        return found

    def _got(self, provider: Value, call: Call) -> Value:
        if isinstance(provider, Lambda | MethodRef):
            return self._run.interpreter.call_function(provider, call)
        declared = self._run.index.lineage(provider.decl) if isinstance(provider, Instance) else []
        method = next((m for owner in declared for m in owner.methods if m.name == "get" and not m.parameters), None)
        if method is None or method.body is None or not isinstance(provider, Instance):
            raise UnreadError
        return self._run.interpreter.call_method(method, provider, call)

    def _unbound(self, key: Key, depth: int) -> Value:
        """An object of a class that no module binds, or a value of a constant that is bound as a text."""
        decl, name = key
        if isinstance(decl, str) and name is not None and decl in ("Integer", "Long", "Boolean"):
            bound = self._injector.bindings.get(("String", name))
            return _converted(bound.target if bound is not None else None, decl)
        if not isinstance(decl, ClassDecl) or name is not None:
            raise UnreadError
        marks = dict(annotations_of(decl.node))
        if "ImplementedBy" in marks or "ProvidedBy" in marks or decl.kind is not ClassKind.CLASS or decl.abstract:
            raise UnreadError
        constructors = list(decl.constructors)
        marked = [c for c in constructors if "Inject" in dict(annotations_of(c.node))]
        chosen = marked[0] if len(marked) == 1 else next((c for c in constructors if not c.parameters), None)
        if (constructors and chosen is None) or decl.annotation_names & {
            "AllArgsConstructor",
            "RequiredArgsConstructor",
        }:
            raise UnreadError
        arguments = self._arguments(chosen, depth) if chosen is not None else []
        made = self._run.interpreter.instantiate(decl, self._call.having(name="new", arguments=arguments))
        if not isinstance(made, Instance):
            raise UnreadError
        self.fill(made, depth)
        return made

    def _arguments(self, method: MethodDecl, depth: int) -> list[Value]:
        given = field(method.node, "parameters")
        nodes = [n for n in (children(given) if given is not None else ()) if n.type == "formal_parameter"]
        if len(nodes) != len(method.parameters):
            raise UnreadError
        return [
            self._injected(p.type, method.owner, dict(annotations_of(node)), depth)
            for p, node in zip(method.parameters, nodes, strict=True)
        ]

    def _injected(self, ref: TypeRef, owner: ClassDecl, marks: dict[str, Node], depth: int) -> Value:
        kind = self._run.index.resolve_type(ref, owner)
        if isinstance(kind, External) and kind.simple == "Injector":
            return self._injector
        return self.of_key((type_key(kind, ref), qualifier(marks)), depth + 1)

    def fill(self, made: Instance, depth: int) -> None:
        """Inject the fields and methods of an object, those of its superclasses first."""
        for owner in reversed(self._run.index.lineage(made.decl)):
            for declared in owner.fields.values():
                marks = dict(annotations_of(declared.node))
                if "Inject" in marks and not declared.static:
                    if "optional" in elements(marks["Inject"]):
                        raise UnreadError
                    value = self._injected(declared.type, owner, marks, depth)
                    set_member(self._run, made, owner, declared.name, None, value, self._call)
            for method in owner.methods:
                if "Inject" in dict(annotations_of(method.node)):
                    arguments = self._arguments(method, depth)
                    self._run.interpreter.call_method(
                        method, made, self._call.having(name=method.name, arguments=arguments)
                    )


def _converted(value: Value | Provided | ByProvider | None, box: str) -> Value:
    """A text as Guice converts it to a plain type."""
    if not isinstance(value, Constant) or not isinstance(value.value, str):
        raise UnreadError
    if box == "Boolean" and value.value in ("true", "false"):
        return Constant(value.value == "true", "boolean")
    kind = {"Integer": "int", "Long": "long"}.get(box)
    if kind is None or not value.value.lstrip("-").isdecimal() or len(value.value) > 18:
        raise UnreadError
    number = Constant(int(value.value), "long")
    found = numbers.convert(number, kind)
    if found.value != number.value:
        raise UnreadError
    return found
