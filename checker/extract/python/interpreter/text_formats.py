"""Texts with places that are filled in: ``str.format``, ``%``, f-strings and ``replace``.

A text that holds values which are not known keeps the known texts around them (``Opaque.parts``): much can be told of a
statement of SQL whose topic is not known.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from itertools import count
from typing import Any

from checker.extract.python.flink_api.streams import TableObject
from checker.extract.python.interpreter.containers import current
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.python_calls import perform
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import raised
from checker.extract.python.interpreter.values import Arguments, Opaque, Value, first_opaque, unknown
from checker.model.unknowns import Cause, Location, Unknown

_MAX_PARTS = 200
_CONVERSIONS: dict[int, Callable[[Any], str]] = {ord("r"): repr, ord("a"): ascii, ord("s"): str}


TEXT_METHODS = frozenset({"replace", "strip", "lstrip", "rstrip"})
"""Methods of texts that are followed where a part of the text is not known."""


def text_parts(parts: list[Value]) -> tuple[str | Opaque, ...]:
    """The known and unknown texts that a text is joined of; none where a part is not a text, or there are too many."""
    found: list[str | Opaque] = []
    for part in parts:
        if isinstance(part, Opaque):
            found.extend(part.parts or (part,))
        elif isinstance(part, str):
            found.append(part)
        else:
            return ()
    return tuple(found) if len(found) <= _MAX_PARTS else ()


def named(value: Value) -> Value:
    """What stands for a value in a text: for a table the name that Flink gives it then, others for themselves.

    Source: ``Table.__str__`` of PyFlink, ``TableImpl.toString`` of Flink.
    """
    if isinstance(value, TableObject) and value.role == "Table":
        return Opaque(Unknown("the name that Flink gives a table", Cause.EXTERNAL), name_of=value)
    return value


def joined(parts: list[Value]) -> Value:
    """The text of some parts, of which some may not be known."""
    opened = first_opaque(*parts)
    return "".join(parts) if opened is None else Opaque(opened.unknown, parts=text_parts(parts))


def formatted(run: Run, item: Value, conversion: int, specification: Value, place: Location) -> Value:
    """One value in a text; ``conversion`` is as in ``ast.FormattedValue``."""
    item = named(item)
    if isinstance(item, Opaque):
        return item
    if isinstance(specification, Opaque):
        return specification
    if conversion in _CONVERSIONS:
        item = perform(run, _CONVERSIONS[conversion], Arguments([item], {}), place)
    return perform(run, format, Arguments([item, specification], {}), place)


def filled(run: Run, template: str, given: Arguments, place: Location) -> Value:
    """``template.format(...)`` with values of which some are not known. Raises RaiseSignal as Python does."""
    try:
        fields = list(string.Formatter().parse(template))
    except ValueError as error:
        raise raised("ValueError", str(error)) from None
    parts: list[Value] = []
    numbers = count()
    values = {**{str(place): value for place, value in enumerate(given.positional)}, **given.keywords}
    for text, name, specification, conversion in fields:
        parts.append(text)
        if name is None:
            continue
        key = name or str(next(numbers))
        if not key.isidentifier() and not key.isdecimal():  # it looks into the value
            return unknown("a text whose format is not followed", Cause.LIMIT, place)
        if key not in values and "**" not in given.keywords:
            raise raised("IndexError" if key.isdecimal() else "KeyError", key)
        item = current(run, values.get(key, given.keywords.get("**")))
        parts.append(formatted(run, item, ord(conversion) if conversion else -1, specification or "", place))
    return joined(parts)


def filled_by_percent(run: Run, template: str, right: Value, place: Location) -> Value | None:
    """``template % right`` where some values are not known; None where it holds more than ``%s``."""
    given = right if isinstance(right, tuple) else (right,)
    first, *others = template.split("%s")
    if template.count("%") != len(others) or len(given) != len(others):
        return None
    parts: list[Value] = [first]
    for item, text in zip(given, others, strict=True):
        parts += [formatted(run, current(run, item), -1, "", place), text]
    return joined(parts)


def text_method(run: Run, text: str | Opaque, name: str, given: Arguments) -> Value | None:
    """The result of one of ``TEXT_METHODS`` where a part of a text is not known; None where it can't be told."""
    arguments = given.positional
    if given.keywords or (not isinstance(text, str) and not text.parts):
        return None
    if name == "replace" and len(arguments) == 2 and isinstance(arguments[0], str) and arguments[0]:
        old, new = arguments
        return _replaced(run, text, old, new) if isinstance(new, str | Opaque) else None
    if arguments or not isinstance(text, Opaque) or name not in TEXT_METHODS:
        return None
    parts: list[Value] = [*text.parts]
    if name != "rstrip" and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip()
    if name != "lstrip" and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip()
    return joined(parts)


def _replaced(run: Run, text: str | Opaque, old: str, new: str | Opaque) -> Value:
    parts: list[Value] = []
    for part in text.parts if isinstance(text, Opaque) else (text,):
        if isinstance(part, Opaque):
            of = described(run, part, old, new)
            parts.append(Opaque(part.unknown, derived_from=f"replace({of})" if of else ""))
            continue
        for place, piece in enumerate(part.split(old)):
            parts += [piece] if place == 0 else [new, piece]
    return joined(parts)
