"""Calls that no method of the repository answers: generated members, functional objects, library classes."""

from __future__ import annotations

from collections.abc import Sequence

from checker.extract.java.flink_api import connecting, environment, streams, table_calls, unknowns
from checker.extract.java.interpreter import calls, methods, names, objects, unknown_calls
from checker.extract.java.library import (
    collections,
    configuration,
    constructors,
    equality,
    function_objects,
    makers,
    optionals,
    parameters,
    resources,
    statics,
    strings,
)
from checker.extract.java.machine import operators
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.descriptions import described_as, told_to
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.frames import Frame, Scope
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Builder,
    Choice,
    ClassLiteral,
    Constant,
    EntryValue,
    ExternalObject,
    Holder,
    Instance,
    IteratorValue,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    OptionalValue,
    Parameters,
    Settings,
    TypeName,
    Value,
    boolean,
    choose,
    depends_of,
    integer,
    is_null,
    short,
    string,
    unknown_of,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, TypeRef
from checker.model.topology import Cause, Unknown

# -- objects of the repository -------------------------------------------------------------------------------------


def instance_method(run: Run, receiver: Instance, call: Call) -> Value:
    """A method that the class does not declare: an enum's, Object's, a generated one, its library base's."""
    stream = receiver.fields.get(objects.BASE)
    if stream is not None and call.node is not None:
        return library_call(run, stream, call)
    enum = _enum_method(run, receiver, call.name, call.arguments)
    if enum is not None:
        return enum
    if call.name in ("toString", "hashCode") and not call.arguments:
        return identity(run, receiver, call.name, call.site)
    if call.name == "equals" and len(call.arguments) == 1:
        verdict = equality.equal(run, receiver, call.arguments[0], call)
        if verdict is not None:
            return boolean(verdict)
        return run.opaque("whether two objects are equal is not known", Cause.BRANCH, call.site)
    if call.name == "getClass" and not call.arguments:
        return ClassLiteral(TypeRef(receiver.decl.name), receiver.decl)
    generated = _generated_accessor(run, receiver, call.name, call.arguments)
    if generated is not None:
        return generated
    if call.name in ("setFilePath", "setFilePaths") and call.arguments and receiver.base is not None:
        run.memory.put(receiver.fields, "filePath", call.arguments[0])
        return NULL
    if (
        call.name == "setChainingStrategy"
        and len(call.arguments) == 1
        and calls.library_ancestor(run, receiver.decl) is not None
    ):
        run.memory.put(receiver.fields, "chainingStrategy", call.arguments[0])
        return NULL
    if receiver.base is not None and call.node is not None:
        return external_object_call(run, receiver.base, call)
    reason = f"method '{call.name}' of {receiver.decl.name} is not in the repository"
    return unknown_calls.not_followed(run, reason, call, receiver=receiver)


def _enum_method(run: Run, receiver: Instance, name: str, given: Sequence[Value]) -> Value | None:
    if receiver.name is None:
        return None
    if name in ("name", "toString") and not given:
        return string(receiver.name)
    if name == "ordinal":
        return integer(receiver.ordinal)
    if name == "getDeclaringClass":
        declared = makers.enum_of(run, receiver)
        return ClassLiteral(TypeRef(declared.name), declared)
    if name == "compareTo" and given and isinstance(given[0], Instance):
        return integer(receiver.ordinal - given[0].ordinal)
    return None


def identity(run: Run, receiver: Value, name: str, site: Site | None) -> Value:
    """``toString`` and ``hashCode`` of Object: other in every run. Records and Lombok's data classes have their own."""
    if isinstance(receiver, Instance):
        marks = receiver.decl.annotation_names
        if receiver.decl.kind is ClassKind.RECORD and name == "toString" and not marks & {"ToString"}:
            return _record_text(run, receiver)
        if receiver.decl.kind is ClassKind.RECORD and name == "hashCode":
            call = Call("hashCode", (), site) if site is not None else None
            code = equality.hash_code(run, receiver, call)
            if code is not None:
                return integer(code)
        if receiver.decl.kind is ClassKind.RECORD or marks & {"Data", "Value", "ToString", "EqualsAndHashCode"}:
            return run.opaque(f"the result of a generated '{name}' is not computed", Cause.UNSUPPORTED, site)
    cause = Cause.NON_DETERMINISTIC
    return run.opaque(f"'{name}' of an object that does not define it differs in every run", cause, site)


def _record_text(run: Run, receiver: Instance) -> Value:
    parts: list[Value] = [string(f"{receiver.decl.name}[")]
    for place, component in enumerate(receiver.decl.record_components):
        parts.append(string(f"{', ' if place else ''}{component.name}="))
        parts.append(receiver.fields.get(component.name, NULL))
    return operators.concat(run, [*parts, string("]")], None)


def to_string(run: Run, value: Value) -> Value:
    """What ``toString()`` gives for values of all kinds."""
    if isinstance(value, Constant):
        return string(value.text, value.depends)
    if isinstance(value, Instance):
        method = next(iter(methods.in_hierarchy(run, value.decl, "toString")), None)
        if method is not None and not method.abstract:
            frame = Frame(value.decl, value, _empty_scope())
            return calls.call_method(run, method, value, Call("toString", [], Site(None, frame)))
        if value.name is not None:
            return string(value.name)
        return identity(run, value, "toString", None)
    if isinstance(value, Builder):
        return to_string(run, value.content)
    if isinstance(value, ListValue | MapValue | EntryValue):
        shown = makers.text_of_collection(run, value, None)
        if shown is not None:
            return shown
    if isinstance(value, OptionalValue):
        if value.value is None:
            return string(f"{value.kind}.empty")
        parts = [string(f"{value.kind}["), value.value, string("]")]
        return operators.concat(run, parts, None)
    if isinstance(value, ClassLiteral) and isinstance(value.type, ClassDecl):
        kind = "interface" if value.type.kind is ClassKind.INTERFACE else "class"
        return string(f"{kind} {value.type.binary_name}")
    if isinstance(value, Opaque):
        return Opaque(value.unknown, value.symbol, External(("java.lang.String",)), value.depends, parts=value.parts)
    if isinstance(value, Holder):
        return optionals.text_of_holder(run, value)
    if isinstance(value, ExternalObject):
        said = constructors.exception_says(value, "toString")
        if said is not None:
            return said
        return Opaque(value.unknown, value.symbol or run.fresh("text"), External(("java.lang.String",)), value.depends)
    unknown = unknown_of(value) or Unknown("the text of an object that is not known", Cause.OTHER)
    return Opaque(unknown, run.fresh("text"), External(("java.lang.String",)), depends_of(value))


def _empty_scope() -> Scope:
    return Scope()


def _generated_accessor(run: Run, receiver: Instance, name: str, given: Sequence[Value]) -> Value | None:
    """Accessors of records, and those that Lombok generates: getters, setters, withers, fluent builders."""
    if not given:
        for prefix in ("get", "is", ""):
            if name.startswith(prefix) and len(name) > len(prefix):
                bare = name[len(prefix) :]
                for candidate in (bare[:1].lower() + bare[1:], bare, f"is{bare}"):
                    if candidate in receiver.fields:
                        return receiver.fields[candidate]
        if name in ("build", "toBuilder"):
            return receiver if receiver.decl.annotation_names & _BUILDERS else None
        return None
    if len(given) == 1:
        lombok = receiver.decl.annotation_names & (_BUILDERS | {"Data", "Setter", "Accessors", "With", "Value"})
        bare = name[3:4].lower() + name[4:] if name.startswith("set") else name
        bare = name[4:5].lower() + name[5:] if name.startswith("with") and name not in receiver.fields else bare
        declared = names.declared_field(run, receiver.decl, bare)
        if declared is not None and (lombok or name.startswith("set")):
            names.store_field(run, receiver, bare, given[0], Frame(receiver.decl, receiver, _empty_scope()))
            return receiver
    return None


_BUILDERS = frozenset({"Builder", "SuperBuilder"})


def generated_static(run: Run, decl: ClassDecl, call: Call) -> Value:
    """Static members that nobody writes: an enum's ``values`` and ``valueOf``, Lombok's ``builder`` and ``of``."""
    if decl.kind is ClassKind.ENUM:
        objects.ensure_initialized(run, decl)
        values = run.statics.get(run.static_key(decl, "$VALUES"))
        if call.name == "values" and isinstance(values, ListValue):
            return ListValue(values.elements, "array")
        if call.name == "valueOf" and call.arguments:
            return enum_value(run, decl, call.arguments[-1], call.site)
    marks = decl.annotation_names
    if call.name == "builder" and marks & _BUILDERS:
        return objects.instantiate_bare(run, decl, call.frame)
    if call.name == "of" and any(mark.endswith("Constructor") or mark == "Value" for mark in marks):
        return objects.instantiate(run, decl, call)
    base = calls.library_ancestor(run, decl)
    if base is not None:
        return external_static(run, base, call)
    return unknown_calls.not_followed(run, f"method '{decl.name}.{call.name}' is not in the repository", call)


def enum_value(run: Run, decl: ClassDecl, wanted: Value, site: Site) -> Value:
    """``valueOf(text)``."""
    objects.ensure_initialized(run, decl)
    if isinstance(wanted, Constant) and isinstance(wanted.value, str):
        found = run.statics.get(run.static_key(decl, wanted.value))
        return found if found is not None else objects.throw(run, "IllegalArgumentException")
    run.may_throw("IllegalArgumentException", wanted)
    unknown = unknown_of(wanted) or Unknown("which constant of an enum it is, is not known", Cause.OTHER)
    symbol = wanted.symbol if isinstance(wanted, Opaque) else run.fresh("enum")
    values = run.statics.get(run.static_key(decl, "$VALUES"))
    if isinstance(values, ListValue) and values.elements and len(values.elements) <= 8:
        return choose(f"{decl.name}.valueOf({symbol})", tuple(enumerate(values.elements)), unknown)
    return Opaque(unknown, f"{decl.name}.valueOf({symbol})", decl, depends_of(wanted))


# -- functional objects --------------------------------------------------------------------------------------------


def function_object(run: Run, receiver: Lambda | MethodRef, call: Call) -> Value:
    """A call on a lambda or method reference: its function, or a default method of its interface."""
    interface = receiver.interface
    if isinstance(interface, ClassDecl):
        default = methods.select(run, list(methods.in_hierarchy(run, interface, call.name)), call, interface)
        if default is not None and not default.abstract and not default.static:
            return calls.call_method(run, default, receiver, call)
    if call.name in ("hashCode", "toString") and not call.arguments:
        return identity(run, receiver, call.name, call.site)
    if call.name == "equals" and len(call.arguments) == 1:
        return boolean(True) if receiver is call.arguments[0] else run.opaque(_FUNCTION, Cause.UNSUPPORTED, call.site)
    if call.name == "getClass":
        return run.opaque(_FUNCTION, Cause.UNSUPPORTED, call.site)
    if not isinstance(interface, ClassDecl):
        found = function_objects.call(run, receiver, call)
        if found is not None:
            return found
    return calls.call_function(run, receiver, call)


_FUNCTION = "what a function's class or identity says is not evaluated"


def call_reference(run: Run, function: MethodRef, call: Call) -> Value:
    """Call ``Type::method``, ``object::method`` or ``Type::new``."""
    target = function.target
    if function.name == "new":
        if isinstance(target, TypeName) and isinstance(target.type, ClassDecl):
            return objects.instantiate(run, target.type, call)
        if isinstance(target, TypeName) and isinstance(target.type, External):
            return external_creation(run, target.type, TypeRef(target.type.simple), call)
    if call.node is None:
        return run.opaque("a method reference that is not followed", Cause.UNSUPPORTED, None)
    if isinstance(target, TypeName) and isinstance(target.type, ClassDecl):
        candidates = list(methods.in_hierarchy(run, target.type, function.name))
        method = methods.select(run, [m for m in candidates if m.static], call, target.type)
        if method is not None:
            return calls.call_method(run, method, None, call.having(name=function.name))
        if call.arguments:
            return calls.invoke(run, call.arguments[0], call.having(name=function.name, arguments=call.arguments[1:]))
    if isinstance(target, TypeName) and isinstance(target.type, External) and call.arguments:
        static = statics.known(target.type.simple, function.name, len(call.arguments))
        if not static:
            return calls.invoke(run, call.arguments[0], call.having(name=function.name, arguments=call.arguments[1:]))
    return calls.invoke(run, target, call.having(name=function.name))


# -- library -------------------------------------------------------------------------------------------------------


def library_call(run: Run, receiver: Value, call: Call) -> Value:
    """A call on a value of a library class."""
    if isinstance(receiver, StreamValue):
        return streams.call(run, receiver, call)
    if isinstance(receiver, EnvValue):
        return environment.call(run, receiver, call)
    found: Value | None = None
    if isinstance(receiver, Constant):
        if is_null(receiver):
            objects.throw(run, "NullPointerException")
        found = strings.call(run, receiver, call)
    elif isinstance(receiver, ListValue | MapValue | IteratorValue | EntryValue):
        found = collections.call(run, receiver, call)
    elif isinstance(receiver, OptionalValue | Holder | Builder | ClassLiteral):
        found = optionals.call(run, receiver, call)
    elif isinstance(receiver, Parameters):
        found = parameters.call(run, receiver, call)
    elif isinstance(receiver, Settings):
        found = configuration.call(run, receiver, call)
    elif isinstance(receiver, ExternalObject):
        return external_object_call(run, receiver, call)
    elif isinstance(receiver, Opaque):
        return opaque_call(run, receiver, call)
    if found is not None:
        return found
    if call.name in ("hashCode", "toString") and not call.arguments:
        return (
            to_string(run, receiver)
            if call.name == "toString"
            else run.opaque("a hash code that is not computed", Cause.UNSUPPORTED, call.site)
        )
    if isinstance(receiver, MapValue) and _load_properties(run, receiver, call):
        return NULL
    unknown_calls.received(run, receiver, call)
    return unknowns.escaped(
        run, Unknown(f"the result of '{call.name}' is not evaluated", Cause.UNSUPPORTED, None, run.location(call.site)),
        call, of=(receiver,),
    )  # fmt: skip


def _load_properties(run: Run, receiver: MapValue, call: Call) -> bool:
    """``Properties.load`` of a resource in the repository; False where it is another call."""
    path = resources.path_of(call.arguments[0]) if call.name == "load" and call.arguments else None
    if path is None or receiver.entries is None:
        return False
    loaded = resources.properties(run, path) | dict(run.entry.values)
    kept = [(k, v) for k, v in receiver.entries if not (isinstance(k, Constant) and k.value in loaded)]
    entries = (*kept, *((string(key), string(value)) for key, value in loaded.items()))
    run.memory.assign(receiver, "entries", entries)
    return True


def external_static(run: Run, external: External, call: Call) -> Value:
    """``Type.name(...)`` on a library class."""
    found = statics.call(run, external, call)
    if found is not None:
        if (external.simple, call.name) in _PARSES and unknown_of(found) is not None:
            run.may_throw("NumberFormatException", *call.arguments)
        return found
    found = table_calls.static_call(run, external, call)
    if found is None:
        found = environment.static_call(run, external, call)
    if found is not None:
        return found
    cause = Cause.REFLECTION if external.name.startswith(_REFLECTIVE) else Cause.EXTERNAL
    unknown = Unknown(f"{external.simple}.{call.name}() is not in the repository", cause, None, run.location(call.site))
    symbol = _symbol(f"{external.simple}.{call.name}", call.arguments, run)
    unknown_calls.library_call(run, external, call)
    if unknowns.carries_topology(run, call.arguments, call.frame) and not unknowns.harmless(external.simple, call.name):
        return unknowns.escaped(run, unknown, call)
    return ExternalObject(
        external, (), ((call.name, tuple(call.arguments)),), symbol, unknown,
        depends_of(*call.arguments),
    )  # fmt: skip


def _symbol(prefix: str, given: Sequence[Value], run: Run) -> str:
    """A name for the result of a call: the same for equal calls, as far as the arguments are known."""
    symbol = short(f"{prefix}({', '.join(described_as(value) for value in given)})")
    plain = all(isinstance(value, Constant | Opaque | ExternalObject | Choice) for value in given)
    return symbol if plain else run.fresh(symbol)


_PARSES = frozenset(
    {("Integer", "parseInt"), ("Integer", "valueOf"), ("Long", "parseLong"), ("Long", "valueOf"),
     ("Double", "parseDouble"), ("Double", "valueOf"), ("Float", "parseFloat"), ("Short", "parseShort"),
     ("Byte", "parseByte"), ("Objects", "requireNonNull"), ("UUID", "fromString"), ("Duration", "parse")}
)  # fmt: skip
"""Static methods that throw where their argument does not fit."""
_MOST_TOLD = 20
_REFLECTIVE = ("java.lang.reflect.", "java.lang.Class", "java.lang.invoke.", "java.util.ServiceLoader", "javax.script.")
_GETTERS = ("get", "is", "has", "size", "length", "count", "contains", "equals", "next", "read", "parse", "find", "to")


def external_object_call(run: Run, receiver: ExternalObject, call: Call) -> Value:
    """A call on a library object: it may build on, or hand out something that is not known."""
    if call.name in ("hashCode", "toString") and not call.arguments and receiver.type.name == "java.lang.Object":
        return identity(run, receiver, call.name, call.site)
    special = constructors.call(run, receiver, call)
    if special is None:
        special = table_calls.object_call(run, receiver, call)
    if special is None:
        special = connecting.builder_call(run, receiver, call)
    if special is not None:
        return special
    cause = Cause.REFLECTION if receiver.type.name.startswith(_REFLECTIVE) else Cause.EXTERNAL
    unknown = Unknown(
        f"{receiver.type.simple}.{call.name}() is not in the repository", cause, None, run.location(call.site)
    )
    if receiver.unknown.cause is Cause.NON_DETERMINISTIC:
        unknown = receiver.unknown
    prefix = f"{receiver.symbol or run.fresh(receiver.type.simple)}{told_to(receiver)}"
    symbol = _symbol(f"{prefix}.{call.name}", call.arguments, run)
    unknown_calls.library_call(run, receiver.type, call)
    remembers = unknowns.harmless(receiver.type.simple, call.name)
    if unknowns.carries_topology(run, call.arguments, call.frame) and not remembers:
        return unknowns.escaped(run, unknown, call, of=(receiver,))
    depends = receiver.depends | depends_of(*call.arguments)
    if call.arguments and len(receiver.told) < _MOST_TOLD and not call.name.startswith(_GETTERS):
        run.memory.assign(receiver, "told", (*receiver.told, (call.name, tuple(call.arguments))))
    if call.name.startswith(_GETTERS) and call.name not in ("getOrCreate",):
        return Opaque(unknown, symbol, None, depends)
    return ExternalObject(
        receiver.type,
        receiver.arguments,
        (*receiver.calls, (call.name, tuple(call.arguments))),
        symbol,
        unknown,
        depends,
    )


_SOMETHING = External(("an object that is not known",))


def opaque_call(run: Run, receiver: Opaque, call: Call) -> Value:
    """A call on a value that is not known."""
    kind = receiver.type
    if isinstance(kind, ClassDecl):
        found = _call_on_declared(run, receiver, kind, call)
        if found is not None:
            return found
        return unknown_calls.not_followed(run, f"which '{call.name}' is called is not known", call, receiver=receiver)
    if isinstance(kind, External) and streams.is_stream_type(kind.simple):
        stream = unknowns.stream_for(run, receiver.unknown, kind.simple, call.site)
        return calls.invoke(run, stream, call)
    if isinstance(kind, External) and kind.simple == "StreamExecutionEnvironment":
        env = environment.default(run)
        return calls.invoke(run, env, call)
    other = call.arguments[0] if len(call.arguments) == 1 else None
    if call.name in ("equals", "equalsIgnoreCase") and isinstance(other, Opaque) and other.symbol == receiver.symbol:
        return boolean(True)
    cause = receiver.unknown.cause
    if unknowns.carries_topology(run, call.arguments, call.frame) and not unknowns.harmless("", call.name):
        unknown = Unknown(receiver.unknown.reason, cause, receiver.unknown.settled_by, run.location(call.site))
        return unknowns.escaped(run, unknown, call, of=(receiver,))
    symbol = _symbol(f"{receiver.symbol}.{call.name}", call.arguments, run)
    unknown_calls.library_call(run, kind if isinstance(kind, External) else _SOMETHING, call)
    result: External | None = None
    if isinstance(kind, External) and kind.simple == "String" and call.name in strings.TEXT_RESULTS:
        result = kind
    if call.name.startswith("next") or call.name in ("poll", "pop", "read", "incrementAndGet", "getAndIncrement"):
        symbol = run.fresh(symbol)
    return Opaque(receiver.unknown, symbol, result, receiver.depends | depends_of(*call.arguments))


def _call_on_declared(run: Run, receiver: Opaque, decl: ClassDecl, call: Call) -> Value | None:
    """A call on an unknown object of a class of the repository: its method, with unknown fields."""
    concrete = decl
    if decl.abstract:
        below = run.index.implementations(decl, 2)
        if len(below) != 1:
            return None
        concrete = below[0]
    if concrete.kind is ClassKind.ENUM:
        return _call_on_enum(run, receiver, concrete, call)
    method = methods.select(run, list(methods.in_hierarchy(run, concrete, call.name)), call, concrete)
    if method is None or method.abstract:
        if not call.arguments and call.name.startswith(("get", "is")):
            bare = call.name[3:] if call.name.startswith("get") else call.name[2:]
            declared = names.declared_field(run, concrete, bare[:1].lower() + bare[1:])
            if declared is not None:
                resolved = run.index.resolve_type(declared.type, declared.owner)
                return Opaque(receiver.unknown, f"{receiver.symbol}.{declared.name}", resolved, receiver.depends)
        return None
    shadow = objects.unknown_instance(run, concrete, receiver)
    return calls.call_method(run, method, shadow, call)


def _call_on_enum(run: Run, receiver: Opaque, decl: ClassDecl, call: Call) -> Value | None:
    objects.ensure_initialized(run, decl)
    values = run.statics.get(run.static_key(decl, "$VALUES"))
    if isinstance(values, ListValue) and values.elements and len(values.elements) <= 8:
        choice = Choice(f"{receiver.symbol} of {decl.name}", tuple(enumerate(values.elements)), receiver.unknown)
        return calls.invoke(run, choice, call)
    return None


def external_creation(run: Run, external: External, ref: TypeRef, call: Call) -> Value:
    """``new`` of a library class."""
    found = constructors.create(run, external, ref, call)
    if found is None:
        found = table_calls.static_call(run, external, call.having(name="new"))
    if found is not None:
        return found
    location = run.location(call.site)
    random = external.simple in ("Random", "SecureRandom", "SplittableRandom", "Date")
    cause = Cause.NON_DETERMINISTIC if random and len(call.arguments) == 0 else Cause.EXTERNAL
    unknown = Unknown(f"{external.simple} is not in the repository", cause, None, location)
    made = f"{external.simple}({', '.join(described_as(value) for value in call.arguments)})"
    unknown_calls.library_call(run, external, call.having(name="new"))
    if unknowns.carries_topology(run, call.arguments, call.frame) and not unknowns.harmless(external.simple, "new"):
        return unknowns.escaped(run, unknown, call)
    return ExternalObject(
        external, tuple(call.arguments), (), run.fresh(short(made)), unknown, depends_of(*call.arguments)
    )
