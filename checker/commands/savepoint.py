"""``savepoint``: what a savepoint holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from checker.commands import options
from checker.commands.gate import JobGraph, MapPath, read_text
from checker.engines.progress import waiting
from checker.errors import UsageError
from checker.model.restore import CandidateJob
from checker.report.formats import Report
from checker.savepoint.places import PathMapping
from checker.workflows.gate.candidates import Candidates, revision_candidates
from checker.workflows.gate.job_graph_file import read_job_graphs
from checker.workflows.gate.judging import describe_savepoint

PathArgument = Annotated[
    str, typer.Argument(metavar="PATH", help="A savepoint's folder or its _metadata file, local or any fsspec URL.")
]
Detail = Annotated[bool, typer.Option("--detail", help="Add every handle of every subtask (JSON).")]


@dataclass(frozen=True, kw_only=True)
class SavepointOptions(options.WhatIsGiven, options.WhatMayRun, options.WhereItIsTold):
    """What ``savepoint`` is asked."""

    path: PathArgument
    repo: options.Repo = Path(".")
    head: Annotated[str | None, typer.Option("--head", metavar="REV", help="Name the operators by this revision.")] = (
        None
    )
    job_graph: JobGraph = None
    pipeline: options.Pipelines = None
    map_path: MapPath = None
    detail: Detail = False


@options.options_of(SavepointOptions)
def savepoint(asked: SavepointOptions) -> None:
    """Show what a savepoint or retained checkpoint holds, without a JVM.

    \b
    savepoint-checker savepoint ./savepoint-ab12
    savepoint-checker savepoint s3://bucket/savepoint-ab12 --head v2.0 --format json
    """
    if asked.job_graph is not None and asked.head is not None:
        raise UsageError("give either --job-graph or --head, not both")
    tell = asked.teller(Report.SAVEPOINT)
    with waiting("reading the savepoint"):
        candidates: list[CandidateJob] = []
        if asked.job_graph is not None:
            candidates = list(read_job_graphs(read_text(asked.job_graph), asked.job_graph.stem, flink=asked.flink))
        elif asked.head is not None:
            wanted = Candidates(
                head=asked.head,
                pipelines=tuple(asked.pipeline or ()),
                overrides=asked.overrides,
                execution=asked.execution,
            )
            candidates = revision_candidates(asked.repo, wanted).jobs
        document = describe_savepoint(
            asked.path,
            mappings=tuple(PathMapping.parse(m) for m in asked.map_path or ()),
            candidates=candidates,
            detail=asked.detail,
        )
    tell(document)
