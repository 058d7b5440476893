"""The columns that PyFlink infers of plain values. Source: ``_infer_schema_from_data`` of ``pyflink.table.types``."""

from __future__ import annotations

from checker.extract.python.interpreter.values import External, Value

_INFERRED: dict[type, str] = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "STRING"}
"""Type of a value → the type of its column, as Java's ``DataTypes`` calls it."""


def inferred_columns(elements: Value, names: Value) -> list[tuple[str, str]] | None:
    """(name, type) of the columns; None where one is not known or has values of several types."""
    rows = [_values(element) for element in elements] if isinstance(elements, list | tuple) else []
    given = list(names) if isinstance(names, list | tuple) else []
    width = len(rows[0]) if rows and rows[0] is not None else 0
    given += [f"_{place + 1}" for place in range(len(given), width)]
    if not rows or any(row is None or len(row) != width for row in rows) or len(given) != width:
        return None
    found = []
    for place, name in enumerate(given):
        types = {type(row[place]) for row in rows if row is not None} - {type(None)}
        if len(types) != 1 or not isinstance(name, str) or not types <= _INFERRED.keys():
            return None
        found.append((name, _INFERRED[types.pop()]))
    return found


def _values(element: Value) -> list[Value] | None:
    """The values of a row; None where they have names of their own or are not known."""
    if isinstance(element, External) and element.called and element.simple == "Row" and not element.keywords:
        return list(element.arguments)
    return list(element) if isinstance(element, list | tuple) else None
