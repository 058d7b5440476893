"""Tables that a script defines in Hive's dialect, as Flink's own defines them.

Hive's parser is no part of Flink's distribution. Queries in its dialect are planned by rules of their own, so only
definitions are taken over. Types are those of ``HiveTypeUtil``.
"""

from __future__ import annotations

import re

from checker.model.lists_in_texts import split_list

OPTION = "table.sql-dialect"
_TABLE = re.compile(
    r"\s*create\s+(?:external\s+)?table\s+(?P<exists>if\s+not\s+exists\s+)?(?P<name>[\w`.$-]+)\s*\(", re.IGNORECASE
)
_PARTITIONED = re.compile(r"\bpartitioned\s+by\s*\(", re.IGNORECASE)
_PROPERTIES = re.compile(r"\btblproperties\s*\(", re.IGNORECASE)
_PAIR = re.compile(r"""(?P<a>['"])(?P<key>.{0,200}?)(?P=a)\s*=\s*(?P<b>['"])(?P<value>.{0,20000}?)(?P=b)""", re.DOTALL)
_TYPES = ((r"\btimestamp\b(?!\s*\()", "TIMESTAMP(9)"), (r"\bbinary\b(?!\s*\()", "BYTES"), (r"\bstruct\s*<", "ROW<"))
_COLUMN = re.compile(r"\s*`?(?P<name>[\w$-]+)`?\s+(?P<type>.+?)\s*(?:comment\s+'[^']*'\s*)?", re.IGNORECASE | re.DOTALL)


def in_flinks_dialect(statement: str) -> str:
    """A definition of a table as Flink's dialect has it; any other statement as it is."""
    table = _TABLE.match(statement)
    if table is None:
        return statement
    columns, end = _in_brackets(statement, table.end())
    rest = statement[end:]
    partitions = ""
    if found := _PARTITIONED.search(rest):
        partitions, _ = _in_brackets(rest, found.end())
    options = {"connector": "hive"}
    if found := _PROPERTIES.search(rest):
        properties, _ = _in_brackets(rest, found.end())
        options |= {pair["key"]: pair["value"] for pair in _PAIR.finditer(properties)}
    kept, by = _columns(columns), _columns(partitions)
    if not kept or None in (*kept, *by):
        return statement
    names = ", ".join(f"`{column[0]}`" for column in by if column is not None)
    typed = ", ".join(f"`{column[0]}` {column[1]}" for column in (*kept, *by) if column is not None)
    given = ", ".join("'{}' = '{}'".format(key, value.replace("'", "''")) for key, value in options.items())
    partitioned = f" PARTITIONED BY ({names})" if names else ""
    return f"CREATE TABLE {table['exists'] or ''}{table['name']} ({typed}){partitioned} WITH ({given})"


def _in_brackets(text: str, start: int) -> tuple[str, int]:
    """What stands up to the bracket that closes, and the place behind it."""
    depth, quoted = 1, ""
    for place in range(start, len(text)):
        char = text[place]
        if quoted:
            quoted = "" if char == quoted else quoted
        elif char in "'\"":
            quoted = char
        else:
            depth += (char == "(") - (char == ")")
        if not depth:
            return text[start:place], place + 1
    return text[start:], len(text)


def _columns(text: str) -> list[tuple[str, str] | None]:
    """(name, type) of each column; None for what is none."""
    found: list[tuple[str, str] | None] = []
    for part in filter(None, split_list(text)):
        column = _COLUMN.fullmatch(part)
        found.append(None if column is None else (column["name"], _type(column["type"])))
    return found


def _type(text: str) -> str:
    for pattern, flinks in _TYPES:
        text = re.sub(pattern, flinks, text, flags=re.IGNORECASE)
    return text.replace(":", " ")
