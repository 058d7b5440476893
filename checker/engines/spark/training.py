"""The smallest useful ``check`` on Spark: what the class-data archive is made from."""

from __future__ import annotations

from checker.engines.spark.check import judge_on
from checker.engines.spark.session import spark_run
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.workflows.check.records import CheckPlan, SideInfo

_DOCUMENT = """\
topology: 1
name: {name}
flink: "1.20"
transformations:
  - {{id: source, kind: source, name: source}}
  - {{id: sink, kind: sink, name: sink, inputs: [source]}}
"""


def training_plan(pipelines: int = 4) -> CheckPlan:
    """A plan over a few tiny topology documents."""
    names = [f"training-{n}" for n in range(pipelines)]
    files = MemoryFiles({f"{n}.topology.yaml": _DOCUMENT.format(name=n).encode() for n in names})
    entries = tuple(PipelineEntry(name=n, extract=ExtractorKind.DOCUMENT, file=f"{n}.topology.yaml") for n in names)
    side = SideInfo(asked="training", label="training", commit=None)
    return CheckPlan(
        base=side, head=side, base_entries=entries, head_entries=entries, base_files=files, head_files=files,
        severities={}, fail_on=None,
    )  # fmt: skip


if __name__ == "__main__":
    with spark_run(master="local[2]", remote=None, verbose=False) as started:
        judge_on(started, training_plan())
