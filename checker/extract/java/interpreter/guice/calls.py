"""Calls of Guice's modules, binders and injectors."""

from __future__ import annotations

from typing import Final

from checker.extract.java.interpreter.guice.bindings import (
    PACKAGE,
    Binder,
    Binding,
    ByProvider,
    Injector,
    Provided,
    annotation_key,
    qualifier,
    type_key,
)
from checker.extract.java.interpreter.guice.maker import Maker
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.signals import LimitSignal, UnreadError
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    ClassLiteral,
    Constant,
    ExternalObject,
    Instance,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Value,
)
from checker.extract.java.syntax.annotations import annotations_of
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.java_lang import BOXES

_MODULES: Final = frozenset({"AbstractModule", "Module"})
_BINDER: Final = "binder"
"""The field of a module that holds it, as in ``AbstractModule``."""


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """``Guice.createInjector(modules)`` and ``Names.bindProperties``; None for everything else."""
    if not external.name.startswith(PACKAGE):
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
        binding = Binding((type_key(call.arguments[0].type, call.arguments[0].ref), None))
    else:
        run.memory.assign(binder, "open", True)
        return None
    run.memory.assign(binder, "bindings", (*binder.bindings, binding))
    return binding


def _led(run: Run, binding: Binding, call: Call) -> Value:
    """A step of a binding. One that is not known leaves it without a target that can be followed."""
    given = call.arguments[0] if len(call.arguments) == 1 else None
    if call.name == "annotatedWith" and given is not None:
        run.memory.assign(binding, "key", (binding.key[0], annotation_key(given)))
    elif call.name in ("to", "toInstance") and isinstance(given, ClassLiteral | Constant | Instance | ExternalObject):
        if binding.key[0] == "" and isinstance(given, Constant):
            java = "String" if given.java == "String" else BOXES.get(given.java, given.java)
            run.memory.assign(binding, "key", (java, binding.key[1]))
        run.memory.assign(binding, "target", given)
    elif call.name == "toProvider" and isinstance(given, ClassLiteral | Instance | Lambda | MethodRef):
        run.memory.assign(binding, "target", ByProvider(given))
    elif call.name == "in" and "SINGLETON" in str(_described(given)).upper():
        run.memory.assign(binding, "singleton", True)
    elif call.name == "asEagerSingleton":
        run.memory.assign(binding, "singleton", True)
        run.memory.assign(binding, "eager", True)
    else:
        run.memory.assign(binding, "target", ExternalObject(External((f"{PACKAGE}.Provider",))))
    return binding


def _described(value: Value | None) -> str | None:
    if isinstance(value, ClassLiteral):
        return value.ref.simple
    return value.calls[0][0] if isinstance(value, ExternalObject) and value.calls else None


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
            Maker(run, injector, call).of_key(binding.key, 0)
    return injector


def _configured(run: Run, binder: Binder, module: Value, call: Call) -> None:
    """Run a module's ``configure``, and take the methods that provide."""
    if isinstance(module, Lambda | MethodRef):
        run.interpreter.call_function(module, call.having(name="configure", arguments=[binder]))
        return
    if not isinstance(module, Instance):
        raise UnreadError
    declaring = run.index.lineage(module.decl)
    above = {ancestor.simple for ancestor in run.index.ancestors(module.decl) if isinstance(ancestor, External)}
    if not above & _MODULES or "PrivateModule" in above:
        raise UnreadError
    run.memory.put(module.fields, _BINDER, binder)
    configure = next((m for owner in declaring for m in owner.methods if m.name == "configure"), None)
    if configure is not None and configure.body is not None:
        arguments: list[Value] = [binder] if configure.parameters else []
        run.interpreter.call_method(configure, module, call.having(name="configure", arguments=arguments))
    for owner in declaring:
        for method in owner.methods:
            marks = dict(annotations_of(method.node))
            if "Provides" in marks:
                kind = run.index.resolve_type(method.return_type, owner)
                binding = Binding((type_key(kind, method.return_type), qualifier(marks)))
                binding.target, binding.singleton = Provided(method, module), "Singleton" in marks
                run.memory.assign(binder, "bindings", (*binder.bindings, binding))
            elif any(mark.startswith("Provides") for mark in marks):
                raise UnreadError


def _asked(run: Run, injector: Injector, call: Call) -> Value | None:
    given = call.arguments[0] if len(call.arguments) == 1 else None
    maker = Maker(run, injector, call)
    parts = given.calls[0][1] if isinstance(given, ExternalObject) and given.calls else ()
    before = _effects(run)
    try:
        if call.name == "getInstance" and isinstance(given, ClassLiteral):
            return maker.of_key((type_key(given.type, given.ref), None), 0)
        if call.name == "getInstance" and len(parts) == 2 and isinstance(parts[0], ClassLiteral):
            return maker.of_key((type_key(parts[0].type, parts[0].ref), annotation_key(parts[1])), 0)
        if call.name == "injectMembers" and isinstance(given, Instance):
            maker.fill(given, 0)
            return NULL
    except UnreadError:
        if _effects(run) != before:
            raise LimitSignal("what Guice makes of a class is not followed to its end") from None
    return None


def _effects(run: Run) -> int:
    return sum(len(env.drafts) for env in run.envs) + len(run.jobs.items)
