"""Whether the elements of a stream are pickled objects or rows: ``print`` turns those to text first."""

from __future__ import annotations

from checker.extract.python.interpreter.values import External, Value
from checker.model.topology import Cause, Maybe, Unknown


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
