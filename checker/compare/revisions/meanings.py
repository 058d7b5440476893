"""Whether operators of SQL plans compute the same, and sources go on in the data that they read."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import SequenceMatcher
from itertools import zip_longest

from checker.model.gathered import split_list
from checker.model.meaning import COLUMN, LOG, LOG_AND_NEW_TABLES, Meaning
from checker.model.topology import Kind, Transformation


def meaning_changed(base: Transformation, head: Transformation) -> bool:
    """Whether both are operators of a SQL plan that compute different things, or sources that read different data."""
    if (base.kind.source or base.reads) and read_otherwise(base, head) is not None:
        return True
    if base.meaning is None or head.meaning is None:
        return False
    return _in_names_of(head.meaning, base.meaning) != head.meaning


def _in_names_of(head: Meaning, base: Meaning) -> Meaning:
    """What a meaning is in the names that its tables' columns have in another revision.

    A column is renamed where one that the table lacks now stood, at the same place among those that it still has. One
    that trades places with another is none: what is kept of either is read as the other.
    """
    names: dict[str, str] = {}
    changed = [table for table in head.tables if table not in base.tables]
    for before in (table for table in base.tables if table not in head.tables):
        after = next((table for table in changed if table.table == before.table), before)
        matched = SequenceMatcher(None, before.columns, after.columns, autojunk=False)
        for what, start, end, first, last in matched.get_opcodes():
            if what == "replace" and end - start == last - first:
                renamed = zip(before.columns[start:end], after.columns[first:last], strict=True)
                names.update({before.named(old): after.named(new) for old, new in renamed
                              if old not in after.columns and new not in before.columns})  # fmt: skip
    return base.with_names(names)


_ALL_TABLES = r".\.*"
"""All tables of a database, as pipelines of Flink CDC spell it."""
_OF_LOGS = re.compile(r"\.cdc\.")
"""Flink CDC's sources, which go on at a place in the log of a database."""


def read_otherwise(base: Transformation, head: Transformation) -> str | None:
    """What a source does that is given other data to read, None where it is given all that it was given before.

    And what an operator does with what it keeps of tables that go elsewhere or look otherwise now.

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
    if not base.kind.source:
        instead = f", and {', '.join(new)} counts for" if new else ", and holds no more for"
        return f"keeps what it knows of tables by {', '.join(gone)}{instead} what comes from now on" if gone else None
    if head.operator in (LOG, LOG_AND_NEW_TABLES):
        whole = tuple(table[: -len(_ALL_TABLES) + 1] for table in base.reads_by if table.endswith(_ALL_TABLES))
        further = [table for table in head.reads_by if table not in base.reads_by and not table.startswith(whole)]
        if not base.reads_by or not further or head.operator == LOG_AND_NEW_TABLES:
            return None
        return (
            f"goes on at the old place of the log: what {', '.join(further)} held before is read only with "
            "scan.newly-added-table.enabled"
        )
    if not base.reads or not head.reads:
        differs = head.reads_by and set(base.reads_by) - set(head.reads_by)
        return "may read other data than before, and goes on at the positions that it kept" if differs else None
    left, added = ", ".join(gone), ", ".join(new)
    if not gone or (not new and base.kind is not Kind.SOURCE):
        return None
    if _OF_LOGS.search(base.function or ""):
        # One that is taken out is read no longer, as it is meant to be.
        unread = f"without {left}: what {added} held before is read only if the source looks for new tables"
        return f"goes on at the old place of the log {unread}" if new else None
    if base.kind is head.kind is Kind.SOURCE:
        besides = f"reads {added} and " if new else ""
        return f"{besides}goes on reading {left} too, which it has positions in"
    return f"leaves its positions in {left} behind and reads {added} from where it is told to start"


def taken_for_another(base: Transformation, head: Transformation) -> str | None:
    """Which part of a key, of accumulators or of kept rows is read as what else, None where all is what it was.

    What else an operator of a plan computes of the same rows is not judged. Positions of a source are never those of
    other data.
    """
    if base.meaning is None or head.meaning is None:
        return None
    kept = _in_names_of(head.meaning, base.meaning).keeps
    for before, after in zip_longest(kept, head.meaning.keeps, fillvalue="nothing"):
        if before != after:
            columns = list(zip_longest(split_list(before), split_list(after), fillvalue="nothing"))
            was, is_ = (", ".join(side) for side in zip(*(pair for pair in columns if pair[0] != pair[1]), strict=True))
            return f"reads what was kept as {was} as {is_}".replace(COLUMN, "")
    return None


def same_but_for_data(
    base: Transformation, head: Transformation, was_read: Collection[str], is_read: Collection[str]
) -> bool:
    """Whether an operator of a SQL plan computes the same of what a source reads now in place of one other."""
    if base.meaning is None or head.meaning is None or not len(was_read) == len(is_read) == 1:
        return False
    (before,), (after,) = was_read, is_read
    return base.meaning.with_names({f"{before}.": f"{after}."}) == head.meaning
