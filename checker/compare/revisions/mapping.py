"""``savepoint-mapping.toml``: which operators a team says were replaced or dropped on purpose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from checker.errors import SettingsError
from checker.model.nested import toml

FILE = "savepoint-mapping.toml"
_KNOWN = ("pipeline", "old", "new", "dropped", "state", "reason")


def read_mapping(text: str, source: str = FILE) -> tuple[MappingEntry, ...]:
    """The entries of a mapping file. Raises SettingsError naming the entry and what is wrong with it."""
    try:
        table = toml(text)
    except ValueError as error:
        raise SettingsError(f"{source}: not TOML: {error}") from None
    for key in table:
        if key != "operator":
            raise SettingsError(f"{source}: unknown key '{key}'; entries are tables: [[operator]]")
    entries = table.get("operator", [])
    if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise SettingsError(f"{source}: operator must be a list of tables: [[operator]]")
    return tuple(_entry(e, f"{source}: operator {n}") for n, e in enumerate(entries, start=1))


def _entry(raw: dict[str, Any], where: str) -> MappingEntry:
    for key in raw:
        if key not in _KNOWN:
            raise SettingsError(f"{where}: unknown key '{key}'; known are {', '.join(_KNOWN)}")
    texts = {key: raw.get(key) for key in ("pipeline", "old", "new", "state", "reason")}
    for key, value in texts.items():
        if value is not None and not (isinstance(value, str) and value.strip()):
            raise SettingsError(f"{where}: {key} must be text, not {value!r}")
    old, new, reason, dropped = texts["old"], texts["new"], texts["reason"], raw.get("dropped", False)
    if not isinstance(dropped, bool):
        raise SettingsError(f"{where}: dropped must be true or false, not {dropped!r}")
    if old is None:
        raise SettingsError(f"{where}: old is required: the uid, name or operator id in the base")
    if reason is None:
        raise SettingsError(f"{where}: reason is required: say why '{old}' changes")
    if dropped == (new is not None):
        raise SettingsError(f"{where}: give either new = \"...\" or dropped = true for '{old}'")
    state = texts["state"]
    if state is not None and not dropped:
        raise SettingsError(f"{where}: state goes with dropped = true: one state inside of '{old}' that is given up")
    return MappingEntry(old=old, new=new, reason=reason.strip(), source=where, pipeline=texts["pipeline"], state=state)


def entries_for(entries: Iterable[MappingEntry], pipeline: str) -> tuple[MappingEntry, ...]:
    """The entries about operators of a pipeline."""
    return tuple(e for e in entries if e.state is None and e.concerns(pipeline))


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingEntry:
    """One entry of ``savepoint-mapping.toml``.

    ``old`` and ``new`` are what a person calls the operators: uid, name, handle or operator id. ``new`` is None
    where the state is dropped on purpose, ``state`` one state inside of the operator where only that one is.
    ``pipeline`` is a glob, None = any. ``source`` says where it is written.
    """

    old: str
    new: str | None
    reason: str
    source: str
    pipeline: str | None = None
    state: str | None = None

    def concerns(self, pipeline: str) -> bool:
        """Whether it holds for this pipeline."""
        return self.pipeline is None or fnmatchcase(pipeline, self.pipeline)
