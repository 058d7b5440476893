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
    definition, or gets another place there, is none that trades places with another. What a source reads beside all
    that it has read makes no difference; Flink's newer sources go on to read what they are no longer given, too.
    """
    if base.reads and head.reads:
        gone, new = set(base.reads) - set(head.reads), set(head.reads) - set(base.reads)
        return bool(gone and (new or base.kind is head.kind is Kind.SOURCE))
    if base.meaning is None or head.meaning is None or base.computes == head.computes:
        return False
    return _COLUMN.sub(PLACE, base.meaning) != _COLUMN.sub(PLACE, head.meaning)


def taken_for_another(base: Transformation, head: Transformation) -> bool:
    """Whether kept rows or accumulators are read as others, or positions as those of other data.

    What else an operator of a plan computes of the same rows is not judged.
    """
    if not meaning_changed(base, head):
        return False
    rows = [_KEPT.search(side.meaning or "") for side in (base, head)]
    before, after = (_COLUMN.sub(PLACE, found[0]) if found is not None else "" for found in rows)
    return bool(base.reads and head.reads) or before != after


def same_but_for_data(
    base: Transformation, head: Transformation, was_read: Collection[str], is_read: Collection[str]
) -> bool:
    """Whether an operator of a SQL plan computes the same of what a source reads now in place of one other."""
    if base.meaning is None or head.meaning is None or not len(was_read) == len(is_read) == 1:
        return False
    columns = re.compile(rf"(?<![\w.]){re.escape(*was_read)}(?=\.)")
    return columns.sub(lambda _: "".join(is_read), base.meaning) == head.meaning
