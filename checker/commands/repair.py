"""``repair``: the edits that keep state restorable."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from checker.commands import options
from checker.engines import choice
from checker.engines.progress import counted, waiting
from checker.errors import UsageError
from checker.files_below import FilesBelow
from checker.model.nested import gathered
from checker.model.pipelines import Reason
from checker.report.presentable import complain
from checker.report.wording import listed, plural
from checker.revisions import WORKTREE, Repository
from checker.workflows.check.comparing_revisions import Asked, plan_check, run_check
from checker.workflows.repairing import PipelineRepair, combined, plan_pipeline

_MOST_NAMES = 8
"""Pipelines that are named of those that could not be read for one reason."""


@dataclass(frozen=True, kw_only=True)
class RepairOptions(options.WhatIsGiven):
    """What ``repair`` is asked."""

    repo: Path = Path(".")
    base: str | None = None
    head: str = WORKTREE
    pipeline: list[str] | None = None
    add_uids: bool = False
    write: bool = False


def repair(asked: RepairOptions) -> None:
    """Show the smallest edits after which all state restores, as a diff; --write applies them.

    Every edit is verified: the pipeline is read again with it and compared. State that no edit can keep is listed,
    with the command that rewrites the savepoint if that helps. The diff goes to stdout, explanations to stderr.

    \b
    savepoint-checker repair --base v1.4.0              show the edits
    savepoint-checker repair --base v1.4.0 --write      make them
    savepoint-checker repair --add-uids                 readable uids for whole jobs

    Exit code: 0 when check passes with the edits, 1 when something is left to do by hand or can't be kept.
    """
    if asked.write and asked.head != WORKTREE:
        raise UsageError(f"--write changes files of the work tree: leave --head {asked.head} out")
    with waiting("looking for pipelines"):
        what = Asked(
            pipelines=tuple(asked.pipeline or ()),
            overrides=asked.overrides,
            only_source="edits are made in the source, so repair reads it",
            whole_branch=asked.head == WORKTREE,
        )
        plan = plan_check(asked.repo, asked.base, asked.head, what)
        found = []
        for done, name in enumerate(plan.names):
            counted("repairing pipelines", done, len(plan.names))
            found.append(plan_pipeline(plan, name, add_uids=asked.add_uids))
    written = combined(found)
    contents = written.contents(plan.head_files)
    repaired = plan_check(asked.repo, asked.base, asked.head, replace(what, unsaved=contents)) if contents else plan
    blocked = bool(run_check(repaired, choice.judge_pipelines)["blocking"])
    idle = [pipeline for pipeline in found if pipeline.idle]
    for pipeline in found:
        if pipeline.failure is None and (pipeline not in idle or len(found) == 1):
            _explain(pipeline, plan.reasons.get(pipeline.name))
    for why, names in gathered((p.failure, p.name) for p in found if p.failure is not None).items():
        complain(f"{listed(names, _MOST_NAMES)}: could not be read: {why}")
    if idle and len(found) > 1:
        complain(f"{plural(len(idle), 'pipeline')}: nothing to repair")
    sys.stdout.write(written.diff(plan.head_files))
    if asked.write:
        below = FilesBelow(Repository(asked.repo).top)
        for path, content in contents.items():
            options.write_below(below, path, content, path)
            complain(f"wrote {path}")
    if not found:
        complain("no pipelines found")
    if blocked and all(p.complete for p in found):
        complain("check still finds what no edit of ids mends")
    if blocked or not all(p.complete for p in found):
        raise typer.Exit(1)


def _explain(found: PipelineRepair, reason: Reason | None) -> None:
    """What is done for each operator, and what is not, on stderr."""
    if reason is not None:
        complain(f"{found.name}: read from source: {reason.why}")
    if not found.repairs:
        left = f" by ids: look at the states of {', '.join(map(repr, found.states))} (check)" if found.states else ""
        complain(f"{found.name}: nothing to repair{left}")
    else:
        complain(f"{found.name}:")
    for repair in found.repairs:
        complain(f"  {repair.name}: {'' if repair.offered else 'not repaired: '}{repair.reason}")
        if repair.text and not repair.offered:
            complain("".join(f"    {line}\n" for line in repair.text.splitlines()).rstrip("\n"))
    for edit, why in found.written.by_hand:
        complain(f"  by hand, {edit.transformation}: {edit.field} {edit.value!r}: {why}")
