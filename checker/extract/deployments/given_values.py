"""Parameters that are put into the values of a chart by their paths, as ``--set`` of Helm does it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import yaml

from checker.model.foreign_documents import list_in, table_in

_STEP = re.compile(r"((?:\\.|[^.\\\[\]])+)|\[(\d+)\]")
"""A part of a parameter's name: a key, or the number of an element."""
_MOST_ELEMENTS = 1000
Parameter: TypeAlias = tuple[str, str, bool]
"""A path (``job.args[0]``), the value, and whether it counts as a number or truth value where it looks like one."""


def with_parameters(values: Mapping[str, Any], parameters: Iterable[Parameter]) -> Mapping[str, Any]:
    """Values with parameters on top."""
    result: Any = values
    for name, value, typed in parameters:
        keys = [key.replace("\\.", ".") if key else int(number) for key, number in _STEP.findall(name)]
        result = _placed(result, keys, _typed(value) if typed else value)
    return table_in(result)


def _typed(text: str) -> Any:
    """A value of ``--set``: whole numbers, truth values and null are no texts."""
    if re.fullmatch(r"true|false|null|0|-?[1-9]\d*", text):
        return yaml.safe_load(text)
    return text


def _placed(below: Any, keys: list[str | int], value: Any) -> Any:
    if not keys:
        return value
    key, rest = keys[0], keys[1:]
    if isinstance(key, int):
        items = list_in(below)[:]
        if key < _MOST_ELEMENTS:
            items += [None] * (key + 1 - len(items))
            items[key] = _placed(items[key], rest, value)
        return items
    table = dict(table_in(below))
    table[key] = _placed(table.get(key), rest, value)
    return table
