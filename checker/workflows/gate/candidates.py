"""The pipelines of a revision as candidates for a start from a savepoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from checker.extract.runtime.execution import Execution
from checker.model.deployments import Deployment
from checker.model.restore import CandidateJob
from checker.revisions import Repository
from checker.settings import Overrides, read_settings
from checker.workflows.gate.job_graph_file import read_job_graphs
from checker.workflows.gate.judging import candidate_of_read
from checker.workflows.reading_revisions import conditions, how_read, read_with_jobs

if TYPE_CHECKING:
    from checker.extract.sql.planner.rehearsing import PlaceOfJob


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """Which pipelines of which revision stand for what is to be started, and how they may be read."""

    head: str
    pipelines: tuple[str, ...] = ()
    overrides: Overrides
    state_backend: str | None = None
    running: Deployment | None = None
    """What the job that they would replace was given."""
    execution: Execution


@dataclass(frozen=True, kw_only=True)
class ReadCandidates:
    """The pipelines of a revision, or of a file, as candidates, and which revision or file it was."""

    jobs: list[CandidateJob]
    origin: dict[str, object]
    planned: Mapping[str, PlaceOfJob | str]
    """The job of each pipeline whose tables Flink's planner made, or why it can't be started here."""


def job_graph_candidates(file: Path, text: str, asked: Candidates) -> ReadCandidates:
    """The pipelines of a file with the vertices of job graphs as candidates. Raises UsageError."""
    flink = asked.overrides.flink if asked.running is None else asked.running.flink
    read = read_job_graphs(text, file.stem, flink=flink, state_backend=asked.state_backend)
    jobs = [c for c in read if not asked.pipelines or any(fnmatchcase(c.name, p) for p in asked.pipelines)]
    origin: dict[str, object] = {"job_graph": str(file), "revision": None, "commit": None, "reading": None}
    return ReadCandidates(jobs=jobs, origin=origin, planned={})


def revision_candidates(repo: Path, asked: Candidates) -> ReadCandidates:
    """The pipelines of a revision as candidates. Raises UsageError when there are none."""
    repository = Repository(repo)
    revision = repository.revision(asked.head)
    settings = read_settings(revision.files).overridden(asked.overrides)
    execution = replace(asked.execution, jars_root=repository.top)
    candidates, reading = [], []
    planned: dict[str, PlaceOfJob | str] = {}
    flink = asked.overrides.flink if asked.running is None else asked.running.flink
    for extracted, job in read_with_jobs(revision, settings, asked.pipelines, execution, asked.running):
        if job is not None:
            from checker.workflows.rehearsing import not_startable

            planned[extracted.entry.name] = not_startable(extracted.topology, extracted.failure) or job
        candidates.append(candidate_of_read(extracted, flink=flink, state_backend=asked.state_backend))
        read_for = conditions(extracted)
        reading.append(f"{extracted.entry.name}: {how_read(extracted)}{f'; {read_for}' if read_for else ''}")
    origin: dict[str, object] = {
        "job_graph": None, "revision": revision.label, "commit": revision.commit, "reading": reading
    }  # fmt: skip
    return ReadCandidates(jobs=candidates, origin=origin, planned=planned)
