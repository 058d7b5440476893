"""Checkpoint properties: the Java object at the end of metadata of version 4 and newer."""

from __future__ import annotations

from checker.model.savepoint import CheckpointProperties
from checker.savepoint.cursor import Cursor
from checker.savepoint.java_object import JavaEnum, JavaObject, JavaValue, ObjectStream

_CLASS = "org.apache.flink.runtime.checkpoint.CheckpointProperties"


def read_properties(cursor: Cursor) -> CheckpointProperties:
    """The properties at the cursor. Raises SavepointError when there is no such object."""
    position = cursor.position
    value = ObjectStream(cursor).read()
    if not isinstance(value, JavaObject) or value.class_name != _CLASS:
        raise cursor.damage("something other than checkpoint properties", position)
    fields = value.fields
    kind = fields.get("checkpointType")
    name = kind.fields.get("name") if isinstance(kind, JavaObject) else None
    if not isinstance(kind, JavaObject) or not isinstance(name, str):
        raise cursor.damage("checkpoint properties without a type", position)
    unclaimed = fields.get("unclaimed")
    return CheckpointProperties(
        type=name,
        forced=fields.get("forced") is True,
        discard_cancelled=fields.get("discardCancelled") is True,
        discard_failed=fields.get("discardFailed") is True,
        discard_finished=fields.get("discardFinished") is True,
        discard_subsumed=fields.get("discardSubsumed") is True,
        discard_suspended=fields.get("discardSuspended") is True,
        unclaimed=unclaimed if isinstance(unclaimed, bool) else None,
        format=_constant(kind.fields.get("formatType")),
        action=_constant(kind.fields.get("postCheckpointAction")),
        sharing=_constant(kind.fields.get("sharingFilesStrategy")),
    )


def _constant(value: JavaValue) -> str | None:
    return value.constant if isinstance(value, JavaEnum) else None
