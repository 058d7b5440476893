"""Whether operators of SQL plans compute the same, and sources go on in the data that they read."""

from __future__ import annotations

import re
from collections.abc import Collection

from checker.model.topology import PLACE, Kind, Transformation

_COLUMN = re.compile(rf"(?<![\w$])[\w$]+{PLACE}")
"""A column's name before its place."""
_KEPT = re.compile(r"\b(?:accumulators|rows)=\[.*\)", re.DOTALL)
"""What an operator of a plan keeps: at the end of its meaning, before a time zone."""


def meaning_changed(base: Transformation, head: Transformation) -> bool:
    """Whether both are operators of a SQL plan that compute different things, or sources that read different data.

    Columns of rows that are kept are the same by their names or by their places: one that is renamed in its table's
    definition, or gets another place there, is none that trades places with another.
    """
    if base.kind.source and read_otherwise(base, head) is not None:
        return True
    if base.meaning is None or head.meaning is None or base.computes == head.computes:
        return False
    return _COLUMN.sub(PLACE, base.meaning) != _COLUMN.sub(PLACE, head.meaning)


_OF_LOGS = re.compile(r"\.cdc\.")
"""Flink CDC's sources, which go on at a place in the log of a database."""


def read_otherwise(base: Transformation, head: Transformation) -> str | None:
    """What a source does that is given other data to read, None where it is given all that it was given before.

    Flink's newer sources go on to read what they have positions in, whatever they are given; the older ones keep
    positions in what they are still given only. Whose positions these are, none of them notes.
    """
    if base.reads_at and head.reads_at and not set(base.reads_at) & set(head.reads_at):
        before, after = ", ".join(base.reads_at), ", ".join(head.reads_at)
        return (
            f"reads from {after} at the positions that it kept of {before}: of other records there, or of none, unless "
            "one is a copy or another name of the other"
        )
    gone, new = sorted(set(base.reads) - set(head.reads)), sorted(set(head.reads) - set(base.reads))
    if not base.reads or not head.reads:
        differs = head.reads_by and set(base.reads_by) - set(head.reads_by)
        return "may read other data than before, and goes on at the positions that it kept" if differs else None
    left, added = ", ".join(gone), ", ".join(new)
    if not gone or (not new and base.kind is not Kind.SOURCE):
        return None
    if _OF_LOGS.search(base.function or ""):
        unread = f"what {added} held before is not read" if new else "nothing of it is read from now on"
        return f"goes on at the old place of the log without {left}: {unread}"
    if base.kind is head.kind is Kind.SOURCE:
        besides = f"reads {added} and " if new else ""
        return f"{besides}goes on reading {left} too, which it has positions in"
    return f"leaves its positions in {left} behind and reads {added} from where it is told to start"


def taken_for_another(base: Transformation, head: Transformation) -> bool:
    """Whether kept rows or accumulators are read as others; positions of a source are never those of other data.

    What else an operator of a plan computes of the same rows is not judged.
    """
    if not meaning_changed(base, head):
        return False
    rows = [_KEPT.search(side.meaning or "") for side in (base, head)]
    before, after = (_COLUMN.sub(PLACE, found[0]) if found is not None else "" for found in rows)
    return before != after


def same_but_for_data(
    base: Transformation, head: Transformation, was_read: Collection[str], is_read: Collection[str]
) -> bool:
    """Whether an operator of a SQL plan computes the same of what a source reads now in place of one other."""
    if base.meaning is None or head.meaning is None or not len(was_read) == len(is_read) == 1:
        return False
    columns = re.compile(rf"(?<![\w.]){re.escape(*was_read)}(?=\.)")
    return columns.sub(lambda _: "".join(is_read), base.meaning) == head.meaning
