"""The engine on Spark: the same stages as in process, in one ``mapInArrow`` over rows that carry their files."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pyarrow as pa

from checker.engines.spark.session import SparkRun, spark_run, task_progress
from checker.model.sources import links_of, submodules_of
from checker.report.check.document import Json
from checker.workflows.carried_files import CarriedFiles, CarriedWork, NotCarriedError, carried_work
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


def judge_on_spark(plan: CheckPlan, *, master: str, remote: str | None, verbose: bool) -> list[Json]:
    """Every pipeline of either side, judged on Spark. Raises SparkError when Spark does not do its part."""
    if not plan.names:
        return []
    with spark_run(master=master, remote=remote, verbose=verbose) as run:
        return judge_on(run, plan)


def judge_on(run: SparkRun, plan: CheckPlan) -> list[Json]:
    """Every pipeline, judged in a session that is there already."""

    # What was read by running it, out of its own build, has nothing left to be read elsewhere.
    at_home = {r.name for r in (*plan.base_read, *plan.head_read)}
    if links_of(plan.base_files) or links_of(plan.head_files):
        at_home = set(plan.names)  # symbolic links do not travel
    travelling = [name for name in plan.names if name not in at_home]
    judged: dict[str, Json] = {}
    answers = []
    if travelling:
        work = carried_work(plan, travelling)
        tasks = task_rows(work, run.slots)
        with task_progress(run, tasks.num_rows):
            frame = run.session.createDataFrame(tasks).mapInArrow(judging(work.plan), JUDGED_DDL)
            answers = frame.toArrow().to_pylist()
    for answer in answers:
        if answer["missed"]:
            at_home.add(answer["name"])
        elif answer["document"] is not None:
            judged[answer["name"]] = json.loads(answer["document"])
    for name in sorted(at_home.intersection(plan.names)):
        document = pipeline_stage(plan, name)
        if document is not None:
            judged[name] = document
    return [judged[name] for name in sorted(judged)]
