"""The values nested in a record (topologies hold thousands), and records as JSON has them.

Values by a key that several of them share, and everything that can be reached along edges.

Parts of documents that others write (manifests, answers of REST): what is of another kind counts as empty.

Lists inside of texts: of arguments, types, columns.
"""

import json
import tomllib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final, TypeVar

from checker.model.topology import Transformation
from checker.model.unknowns import Location, Unknown

Json = dict[str, Any]
"""An object as JSON has it. Its keys are fixed where it is written: by the schemas of the reports, by
``docs/ids-format.md``, by the child processes that answer with it."""


_MOST_CHARACTERS, _MOST_DOTS = 2_000_000, 100
"""Of a text in TOML, and of one of its lines: a key of several parts takes as many times as long."""


def toml(text: str) -> dict[str, Any]:
    """What a text in TOML says. Raises ValueError for one that is none, is too long or is nested too deeply."""
    if len(text) > _MOST_CHARACTERS or any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise ValueError(f"it has more than {_MOST_CHARACTERS:,} characters, or {_MOST_DOTS} dots in a line")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


class _FieldNames(dict[type, tuple[str, ...]]):
    """The names of the fields of classes of records, none for any other class, but for some of one class."""

    def __init__(self, less: type | None = None, without: str = "") -> None:
        self._less, self._without = less, without

    def __missing__(self, kind: type) -> tuple[str, ...]:
        names = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
        self[kind] = tuple(name for name in names if kind is not self._less or name != self._without)
        return self[kind]


FIELD_NAMES: Final = _FieldNames()
"""The names of the fields of every class of records; none for any other class."""
_UNSHOWN: Final = _FieldNames(Transformation, "name")


def values_in(record: Any, *, names: bool = True) -> Iterator[Any]:
    """Every value in a record that is neither record nor tuple, and every Unknown as a whole, in no certain order.

    Without the names of transformations, which are for people, where ``names`` is false.
    """
    inside = FIELD_NAMES if names else _UNSHOWN
    pending = [record]
    while pending:
        value = pending.pop()
        kind = type(value)
        if kind is tuple:
            pending.extend(value)
        elif kind is not Unknown and (nested := inside[kind]):
            pending.extend([getattr(value, name) for name in nested])
        else:
            yield value


def unknowns_in(record: Any, *, names: bool = True) -> Iterator[Unknown]:
    """Every Unknown in a record, as ``values_in`` finds them."""
    return (value for value in values_in(record, names=names) if isinstance(value, Unknown))


def plain(value: Any) -> Any:
    """A value of a record: enumerations by their value, tuples as lists, places as ``{file, line, column}``."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Location):
        return {"file": value.file, "line": value.line, "column": value.column}
    return [plain(part) for part in value] if isinstance(value, tuple) else value


def picked(record: object, *names: str) -> dict[str, Any]:
    """Some picked of a record, by their names."""
    return {name: plain(getattr(record, name)) for name in names}


Key = TypeVar("Key")
Value = TypeVar("Value")


def gathered(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Each key with its values, both in the order in which they come."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def unique(pairs: Iterable[tuple[Key | None, Value]]) -> dict[Key, Value]:
    """The keys that come once, with their value; None is none."""
    return {key: values[0] for key, values in gathered(pairs).items() if len(values) == 1 and key is not None}


def reached(first: Iterable[Key], leads_to: Callable[[Key], Iterable[Key]]) -> dict[Key, None]:
    """Some things and all that these lead to, each once: as the keys of a dictionary, which keep an order."""
    return dict.fromkeys(coming(first, leads_to))


def coming(first: Iterable[Key], leads_to: Callable[[Key], Iterable[Key]]) -> Iterator[Key]:
    """The same, one after the other, for who may need no more of them."""
    found: set[Key] = set()
    pending = list(first)
    while pending:
        current = pending.pop()
        if current not in found:
            found.add(current)
            yield current
            pending.extend(leads_to(current))


class Reached(Container[Key]):
    """Some things and all that these lead to, looked for only until what is asked for is among them."""

    def __init__(self, first: Iterable[Key], leads_to: Callable[[Key], Iterable[Key]]) -> None:
        self._found = set(first)
        self._coming = coming(self._found.copy(), leads_to)

    def __contains__(self, thing: object) -> bool:
        if thing in self._found:
            return True
        for found in self._coming:
            self._found.add(found)
            if found == thing:
                return True
        return False


def table_in(value: Any) -> Mapping[str, Any]:
    """A mapping, its keys as texts."""
    return {str(key): inner for key, inner in value.items()} if isinstance(value, dict) else {}


def list_in(value: Any) -> list[Any]:
    """A list."""
    return value if isinstance(value, list) else []


def text_in(value: Any) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def spelled(value: Any) -> str:
    """A plain value as YAML spells it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def split_list(text: str) -> list[str]:
    """Elements between commas that stand outside of brackets and quotes."""
    found, opened, start, quoted = [], "", 0, False
    for place, char in enumerate(text):
        if char == "'":
            quoted = not quoted
        elif quoted:
            continue
        elif char in "([{" or (char == "<" and (text[:place][-1:].isalnum() or text[:place].endswith(("_", "$")))):
            opened += char  # ARRAY<INT>; others compare
        elif char in ")]}" or (char == ">" and opened.endswith("<")):
            opened = opened[:-1]
        elif char == "," and not opened:
            found.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    return [*found, last] if last or found else []


def to_json(document: Any, *, indented: bool = True) -> str:
    """Canonical text of a document."""
    import orjson  # a hook that has nothing to say does not wait for it

    try:
        return orjson.dumps(document, option=orjson.OPT_INDENT_2 if indented else None).decode()
    except TypeError:  # half a character, or an integer of more than 64 bits
        return json.dumps(document, ensure_ascii=False, indent=2 if indented else None)
