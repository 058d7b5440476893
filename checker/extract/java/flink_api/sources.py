"""Source methods of the environment, and the types of the elements that sources give.

These are known by a source's arguments, its schema, or its class."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from checker.extract.connectors.tables import ConnectorFacts
from checker.extract.datastream import table
from checker.extract.datastream.table import ApiCall
from checker.extract.java.flink_api import connecting, function_facts, jobs
from checker.extract.java.flink_api.element_types import (
    Element,
    known_information,
    of_information,
    output_type,
    produced,
)
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.descriptions import described_as, expression_text, short
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Choice,
    ClassLiteral,
    Constant,
    ExternalObject,
    Instance,
    Lambda,
    ListValue,
    MapValue,
    Opaque,
    Value,
    unknown_of,
)
from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import JavaType, lineage, named, of_class, resolved
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.tree import Node, children, field, text
from checker.extract.java.syntax.type_refs import type_ref
from checker.model.declared_state import LOG_AND_NEW_TABLES, StateDescriptor, StateKind
from checker.model.topology import ChainingStrategy, Kind, constant_digest
from checker.model.unknowns import Cause, Maybe, Unknown

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


def _remember(run: Run, call: Call, made: Value) -> None:
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
        informed = known_information(run, value) if isinstance(value, ExternalObject | ClassLiteral) else None
        if informed is not None:
            return informed
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
        return any(_says_type(run, argument, depth + 1) for argument in value.made_with)
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
    given = value.made_with
    if value.type.simple.endswith("AvroDeserializationSchema") and given and isinstance(given[0], ClassLiteral):
        return of_information(run, given[0])  # forSpecific
    if value.type.simple in _WITH_TYPE and given:
        return of_information(run, given[-1])
    found = [element for argument in given if (element := _by_schema(run, argument)) is not None]
    return found[0] if len(found) == 1 else None


def _by_own_schema(run: Run, schema: Instance) -> Element | None:
    """The type that a schema of the program returns, or gives to ``AbstractDeserializationSchema``."""
    asked = produced(run, schema)
    if asked is not None:
        return asked if asked.type is not None or asked.text is not None else None
    for ancestor in lineage(run.index, of_class(schema.decl)):
        if ancestor.simple == "AbstractDeserializationSchema":
            if schema.base is not None and schema.base.arguments:
                return of_information(run, schema.base.arguments[0])
            type_ = ancestor.arguments[0] if ancestor.arguments else None
            return Element(type_) if type_ is not None and type_.known else None
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


def call(run: Run, env: EnvValue, call: Call) -> Value | None:
    """A source method; None for everything else."""
    row = table.lookup(table.ENVIRONMENT, call.name)
    if row is None:
        return None
    made = HANDLERS[row.makes](run, env, call, row)
    _remember(run, call, made)
    return made


def _from_row(run: Run, env: EnvValue, call: Call, row: ApiCall) -> StreamValue:
    settings: dict[str, Any] = {} if row.parallelism is None else {"parallelism": row.parallelism}
    kind = Kind.SOURCE if row.makes == "new-source" else Kind.LEGACY_SOURCE
    draft = jobs.make(
        run, env, kind, call.site, name=row.name, operator=row.operator, state=row.state, stateful=row.stateful,
        non_parallel=kind is Kind.LEGACY_SOURCE and row.parallelism == 1, **settings,
    )  # fmt: skip
    return StreamValue("DataStreamSource", env, draft)


def _maybe_one(run: Run, env: EnvValue, unknown: Unknown) -> Unknown | int:
    """1 or the default: the same where the default is 1."""
    known = env.parallelism if isinstance(env.parallelism, int) else run.entry.default_parallelism
    if known == 1 and not isinstance(env.parallelism, Unknown):
        return 1
    return replace(unknown, options=(1, known)) if isinstance(known, int) else unknown


def _from_source(run: Run, env: EnvValue, call: Call, row: ApiCall) -> Value:
    source = run.soften(call.arguments[0]) if call.arguments else None
    name = jobs.maybe_text(call.arguments[2]) if len(call.arguments) > 2 else row.name
    state: tuple[StateDescriptor, ...] = (StateDescriptor(name="SourceReaderState", kind=StateKind.OPERATOR_LIST),)
    draft = jobs.make(
        run, env, Kind.SOURCE, call.site, name=name, state=state,
        operator=LOG_AND_NEW_TABLES if connecting.looks_for_new_tables(source) else row.operator,
        function=function_facts.class_name(run, source) if source is not None else None,
        functions_at=function_facts.places(run, [source] if source is not None else []),
        **connecting.read_by(run, source),
    )  # fmt: skip
    return StreamValue("DataStreamSource", env, draft)


def _add_source(run: Run, env: EnvValue, call: Call, row: ApiCall) -> Value:
    function = run.soften(call.arguments[0]) if call.arguments else None
    name: Maybe[str] | None = row.name
    named = call.arguments[1] if len(call.arguments) > 1 else None
    if isinstance(named, Constant | Opaque | Choice) and not _is_type(named):
        name = jobs.maybe_text(named) or name
    settings: dict[str, Any] = {}
    parallel: Maybe[bool] = Unknown("an unknown source")
    if function is not None:
        parallel, facts = parallel_source(run, function, call.site)
        settings = {
            "function": function_facts.class_name(run, function), "unbounded": True,
            "functions_at": function_facts.places(run, [function]), **connecting.read_by(run, function),
        }  # fmt: skip
        if facts is not None:
            settings["state"], settings["stateful"] = facts.state, facts.stateful or None
        else:
            settings["state"], settings["stateful"] = function_facts.state_of(run, function)
    if isinstance(parallel, Unknown):
        settings["parallelism"] = _maybe_one(run, env, parallel)
    elif not parallel:
        settings["parallelism"], settings["non_parallel"] = 1, True
    draft = jobs.make(run, env, Kind.LEGACY_SOURCE, call.site, name=name, operator=row.operator, **settings)
    return StreamValue("DataStreamSource", env, draft)


def _is_type(value: Value) -> bool:
    return isinstance(value, Opaque) and isinstance(value.type, External) and value.type.simple == "TypeInformation"


def parallel_source(run: Run, function: Value, site: Site) -> tuple[Maybe[bool], ConnectorFacts | None]:
    """Whether a source function runs in parallel, and what the connector tables say of it."""
    alternatives = run.alternatives(function)
    if len(alternatives) > 1:
        return run.agreed(
            function, lambda source: parallel_source(run, source, site)[0], lambda: jobs.unknown(function)
        ), None
    function = alternatives[0]
    if isinstance(function, Lambda):
        return False, None
    names = function_facts.ancestry(run, function)
    if names is not None and "ParallelSourceFunction" in names:
        return True, None
    facts = connecting.facts_of(run, function)
    if facts is not None and facts.parallel is not None:
        return facts.parallel, facts
    if isinstance(function, Instance):
        for ancestor in run.index.ancestors(function.decl):
            if isinstance(ancestor, External):
                found = connecting.facts(run, ancestor, {})
                if found is not None and found.parallel is not None and not found.open:
                    return found.parallel, None
        if function_facts.all_ancestors_known(run, function.decl) and names is not None and "SourceFunction" in names:
            return False, None
    plain = ("SourceFunction", "RichSourceFunction")
    if isinstance(function, ExternalObject) and function.type.simple in plain and not function.calls:
        return False, None
    unknown = unknown_of(function)
    what = function_facts.class_name(run, function) or "a source function"
    if unknown is None:
        return run.unknown(f"cannot tell whether {what} is a parallel source", Cause.CONNECTOR, site), None
    return run.unknown(unknown.reason, unknown.cause, site, unknown.settled_by), None


def _files(run: Run, env: EnvValue, call: Call, row: ApiCall) -> Value:
    """``readFile``: a monitoring source of parallelism 1 and the reader, which is what the program gets."""
    monitor = jobs.make(
        run, env, Kind.LEGACY_SOURCE, call.site, name=row.name, operator="file-monitor", parallelism=1,
        suffix="#monitor", max_parallelism=1 if run.api.file_monitor_sets_max_parallelism else None, stateful=True,
        state=(StateDescriptor(name="file-monitoring-state", kind=StateKind.OPERATOR_LIST),),
        function="org.apache.flink.streaming.api.functions.source.ContinuousFileMonitoringFunction",
    )  # fmt: skip
    reader = jobs.make(
        run, env, Kind.OPERATOR, call.site, inputs=(monitor,), name=f"Split Reader: {row.name}",
        operator="file-reader", chaining=ChainingStrategy.HEAD, yielding=True, stateful=True,
        state=(StateDescriptor(name="splits", kind=StateKind.OPERATOR_LIST),),
    )  # fmt: skip
    return StreamValue("DataStreamSource", env, reader)


HANDLERS: dict[str, Callable[[Run, EnvValue, Call, ApiCall], Value]] = {
    "source": _from_source, "source-function": _add_source, "new-source": _from_row, "legacy-source": _from_row,
    "files": _files,
}  # fmt: skip
"""What a row of the table makes → who makes it."""
