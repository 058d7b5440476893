"""Calls that no method of the repository answers: generated members, functional objects, library classes."""

from __future__ import annotations

from tree_sitter import Node

from checker.extract.java.flink_api import connecting, environment, helpers, streams, unknowns
from checker.extract.java.flink_api.flink_values import EnvValue, StreamValue
from checker.extract.java.interpreter import calls, handed_over, methods, names, objects
from checker.extract.java.interpreter.frames import Frame, Scope
from checker.extract.java.interpreter.made_of import described_as, told_to
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import (
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
from checker.extract.java.library import (
    collections,
    configuration,
    constructors,
    optionals,
    parameters,
    statics,
    strings,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, TypeRef
from checker.model.topology import Cause, Unknown

# -- objects of the repository -------------------------------------------------------------------------------------


def instance_method(
    run: Run, receiver: Instance, name: str, given: list[Value], node: Node | None, frame: Frame
) -> Value:
    """A method that the class does not declare: an enum's, Object's, a generated one, its library base's."""
    stream = receiver.fields.get(objects.BASE)
    if stream is not None and node is not None:
        return library_call(run, stream, name, given, node, frame)
    enum = _enum_method(run, receiver, name, given)
    if enum is not None:
        return enum
    if name in ("toString", "hashCode") and not given:
        return identity(run, receiver, name, node, frame)
    if name == "equals" and len(given) == 1:
        return (
            boolean(receiver is given[0])
            if not isinstance(given[0], Opaque | Choice)
            else run.opaque("whether two objects are equal is not known", Cause.BRANCH, node, frame)
        )
    if name == "getClass" and not given:
        return ClassLiteral(TypeRef(receiver.decl.name), receiver.decl)
    generated = _generated_accessor(run, receiver, name, given)
    if generated is not None:
        return generated
    if name in ("setFilePath", "setFilePaths") and given and receiver.base is not None:
        run.world.put(receiver.fields, "filePath", given[0])
        return NULL
    if name == "setChainingStrategy" and len(given) == 1 and calls.library_ancestor(run, receiver.decl) is not None:
        run.world.put(receiver.fields, "chainingStrategy", given[0])
        return NULL
    if receiver.base is not None and node is not None:
        return external_object_call(run, receiver.base, name, given, node, frame)
    reason = f"method '{name}' of {receiver.decl.name} is not in the repository"
    return calls.unknown_call(run, reason, given, node, frame)


def _enum_method(run: Run, receiver: Instance, name: str, given: list[Value]) -> Value | None:
    if receiver.name is None:
        return None
    if name in ("name", "toString") and not given:
        return string(receiver.name)
    if name == "ordinal":
        return integer(receiver.ordinal)
    if name == "getDeclaringClass":
        return ClassLiteral(TypeRef(receiver.decl.name), receiver.decl)
    if name == "compareTo" and given and isinstance(given[0], Instance):
        return integer(receiver.ordinal - given[0].ordinal)
    return None


def identity(run: Run, receiver: Value, name: str, node: Node | None, frame: Frame | None) -> Value:
    """``toString`` and ``hashCode`` of Object: other in every run. Records and Lombok's data classes have their own."""
    if isinstance(receiver, Instance):
        marks = receiver.decl.annotation_names
        if receiver.decl.kind is ClassKind.RECORD or marks & {"Data", "Value", "ToString", "EqualsAndHashCode"}:
            return run.opaque(f"the result of a generated '{name}' is not computed", Cause.UNSUPPORTED, node, frame)
    cause = Cause.NON_DETERMINISTIC
    return run.opaque(f"'{name}' of an object that does not define it differs in every run", cause, node, frame)


def to_string(run: Run, value: Value) -> Value:
    """What ``toString()`` gives for values of all kinds."""
    if isinstance(value, Constant):
        return string(value.text, value.depends)
    if isinstance(value, Instance):
        method = next(iter(methods.in_hierarchy(run, value.decl, "toString")), None)
        if method is not None and not method.abstract:
            frame = Frame(value.decl, value, _empty_scope())
            return calls.call_method(run, method, value, [], None, frame)
        if value.name is not None:
            return string(value.name)
        return identity(run, value, "toString", None, None)
    if isinstance(value, Builder):
        return to_string(run, value.content)
    elements = collections.elements_of(run, value) if isinstance(value, ListValue) else None
    if isinstance(value, ListValue) and elements is not None and value.kind in ("List", "Set", "HashSet", "TreeSet"):
        parts = [to_string(run, element) for element in elements]
        if all(isinstance(part, Constant) for part in parts):
            return string(f"[{', '.join(part.text for part in parts if isinstance(part, Constant))}]")
    if isinstance(value, OptionalValue):
        if value.value is None:
            return string("Optional.empty")
        inner = to_string(run, value.value)
        if isinstance(inner, Constant):
            return string(f"Optional[{inner.text}]")
    if isinstance(value, ClassLiteral) and isinstance(value.type, ClassDecl):
        kind = "interface" if value.type.kind is ClassKind.INTERFACE else "class"
        return string(f"{kind} {value.type.binary_name}")
    if isinstance(value, Opaque):
        return Opaque(value.unknown, value.symbol, External(("java.lang.String",)), value.depends)
    if isinstance(value, Holder):
        return to_string(run, value.value)
    if isinstance(value, ExternalObject):
        return Opaque(value.unknown, value.symbol or run.fresh("text"), External(("java.lang.String",)), value.depends)
    unknown = unknown_of(value) or Unknown("the text of an object that is not known", Cause.OTHER)
    return Opaque(unknown, run.fresh("text"), External(("java.lang.String",)), depends_of(value))


def _empty_scope() -> Scope:
    return Scope()


def _generated_accessor(run: Run, receiver: Instance, name: str, given: list[Value]) -> Value | None:
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


def generated_static(run: Run, decl: ClassDecl, name: str, given: list[Value], node: Node, frame: Frame) -> Value:
    """Static members that nobody writes: an enum's ``values`` and ``valueOf``, Lombok's ``builder`` and ``of``."""
    if decl.kind is ClassKind.ENUM:
        objects.ensure_initialized(run, decl)
        values = run.statics.get(run.static_key(decl, "$VALUES"))
        if name == "values" and isinstance(values, ListValue):
            return ListValue(values.elements, "array")
        if name == "valueOf" and given:
            return enum_value(run, decl, given[-1], node, frame)
    marks = decl.annotation_names
    if name == "builder" and marks & _BUILDERS:
        return objects.instantiate_bare(run, decl, frame)
    if name == "of" and any(mark.endswith("Constructor") or mark == "Value" for mark in marks):
        return objects.instantiate(run, decl, given, node, frame)
    base = calls.library_ancestor(run, decl)
    if base is not None:
        return external_static(run, base, name, given, node, frame)
    return calls.unknown_call(run, f"method '{decl.name}.{name}' is not in the repository", given, node, frame)


def enum_value(run: Run, decl: ClassDecl, wanted: Value, node: Node | None, frame: Frame) -> Value:
    """``valueOf(text)``."""
    objects.ensure_initialized(run, decl)
    if isinstance(wanted, Constant) and isinstance(wanted.value, str):
        found = run.statics.get(run.static_key(decl, wanted.value))
        return found if found is not None else objects.throw(run, "IllegalArgumentException")
    unknown = unknown_of(wanted) or Unknown("which constant of an enum it is, is not known", Cause.OTHER)
    symbol = wanted.symbol if isinstance(wanted, Opaque) else run.fresh("enum")
    values = run.statics.get(run.static_key(decl, "$VALUES"))
    if isinstance(values, ListValue) and values.elements and len(values.elements) <= 8:
        return choose(f"{decl.name}.valueOf({symbol})", tuple(enumerate(values.elements)), unknown)
    return Opaque(unknown, f"{decl.name}.valueOf({symbol})", decl, depends_of(wanted))


# -- functional objects --------------------------------------------------------------------------------------------


def function_object(
    run: Run, receiver: Lambda | MethodRef, name: str, given: list[Value], node: Node, frame: Frame
) -> Value:
    """A call on a lambda or method reference: its function, or a default method of its interface."""
    interface = receiver.interface
    if isinstance(interface, ClassDecl):
        default = methods.select(run, list(methods.in_hierarchy(run, interface, name)), given, interface)
        if default is not None and not default.abstract and not default.static:
            return calls.call_method(run, default, receiver, given, node, frame)
    if name == "andThen" and len(given) == 1:
        return optionals.compose(run, receiver, given[0])
    if name == "compose" and len(given) == 1:
        return optionals.compose(run, given[0], receiver)
    if name in ("hashCode", "toString") and not given:
        return identity(run, receiver, name, node, frame)
    if name in ("negate", "and", "or", "reversed", "thenComparing", "equals", "getClass"):
        return run.opaque(f"'{name}' of a function is not evaluated", Cause.UNSUPPORTED, node, frame)
    return calls.call_function(run, receiver, given, node, frame)


def call_reference(run: Run, function: MethodRef, given: list[Value], node: Node | None, frame: Frame) -> Value:
    """Call ``Type::method``, ``object::method`` or ``Type::new``."""
    target = function.target
    at = node if node is not None else None
    if function.name == "new":
        if isinstance(target, TypeName) and isinstance(target.type, ClassDecl):
            return objects.instantiate(run, target.type, given, node, frame)
        if isinstance(target, TypeName) and isinstance(target.type, External):
            return external_creation(run, target.type, TypeRef(target.type.simple), given, node, frame)
    if at is None:
        return run.opaque("a method reference that is not followed", Cause.UNSUPPORTED, None, None)
    if isinstance(target, TypeName) and isinstance(target.type, ClassDecl):
        candidates = list(methods.in_hierarchy(run, target.type, function.name))
        method = methods.select(run, [m for m in candidates if m.static], given, target.type)
        if method is not None:
            return calls.call_method(run, method, None, given, at, frame)
        if given:
            return calls.invoke(run, given[0], function.name, given[1:], at, frame)
    if isinstance(target, TypeName) and isinstance(target.type, External) and given:
        static = statics.known(target.type.simple, function.name)
        if not static:
            return calls.invoke(run, given[0], function.name, given[1:], at, frame)
    return calls.invoke(run, target, function.name, given, at, frame)


# -- library -------------------------------------------------------------------------------------------------------


def library_call(run: Run, receiver: Value, name: str, given: list[Value], node: Node, frame: Frame) -> Value:
    """A call on a value of a library class."""
    if isinstance(receiver, StreamValue):
        return streams.call(run, receiver, name, given, node, frame)
    if isinstance(receiver, EnvValue):
        return environment.call(run, receiver, name, given, node, frame)
    found: Value | None = None
    if isinstance(receiver, Constant):
        if is_null(receiver):  # a program that works calls nothing on null: something else is there than was seen
            unknown = Unknown(
                f"'{name}' of a value that seems to be null", Cause.OTHER, None, run.location(node, frame)
            )
            return unknowns.escaped(run, unknown, given, node, frame)
        found = strings.call(run, receiver, name, given, node, frame)
    elif isinstance(receiver, ListValue | MapValue | IteratorValue | EntryValue):
        found = collections.call(run, receiver, name, given, node, frame)
    elif isinstance(receiver, OptionalValue | Holder | Builder | ClassLiteral):
        found = optionals.call(run, receiver, name, given, node, frame)
    elif isinstance(receiver, Parameters):
        found = parameters.call(run, receiver, name, given, node, frame)
    elif isinstance(receiver, Settings):
        found = configuration.call(run, receiver, name, given, node, frame)
    elif isinstance(receiver, ExternalObject):
        return external_object_call(run, receiver, name, given, node, frame)
    elif isinstance(receiver, Opaque):
        return opaque_call(run, receiver, name, given, node, frame)
    if found is not None:
        return found
    if name in ("hashCode", "toString") and not given:
        return (
            to_string(run, receiver)
            if name == "toString"
            else run.opaque("a hash code that is not computed", Cause.UNSUPPORTED, node, frame)
        )
    handed_over.received(run, receiver, name, given, node, frame)
    return unknowns.escaped(
        run, Unknown(f"the result of '{name}' is not evaluated", Cause.UNSUPPORTED, None, run.location(node, frame)),
        given, node, frame, of=(receiver,),
    )  # fmt: skip


def external_static(run: Run, external: External, name: str, given: list[Value], node: Node, frame: Frame) -> Value:
    """``Type.name(...)`` on a library class."""
    found = statics.call(run, external, name, given, node, frame)
    if found is not None:
        return found
    found = environment.static_call(run, external, name, given, node, frame)
    if found is not None:
        return found
    cause = Cause.REFLECTION if external.name.startswith(_REFLECTIVE) else Cause.EXTERNAL
    unknown = Unknown(f"{external.simple}.{name}() is not in the repository", cause, None, run.location(node, frame))
    symbol = _symbol(f"{external.simple}.{name}", given, run)
    handed_over.handed_over(run, external, name, given, node, frame)
    if unknowns.carries_topology(run, given, frame) and not unknowns.harmless(external.simple, name):
        return unknowns.escaped(run, unknown, given, node, frame)
    return ExternalObject(
        external, (), ((name, tuple(given)),), symbol, unknown,
        depends_of(*given),
    )  # fmt: skip


def _symbol(prefix: str, given: list[Value], run: Run) -> str:
    """A name for the result of a call: the same for equal calls, as far as the arguments are known."""
    symbol = short(f"{prefix}({', '.join(described_as(value) for value in given)})")
    plain = all(isinstance(value, Constant | Opaque | ExternalObject | Choice) for value in given)
    return symbol if plain else run.fresh(symbol)


_MOST_TOLD = 20
_REFLECTIVE = ("java.lang.reflect.", "java.lang.Class", "java.lang.invoke.", "java.util.ServiceLoader", "javax.script.")
_GETTERS = ("get", "is", "has", "size", "length", "count", "contains", "equals", "next", "read", "parse", "find", "to")


def external_object_call(
    run: Run, receiver: ExternalObject, name: str, given: list[Value], node: Node, frame: Frame
) -> Value:
    """A call on a library object: it may build on, or hand out something that is not known."""
    if name in ("hashCode", "toString") and not given and receiver.type.name == "java.lang.Object":
        return identity(run, receiver, name, node, frame)
    special = constructors.call(run, receiver, name, given, node, frame)
    if special is None:
        special = helpers.table_call(run, receiver, name, given, node, frame)
    if special is None:
        special = connecting.builder_call(run, receiver, name, given, node, frame)
    if special is not None:
        return special
    cause = Cause.REFLECTION if receiver.type.name.startswith(_REFLECTIVE) else Cause.EXTERNAL
    unknown = Unknown(
        f"{receiver.type.simple}.{name}() is not in the repository", cause, None, run.location(node, frame)
    )
    if receiver.unknown.cause is Cause.NON_DETERMINISTIC:
        unknown = receiver.unknown
    prefix = f"{receiver.symbol or run.fresh(receiver.type.simple)}{told_to(receiver)}"
    symbol = _symbol(f"{prefix}.{name}", given, run)
    handed_over.handed_over(run, receiver.type, name, given, node, frame)
    remembers = unknowns.harmless(receiver.type.simple, name) or helpers.handed_streams(receiver, name, given)
    if unknowns.carries_topology(run, given, frame) and not remembers:
        return unknowns.escaped(run, unknown, given, node, frame, of=(receiver,))
    depends = receiver.depends | depends_of(*given)
    if given and len(receiver.told) < _MOST_TOLD and not name.startswith(_GETTERS):
        run.world.assign(receiver, "told", (*receiver.told, (name, tuple(given))))
    if name.startswith(_GETTERS) and name not in ("getOrCreate",):
        return Opaque(unknown, symbol, None, depends)
    return ExternalObject(
        receiver.type, receiver.arguments, (*receiver.calls, (name, tuple(given))), symbol, unknown, depends
    )


_SOMETHING = External(("an object that is not known",))


def opaque_call(run: Run, receiver: Opaque, name: str, given: list[Value], node: Node, frame: Frame) -> Value:
    """A call on a value that is not known."""
    kind = receiver.type
    if isinstance(kind, ClassDecl):
        found = _call_on_declared(run, receiver, kind, name, given, node, frame)
        if found is not None:
            return found
    if isinstance(kind, External) and streams.is_stream_type(kind.simple):
        stream = unknowns.stream_for(run, receiver.unknown, kind.simple, node, frame)
        return calls.invoke(run, stream, name, given, node, frame)
    if isinstance(kind, External) and kind.simple == "StreamExecutionEnvironment":
        env = environment.default(run)
        return calls.invoke(run, env, name, given, node, frame)
    other = given[0] if len(given) == 1 else None
    if name in ("equals", "equalsIgnoreCase") and isinstance(other, Opaque) and other.symbol == receiver.symbol:
        return boolean(True)
    cause = receiver.unknown.cause
    if unknowns.carries_topology(run, given, frame) and not unknowns.harmless("", name):
        unknown = Unknown(receiver.unknown.reason, cause, receiver.unknown.settled_by, run.location(node, frame))
        return unknowns.escaped(run, unknown, given, node, frame, of=(receiver,))
    symbol = _symbol(f"{receiver.symbol}.{name}", given, run)
    handed_over.handed_over(run, kind if isinstance(kind, External) else _SOMETHING, name, given, node, frame)
    result: External | None = None
    if isinstance(kind, External) and kind.simple == "String" and name in strings.TEXT_RESULTS:
        result = kind
    if name.startswith("next") or name in ("poll", "pop", "read", "incrementAndGet", "getAndIncrement"):
        symbol = run.fresh(symbol)
    return Opaque(receiver.unknown, symbol, result, receiver.depends | depends_of(*given))


def _call_on_declared(
    run: Run, receiver: Opaque, decl: ClassDecl, name: str, given: list[Value], node: Node, frame: Frame
) -> Value | None:
    """A call on an unknown object of a class of the repository: its method, with unknown fields."""
    concrete = decl
    if decl.abstract:
        below = run.index.implementations(decl, 2)
        if len(below) != 1:
            return None
        concrete = below[0]
    if concrete.kind is ClassKind.ENUM:
        return _call_on_enum(run, receiver, concrete, name, given, node, frame)
    method = methods.select(run, list(methods.in_hierarchy(run, concrete, name)), given, concrete)
    if method is None or method.abstract:
        if not given and name.startswith(("get", "is")):
            bare = name[3:] if name.startswith("get") else name[2:]
            declared = names.declared_field(run, concrete, bare[:1].lower() + bare[1:])
            if declared is not None:
                resolved = run.index.resolve_type(declared.type, declared.owner)
                return Opaque(receiver.unknown, f"{receiver.symbol}.{declared.name}", resolved, receiver.depends)
        return None
    shadow = objects.unknown_instance(run, concrete, receiver)
    return calls.call_method(run, method, shadow, given, node, frame)


def _call_on_enum(
    run: Run, receiver: Opaque, decl: ClassDecl, name: str, given: list[Value], node: Node, frame: Frame
) -> Value | None:
    objects.ensure_initialized(run, decl)
    values = run.statics.get(run.static_key(decl, "$VALUES"))
    if isinstance(values, ListValue) and values.elements and len(values.elements) <= 8:
        choice = Choice(f"{receiver.symbol} of {decl.name}", tuple(enumerate(values.elements)), receiver.unknown)
        return calls.invoke(run, choice, name, given, node, frame)
    return None


def external_creation(
    run: Run, external: External, ref: TypeRef, given: list[Value], node: Node | None, frame: Frame
) -> Value:
    """``new`` of a library class."""
    found = constructors.create(run, external, ref, given, node, frame)
    if found is not None:
        return found
    location = run.location(node, frame) if node is not None else None
    random = external.simple in ("Random", "SecureRandom", "SplittableRandom", "Date")
    cause = Cause.NON_DETERMINISTIC if random and len(given) == 0 else Cause.EXTERNAL
    unknown = Unknown(f"{external.simple} is not in the repository", cause, None, location)
    made = f"{external.simple}({', '.join(described_as(value) for value in given)})"
    handed_over.handed_over(run, external, "new", given, node, frame)
    if unknowns.carries_topology(run, given, frame) and not unknowns.harmless(external.simple, "new"):
        return unknowns.escaped(run, unknown, given, node, frame)
    return ExternalObject(external, tuple(given), (), run.fresh(short(made)), unknown, depends_of(*given))
