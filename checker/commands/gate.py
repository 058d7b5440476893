"""``gate``: compares a candidate with the savepoints that it will start from."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import typer

from checker.commands import options
from checker.engines.progress import waiting
from checker.errors import SavepointError, UsageError
from checker.flink.versions import semantics_of
from checker.model.deployments import Deployment, RunningJob
from checker.model.findings import RestorePath, Severity
from checker.model.nested import Json
from checker.model.secrets import masked
from checker.report.formats import Report
from checker.savepoint.places import PathMapping, scheme_of
from checker.workflows.gate.candidates import (
    Asked,
    Candidates,
    ask,
    assumptions,
    description,
    restore_path,
    revision_candidates,
    snapshot_path,
)
from checker.workflows.gate.judging import GateOptions, NamedSavepoint, run_gate
from checker.workflows.rehearsing import rehearse_attempts

MOST_REPLACED = 3
"""How often a newer checkpoint is tried, of a job that replaces its checkpoints while they are read."""


@dataclass(frozen=True, kw_only=True)
class GateCommand(options.WhatIsGiven, options.WhatMayRun, options.WhereItIsTold):
    """What ``gate`` is asked."""

    savepoint: list[str] | None = None
    cluster: str | None = None
    job: str | None = None
    deployment: str | None = None
    repo: Path = Path(".")
    head: str = "HEAD"
    pipeline: list[str] | None = None
    state_backend: str | None = None
    path: str | None = None
    allow_non_restored_state: bool = False
    allow_uncompared: bool = False
    map_path: list[str] | None = None
    rehearse: bool = False
    fail_on: str = "error"


def gate(asked: GateCommand) -> None:
    """Give Flink's verdict before Flink gives it: does this candidate start from this savepoint?

    \b
    savepoint-checker gate --savepoint s3://bucket/savepoint-ab12 --head v2.0 --output release.html
    savepoint-checker gate --cluster http://flink:8081 --job orders --head HEAD
    kubectl get flinkdeployment orders -o json | savepoint-checker gate --deployment -
    """
    _refuse_contradictions(asked)
    tell = asked.teller(Report.GATE)
    mappings = tuple(PathMapping.parse(m) for m in asked.map_path or ())
    savepoints, backend, running, again = asked.savepoint or [], asked.state_backend, None, None
    if asked.cluster is not None or asked.deployment is not None:
        resource = None if asked.deployment is None else options.text_of(asked.deployment)
        source = "standard input" if asked.deployment == "-" else asked.deployment
        what = Asked(cluster=asked.cluster, job=asked.job, resource=resource, resource_name=source or "")
        running = ask(what)
        backend = backend or running.state_backend
        if not savepoints:
            savepoints = [snapshot_path(running, mappings)]
            again = None if asked.cluster is None else lambda: snapshot_path(ask(what), mappings)
    given = None if running is None else _given(running, asked.flink, asked.parallelism)
    candidates = Candidates(
        head=asked.head,
        pipelines=tuple(asked.pipeline or ()),
        overrides=asked.overrides,
        state_backend=backend,
        running=given,
        execution=asked.execution,
    )
    with waiting("reading the candidate"):
        read = revision_candidates(asked.repo, candidates)
    if running is not None:
        read.origin.update(running_job=description(running), assumptions=assumptions(running))
    if not read.jobs:
        raise UsageError(f"no pipeline called {', '.join(asked.pipeline or ['?'])} in the candidate")
    names = [c.name for c in read.jobs]
    way = GateOptions(
        path=RestorePath(asked.path or (RestorePath.SAVEPOINT if running is None else restore_path(running))),
        allow_non_restored_state=asked.allow_non_restored_state
        or (given is not None and bool(given.allow_non_restored_state)),
        mappings=mappings,
        fail_on=None if asked.fail_on == "never" else Severity(asked.fail_on),
        allow_uncompared=asked.allow_uncompared,
    )

    def judge(paths: list[str]) -> Json:
        return run_gate(
            [_named(text, names) for text in paths],
            read.jobs,
            way,
            candidate={**read.origin, "pipelines": names, "flink": asked.flink, "state_backend": backend},
            command=masked(shlex.join(["savepoint-checker", *sys.argv[1:]])),
            declared=read.declared,
            rehearse=partial(rehearse_attempts, planned=read.planned, execution=asked.execution)
            if asked.rehearse
            else None,
        )

    with waiting("reading the savepoint"):
        document = _judged(judge, savepoints, again)
    tell(document)
    unread = [s["error"] for s in document["savepoints"] if s["error"]]
    if unread and asked.output_format not in (None, "text"):  # a text says it itself
        sys.stdout.flush()
        raise SavepointError("; ".join(unread))
    if unread:
        raise typer.Exit(2)
    if not document["passes"]:
        raise typer.Exit(1)


def _refuse_contradictions(asked: GateCommand) -> None:
    """Raises UsageError where options exclude each other, do not say where the state lies, or have no such value."""
    if not (asked.savepoint or asked.cluster or asked.deployment):
        raise UsageError(
            "gate needs --savepoint PATH (a savepoint's folder, its _metadata file, or their URL), --cluster URL or "
            "--deployment FILE"
        )
    if asked.job is not None and asked.cluster is None:
        raise UsageError("--job names a job of --cluster URL")
    if asked.path is not None and asked.path not in tuple(RestorePath):
        raise UsageError(f"--path {asked.path}: must be savepoint or last-state")
    if asked.fail_on not in (*Severity, "never"):
        raise UsageError(f"--fail-on {asked.fail_on}: must be error, warning, info or never")
    if asked.flink is not None:
        semantics_of(asked.flink)  # reject an unknown version; do not skip the check


def _judged(judge: Callable[[list[str]], Json], savepoints: list[str], again: Callable[[], str] | None) -> Json:
    """The judgement; by a newer checkpoint where a running job has replaced the one that it began with."""
    document = judge(savepoints)
    for _ in range(0 if again is None else MOST_REPLACED):
        newest = again() if again is not None and any(s["error"] for s in document["savepoints"]) else savepoints[0]
        if newest == savepoints[0]:
            break
        savepoints = [newest]
        document = judge(savepoints)
    return document


def _given(running: RunningJob, flink: str | None, parallelism: int | None) -> Deployment:
    """What the running job was given, with the command line on top."""
    own = running.deployment
    return replace(own, flink=flink or own.flink, parallelism=parallelism or own.parallelism)


def _named(text: str, candidates: list[str]) -> NamedSavepoint:
    """``PIPELINE=PATH`` where what stands before the sign names a pipeline, else all of it is a path.

    Raises UsageError where only what stands behind the sign is there.
    """
    name, separator, path = text.partition("=")
    if separator and path and name in candidates:
        return NamedSavepoint(path=path, pipeline=name)
    if separator and path and Path(path).exists() and not Path(text).exists():
        raise UsageError(f"--savepoint {text}: no pipeline called {name}; there are: {', '.join(candidates)}")
    return NamedSavepoint(path=text if scheme_of(text) else str(Path(text)))
