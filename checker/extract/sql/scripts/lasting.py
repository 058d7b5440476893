"""What a script leaves behind: tables of catalogs that outlast its session, such as those of Paimon or Hive."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from checker.extract.sql.scripts.commands import NAME, Command, CreateCatalog, Define

_TABLE = re.compile(rf"create\s+(?:table|view)\s+(?:if\s+not\s+exists\s+)?(?P<name>{NAME})", re.IGNORECASE)
_USE_CATALOG = re.compile(rf"use\s+catalog\s+(?P<name>{NAME})\s*", re.IGNORECASE)
_PLACE = re.compile(rf"use\s+(?P<name>{NAME})\s*|create\s+database\b.*", re.IGNORECASE | re.DOTALL)
_OF_SESSION = "generic_in_memory"
_FIRST = "default_catalog"
BACK = f"USE CATALOG {_FIRST}"
"""What follows the definitions of another script: its current catalog is not that of the next one."""


@dataclass(frozen=True, slots=True)
class Lasting:
    """One definition that stays. ``table`` is its catalog and last name, None for catalogs, databases and ``USE``."""

    command: Command
    table: tuple[str, str] | None = None


def lasting(commands: Sequence[Command]) -> tuple[Lasting, ...]:
    """The definitions of a script that stay where they are, with the commands that say where, in order."""
    catalogs: set[str] = set()
    current = _FIRST
    found: list[Lasting] = []
    for command in commands:
        if isinstance(command, CreateCatalog):
            if dict(command.options).get("type", _OF_SESSION) != _OF_SESSION:
                catalogs.add(command.name.lower())
                found.append(Lasting(command))
            continue
        if not isinstance(command, Define):
            continue
        if use := _USE_CATALOG.fullmatch(command.text):
            current = _plain(use["name"])
            found += [Lasting(command)] if current in catalogs else []
        elif (place := _PLACE.fullmatch(command.text)) and current in catalogs:
            name = _plain(place["name"] or "")
            current = name.partition(".")[0] if "." in name else current
            found.append(Lasting(command))
        elif table := _TABLE.match(command.text):
            parts = _plain(table["name"]).split(".")
            catalog = parts[0] if len(parts) == 3 else current
            if catalog in catalogs:
                found.append(Lasting(command, (catalog, parts[-1])))
    return tuple(found)


def _plain(name: str) -> str:
    return re.sub(r"[`\s]", "", name).lower()
