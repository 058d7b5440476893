"""``gate``: compares a candidate with the savepoints that it will start from."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import typer

from checker.commands import options
from checker.engines.progress import waiting
from checker.errors import SavepointError, UsageError
from checker.flink.versions import semantics_of
from checker.model.findings import RestorePath, Severity
from checker.model.secrets import masked
from checker.report.formats import Report
from checker.savepoint.places import PathMapping, scheme_of
from checker.workflows.gate.judging import GateOptions, NamedSavepoint, revision_candidates, run_gate


@dataclass(frozen=True, kw_only=True)
class GateCommand(options.WhatIsGiven, options.WhatMayRun, options.WhereItIsTold):
    """What ``gate`` is asked."""

    savepoint: list[str] | None = None
    repo: Path = Path(".")
    head: str = "HEAD"
    pipeline: list[str] | None = None
    state_backend: str | None = None
    path: str | None = None
    allow_non_restored_state: bool = False
    allow_uncompared: bool = False
    map_path: list[str] | None = None
    fail_on: str = "error"


def gate(asked: GateCommand) -> None:
    """Give Flink's verdict before Flink gives it: does this candidate start from this savepoint?

    \b
    savepoint-checker gate --savepoint s3://bucket/savepoint-ab12 --head v2.0 --output release.html
    savepoint-checker gate --savepoint ./savepoint-ab12 --head HEAD --allow-exec
    """
    _refuse_contradictions(asked)
    tell = asked.teller(Report.GATE)
    mappings = tuple(PathMapping.parse(m) for m in asked.map_path or ())
    with waiting("reading the candidate"):
        read = revision_candidates(
            asked.repo, asked.head, asked.pipeline or (), asked.overrides, asked.execution, asked.state_backend
        )
    names = [c.name for c in read.jobs]
    way = GateOptions(
        path=RestorePath(asked.path or RestorePath.SAVEPOINT),
        allow_non_restored_state=asked.allow_non_restored_state or read.allow_non_restored_state,
        mappings=mappings,
        fail_on=None if asked.fail_on == "never" else Severity(asked.fail_on),
        allow_uncompared=asked.allow_uncompared,
    )
    with waiting("reading the savepoint"):
        document = run_gate(
            [_named(text, names) for text in asked.savepoint or ()],
            read.jobs,
            way,
            candidate={**read.origin, "pipelines": names, "flink": asked.flink, "state_backend": asked.state_backend},
            command=masked(shlex.join(["savepoint-checker", *sys.argv[1:]])),
            declared=read.declared,
        )
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
    if not asked.savepoint:
        raise UsageError("gate needs --savepoint PATH (a savepoint's folder, its _metadata file, or their URL)")
    if asked.path is not None and asked.path not in tuple(RestorePath):
        raise UsageError(f"--path {asked.path}: must be savepoint or last-state")
    if asked.fail_on not in (*Severity, "never"):
        raise UsageError(f"--fail-on {asked.fail_on}: must be error, warning, info or never")
    if asked.flink is not None:
        semantics_of(asked.flink)  # reject an unknown version; do not skip the check


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
