"""What a script holds of PyFlink: environments, streams, sinks, tables, and the steps that they stand for.

The types of elements: pickled objects, rows, or others, which ``print`` does not turn to text first.

What lies in state and keys: a type of ``Types`` as the comparison spells it, with Java's names.

Source: ``pyflink/common/typeinfo.py``. Where no type is given, elements and keys are pickled: an array of bytes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from checker.extract.datastream.records import Draft, JobSettings
from checker.extract.datastream.table import BASIC_TYPES
from checker.extract.python.interpreter.values import Arguments, External, Guarded, Opaque, Value, reason_of
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.unknowns import Cause, Location, Maybe, Unknown

_MAX_GIVEN = 200
PICKLED = "byte[]"
_NAMES = {**BASIC_TYPES, "PICKLED_BYTE_ARRAY": PICKLED}
_PARTS = {"LIST": "List", "MAP": "Map", "BASIC_ARRAY": "Array", "PRIMITIVE_ARRAY": "Array", "OBJECT_ARRAY": "Array"}


def calls_to(built: Value) -> Iterator[External]:
    """The calls on the way to an object from outside, the last one first."""
    while isinstance(built, External):
        yield built
        built = built.before


def given_in(built: Value) -> Iterator[External]:
    """These calls, and those on the way to what they are given."""
    pending, left = [built], _MAX_GIVEN
    while pending and left:
        left -= 1
        part = pending.pop()
        if isinstance(part, External):
            yield part
            pending += [part.before, *part.arguments, *(value for _, value in part.keywords)]


def type_text(given: Value) -> Maybe[str]:
    """A type as text; unknown, with what it is derived from, where the script computes it otherwise."""
    if given is None:
        return PICKLED
    found = _text(given)
    if found is not None:
        return found
    if isinstance(given, Opaque):
        return reason_of(given)
    return Unknown("an unknown type", Cause.OTHER)


def _text(given: Value) -> str | None:
    if isinstance(given, list):
        return _fields(given)
    if not (isinstance(given, External) and given.called and ".Types." in f".{given.path}"):
        return None
    arguments = Arguments(list(given.arguments), dict(given.keywords))
    if given.simple in _NAMES:
        return _NAMES[given.simple]
    if given.simple in _PARTS:
        return _of(_PARTS[given.simple], arguments.all())
    if given.simple == "TUPLE":
        fields = arguments.get(0, "field_types")
        return _of(f"Tuple{len(fields)}", fields) if isinstance(fields, list | tuple) else None
    if given.simple == "ROW":
        return _fields(arguments.get(0, "field_types"))
    if given.simple == "ROW_NAMED":
        return _named_fields(arguments.get(0, "field_names"), arguments.get(1, "field_types"))
    return None


def _fields(fields: Value) -> str | None:
    """Rows are written field by field, by their places."""
    return _of("Row", fields) if isinstance(fields, list | tuple) else None


def _named_fields(names: Value, fields: Value) -> str | None:
    """A row with its fields' names, by which functions take what lies at a place: ``Row<user:String,at:Long>``."""
    known = isinstance(names, list | tuple) and isinstance(fields, list | tuple) and len(names) == len(fields)
    if not known or not all(isinstance(name, str) and name.isidentifier() for name in names):
        return _fields(fields)
    texts = [_text(part) for part in fields]
    return None if None in texts else f"Row<{','.join(f'{n}:{t}' for n, t in zip(names, texts, strict=True))}>"


def _of(name: str, parts: list[Value] | tuple[Value, ...]) -> str | None:
    texts = [_text(part) for part in parts]
    return None if None in texts else f"{name}<{','.join(text or '' for text in texts)}>"


@dataclass(frozen=True, slots=True)
class Elements:
    """What is known of the elements of a stream."""

    textual: Maybe[bool] = True
    """Whether they are pickled bytes or rows: what ``print`` puts a ``Map`` before."""
    type: Maybe[str] = PICKLED
    names: tuple[str, ...] = ()
    """The names of a row's fields, which a table has as columns."""


UNTYPED = Elements()
"""Elements of which nothing is said: pickled objects."""


def elements_of(output_type: Value) -> Elements:
    """Elements of a type that the script gives; none given means pickled bytes."""
    return Elements(textual_type(output_type), type_text(output_type), _names(output_type))


def _names(given: Value) -> tuple[str, ...]:
    if not isinstance(given, External) or given.simple != "ROW_NAMED":
        return ()
    names = given.arguments[0] if given.arguments else dict(given.keywords).get("field_names")
    return tuple(names) if isinstance(names, list | tuple) and all(isinstance(name, str) for name in names) else ()


def textual_type(output_type: Value) -> Maybe[bool]:
    """Whether a type is printed through a ``Map``: none given means pickled bytes."""
    if output_type is None or isinstance(output_type, list):
        return True
    if isinstance(output_type, External) and ".Types." in f".{output_type.path}":
        return output_type.simple in ("ROW", "ROW_NAMED", "PICKLED_BYTE_ARRAY")
    return Unknown("cannot tell the output type", Cause.OTHER)


_TYPES_OF = {
    "NumberSequenceSource": False,
    "SimpleStringSchema": False,
    "text_line_format": False,
    "JsonRowDeserializationSchema": True,
    "CsvRowDeserializationSchema": True,
    "AvroRowDeserializationSchema": True,
}
"""Schema, format or source class → whether what it produces is a row."""
_TEXTS = ("SimpleStringSchema", "text_line_format")


def produced(source: Value, type_info: Value) -> Elements:
    """Elements of a source, by a given type or the class of its schema."""
    if type_info is not None:
        return elements_of(type_info)
    for part in given_in(source):
        name = next((part for part in part.path.split(".") if part in _TYPES_OF), "")
        known = _TYPES_OF.get(name)
        given = _given(part)
        if known and given is not None:
            return elements_of(given)
        if known is not None:
            kind = "String" if name in _TEXTS else Unknown("the type that the schema produces", Cause.CONNECTOR)
            return Elements(known, kind)
    open_type = Unknown("cannot tell the type that the source produces", Cause.CONNECTOR)
    return Elements(open_type, open_type)


def _given(schema: External) -> Value:
    """The type of rows that the builder of a schema is given."""
    typed = (built for built in calls_to(schema) if built.simple == "type_info")
    return next((value for built in typed for value in (*built.arguments, *dict(built.keywords).values())), None)


KEY_BY_MAP = "_stream_key_by_map_operator"
PARTITION_CUSTOM_MAP = "_partition_custom_map_operator"
KEYED_VALUES = "_keyed_stream_values_operator"


@dataclass(slots=True, eq=False)
class Environment(JobSettings):
    """``StreamExecutionEnvironment``: what is registered and not submitted yet, and the job's settings."""

    registered: list[Draft] = field(default_factory=list)
    sources: list[Draft] = field(default_factory=list)
    python_chaining: Maybe[bool] = True
    source_descriptions: list[str] = field(default_factory=list)
    """What its sources are derived from; empty ones are not known."""
    open: Unknown | None = None
    """Why a job of this environment could not be read: later ones may share steps with it."""
    tabled: list[Draft] = field(default_factory=list)
    """Streams that became tables."""


@dataclass(slots=True, eq=False)
class Configuration:
    """``Configuration``: keys as the script sets them."""

    keys: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Stream:
    """A DataStream."""

    env: Environment
    step: Draft
    elements: Elements = UNTYPED


@dataclass(slots=True, eq=False)
class Keyed(Stream):
    """A KeyedStream: ``step`` is the hash partition, ``origin`` the stream it was made of."""

    origin: Stream | None = None
    key: Maybe[str] | None = None
    key_type: Maybe[str] | None = None
    key_at: Location | None = None


@dataclass(slots=True, eq=False)
class Windowed:
    """A stream with a window assigner."""

    stream: Keyed
    assigner: Maybe[str]
    windows: Maybe[str]
    """The assigner with all that its windows depend on."""
    merges: bool = False
    """Whether it is a ``MergingWindowAssigner``: which windows became one is kept as a state."""
    trigger: Value = None
    late: bool = False


@dataclass(slots=True, eq=False)
class Connected:
    """Two connected streams."""

    first: Stream
    second: Stream


@dataclass(slots=True, eq=False)
class Broadcast:
    """A stream broadcast with state descriptors, or one connected with such a stream."""

    stream: Stream
    second: Stream | None = None
    descriptors: tuple[Value, ...] = ()


@dataclass(slots=True, eq=False)
class Sink:
    """A DataStreamSink: settings can still be made."""

    step: Draft


GETTERS = frozenset(
    {"get_state", "get_list_state", "get_map_state", "get_reducing_state", "get_aggregating_state",
     "get_partitioned_state"}
)  # fmt: skip
"""Methods that give a state by its descriptor; the last one is of triggers."""


@dataclass(slots=True, eq=False, repr=False)
class Descriptor(Guarded):
    """A state descriptor: what it was made with, and its time-to-live."""

    kind: StateKind
    arguments: Arguments
    location: Location
    ttl: Value = None


@dataclass(slots=True, eq=False, repr=False)
class StateContext(Guarded):
    """A ``RuntimeContext``: the states that are asked for, each with the name of the value that stands for it."""

    found: list[tuple[StateDescriptor, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class EnvironmentPart:
    """``env.get_config()`` and the like."""

    env: Environment
    name: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TableObject(Guarded):
    """A table environment, a table, an expression …: what a recorded call of the Table API gives.

    ``role`` is its class as Java names it, ``env`` the environment below it, None for what belongs to none.
    """

    step: int
    role: str
    env: Environment | None


FLINK_OBJECTS = (
    Configuration, Environment, Stream, Sink, Windowed, Connected, Broadcast, EnvironmentPart, TableObject,
    Descriptor, StateContext,
)  # fmt: skip
"""What code that is not known must not be handed: it could add operators, or settings."""
