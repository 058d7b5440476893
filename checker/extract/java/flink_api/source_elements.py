"""Types of the elements that sources give: by their arguments, their schemas, or their class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from checker.extract.java.flink_api.element_types import Element, of_information, output_type
from checker.extract.java.flink_api.states.types import type_of_value
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.descriptions import described_as, expression_text, short
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    ClassLiteral,
    Constant,
    ExternalObject,
    Frame,
    Instance,
    ListValue,
    MapValue,
    Scope,
    Value,
)
from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import JavaType, lineage, named, of_class, resolved
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.tree import Node, children, field, text
from checker.extract.java.syntax.type_refs import type_ref
from checker.model.topology import constant_digest
from checker.model.unknowns import Cause

_WITH_TYPE = frozenset({"DataGeneratorSource", "JsonDeserializationSchema"})
"""Sources and schemas whose last argument says what they give."""
_ELEMENTS_OF = {"fromSequence": named("Long"), "generateSequence": named("Long"), "socketTextStream": named("String"),
                "readTextFile": named("String")}  # fmt: skip
_WITH_SCHEMA = frozenset({"GenericRecord", "Row", "RowData", "Object", "DynamicMessage"})
"""Classes that are written by a schema of their own, which their name does not show."""
_OF_ELEMENTS = ("Source", "Consumer", "SourceFunction", "WatermarkStrategy")
"""How classes of Flink and its connectors end whose first type argument is that of the elements."""
_ASKING_A_SCHEMA = (
    "FlinkKafkaConsumer",
    "FlinkKinesisConsumer",
    "KafkaSource",
    "KinesisStreamsSource",
    "PulsarSource",
    "RMQSource",
)
"""How classes of sources begin that ask a schema for ``getProducedType``."""
_DEPTH = 4


def remember_source(run: Run, call: Call, made: Value) -> None:
    """Note what a source gives."""
    draft = made.draft if isinstance(made, StreamValue) else None
    if draft is not None and draft.element is None:
        run.memory.assign(draft, "element", _of_source(run, call))
        constants = (v for v in _flat(map(run.soften, call.arguments)) if isinstance(v, Constant))
        run.memory.assign(draft, "function_values", tuple(constant_digest(v.java, v.text) for v in constants))


def _of_source(run: Run, call: Call) -> Element:
    if call.name in _ELEMENTS_OF:
        return Element(_ELEMENTS_OF[call.name])
    for value in reversed(call.arguments):
        if isinstance(value, ExternalObject | ClassLiteral) and type_of_value(run, value) is not None:
            return of_information(run, value)
    given = [run.soften(value) for value in call.arguments]
    for value in given:
        if isinstance(value, Instance):
            found = output_type(run, lineage(run.index, of_class(value.decl)))
            if found is not None:
                return Element(found)
    produced = _by_schema(run, given[0]) if call.name in ("fromSource", "addSource") and given else None
    if produced is not None:
        return produced
    if call.name in ("fromElements", "fromData", "fromCollection"):
        types = {_of_value(value) for value in _flat(given)}
        if len(types) == 1 and None not in types:
            return Element(types.pop())
    declared = _of_source_type(run, call)
    if declared is not None:
        return Element(declared)
    made_of = (given[:1] + given[2:]) if call.name == "fromSource" else given  # watermarks say nothing of elements
    return Element(derived_from="; ".join(_type_made_of(run, v) for v in made_of if not isinstance(v, Constant)))


def _type_made_of(run: Run, source: Value) -> str:
    """What decides which elements a value gives: of sources that ask a schema, the schema alone."""
    values: Sequence[Value] = (source,)
    if isinstance(source, ExternalObject) and source.type.simple.startswith(_ASKING_A_SCHEMA):
        handed = [a for name, arguments in source.calls if "eserializ" in name for a in arguments]
        given = (v for v in (*source.arguments, *handed) if not isinstance(v, Constant | MapValue | ListValue))
        values = tuple(given) or values
    return "; ".join(short(expression_text(described_as(run.soften(value)), Cause.EXTERNAL)) for value in values)


def _flat(given: Iterable[Value]) -> list[Value]:
    """Values, with the elements of lists instead of these."""
    return [v for value in given for v in ((value.elements or ()) if isinstance(value, ListValue) else (value,))]


def _of_source_type(run: Run, call: Call) -> JavaType | None:
    """What the type arguments of a source say, where no code of the program decides how its elements are written."""
    scope = call.frame.decl
    if call.node is None or any(_says_type(run, value) for value in call.arguments):
        return None
    typer = Typer(run.index, scope)
    for node in children(field(call.node, "arguments") or call.node):
        static = typer.of(node)
        if static is not None and isinstance(static.target, External) and static.simple.endswith(_OF_ELEMENTS):
            found = next(iter(static.arguments), None)
        else:
            found = _witness(run, node, scope)
        if found is not None and found.known and found.simple not in _WITH_SCHEMA:
            return found
    return None


def _witness(run: Run, node: Node | None, scope: ClassDecl) -> JavaType | None:
    """The type argument that a chain of calls begins with: ``KafkaSource.<Order>builder()``."""
    local = find_local(node, text(node)) if node is not None and node.type == "identifier" else None
    node = field(local[0], "value") if local is not None else node
    while node is not None and node.type == "method_invocation":
        target = field(node, "object")
        written = field(node, "type_arguments")
        if written is not None and target is not None and text(target).endswith(_OF_ELEMENTS):
            return resolved(run.index, type_ref(children(written)[0]), scope)
        node = target
    return None


def _says_type(run: Run, value: Value, depth: int = 0) -> bool:
    """Whether a value has an object of the program in it that says how elements are written."""
    value = run.soften(value)
    if isinstance(value, Instance):
        return any(
            ancestor.decl is not None and ancestor.decl.methods_named("getProducedType")
            for ancestor in lineage(run.index, of_class(value.decl))
        )
    if isinstance(value, ExternalObject) and depth < _DEPTH:
        given = (
            *value.arguments,
            *(argument for _, arguments in (*value.calls, *value.side_calls) for argument in arguments),
        )
        return any(_says_type(run, argument, depth + 1) for argument in given)
    return False


def _by_schema(run: Run, value: Value) -> Element | None:
    """What a connector's source says that it produces: the type of its one schema, None where that is not known.

    Sources of Kafka, Pulsar, Kinesis and RabbitMQ ask their schema for ``getProducedType``.
    """
    value = run.soften(value)
    if isinstance(value, Instance):
        own = _by_own_schema(run, value)
        if own is not None or value.base is None or _says_type(run, value):
            return own
        return _by_schema(run, value.base)
    if not isinstance(value, ExternalObject):
        return None
    if value.type.simple == "SimpleStringSchema":
        return Element(named("String"))
    given = (*value.arguments, *(argument for _, handed in value.calls for argument in handed))
    if value.type.simple.endswith("AvroDeserializationSchema") and given and isinstance(given[0], ClassLiteral):
        return of_information(run, given[0])  # forSpecific
    if value.type.simple in _WITH_TYPE and given:
        return of_information(run, given[-1])
    found = [element for argument in given if (element := _by_schema(run, argument)) is not None]
    return found[0] if len(found) == 1 else None


def _by_own_schema(run: Run, schema: Instance) -> Element | None:
    """The type that a schema of the program returns, or gives to ``AbstractDeserializationSchema``."""
    for ancestor in lineage(run.index, of_class(schema.decl)):
        if ancestor.simple == "AbstractDeserializationSchema":
            if schema.base is not None and schema.base.arguments:
                return of_information(run, schema.base.arguments[0])
            type_ = ancestor.arguments[0] if ancestor.arguments else None
            return Element(type_) if type_ is not None and type_.known else None
        for method in ancestor.decl.methods if ancestor.decl is not None else ():
            if method.name == "getProducedType" and not method.parameters and method.body is not None:
                frame = Frame(schema.decl, schema, Scope())
                call = Call(method.name, [], Site(None, frame))
                made = run.without_effects(partial(run.interpreter.call_method, method, schema, call))
                found = type_of_value(run, made) if made is not None else None
                return Element(found) if isinstance(found, JavaType) and found.known else None
    return None


def _of_value(value: Value) -> JavaType | None:
    if isinstance(value, Constant) and value.value is not None:
        return JavaType(value.java).boxed if value.java != "String" else named("String")
    if isinstance(value, ExternalObject) and value.type.simple.startswith("Tuple"):
        elements = value.arguments if not value.calls else value.calls[0][1] if len(value.calls) == 1 else ()
        parts = [_of_value(part) for part in elements]
        if parts and f"Tuple{len(parts)}" == value.type.simple and None not in parts:
            types = [part for part in parts if part is not None]
            return named(value.type.simple, *types, package="org.apache.flink.api.java.tuple")
    return of_class(value.decl) if isinstance(value, Instance) else None
