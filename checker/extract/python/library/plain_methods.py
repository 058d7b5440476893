"""Methods of texts, numbers and collections, computed as Python does, with bounds on what they grow to."""

from __future__ import annotations

from checker.extract.python.interpreter.containers import MAX_ELEMENTS, changed_of, holds_flink
from checker.extract.python.interpreter.operations import MAX_LENGTH, first_inside, too_wide, unclear
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import StoppedError, raised
from checker.extract.python.interpreter.values import PLAIN, Arguments, Opaque, Value, first_opaque, unknown
from checker.model.topology import Cause, Location, Unknown

_TEXT = frozenset(
    {"format", "join", "upper", "lower", "strip", "replace", "split", "startswith", "endswith", "title", "lstrip",
     "rstrip", "removeprefix", "removesuffix", "capitalize", "rsplit", "partition", "rpartition", "splitlines", "count",
     "find", "index", "isdigit", "isalpha", "isalnum", "isupper", "islower", "casefold", "swapcase", "encode", "decode",
     "zfill", "ljust", "rjust", "center", "bit_length", "is_integer", "isnumeric", "isspace", "isidentifier"}
)  # fmt: skip
_READING = frozenset({"items", "keys", "values", "get", "copy", "count", "index", "union", "intersection", "difference",
                      "issubset", "issuperset"})  # fmt: skip
_WRITING = frozenset({"append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault", "add", "discard",
                      "reverse", "sort", "popitem"})  # fmt: skip
_WIDTH = ("zfill", "ljust", "rjust", "center")


def plain_method(run: Run, owner: Value, name: str, arguments: Arguments, place: Location) -> Value:
    """``owner.name(arguments)`` for a plain value."""
    given = arguments.all()
    opaque = first_opaque(*given)
    if isinstance(owner, list | dict | set) and name in _WRITING:
        return _write(run, owner, name, arguments, opaque, place)
    if isinstance(owner, list | dict | set | tuple | range) and name in _READING:
        return _read(owner, name, arguments, opaque, place)
    if isinstance(owner, str | bytes | int | float) and name in _TEXT:
        return Opaque(opaque.unknown) if opaque is not None else _text(owner, name, arguments, place)
    if holds_flink(owner, *given):
        raise StoppedError(Unknown(f"what .{name}() does with a stream is not known", Cause.UNSUPPORTED, None, place))
    if opaque is not None:
        return Opaque(opaque.unknown)
    return unknown(f"the result of .{name}()", Cause.OTHER, place)


def _text(owner: Value, name: str, arguments: Arguments, place: Location) -> Value:
    given = arguments.all()
    if not all(isinstance(one, PLAIN) for one in given) or any(_opaque_inside(one) for one in given):
        return unknown(f"the result of .{name}()", Cause.OTHER, place)
    wide = (name == "format" and too_wide(owner)) or (
        name in _WIDTH and any(isinstance(n, int) and n > 1000 for n in given)
    )
    long = (
        name == "replace"
        and len(owner) * max((len(one) for one in given if isinstance(one, str)), default=1) > MAX_LENGTH
    )
    joined = (
        name == "join"
        and given
        and isinstance(given[0], list | tuple)
        and (len(owner) * len(given[0]) + sum(len(one) for one in given[0] if isinstance(one, str)) > MAX_LENGTH)
    )
    if wide or long or joined:
        return unknown("a text that is too long", Cause.LIMIT, place)
    try:
        result = getattr(owner, name)(*arguments.positional, **arguments.keywords)
    except ValueError:
        raise raised("ValueError") from None
    except (TypeError, KeyError, IndexError, AttributeError, OverflowError, MemoryError, LookupError):
        return unknown(f".{name}() fails", Cause.OTHER, place)
    return result


def _opaque_inside(held: Value) -> bool:
    parts = held.values() if isinstance(held, dict) else held if isinstance(held, list | tuple) else ()
    return any(not isinstance(one, str | int | float | bool | type(None)) for one in parts)


def _read(owner: Value, name: str, arguments: Arguments, opaque: Opaque | None, place: Location) -> Value:
    if name in ("items", "keys", "values"):
        return [*getattr(owner, name)()] if isinstance(owner, dict) else unknown(f".{name}() fails", at=place)
    if isinstance(owner, dict) and name == "get":
        key = arguments.get(0, "key")
        if isinstance(key, str | int | float | bool | type(None)):
            return owner.get(key, arguments.get(1, "default"))
        if holds_flink(owner):
            raise StoppedError(opaque.unknown if opaque else Unknown("which stream is taken", Cause.OTHER, None, place))
        return Opaque(opaque.unknown) if opaque else unknown("an element that is not known", at=place)
    if name == "copy":
        return owner.copy() if hasattr(owner, "copy") else unknown(".copy() fails", at=place)
    opaque = opaque or (first_inside(owner) if unclear(owner) and name in ("count", "index") else None)
    if opaque is not None:
        return Opaque(opaque.unknown)
    try:
        return getattr(owner, name)(*arguments.positional)
    except (TypeError, ValueError, AttributeError):
        return unknown(f".{name}() fails", Cause.OTHER, place)


def _write(run: Run, owner: Value, name: str, arguments: Arguments, opaque: Opaque | None, place: Location) -> Value:
    given = arguments.positional
    unsure = opaque is not None and name not in ("append", "insert", "setdefault", "update")
    lookups = name in ("insert", "setdefault") and given and isinstance(given[0], Opaque)
    unhashable = (
        name in ("add", "discard", "setdefault")
        and given
        and not isinstance(given[0], str | int | float | bool | type(None))
    )
    sorting = name == "sort" and (arguments.keywords or not _comparable(owner))
    too_long = isinstance(owner, list | dict | set) and len(owner) > MAX_ELEMENTS
    grows = (
        [one for one in given if isinstance(one, list | tuple | range | dict | set | str)]
        if name in ("extend", "update")
        else []
    )
    if (
        unsure
        or lookups
        or unhashable
        or sorting
        or too_long
        or any(len(one) + len(owner) > MAX_ELEMENTS for one in grows)
    ):
        if holds_flink(owner, *arguments.all()):
            raise StoppedError(Unknown(f"what .{name}() does with a stream is not known", Cause.OTHER, None, place))
        changed_of(
            run, owner, opaque.unknown if opaque else Unknown(f"a collection after .{name}()", Cause.OTHER, None, place)
        )
        return unknown(f"the result of .{name}()", at=place)
    if name == "update" and (len(given) > 1 or (given and not isinstance(given[0], dict))):
        changed_of(
            run, owner, opaque.unknown if opaque else Unknown("a collection after .update()", Cause.OTHER, None, place)
        )
        return None
    try:
        return getattr(owner, name)(*given, **(arguments.keywords if name == "update" else {}))
    except KeyError:
        raise raised("KeyError") from None
    except IndexError:
        raise raised("IndexError") from None
    except ValueError:
        raise raised("ValueError") from None
    except (TypeError, AttributeError):
        return unknown(f".{name}() fails", Cause.OTHER, place)


def _comparable(owner: Value) -> bool:
    return isinstance(owner, list) and (
        all(isinstance(one, str) for one in owner) or all(isinstance(one, int | float) for one in owner)
    )
