"""Commands as the planner's child process takes them."""

from __future__ import annotations

from checker.extract.sql.scripts.commands import (
    Command,
    CreateCatalog,
    CreateFunction,
    Define,
    RunPlan,
    RunQuery,
    SetOption,
)
from checker.extract.sql.scripts.templates import any_value, stays_open

_NOT_PASSED = ("sql-client.", "execution.savepoint.", "execution.attached")


def record(command: Command, plans: dict[str, str]) -> dict[str, object]:
    """One command. ``plans`` are compiled plans by the last name of their file."""
    if isinstance(command, SetOption):
        value = any_value(command.key) if stays_open(command.key, command.value) else command.value
        ignored = value is None or command.key.startswith(_NOT_PASSED)
        return {"kind": "none" if ignored else "set", "key": command.key, "value": value, "job": False}
    if isinstance(command, Define):
        return {"kind": "execute", "text": command.text, "job": False}
    if isinstance(command, CreateFunction):
        return {
            "kind": "function",
            "name": command.name,
            "class": command.class_name,
            "text": command.text,
            "job": False,
        }
    if isinstance(command, RunQuery):
        kind = "compiled" if command.compiled else "execute" if len(command.texts) == 1 else "statement-set"
        return {"kind": kind, "text": command.texts[0], "inserts": list(command.texts), "job": True}
    if isinstance(command, RunPlan):
        text = plans.get(command.path.rpartition("/")[2])
        return {"kind": "none" if text is None else "plan", "text": text, "job": True}
    if isinstance(command, CreateCatalog):
        return {"kind": "catalog", "name": command.name, "options": dict(command.options), "job": False}
    return {"kind": "reset", "key": command.key, "job": False}
