"""The gate on Spark: many savepoints at once, their metadata read by ``binaryFile``.

The metadata of every savepoint is one row; state files are read by the executors where they can reach them, exactly
as in process, so both engines give the same bytes. What lies behind a URL the executors read whole, with the same
packages and credentials as in process: Spark knows ``s3://`` and its like only with connectors and settings of its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from checker.engines.spark.session import SparkRun, spark_run
from checker.errors import CheckerError, UsageError
from checker.model.restore import CandidateJob
from checker.report.gate.document import attempt_document
from checker.savepoint.places import METADATA, scheme_of
from checker.workflows.gate.judging import GateOptions, Judged, NamedSavepoint, judge_in_process, judge_savepoint

JUDGED = pa.schema(
    [pa.field("number", pa.int32()), pa.field("document", pa.string()), pa.field("failure", pa.string())]
)
JUDGED_DDL = "number int, document string, failure string"
"""``JUDGED`` as Spark spells it."""

Batches = Iterator[pa.RecordBatch]


def judge_savepoints(
    savepoints: Sequence[NamedSavepoint],
    candidates: Sequence[CandidateJob],
    options: GateOptions,
    *,
    master: str,
    remote: str | None,
    verbose: bool,
) -> list[Judged]:
    """Every savepoint, judged on Spark, in the order given. Raises SparkError when Spark does not do its part."""
    with spark_run(master=master, remote=remote, verbose=verbose) as run:
        return judge_on(run, savepoints, candidates, options)


def judge_on(
    run: SparkRun, savepoints: Sequence[NamedSavepoint], candidates: Sequence[CandidateJob], options: GateOptions
) -> list[Judged]:
    """The same in a session that is there already. A file that Spark does not find is reported as in process."""
    files: dict[str, list[int]] = {}
    remote = [(number,) for number, named in enumerate(savepoints) if scheme_of(named.path) is not None]
    for number, named in enumerate(savepoints):
        if scheme_of(named.path) is None:
            files.setdefault(_metadata_of(named), []).append(number)
    there = [path for path in files if os.path.isfile(path)]
    frames = []
    if there:
        frame = run.session.read.format("binaryFile").load(there).select("path", "content")
        frames.append(frame.repartition(min(run.slots, len(there))))
    if remote:
        frame = run.session.createDataFrame(remote, "number int")
        frames.append(frame.repartition(min(run.slots, len(remote))))
    judging = _judging(files, tuple(savepoints), tuple(candidates), options)
    answers: dict[int, dict[str, Any]] = {
        row["number"]: row for frame in frames for row in frame.mapInArrow(judging, JUDGED_DDL).toArrow().to_pylist()
    }
    found: list[Judged] = []
    for number, named in enumerate(savepoints):
        row = answers.get(number)
        if row is None:
            found += judge_in_process([named], candidates, options)
        elif row["failure"] is not None:
            raise UsageError(row["failure"])
        else:
            found.append(Judged(**json.loads(row["document"])))
    return found


def _metadata_of(named: NamedSavepoint) -> str:
    """The metadata file as the path given names it."""
    path = named.path.rstrip("/")
    if path.rsplit("/", 1)[-1] == METADATA or os.path.isfile(path):
        return path
    return f"{path}/{METADATA}"


def _plain(path: str) -> str:
    """A local path in one form, whether Spark or a user gave it."""
    path = path.removeprefix("file:")
    return os.path.abspath("/" + path.lstrip("/") if path.startswith("/") else path)


def _judging(
    files: dict[str, list[int]],
    savepoints: tuple[NamedSavepoint, ...],
    candidates: tuple[CandidateJob, ...],
    options: GateOptions,
) -> Callable[[Batches], Batches]:
    """The task: rows of ``binaryFile``, or numbers of savepoints behind URLs, to rows of ``JUDGED``."""
    numbers = {_plain(path): found for path, found in files.items()}

    def judge(batches: Batches) -> Batches:
        for batch in batches:
            rows = []
            for row in batch.to_pylist():
                for number in numbers[_plain(row["path"])] if "path" in row else [row["number"]]:
                    answer: dict[str, Any] = {"number": number, "document": None, "failure": None}
                    try:
                        attempts, provenance = judge_savepoint(
                            savepoints[number], candidates, options, row.get("content")
                        )
                        document = {"attempts": [attempt_document(a) for a in attempts], "savepoint": provenance}
                        answer["document"] = json.dumps(document, ensure_ascii=False)
                    except CheckerError as error:
                        answer["failure"] = str(error)
                    rows.append(answer)
            yield pa.RecordBatch.from_pylist(rows, schema=JUDGED)

    return judge
