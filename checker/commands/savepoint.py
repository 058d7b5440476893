"""``savepoint``: what a savepoint holds; ``savepoint rewrite``: its state under other operators, without a cluster."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import typer

from checker.commands import options
from checker.compare.restore.successors import certain_moves
from checker.engines.progress import waiting
from checker.errors import UsageError
from checker.model.findings import Severity, Verdict
from checker.model.restore import Attempt, CandidateJob, RestoreWarning, WarningRule
from checker.model.savepoint import Savepoint
from checker.model.secrets import masked
from checker.model.translation import OperatorId
from checker.report.formats import Report
from checker.report.gate.document import changes_of
from checker.report.presentable import WORDS, visible
from checker.savepoint.places import PathMapping
from checker.workflows.gate.judging import (
    NamedSavepoint,
    describe_savepoint,
    judge_rewritten,
    paired,
    revision_candidates,
)
from checker.workflows.gate.moves import Asked, certain_successors, in_flight, plan_rewriting
from checker.workflows.gate.rewriting import read_for_rewriting
from checker.workflows.gate.rewriting import rewrite as write_rewriting


@dataclass(frozen=True, kw_only=True)
class SavepointOptions(options.WhatIsGiven, options.WhatMayRun, options.WhereItIsTold):
    """What ``savepoint`` is asked."""

    path: str
    repo: Path = Path(".")
    head: str | None = None
    pipeline: list[str] | None = None
    map_path: list[str] | None = None


def savepoint(asked: SavepointOptions) -> None:
    """Show what a savepoint or retained checkpoint holds, without a JVM.

    \b
    savepoint-checker savepoint ./savepoint-ab12
    savepoint-checker savepoint s3://bucket/savepoint-ab12 --head v2.0 --format json
    """
    tell = asked.teller(Report.SAVEPOINT)
    with waiting("reading the savepoint"):
        candidates: list[CandidateJob] = []
        if asked.head is not None:
            candidates = _candidates(asked, asked.head)
        document = describe_savepoint(
            asked.path,
            mappings=tuple(PathMapping.parse(m) for m in asked.map_path or ()),
            candidates=candidates,
        )
    tell(document)


def _candidates(asked: SavepointOptions | RewriteOptions, head: str) -> list[CandidateJob]:
    """The pipelines of a revision. Raises UsageError where they can't be read."""
    return revision_candidates(asked.repo, head, asked.pipeline or (), asked.overrides, asked.execution).jobs


@dataclass(frozen=True, kw_only=True)
class RewriteOptions(options.WhatIsGiven, options.WhatMayRun):
    """What ``savepoint rewrite`` is asked."""

    path: str
    out: str | None = None
    move: list[str] | None = None
    drop: list[str] | None = None
    max_parallelism: list[str] | None = None
    for_head: str | None = None
    base: str | None = None
    write: bool = False
    copy: bool = False
    repo: Path = Path(".")
    pipeline: list[str] | None = None
    map_path: list[str] | None = None


def rewrite(asked: RewriteOptions) -> None:
    """Make a savepoint whose state belongs to other operators, for where the code can't take its ids back.

    The original stays as it is. The result is a new _metadata that names the old state files by absolute paths (keep
    the original as long as it is used), or with --copy a folder of its own. What was done stands beside it in
    rewritten.json. States, types and serializers are never changed, two operators never become one.

    \b
    savepoint-checker savepoint ./savepoint-ab12                      which operators it has
    savepoint-checker savepoint rewrite ./savepoint-ab12 --out ./renamed --move orders=sales
    savepoint-checker savepoint rewrite ./savepoint-ab12 --out ./traded --move a=b --move b=a
    savepoint-checker savepoint rewrite ./savepoint-ab12 --for v2.0 --base v1.9
                                                                      what v2.0 needs, and what comes of it
    savepoint-checker savepoint rewrite ./savepoint-ab12 --for v2.0 --base v1.9 --out ./for-v2 --write

    Start Flink from the result without claiming it: a claimed savepoint's files are deleted one day, and these are the
    original's. Exit code: 0, or with --for 1, and nothing written, when the candidate does not restore all from the
    result.
    """
    mappings = tuple(PathMapping.parse(m) for m in asked.map_path or ())
    writes = asked.for_head is None or asked.write
    if writes and asked.out is None:
        raise UsageError("savepoint rewrite: say where the result goes, with --out FOLDER")
    if asked.for_head is None and (asked.base is not None or asked.write):
        raise UsageError("savepoint rewrite: --base and --write belong to --for REV")
    with waiting("rewriting the savepoint"):
        savepoint = read_for_rewriting(asked.path, mappings, headers=asked.for_head is not None)
        job = None if asked.for_head is None else _candidate(asked, asked.for_head, savepoint)
        rewriting = plan_rewriting(
            savepoint,
            Asked(moves=asked.move or (), drops=asked.drop or (), max_parallelism=asked.max_parallelism or ()),
            () if job is None else certain_moves(savepoint, job, _known(asked, job)),
        )
        attempt = None if job is None else judge_rewritten(savepoint, rewriting, job)
        if not rewriting and attempt is None:
            raise UsageError("savepoint rewrite: nothing to do: give --move, --drop, --max-parallelism or --for")
        print("\n".join(map(visible, changes_of(savepoint, rewriting))) if rewriting else "nothing to rewrite")
        if writes and rewriting and asked.out is not None and _starts(attempt):
            write_rewriting(savepoint, asked.path, asked.out, rewriting, mappings, copy=asked.copy)
            print(f"wrote {masked(asked.out)}", file=sys.stderr)
    for name in in_flight(savepoint, rewriting) if attempt is None else ():
        print(
            visible(
                f"{name} has in-flight data, which Flink finds at the same place of a chain only: --for REV judges it"
            ),
            file=sys.stderr,
        )
    for reason in savepoint.files.unreachable if savepoint.files else ():
        print(f"not looked for: {reason}", file=sys.stderr)
    if attempt is not None:
        print(visible(f"{WORDS[Verdict(attempt.verdict)]}  {attempt.pipeline}: {attempt.message}"))
        for message in attempt.also:
            print(visible(f"  then: {message}"))
        for silent in _losses(attempt):
            print(visible(f"  {silent.severity} [{silent.rule}] {silent.message}"))
        if not writes and rewriting:
            print("nothing is written yet: add --out FOLDER --write", file=sys.stderr)
        if not _starts(attempt):
            if writes:
                print("nothing was written: the candidate would not start whole from the result", file=sys.stderr)
            raise typer.Exit(1)


def _losses(attempt: Attempt) -> list[RestoreWarning]:
    """What is lost; a state that nothing reads is lost by the candidate, however the savepoint is rewritten."""
    errors = [silent for silent in attempt.warnings if silent.severity is Severity.ERROR]
    return [error for error in errors if error.rule is not WarningRule.STATE_ORPHANED]


def _starts(attempt: Attempt | None) -> bool:
    """Whether the candidate restores all from the result; where none is asked for, nobody knows better."""
    return attempt is None or (attempt.verdict is Verdict.RESTORES and not _losses(attempt))


def _candidate(asked: RewriteOptions, head: str, savepoint: Savepoint) -> CandidateJob:
    """The pipeline that is to start from the savepoint. Raises UsageError."""
    return paired(savepoint, NamedSavepoint(path=asked.path), _candidates(asked, head))


def _known(asked: RewriteOptions, job: CandidateJob) -> dict[OperatorId, OperatorId]:
    if asked.base is None or asked.for_head is None:
        return {}
    return certain_successors(asked.repo, asked.base, asked.for_head, job.name, asked.overrides)
