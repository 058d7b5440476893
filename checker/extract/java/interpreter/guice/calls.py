"""Guice: modules that bind types, and the injector that makes objects of them.

Bindings of ``bind``, ``bindConstant``, ``Names.bindProperties``, ``@Provides`` and classes that Guice makes without any
are followed. Private modules, multibinders, interceptors and providers of one's own leave the injector unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from checker.extract.java.interpreter import names
from checker.extract.java.machine import numbers
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.signals import LimitSignal
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    ClassLiteral,
    Constant,
    ExternalObject,
    Frame,
    Instance,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Scope,
    Value,
)
from checker.extract.java.syntax.annotations import annotations_of, elements
from checker.extract.java.syntax.class_index import External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.tree import Node, children, field, text
from checker.extract.java.syntax.type_refs import TypeRef

_PACKAGE: Final = "com.google.inject"
_MODULES: Final = frozenset({"AbstractModule", "Module"})
_BINDER: Final = "binder"
"""The field of a module that holds it, as in ``AbstractModule``."""
_QUALIFIERS_KNOWN: Final = frozenset(
    {"Named", "Inject", "Singleton", "Provides", "Override", "Nullable", "SuppressWarnings"}
)
_BOXES: Final = {"int": "Integer", "long": "Long", "boolean": "Boolean", "double": "Double"}
_MOST_NESTED: Final = 40
Key = tuple[object, str | None]
"""A class of the repository or the name of another one, and the name that it is bound under."""


class UnreadError(Exception):
    """What Guice would do is not known here."""


@dataclass(frozen=True, slots=True)
class _Provided:
    """A ``@Provides`` method of a module."""

    method: MethodDecl
    module: Instance


class Binding(ExternalObject):
    """What ``bind`` gives: its key, and what it leads to."""

    __slots__ = ("eager", "key", "singleton", "target")

    def __init__(self, key: Key) -> None:
        ExternalObject.__init__(self, External((f"{_PACKAGE}.binder.LinkedBindingBuilder",)))
        self.key = key
        self.target: Value | _Provided | None = None
        self.singleton = self.eager = False


class Binder(ExternalObject):
    """Collects the bindings of all modules; ``open`` where there may be more."""

    __slots__ = ("bindings", "open")

    def __init__(self) -> None:
        ExternalObject.__init__(self, External((f"{_PACKAGE}.Binder",)))
        self.bindings: tuple[Binding, ...] = ()
        self.open = False


class Injector(ExternalObject):
    """An injector: its bindings by key, and the singletons that were made."""

    __slots__ = ("bindings", "made")

    def __init__(self, bindings: dict[Key, Binding]) -> None:
        ExternalObject.__init__(self, External((f"{_PACKAGE}.Injector",)))
        self.bindings = bindings
        self.made: dict[Key, Value] = {}


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """``Guice.createInjector(modules)`` and ``Names.bindProperties``; None for everything else."""
    if not external.name.startswith(_PACKAGE):
        return None
    given = list(call.arguments)
    if given and isinstance(given[0], Binder) and (external.simple, call.name) != ("Names", "bindProperties"):
        run.memory.assign(given[0], "open", True)
        return None
    try:
        if external.simple == "Names" and call.name == "bindProperties" and len(given) == 2:
            return _bind_properties(run, given[0], given[1])
        if external.simple == "Guice" and call.name == "createInjector":
            return _injector(run, given, call)
    except UnreadError:
        pass
    return None


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """A method of an injector, a binder or a binding; None where it is not modelled."""
    try:
        if isinstance(receiver, Injector):
            return _asked(run, receiver, call)
        if isinstance(receiver, Binder):
            return _bind(run, receiver, call)
        if isinstance(receiver, Binding):
            return _led(run, receiver, call)
    except UnreadError:
        pass
    return None


def module_member(run: Run, receiver: Instance, call: Call) -> Value | None:
    """What a module inherits: ``bind``, ``install``, ``binder``; None for everything else."""
    binder = receiver.fields.get(_BINDER)
    if not isinstance(binder, Binder):
        return None
    if call.name == "binder" and not call.arguments:
        return binder
    try:
        return _bind(run, binder, call)
    except UnreadError:
        return None


def _bind_properties(run: Run, binder: Value, properties: Value) -> Value:
    if not isinstance(binder, Binder) or not isinstance(properties, MapValue) or properties.entries is None:
        raise UnreadError
    for key, value in properties.entries:
        if not isinstance(key, Constant):
            raise UnreadError
        binding = Binding(("String", key.text))
        binding.target = value
        run.memory.assign(binder, "bindings", (*binder.bindings, binding))
    return NULL


def _bind(run: Run, binder: Binder, call: Call) -> Value | None:
    if call.name == "install" and len(call.arguments) == 1:
        _configured(run, binder, call.arguments[0], call)
        return NULL
    if call.name == "bindConstant" and not call.arguments:
        binding = Binding(("", None))
    elif call.name == "bind" and len(call.arguments) == 1 and isinstance(call.arguments[0], ClassLiteral):
        binding = Binding((_type_key(call.arguments[0].type, call.arguments[0].ref), None))
    else:
        run.memory.assign(binder, "open", True)
        return None
    run.memory.assign(binder, "bindings", (*binder.bindings, binding))
    return binding


def _led(run: Run, binding: Binding, call: Call) -> Value:
    """A step of a binding. One that is not known leaves it without a target that can be followed."""
    given = call.arguments[0] if len(call.arguments) == 1 else None
    if call.name == "annotatedWith" and given is not None:
        run.memory.assign(binding, "key", (binding.key[0], _annotation(given)))
    elif call.name in ("to", "toInstance") and isinstance(given, ClassLiteral | Constant | Instance | ExternalObject):
        if binding.key[0] == "" and isinstance(given, Constant):
            java = "String" if given.java == "String" else _BOXES.get(given.java, given.java)
            run.memory.assign(binding, "key", (java, binding.key[1]))
        run.memory.assign(binding, "target", given)
    elif call.name == "in" and "SINGLETON" in str(_described(given)).upper():
        run.memory.assign(binding, "singleton", True)
    elif call.name == "asEagerSingleton":
        run.memory.assign(binding, "singleton", True)
        run.memory.assign(binding, "eager", True)
    else:
        run.memory.assign(binding, "target", ExternalObject(External((f"{_PACKAGE}.Provider",))))
    return binding


def _described(value: Value | None) -> str | None:
    if isinstance(value, ClassLiteral):
        return value.ref.simple
    return value.calls[0][0] if isinstance(value, ExternalObject) and value.calls else None


def _annotation(value: Value) -> str:
    """The name of ``Names.named("x")``, or of an annotation of the program."""
    if isinstance(value, ClassLiteral):
        return f"@{value.ref.simple}"
    if isinstance(value, ExternalObject) and value.calls and value.calls[0][0] == "named":
        named = value.calls[0][1][0]
        if isinstance(named, Constant):
            return named.text
    raise UnreadError


def _type_key(kind: Resolved, ref: TypeRef) -> object:
    if ref.arguments or ref.dimensions:
        raise UnreadError
    return kind if isinstance(kind, ClassDecl) else _BOXES.get(ref.simple, ref.simple)


def _injector(run: Run, given: list[Value], call: Call) -> Injector:
    binder = Binder()
    for module in given:
        if isinstance(module, ExternalObject) and module.type.simple == "Stage":
            continue
        for each in (module.elements or ()) if isinstance(module, ListValue) else (module,):
            _configured(run, binder, each, call)
    bindings = {binding.key: binding for binding in binder.bindings}
    if binder.open or len(bindings) != len(binder.bindings):
        raise UnreadError
    injector = Injector(bindings)
    for binding in binder.bindings:
        if binding.eager:
            _Maker(run, injector, call).of_key(binding.key, 0)
    return injector


def _configured(run: Run, binder: Binder, module: Value, call: Call) -> None:
    """Run a module's ``configure``, and take the methods that provide."""
    if isinstance(module, Lambda | MethodRef):
        run.interpreter.call_function(module, call.having(name="configure", arguments=[binder]))
        return
    if not isinstance(module, Instance):
        raise UnreadError
    owners = _owners(run, module.decl)
    above = {ancestor.simple for ancestor in run.index.ancestors(module.decl) if isinstance(ancestor, External)}
    if not above & _MODULES or "PrivateModule" in above:
        raise UnreadError
    run.memory.put(module.fields, _BINDER, binder)
    configure = next((m for owner in owners for m in owner.methods if m.name == "configure"), None)
    if configure is not None and configure.body is not None:
        arguments: list[Value] = [binder] if configure.parameters else []
        run.interpreter.call_method(configure, module, call.having(name="configure", arguments=arguments))
    for owner in owners:
        for method in owner.methods:
            marks = dict(annotations_of(method.node))
            if "Provides" in marks:
                kind = run.index.resolve_type(method.return_type, owner)
                binding = Binding((_type_key(kind, method.return_type), _qualifier(marks)))
                binding.target, binding.singleton = _Provided(method, module), "Singleton" in marks
                run.memory.assign(binder, "bindings", (*binder.bindings, binding))
            elif any(mark.startswith("Provides") for mark in marks):
                raise UnreadError


def _owners(run: Run, decl: ClassDecl) -> list[ClassDecl]:
    return [decl, *(above for above in run.index.ancestors(decl) if isinstance(above, ClassDecl))]


def _qualifier(marks: dict[str, Node]) -> str | None:
    if "Named" in marks:
        given = elements(marks["Named"]).get("value")
        if given is None or given.type != "string_literal":
            raise UnreadError
        return text(given).strip('"')
    others = sorted(mark for mark in marks if mark not in _QUALIFIERS_KNOWN)
    return f"@{others[0]}" if others else None


def _asked(run: Run, injector: Injector, call: Call) -> Value | None:
    given = call.arguments[0] if len(call.arguments) == 1 else None
    maker = _Maker(run, injector, call)
    parts = given.calls[0][1] if isinstance(given, ExternalObject) and given.calls else ()
    before = _effects(run)
    try:
        if call.name == "getInstance" and isinstance(given, ClassLiteral):
            return maker.of_key((_type_key(given.type, given.ref), None), 0)
        if call.name == "getInstance" and len(parts) == 2 and isinstance(parts[0], ClassLiteral):
            return maker.of_key((_type_key(parts[0].type, parts[0].ref), _annotation(parts[1])), 0)
        if call.name == "injectMembers" and isinstance(given, Instance):
            maker.fill(given, 0)
            return NULL
    except UnreadError:
        if _effects(run) != before:
            raise LimitSignal("what Guice makes of a class is not followed to its end") from None
    return None


def _effects(run: Run) -> int:
    return sum(len(env.drafts) for env in run.envs) + len(run.jobs.items)


class _Maker:
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
        if isinstance(target, _Provided):
            arguments = self._arguments(target.method, depth)
            return self._run.settle(
                self._run.interpreter.call_method(
                    target.method, target.module, self._call.having(name=target.method.name, arguments=arguments)
                )
            )
        if isinstance(target, ClassLiteral):
            led = (_type_key(target.type, target.ref), None)
            return self._unbound(led, depth) if led == key else self.of_key(led, depth + 1)
        if target is None:
            return self._unbound((key[0], None), depth)
        if isinstance(target, ExternalObject) and target.type.name.startswith(_PACKAGE):
            raise UnreadError
        if isinstance(target, Instance):
            self.fill(target, depth)
        return target

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
        return self.of_key((_type_key(kind, ref), _qualifier(marks)), depth + 1)

    def fill(self, made: Instance, depth: int) -> None:
        """Inject the fields and methods of an object, those of its superclasses first."""
        for owner in reversed(_owners(self._run, made.decl)):
            for declared in owner.fields.values():
                marks = dict(annotations_of(declared.node))
                if "Inject" in marks and not declared.static:
                    if "optional" in elements(marks["Inject"]):
                        raise UnreadError
                    value = self._injected(declared.type, owner, marks, depth)
                    names.store_field(self._run, made, declared.name, value, Frame(owner, made, Scope()), owner)
            for method in owner.methods:
                if "Inject" in dict(annotations_of(method.node)):
                    arguments = self._arguments(method, depth)
                    self._run.interpreter.call_method(
                        method, made, self._call.having(name=method.name, arguments=arguments)
                    )


def _converted(value: Value | _Provided | None, box: str) -> Value:
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
