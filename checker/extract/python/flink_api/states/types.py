"""What lies in state and keys: a type of ``Types`` as the comparison spells it, with Java's names.

Source: ``pyflink/common/typeinfo.py``. Where no type is given, elements and keys are pickled: an array of bytes.
"""

from __future__ import annotations

from checker.extract.datastream.table import BASIC_TYPES
from checker.extract.python.interpreter.values import Arguments, External, Opaque, Value, reason_of
from checker.model.unknowns import Cause, Maybe, Unknown

PICKLED = "byte[]"
_NAMES = {**BASIC_TYPES, "PICKLED_BYTE_ARRAY": PICKLED}
_PARTS = {"LIST": "List", "MAP": "Map", "BASIC_ARRAY": "Array", "PRIMITIVE_ARRAY": "Array", "OBJECT_ARRAY": "Array"}


def type_text(given: Value) -> Maybe[str]:
    """A type as text; unknown, with what it is derived from, where the script computes it otherwise."""
    if given is None:
        return PICKLED
    found = _text(given)
    if found is not None:
        return found
    if isinstance(given, Opaque):
        return reason_of(given)
    return Unknown("a type that is not known", Cause.OTHER)


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
