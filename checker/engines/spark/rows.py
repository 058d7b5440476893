"""Rows of ``check`` on Spark: what a task gets, what it answers, and the function between them.

One row is the work of one task: names of pipelines, the listings of both revisions, and every content that the
extractors may read once, by content id. So an executor needs nothing but its row, and a check needs no shuffle.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pyarrow as pa

from checker.model.sources import links_of, submodules_of
from checker.workflows.carried_files import CarriedFiles, CarriedWork, NotCarriedError
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
    [pa.field("name", pa.string()), pa.field("document", pa.string()), pa.field("missed", pa.list_(pa.string()))]
)
JUDGED_DDL = "name string, document string, missed array<string>"
"""``JUDGED`` as Spark spells it."""

Batches = Iterator[pa.RecordBatch]


def task_rows(work: CarriedWork, slots: int) -> pa.Table:
    """The work, spread over at most ``slots`` rows."""
    rows = min(slots, len(work.names))
    packed = [{"content_id": key, "packed": data} for key, data in work.packed.items()]
    return pa.table(
        {
            "names": [list(work.names[row::rows]) for row in range(rows)],
            "base": [_listed(work.base)] * rows,
            "head": [_listed(work.head)] * rows,
            "contents": [packed] * rows,
        },
        schema=TASKS,
    )


def _listed(listing: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"path": path, "content_id": key} for path, key in listing.items()]


def judging(plan: CheckPlan) -> Callable[[Batches], Batches]:
    """The task: rows of ``TASKS`` to rows of ``JUDGED``. The plan, which has no files, travels with it."""

    def judge(batches: Batches) -> Batches:
        for batch in batches:
            for row in batch.to_pylist():
                packed = {c["content_id"]: c["packed"] for c in row["contents"]}
                base, head = (
                    CarriedFiles(
                        {f["path"]: f["content_id"] for f in row[side]},
                        packed,
                        links=links_of(files),
                        submodules=submodules_of(files),
                    )
                    for side, files in (("base", plan.base_files), ("head", plan.head_files))
                )
                task = replace(plan, base_files=base, head_files=head)
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
