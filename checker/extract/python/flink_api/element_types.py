"""The types of elements: pickled objects, rows, or others, which ``print`` does not turn to text first."""

from __future__ import annotations

from dataclasses import dataclass

from checker.extract.python.flink_api.states.types import PICKLED, type_text
from checker.extract.python.interpreter.values import External, Value
from checker.model.unknowns import Cause, Maybe, Unknown


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
_TEXTS = ("SimpleStringSchema", "text_line_format")


def produced(source: Value, type_info: Value) -> Elements:
    """Elements of a source, by a given type or the class of its schema."""
    if type_info is not None:
        return elements_of(type_info)
    pending, seen = [source], 0
    while pending and seen < 200:
        part = pending.pop()
        seen += 1
        if isinstance(part, External):
            name = next((part for part in part.path.split(".") if part in _TYPES_OF), "")
            known = _TYPES_OF.get(name)
            given = _given(part)
            if known and given is not None:
                return elements_of(given)
            if known is not None:
                kind = "String" if name in _TEXTS else Unknown("the type that the schema produces", Cause.CONNECTOR)
                return Elements(known, kind)
            pending += [part.before, *part.arguments, *(value for _, value in part.keywords)]
    open_type = Unknown("the type that the source produces is not known", Cause.CONNECTOR)
    return Elements(open_type, open_type)


def _given(schema: External | None) -> Value:
    """The type of rows that the builder of a schema is given."""
    while schema is not None and schema.simple != "type_info":
        schema = schema.before
    return next(iter((*schema.arguments, *dict(schema.keywords).values())), None) if schema is not None else None
