"""The DataStream API of PyFlink: what each call declares, before PyFlink fuses Python operators.

Sources: ``pyflink/datastream/data_stream.py`` and ``stream_execution_environment.py`` of 1.20 and 2.3, and what
these versions were seen to build.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from checker.extract.java.connectors import ConnectorFacts, lookup
from checker.extract.python.values import Class, External, Instance, Opaque, StoppedError, Value
from checker.model.topology import (
    Cause,
    ChainingStrategy,
    Kind,
    Location,
    Maybe,
    PartitionerKind,
    Transformation,
    Unknown,
)

KEY_BY_MAP = "_stream_key_by_map_operator"
PARTITION_CUSTOM_MAP = "_partition_custom_map_operator"
KEYED_VALUES = "_keyed_stream_values_operator"
NEWEST = "2.3"

JAVA_CLASSES = {
    "KafkaSource": "org.apache.flink.connector.kafka.source.KafkaSource",
    "KafkaSink": "org.apache.flink.connector.kafka.sink.KafkaSink",
    "FileSource": "org.apache.flink.connector.file.src.FileSource",
    "FileSink": "org.apache.flink.connector.file.sink.FileSink",
    "NumberSequenceSource": "org.apache.flink.api.connector.source.lib.NumberSequenceSource",
    "DataGeneratorSource": "org.apache.flink.connector.datagen.source.DataGeneratorSource",
    "PulsarSource": "org.apache.flink.connector.pulsar.source.PulsarSource",
    "PulsarSink": "org.apache.flink.connector.pulsar.sink.PulsarSink",
    "KinesisStreamsSink": "org.apache.flink.connector.kinesis.sink.KinesisStreamsSink",
    "KinesisFirehoseSink": "org.apache.flink.connector.firehose.sink.KinesisFirehoseSink",
    "FlinkKafkaConsumer": "org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer",
    "FlinkKafkaProducer": "org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer",
    "JdbcSink": "org.apache.flink.connector.jdbc.JdbcSink",
    "RMQSource": "org.apache.flink.streaming.connectors.rabbitmq.RMQSource",
    "RMQSink": "org.apache.flink.streaming.connectors.rabbitmq.RMQSink",
    "FlinkKinesisConsumer": "org.apache.flink.streaming.connectors.kinesis.FlinkKinesisConsumer",
    "StreamingFileSink": "org.apache.flink.streaming.api.functions.sink.filesystem.StreamingFileSink",
}
"""Class of PyFlink → the Java class that it wraps, whose facts stand in the connector tables."""

PYTHON_OF_CLASS = {"process": "process", "keyed": "keyed-process", "co": "co-process", "keyed-co": "keyed-co-process",
                   "window": "window", "broadcast": "broadcast-process",
                   "keyed-broadcast": "keyed-broadcast-process"}  # fmt: skip


@dataclass(slots=True, eq=False)
class Step:
    """One transformation while the script runs; ``python`` is the kind of Python operator, if it is one."""

    kind: Kind
    name: Maybe[str] | None = None
    inputs: list[Step] = field(default_factory=list)
    python: str | None = None
    uid: Maybe[str] | None = None
    uid_hash: Maybe[str] | None = None
    parallelism: Maybe[int] | None = None
    max_parallelism: Maybe[int] | None = None
    slot_sharing_group: Maybe[str] | None = None
    chaining: ChainingStrategy | None = None
    partitioner: PartitionerKind | None = None
    tag: Maybe[str] | None = None
    keyed: bool = False
    call: str | None = None
    function: Value = None
    facts: ConnectorFacts | None = None
    location: Location | None = None
    uid_location: Location | None = None
    fused: tuple[Step, ...] = ()
    """The steps that PyFlink made this one of."""


@dataclass(slots=True, eq=False)
class Environment:
    """``StreamExecutionEnvironment``: what was registered so far, and the job's settings."""

    registered: list[Step] = field(default_factory=list)
    sources: list[Step] = field(default_factory=list)
    parallelism: Maybe[int] | None = None
    max_parallelism: Maybe[int] | None = None
    chaining: Maybe[bool] = True
    python_chaining: bool = True
    batch: bool = False
    executed: list[tuple[Maybe[str] | None, list[Step]]] = field(default_factory=list)

    def submit(self, name: Maybe[str] | None) -> None:
        """``execute``: what is registered becomes a job."""
        self.executed.append((name, self.registered))
        self.registered = []


@dataclass(slots=True, eq=False)
class Configuration:
    """``Configuration``: keys as the script sets them."""

    keys: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Stream:
    """A DataStream. ``row`` says whether ``print`` turns elements to text first: pickled objects and rows."""

    env: Environment
    step: Step
    textual: Maybe[bool] = True
    """Whether its type is pickled bytes or a row: what ``print`` puts a ``Map`` before."""


@dataclass(slots=True, eq=False)
class Keyed(Stream):
    """A KeyedStream: ``step`` is the hash partition, ``origin`` the stream it was made of."""

    origin: Stream | None = None


@dataclass(slots=True, eq=False)
class Windowed:
    """A stream with a window assigner."""

    stream: Keyed
    assigner: Maybe[str]


@dataclass(slots=True, eq=False)
class Connected:
    """Two connected streams."""

    first: Stream
    second: Stream


@dataclass(slots=True, eq=False)
class Broadcast:
    """A stream broadcast with state descriptors, or one connected with such a stream."""

    stream: Stream
    other: Stream | None = None


@dataclass(slots=True, eq=False)
class Sink:
    """A DataStreamSink: settings can still be made."""

    step: Step


def python_step(env: Environment, inputs: list[Step], name: str, python: str, *, function: Value, at: Location) -> Step:
    """A registered Python operator."""
    step = Step(
        Kind.OPERATOR, name, inputs, python, parallelism=env.parallelism, function=function, location=at,
        call=PYTHON_OF_CLASS[python], keyed=python.startswith(("keyed", "window")),
    )  # fmt: skip
    env.registered.append(step)
    return step


def java_step(stream: Stream, name: str, call: str, at: Location, parallelism: Maybe[int] | None) -> Step:
    """A registered operator that runs in the JVM."""
    step = Step(Kind.OPERATOR, name, [stream.step], parallelism=parallelism, location=at, call=call)
    stream.env.registered.append(step)
    return step


def textual_type(output_type: Value) -> Maybe[bool]:
    """Whether a type is printed through a ``Map``: none given means pickled bytes."""
    if output_type is None:
        return True
    if isinstance(output_type, External) and ".Types." in f".{output_type.path}":
        return output_type.simple in ("ROW", "ROW_NAMED", "PICKLED_BYTE_ARRAY")
    return Unknown("the output type is not known", Cause.OTHER)


_TYPES_OF = {
    "NumberSequenceSource": False,
    "SimpleStringSchema": False,
    "text_line_format": False,
    "JsonRowDeserializationSchema": True,
    "CsvRowDeserializationSchema": True,
    "AvroRowDeserializationSchema": True,
}
"""Schema, format or source class → whether what it produces is a row."""


def produced_type(source: Value, type_info: Value) -> Maybe[bool]:
    """Whether elements of a source are printed through a ``Map``: told by a given type or the schema's class."""
    if type_info is not None:
        return textual_type(type_info)
    pending, seen = [source], 0
    while pending and seen < 200:
        one = pending.pop()
        seen += 1
        if isinstance(one, External):
            known = next((_TYPES_OF[part] for part in one.path.split(".") if part in _TYPES_OF), None)
            if known is not None:
                return known
            pending += [one.before, *one.arguments, *(value for _, value in one.keywords)]
    return Unknown("the type that the source produces is not known", Cause.CONNECTOR)


def operator(stream: Stream, call: str, function: Value, output_type: Value, at: Location) -> Stream:
    """``map``, ``flat_map``, ``filter``, ``process``, ``reduce`` and the sums of a stream or keyed stream."""
    keyed = isinstance(stream, Keyed)
    names = {"map": "Map", "flat_map": "FlatMap", "filter": "Filter", "reduce": "Reduce"}
    name = names.get(call, "KEYED PROCESS" if keyed else "PROCESS")
    step = python_step(stream.env, [stream.step], name, "keyed" if keyed else "process", function=function, at=at)
    if call in ("map", "flat_map", "filter") and keyed:
        step.call = "keyed-process"
    source = stream.origin if isinstance(stream, Keyed) and stream.origin is not None else stream
    textual = source.textual if call in ("filter", "reduce") else textual_type(output_type)
    return Stream(stream.env, step, textual)


def key_by(stream: Stream, at: Location) -> Keyed:
    """A Python operator that adds the key, then a hash partition."""
    origin = stream.origin if isinstance(stream, Keyed) and stream.origin is not None else stream
    step = python_step(origin.env, [origin.step], KEY_BY_MAP, "process", function=None, at=at)
    partition = Step(Kind.PARTITION, inputs=[step], partitioner=PartitionerKind.HASH, location=at)
    return Keyed(origin.env, partition, origin.textual, origin)


def values(stream: Stream, at: Location) -> Stream:
    """The elements of a keyed stream without their keys; any other stream as it is."""
    if not isinstance(stream, Keyed):
        return stream
    result = operator(stream, "map", None, None, at)
    result.step.name = KEYED_VALUES
    result.textual = stream.origin.textual if stream.origin else True
    return result


def partition(stream: Stream, kind: PartitionerKind, at: Location) -> Stream:
    """One of the plain partitionings."""
    return Stream(stream.env, Step(Kind.PARTITION, inputs=[stream.step], partitioner=kind, location=at), stream.textual)


def partition_custom(stream: Stream, at: Location) -> Stream:
    """A Python operator that computes the partition, the partition, and one that takes it off again."""
    stream = values(stream, at)
    before = python_step(stream.env, [stream.step], PARTITION_CUSTOM_MAP, "process", function=None, at=at)
    middle = Step(Kind.PARTITION, inputs=[before], partitioner=PartitionerKind.CUSTOM, location=at)
    after = python_step(stream.env, [middle], KEYED_VALUES, "process", function=None, at=at)
    return Stream(stream.env, after, stream.textual)


def union(streams: list[Stream], at: Location) -> Stream:
    """``union``: keyed streams give their values."""
    plain = [values(stream, at) for stream in streams]
    step = Step(Kind.UNION, inputs=[stream.step for stream in plain], location=at)
    return Stream(plain[0].env, step, plain[0].textual)


def timestamps(stream: Stream, strategy: Value, at: Location) -> Stream:
    """``assign_timestamps_and_watermarks``: with an assigner of its own it is three operators."""
    assigner = False
    one = strategy
    while isinstance(one, External):
        assigner = assigner or one.simple == "with_timestamp_assigner"
        one = one.before
    if not isinstance(strategy, External):
        raise StoppedError(Unknown("the watermark strategy is not known", Cause.OTHER, None, at))
    stream = values(stream, at)
    if not assigner:
        step = java_step(stream, "Timestamps/Watermarks", "assign-timestamps", at, stream.step.parallelism)
        return Stream(stream.env, step, stream.textual)
    before = python_step(stream.env, [stream.step], "Extract-Timestamp", "process", function=None, at=at)
    middle = Stream(stream.env, before)
    marks = java_step(middle, "Timestamps/Watermarks", "assign-timestamps", at, before.parallelism)
    after = java_step(Stream(stream.env, marks), "Remove-Timestamp", "map", at, stream.env.parallelism)
    return Stream(stream.env, after, stream.textual)


def window(
    windowed: Windowed, function: Value, output_type: Value, at: Location, *, keeps_type: bool = False
) -> Stream:
    """``reduce``, ``aggregate``, ``apply`` and ``process`` of a windowed stream; a plain reduce keeps the type."""
    keyed = windowed.stream
    step = python_step(keyed.env, [keyed.step], "window", "window", function=function, at=at)
    step.name = windowed.assigner
    kept = output_type is None and keeps_type
    return Stream(keyed.env, step, keyed.textual if kept else textual_type(output_type))


def connected(pair: Connected, call: str, function: Value, output_type: Value, at: Location) -> Stream:
    """``map``, ``flat_map`` and ``process`` of two connected streams."""
    keyed = isinstance(pair.first, Keyed) and isinstance(pair.second, Keyed)
    name = {"map": "Co-Map", "flat_map": "Co-Flat Map"}.get(call, "Keyed Co-Process" if keyed else "Co-Process")
    inputs = [pair.first.step, pair.second.step]
    step = python_step(pair.first.env, inputs, name, "keyed-co" if keyed else "co", function=function, at=at)
    return Stream(pair.first.env, step, textual_type(output_type))


def broadcast_process(pair: Broadcast, function: Value, output_type: Value, at: Location) -> Stream:
    """``process`` of a stream connected with a broadcast one: a Java transformation that is never fused."""
    assert pair.other is not None
    keyed = isinstance(pair.other, Keyed)
    name = "Keyed-Co-Process-Broadcast" if keyed else "Co-Process-Broadcast"
    inputs = [pair.other.step, pair.stream.step]
    python = "keyed-broadcast" if keyed else "broadcast"
    step = python_step(pair.other.env, inputs, name, python, function=function, at=at)
    return Stream(pair.other.env, step, textual_type(output_type))


def side_output(stream: Stream, tag: Maybe[str], output_type: Value, at: Location) -> Stream:
    """``get_side_output``: PyFlink puts a ``Map`` behind it."""
    step = Step(Kind.SIDE_OUTPUT, inputs=[stream.step], tag=tag, location=at)
    return operator(Stream(stream.env, step), "map", None, output_type, at)


def source(env: Environment, kind: Kind, name: Maybe[str], parallelism: Maybe[int] | None, at: Location) -> Stream:
    """A source: not registered, reached through what reads it."""
    step = Step(kind, name, parallelism=parallelism, location=at)
    env.sources.append(step)
    return Stream(env, step)


def print_sink(stream: Stream, at: Location) -> Sink:
    """``print``: objects and rows become text first."""
    stream = values(stream, at)
    if isinstance(stream.textual, Unknown):
        raise StoppedError(
            replace(stream.textual, reason="whether print needs a Map: the type is not known", location=at)
        )
    if stream.textual:
        stream = operator(stream, "map", None, External("pyflink.common.Types.STRING"), at)
    return _register_sink(stream, Kind.LEGACY_SINK, "Print to Std. Out", None, at)


def add_sink(stream: Stream, at: Location) -> Sink:
    """``add_sink``: one operator whatever the function is."""
    return _register_sink(values(stream, at), Kind.LEGACY_SINK, "Unnamed", None, at)


def sink_to(stream: Stream, sink: Value, flink: str | None, at: Location) -> Sink:
    """``sink_to``: how many operators it is, the connector tables know."""
    facts = connector(sink, flink)
    if facts is None or facts.topology is not None:
        why = facts.topology.reason if facts and facts.topology else "a sink that the connector tables do not know"
        raise StoppedError(Unknown(f"{_shown(sink)}: {why}", Cause.CONNECTOR, None, at))
    return _register_sink(stream, Kind.SINK, "Sink", facts, at)


def connector(value: Value, flink: str | None) -> ConnectorFacts | None:
    """What is known of the Java class behind a connector of PyFlink, builders seen through."""
    calls: dict[str, list[object]] = {}
    one = value
    while isinstance(one, External):
        if one.called:
            calls.setdefault(_camel(one.simple), []).extend(a for a in one.arguments if isinstance(a, str | int | bool))
        name = next((part for part in one.path.split(".") if part in JAVA_CLASSES), None)
        if one.before is None:
            return None if name is None else lookup(JAVA_CLASSES[name], flink or NEWEST, calls)
        one = one.before
    return None


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _shown(value: Value) -> str:
    if isinstance(value, External):
        root = value
        while root.before is not None:
            root = root.before
        return root.path
    if isinstance(value, Instance):
        return value.of.name
    return value.name if isinstance(value, Opaque | Class) and value.name else "this sink"


def _register_sink(stream: Stream, kind: Kind, name: str, facts: ConnectorFacts | None, at: Location) -> Sink:
    step = Step(kind, name, [stream.step], parallelism=stream.env.parallelism, facts=facts, location=at)
    stream.env.registered.append(step)
    return Sink(step)


def settings(step: Step, name: str, value: Value, at: Location) -> None:
    """The setters that streams and sinks share. Raises StoppedError where an unknown value decides chaining."""
    known: Maybe[str] | Maybe[int] = value.unknown if isinstance(value, Opaque) else value
    if name == "uid":
        step.uid, step.uid_location = known, at  # type: ignore[assignment]
    elif name in ("name", "set_uid_hash", "set_parallelism", "set_max_parallelism", "slot_sharing_group"):
        field_name = {"set_uid_hash": "uid_hash"}.get(name, name.removeprefix("set_"))
        setattr(step, field_name, known)
    elif name == "force_non_parallel":
        step.parallelism = step.max_parallelism = 1
    elif name == "start_new_chain":
        step.chaining = ChainingStrategy.HEAD
    elif name == "disable_chaining":
        step.chaining = ChainingStrategy.NEVER


def transformation(step: Step, handle: str, inputs: tuple[str, ...]) -> Transformation:
    """The finished record of a step."""
    facts = step.facts
    state = () if facts is None else facts.state
    virtual = step.kind.virtual
    return Transformation(
        id=handle,
        kind=step.kind,
        inputs=inputs,
        name=step.name,
        uid=None if virtual else step.uid,
        uid_hash=None if virtual else step.uid_hash,
        parallelism=None if virtual else step.parallelism,
        max_parallelism=None if virtual else step.max_parallelism,
        slot_sharing_group=None if virtual else step.slot_sharing_group,
        chaining=None if virtual else step.chaining or (ChainingStrategy.ALWAYS if step.python else None),
        keyed=step.keyed,
        operator=step.call,
        function=step.function.of.name if isinstance(step.function, Instance) else None,
        state=state,
        stateful=_stateful(step) if step.python else (facts.stateful if facts else None),
        partitioner=step.partitioner,
        tag=step.tag,
        committer=facts.committer if facts else False,
        global_committer=facts.global_committer if facts else False,
        pre_write=facts.pre_write if facts else (),
        pre_commit=facts.pre_commit if facts else (),
        post_commit=facts.post_commit if facts else (),
        location=step.location,
        uid_location=step.uid_location,
    )


def _stateful(step: Step) -> bool | None:
    """Keyed Python operators register their timers; the others keep state only where a function asks for it."""
    parts = step.fused or (step,)
    return any(part.keyed or (part.python or "").endswith("broadcast") for part in parts)
