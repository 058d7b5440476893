"""Both engines give the same bytes, also for savepoints that can't be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checker.engines.choice import missing_for_spark
from checker.errors import UsageError
from checker.model.restore import CandidateJob
from checker.savepoint.places import PathMapping
from checker.workflows.gate.job_graph_file import read_job_graphs
from checker.workflows.gate.judging import GateOptions, NamedSavepoint, run_gate
from tests.savepoint.conftest import mappings, snapshots
from tests.savepoint.stores import BUCKET

from .conftest import LocalSpark

__all__ = ["mappings", "snapshots"]
pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

CASES = (
    "2.3.0/keyed/savepoint", "2.3.0/keyed_files/savepoint", "1.20.5/multi/savepoint", "broken/truncated",
    "broken/missing_file", "nowhere", "2.3.0/keyed/savepoint/_metadata", "rewritten/keyed_v2/savepoint",
)  # fmt: skip


def test_engines_agree(snapshots: Path, mappings: tuple[PathMapping, ...], local_spark: LocalSpark) -> None:
    if missing := missing_for_spark(None):
        pytest.skip(missing)
    from checker.engines.spark.work import judge_gate_on as judge_on

    run, store = local_spark.started()
    names = ("2.3.0/keyed", "1.20.5/multi")
    jobs: list[CandidateJob] = []
    for name in names:
        graph = json.loads((snapshots / name / "graph.json").read_text())
        jobs += read_job_graphs(json.dumps({"name": name, **graph}), name, flink="2.3")
    given = [NamedSavepoint(path=str(snapshots / case), pipeline=None) for case in CASES]
    given.append(NamedSavepoint(path=str(snapshots / CASES[0]), pipeline=names[1]))
    store.put_folder(snapshots / CASES[1], CASES[1])
    given.append(NamedSavepoint(path=f"s3://{BUCKET}/{CASES[1]}", pipeline=names[0]))
    given.append(NamedSavepoint(path=f"s3://{BUCKET}/nowhere", pipeline=names[0]))
    options = GateOptions(mappings=mappings)

    def on_spark(*arguments: Any) -> Any:
        return judge_on(run, *arguments)

    documents = [run_gate(given, jobs, options, candidate={}, command="", engine=engine) for engine in (None, on_spark)]
    assert json.dumps(documents[0]) == json.dumps(documents[1])
    with pytest.raises(UsageError, match="fits no single pipeline"):
        run_gate(given, [jobs[0], jobs[0]], options, candidate={}, command="", engine=on_spark)
