"""``savepoint``: what a savepoint holds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from checker.commands import options
from checker.commands.gate import JobGraph, MapPath, read_text
from checker.engines.progress import say, waiting
from checker.errors import UsageError
from checker.extract.runtime.execution import Execution
from checker.model.restore import CandidateJob
from checker.report.formats import Report, format_of, renderer
from checker.savepoint.places import PathMapping
from checker.workflows.gate.candidates import Candidates, revision_candidates
from checker.workflows.gate.job_graph_file import read_job_graphs
from checker.workflows.gate.judging import describe_savepoint

PathArgument = Annotated[
    str, typer.Argument(metavar="PATH", help="A savepoint's folder or its _metadata file, local or any fsspec URL.")
]
Detail = Annotated[bool, typer.Option("--detail", help="Add every handle of every subtask (JSON).")]


def savepoint(
    path: PathArgument,
    repo: options.Repo = Path("."),
    head: Annotated[
        str | None, typer.Option("--head", metavar="REV", help="Name the operators by this revision.")
    ] = None,
    job_graph: JobGraph = None,
    pipeline: options.Pipelines = None,
    flink: options.Flink = None,
    parallelism: options.Parallelism = None,
    arg: options.Args = None,
    allow_exec: options.AllowExec = False,
    flink_home: options.FlinkHome = None,
    exec_timeout: options.ExecTimeout = 120.0,
    map_path: MapPath = None,
    detail: Detail = False,
    output_format: options.PageFormat = None,
    output: options.PageOutput = None,
) -> None:
    """Show what a savepoint or retained checkpoint holds, without a JVM.

    \b
    savepoint-checker savepoint ./savepoint-ab12
    savepoint-checker savepoint s3://bucket/savepoint-ab12 --head v2.0 --format json
    """
    if job_graph is not None and head is not None:
        raise UsageError("give either --job-graph or --head, not both")
    show = renderer(Report.SAVEPOINT, output_format or "text", sys.stdout)
    files = [(file, renderer(Report.SAVEPOINT, format_of(Report.SAVEPOINT, file))) for file in output or []]
    with waiting("reading the savepoint"):
        candidates: list[CandidateJob] = []
        if job_graph is not None:
            candidates = list(read_job_graphs(read_text(job_graph), job_graph.stem, flink=flink))
        elif head is not None:
            asked = Candidates(
                head=head,
                pipelines=tuple(pipeline or ()),
                overrides=options.overrides(flink, parallelism, arg),
                execution=Execution(allow_exec=allow_exec, flink_home=flink_home, seconds=exec_timeout, progress=say),
            )
            candidates = revision_candidates(repo, asked).jobs
        document = describe_savepoint(
            path, mappings=tuple(PathMapping.parse(m) for m in map_path or ()), candidates=candidates, detail=detail
        )
    for file, render in files:
        options.write(file, render(document))
    sys.stdout.write(show(document))
