"""Tables of small programs, in YAML."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).parent.parent / "data"
Row = Mapping[str, Any]


def table(name: str) -> Any:
    """One of the tables."""
    return yaml.load((DATA / name).read_text("utf-8"), yaml.CSafeLoader)


def made_differently(name: str) -> list[dict[str, str]]:
    """Edits of one kind by which a program makes a value differently."""
    found: list[dict[str, str]] = table("readings/made-differently.yaml")[name]
    return found


def rows(pattern: str) -> Iterator[tuple[str, Row]]:
    """The rows of tables by name. The ``cases`` of a row, which differ in the keys that they name, are rows as well.

    A key in «angles» stands for its text, also one of the ``texts`` that all rows of a table share.
    """
    for file in sorted(DATA.glob(pattern)):
        found = table(str(file))
        for row in found["rows"]:
            for number, case in enumerate(row.get("cases", ({},)), start=1):
                name = f"{file.parent.name}/{file.stem}: {row['name']}" + (f" ({number})" if "cases" in row else "")
                whole = {**found.get("texts", {}), **merged(row, case)}
                yield name, {key: _filled(value, whole) for key, value in whole.items() if key != "cases"}


def merged(row: Row, case: Row) -> Row:
    """A row with what is different in a case of it; what is null in a mapping is left out of it."""
    both = {**row, **case}
    for key, value in case.items():
        if isinstance(value, dict) and isinstance(row.get(key), dict):
            both[key] = {name: text for name, text in {**row[key], **value}.items() if text is not None}
    return both


def _filled(value: Any, row: Row) -> Any:
    """A value of a row with its texts put where they are named."""
    if isinstance(value, dict):
        return {key: _filled(item, row) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, row) for item in value]
    while isinstance(value, str) and (named := re.search("«([^»]+)»", value)):
        value = value.replace(named.group(), row[named.group(1)])
    return value
