"""Rows of ``check`` on Spark: what a task gets, what it answers, and the function between them.

One row is the work of one task: names of pipelines, the listings of both revisions, and every content that the
extractors may read once, by content id. So an executor needs nothing but its row, and a check needs no shuffle.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

from checker.workflows.carried_files import CarriedFiles, NotCarriedError, carried_paths, listing_of, pack
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import pipeline_stage

_FILE = pa.struct([pa.field("path", pa.string()), pa.field("content_id", pa.string())])
_CONTENT = pa.struct([pa.field("content_id", pa.string()), pa.field("packed", pa.binary())])
TASKS = pa.schema(
    [
        pa.field("names", pa.list_(pa.string())),
        pa.field("base", pa.list_(_FILE)),
        pa.field("head", pa.list_(_FILE)),
        pa.field("contents", pa.list_(_CONTENT)),
    ]
)
JUDGED = pa.schema(
    [
        pa.field("name", pa.string()),
        pa.field("document", pa.string()),
        pa.field("missed", pa.list_(pa.string())),
    ]
)
JUDGED_DDL = "name string, document string, missed array<string>"
"""``JUDGED`` as Spark spells it."""

Batches = Iterator[pa.RecordBatch]


def task_rows(plan: CheckPlan, names: Sequence[str], slots: int) -> pa.Table:
    """The work of a plan, spread over at most ``slots`` rows."""
    base, head = listing_of(plan.base_files), listing_of(plan.head_files)
    contents: dict[str, bytes] = {}
    for files, listing, entries in (
        (plan.base_files, base, plan.base_entries),
        (plan.head_files, head, plan.head_entries),
    ):
        for path in carried_paths(listing, entries):
            if listing[path] not in contents:
                contents[listing[path]] = pack(files.read(path))
    rows = min(slots, len(names))
    packed = [{"content_id": key, "packed": data} for key, data in contents.items()]
    return pa.table(
        {
            "names": [list(names[row::rows]) for row in range(rows)],
            "base": [_listed(base)] * rows,
            "head": [_listed(head)] * rows,
            "contents": [packed] * rows,
        },
        schema=TASKS,
    )


def _listed(listing: dict[str, str]) -> list[dict[str, str]]:
    return [{"path": path, "content_id": key} for path, key in listing.items()]


def judging(plan: CheckPlan) -> Callable[[Batches], Batches]:
    """The task: rows of ``TASKS`` to rows of ``JUDGED``. The plan travels with it, without its files."""
    nothing = CarriedFiles({}, {})
    constant = replace(plan, base_files=nothing, head_files=nothing)

    def judge(batches: Batches) -> Batches:
        for batch in batches:
            for row in batch.to_pylist():
                packed = {c["content_id"]: c["packed"] for c in row["contents"]}
                base, head = (
                    CarriedFiles({f["path"]: f["content_id"] for f in row[side]}, packed) for side in ("base", "head")
                )
                task = replace(constant, base_files=base, head_files=head)
                for name in row["names"]:
                    yield _judged(task, name, base.missed, head.missed)

    return judge


def _judged(plan: CheckPlan, name: str, *missed: list[str]) -> pa.RecordBatch:
    for paths in missed:
        paths.clear()
    document = None
    with contextlib.suppress(NotCarriedError):
        document = pipeline_stage(plan, name)
    asked = sorted({path for paths in missed for path in paths})
    text = None if document is None or asked else json.dumps(document, ensure_ascii=False)
    return pa.RecordBatch.from_pydict({"name": [name], "document": [text], "missed": [asked]}, schema=JUDGED)
