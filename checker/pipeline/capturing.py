"""Pipelines that are read by running them: on this machine, before any engine starts, only where that is allowed.

What may run is decided by the command line and by the *base*: a build command, jars, main class and arguments that
the head's configuration brings in anew are not run, or a fork's pull request could have anything executed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from checker.errors import CheckerError
from checker.extract.document_writer import topology_document
from checker.extract.flink_runtime.disagreements import disagreements
from checker.extract.flink_runtime.extracting import Captured, Execution, capture
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.pipeline.records import ReadPipeline


def runs_the_program(entry: PipelineEntry) -> bool:
    """Whether reading the pipeline executes code of the repository."""
    return entry.extract is ExtractorKind.FLINK


def captured(
    files: SourceFiles,
    commit: str | None,
    entries: Iterable[PipelineEntry],
    execution: Execution,
    trusted: Iterable[PipelineEntry],
    *,
    any_jars: bool = False,
) -> tuple[ReadPipeline, ...]:
    """Every pipeline of one revision that has to be run, read. A failure is an answer, not a stop.

    ``{commit}`` in the path of a jar stands for the revision. A jar without it is the same file for every revision
    and so tells nothing about this one; ``any_jars`` takes it all the same, for who knows what is built there.
    """
    known = {_what_runs(entry) for entry in trusted}
    read: list[ReadPipeline] = []
    for entry in entries:
        if execution.allow_exec and _what_runs(entry) not in known:
            read.append(
                _failed(
                    entry,
                    "what it would run (build, jars, main or args) is not configured like this in the base revision; "
                    "it is not run unless you also give --allow-exec-of-head",
                )
            )
            continue
        if (
            execution.allow_exec
            and entry.build is None
            and not any_jars
            and not all("{commit}" in jar for jar in entry.jars)
        ):
            read.append(
                _failed(
                    entry,
                    'its jars on disk are those of one revision only; set build = "..." so that each revision is '
                    'built, or keep jars per revision: jars = ["builds/{commit}/app.jar"]',
                )
            )
            continue
        jars = tuple(jar.replace("{commit}", commit or "worktree") for jar in entry.jars)
        read.extend(_captured(files, replace(entry, jars=jars), execution))
    return tuple(read)


def _what_runs(entry: PipelineEntry) -> tuple[object, ...]:
    return (entry.build, entry.jars, entry.main, entry.file, entry.args)


def _captured(files: SourceFiles, entry: PipelineEntry, execution: Execution) -> list[ReadPipeline]:
    try:
        found = capture(files, entry, execution)
    except CheckerError as error:
        return [_failed(entry, str(error))]
    return [
        ReadPipeline(name=job.topology.name, extractor=entry.extract.value, topology=_document(job, found.unstable))
        for job in found.jobs
    ]


def _document(job: Captured, unstable: Iterable[object]) -> str:
    """The topology with what Flink and a second run had to say against it."""
    against = tuple(str(d) for d in disagreements(job.job, translate(job.topology)))
    topology = replace(job.topology, disagreements=against, unstable=tuple(str(u) for u in unstable))
    return json.dumps(topology_document(topology), ensure_ascii=False)


def _failed(entry: PipelineEntry, why: str) -> ReadPipeline:
    return ReadPipeline(name=entry.name, extractor=entry.extract.value, failure=why)
