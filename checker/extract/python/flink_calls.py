"""Dispatches a call on a PyFlink object to what it declares."""

from __future__ import annotations

from typing import Protocol

from checker.extract.python import streams as api
from checker.extract.python.streams import (
    Broadcast,
    Configuration,
    Connected,
    Environment,
    Keyed,
    Sink,
    Stream,
    Windowed,
)
from checker.extract.python.values import External, Opaque, StoppedError, Value, unknown
from checker.model.topology import Cause, Kind, Location, Maybe, PartitionerKind, Unknown

SETTERS = frozenset(
    {"uid", "name", "set_uid_hash", "set_parallelism", "set_max_parallelism", "slot_sharing_group",
     "force_non_parallel", "start_new_chain", "disable_chaining", "set_description", "set_buffer_timeout"}
)  # fmt: skip
OPERATORS = frozenset({"map", "flat_map", "filter", "process"})
SUMS = frozenset({"reduce", "sum", "min", "max", "min_by", "max_by"})
PARTITIONS = {name: PartitionerKind(name) for name in ("shuffle", "rescale", "rebalance", "forward")}
GLOBAL_SETTERS = frozenset(
    {"enable_checkpointing", "set_runtime_mode", "set_state_backend", "set_restart_strategy", "add_jars", "configure",
     "add_classpaths", "add_python_file", "set_python_requirements", "add_python_archive", "set_buffer_timeout",
     "set_python_executable", "register_type", "set_default_local_parallelism", "close", "get_config",
     "get_checkpoint_config", "set_stream_time_characteristic", "register_cached_file", "add_default_kryo_serializer"}
)  # fmt: skip


class Arguments:
    """Positional and keyword arguments of a call."""

    def __init__(self, positional: list[Value], keywords: dict[str, Value]) -> None:
        self.positional = positional
        self.keywords = keywords

    def get(self, place: int, name: str, default: Value = None) -> Value:
        """An argument by place or name."""
        if name in self.keywords:
            return self.keywords[name]
        return self.positional[place] if place < len(self.positional) else default


class Dispatcher(Protocol):
    """What calls need from the interpreter."""

    flink: str | None


def text(value: Value, what: str, at: Location) -> Maybe[str]:
    """A text argument, or why it is not known."""
    if isinstance(value, str):
        return value
    if isinstance(value, Opaque):
        return value.unknown
    return Unknown(f"{what} is no text that can be read here", Cause.OTHER, None, at)


def call(run: Dispatcher, owner: Value, name: str, arguments: Arguments, at: Location) -> Value:
    """The result of ``owner.name(arguments)`` for an object of PyFlink."""
    if isinstance(owner, Configuration):
        key = arguments.get(0, "key")
        if name.startswith("set"):
            if not isinstance(key, str):
                raise StoppedError(Unknown("a configuration key that is not known", Cause.OTHER, None, at))
            owner.keys[key] = arguments.get(1, "value")
        return owner if name.startswith("set") else unknown(f"the result of {name}", Cause.OTHER, at)
    if isinstance(owner, Environment):
        return _environment(owner, name, arguments, at)
    if isinstance(owner, Sink):
        return _set(owner, owner.step, name, arguments, at)
    if isinstance(owner, Windowed):
        return _windowed(owner, name, arguments, at)
    if isinstance(owner, Connected):
        return _connected(owner, name, arguments, at)
    if isinstance(owner, Broadcast):
        if name == "process":
            return api.broadcast_process(owner, arguments.get(0, "func"), arguments.get(1, "output_type"), at)
        return _unsupported(name, at)
    return _stream(run, owner, name, arguments, at)


_TRUTH = {"true": True, "false": False}
_KEYS = {
    "parallelism.default": "parallelism",
    "pipeline.max-parallelism": "max_parallelism",
    "pipeline.operator-chaining": "chaining",
    "pipeline.operator-chaining.enabled": "chaining",
    "python.operator-chaining.enabled": "python_chaining",
}
"""Configuration key → field of the environment."""
_REFUSED_KEYS = ("pipeline.auto-generate-uids", "python.execution-mode", "pipeline.operator-chaining.chain-operators")


def configure(env: Environment, configuration: Configuration, at: Location) -> None:
    """What a Configuration says of the topology. Raises StoppedError for a value or key that is not understood."""
    for key, value in configuration.keys.items():
        shown = value.lower() if isinstance(value, str) else value
        if key == "execution.runtime-mode":
            env.batch = env.batch or shown == "batch"
        if key.startswith(_REFUSED_KEYS) or (key in _KEYS and isinstance(value, Opaque)):
            raise StoppedError(Unknown(f"the configuration sets {key}", Cause.UNSUPPORTED, None, at))
        if key in _KEYS:
            known = _TRUTH.get(shown, shown)
            setattr(env, _KEYS[key], int(known) if isinstance(known, str) and known.isdigit() else known)


def _unsupported(name: str, at: Location) -> Value:
    raise StoppedError(
        Unknown(f"the call .{name}() of PyFlink is not one that can be read", Cause.UNSUPPORTED, None, at)
    )


def _set(result: Value, step: api.Step, name: str, arguments: Arguments, at: Location) -> Value:
    if name not in SETTERS:
        return _unsupported(name, at)
    value = arguments.get(0, name, next(iter(arguments.keywords.values()), None))
    if isinstance(value, External) and name == "slot_sharing_group":
        value = unknown("a slot sharing group that is built elsewhere", Cause.OTHER, at)
    api.settings(step, name, value, at)
    return result


def _environment(env: Environment, name: str, arguments: Arguments, at: Location) -> Value:
    first = arguments.positional[0] if arguments.positional else next(iter(arguments.keywords.values()), None)
    if name == "set_parallelism":
        env.parallelism = _number(arguments.get(0, "parallelism"), at)
    elif name == "set_max_parallelism":
        env.max_parallelism = _number(arguments.get(0, "max_parallelism"), at)
    elif name == "disable_operator_chaining":
        env.chaining = False
    elif name == "configure" and isinstance(first, Configuration):
        configure(env, first, at)
    elif name == "set_runtime_mode":
        env.batch = isinstance(first, External) and first.simple == "BATCH"
    elif name in ("execute", "execute_async"):
        env.submit(text(first, "the job's name", at) if first is not None else None)
        return unknown("the result of a job", Cause.EXTERNAL, at, "result")
    elif name == "from_source":
        named = text(arguments.get(2, "source_name"), "the name", at)
        stream = api.source(env, Kind.SOURCE, named, env.parallelism, at)
        stream.step.facts = api.connector(arguments.get(0, "source"), None)
        stream.textual = api.produced_type(arguments.get(0, "source"), arguments.get(3, "type_info"))
        return stream
    elif name == "add_source":
        return _add_source(env, arguments, at)
    elif name == "from_collection":
        stream = api.source(env, Kind.LEGACY_SOURCE, "Collection Source", 1, at)
        stream.textual = api.textual_type(arguments.get(1, "type_info"))
        return stream
    return External(f"pyflink.environment.{name}", called=True) if name.startswith("get_") else env


def _add_source(env: Environment, arguments: Arguments, at: Location) -> Stream:
    function = arguments.get(0, "source_func")
    given = arguments.get(1, "source_name", "Custom Source")
    facts = api.connector(function, None)
    parallelism = env.parallelism
    if facts is None or facts.parallel is None:
        parallelism = Unknown("whether the source function is parallel is not known", Cause.CONNECTOR, None, at)
    elif not facts.parallel:
        parallelism = 1
    stream = api.source(env, Kind.LEGACY_SOURCE, text(given, "the name", at), parallelism, at)
    stream.textual = api.produced_type(function, arguments.get(2, "type_info"))
    return stream


def _number(value: Value, at: Location) -> Maybe[int]:
    if isinstance(value, int):
        return value
    return value.unknown if isinstance(value, Opaque) else Unknown("a number that is not known", Cause.OTHER, None, at)


def _stream(run: Dispatcher, stream: Stream, name: str, arguments: Arguments, at: Location) -> Value:
    if name in SETTERS and not isinstance(stream, Keyed):
        return _set(stream, stream.step, name, arguments, at)
    if name in OPERATORS:
        return api.operator(stream, name, arguments.get(0, "func"), arguments.get(1, "output_type"), at)
    if name in SUMS and isinstance(stream, Keyed):
        return api.operator(stream, "reduce", arguments.get(0, "func"), None, at)
    if name == "key_by":
        return api.key_by(stream, at)
    if name in PARTITIONS and not isinstance(stream, Keyed):
        return api.partition(stream, PARTITIONS[name], at)
    if name == "broadcast":
        broadcast = api.partition(api.values(stream, at), PartitionerKind.BROADCAST, at)
        return Broadcast(broadcast) if arguments.positional or arguments.keywords else broadcast
    if name == "partition_custom":
        return api.partition_custom(stream, at)
    if name == "union":
        return _union(stream, arguments, at)
    if name == "connect":
        other = arguments.get(0, "ds")
        if isinstance(other, Broadcast):
            return Broadcast(other.stream, stream)
        if not isinstance(other, Stream):
            return _unsupported("connect", at)
        return Connected(stream, other)
    if name == "window" and isinstance(stream, Keyed):
        return Windowed(stream, _assigner(arguments.get(0, "window_assigner"), at))
    if name == "window_all":
        return Windowed(api.key_by(stream, at), _assigner(arguments.get(0, "window_assigner"), at))
    if name == "count_window" and isinstance(stream, Keyed):
        slide = arguments.get(1, "slide", 0)
        return Windowed(stream, "CountTumblingWindowAssigner" if slide == 0 else "CountSlidingWindowAssigner")
    if name == "assign_timestamps_and_watermarks":
        return api.timestamps(stream, arguments.get(0, "watermark_strategy"), at)
    if name == "get_side_output":
        return _side_output(stream, arguments.get(0, "output_tag"), at)
    if name == "print":
        return api.print_sink(stream, at)
    if name == "add_sink":
        return api.add_sink(stream, at)
    if name == "sink_to":
        return api.sink_to(api.values(stream, at), arguments.get(0, "sink"), run.flink, at)
    if name in ("get_type", "get_name", "get_execution_environment"):
        known = stream.env if name == "get_execution_environment" else None
        return known or unknown(f"the result of {name}", Cause.OTHER, at)
    return _unsupported(name, at)


def _union(stream: Stream, arguments: Arguments, at: Location) -> Stream:
    others = arguments.positional
    if not all(isinstance(other, Stream) for other in others):
        raise StoppedError(Unknown("a stream of the union is not known", Cause.OTHER, None, at))
    return api.union([stream, *others], at)


def _assigner(value: Value, at: Location) -> Maybe[str]:
    """The class name of a window assigner, which names the operator."""
    one = value
    while isinstance(one, External):
        for part in reversed(one.path.split(".")):
            if part.endswith(("Windows", "Assigner")):
                return part
        one = one.before
    return Unknown("the window assigner is not known", Cause.OTHER, None, at)


def _side_output(stream: Stream, tag: Value, at: Location) -> Stream:
    if isinstance(tag, External) and tag.simple == "OutputTag":
        arguments = Arguments(list(tag.arguments), dict(tag.keywords))
        name = text(arguments.get(0, "tag_id"), "the tag", at)
        return api.side_output(stream, name, arguments.get(1, "type_info"), at)
    return api.side_output(stream, Unknown("the output tag is not known", Cause.OTHER, None, at), None, at)


def _windowed(windowed: Windowed, name: str, arguments: Arguments, at: Location) -> Value:
    if name in ("trigger", "allowed_lateness", "side_output_late_data"):
        return windowed
    if name in ("reduce", "aggregate", "apply", "process"):
        typed = arguments.get(2 if name in ("reduce", "aggregate") else 1, "output_type")
        folded = name == "reduce" and arguments.get(1, "window_function") is None
        return api.window(windowed, arguments.get(0, "func"), typed, at, keeps_type=folded)
    return _unsupported(name, at)


def _connected(pair: Connected, name: str, arguments: Arguments, at: Location) -> Value:
    if name == "key_by":
        return Connected(api.key_by(pair.first, at), api.key_by(pair.second, at))
    if name in ("map", "flat_map", "process"):
        return api.connected(pair, name, arguments.get(0, "func"), arguments.get(1, "output_type"), at)
    return _unsupported(name, at)
