"""``check``: compare two revisions."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from checker.commands import option, options
from checker.engines.choice import choose_engine
from checker.engines.progress import waiting
from checker.errors import ExtractionError, UsageError
from checker.files_below import content_of
from checker.model.findings import Severity
from checker.report.check.document import lacks_means
from checker.report.formats import Report
from checker.report.wording import listed
from checker.settings import FILE
from checker.workflows.check.both_configurations import Manifests
from checker.workflows.check.comparing_revisions import Asked, flink_without_jobs, plan_check, run_check

EngineName = Annotated[str | None, option("check.EngineName")]
ManifestsOfHead = Annotated[list[str] | None, option("check.ManifestsOfHead")]
ManifestsOfBase = Annotated[list[str] | None, option("check.ManifestsOfBase")]
Rehearse = Annotated[bool, option("check.Rehearse")]
FailOn = Annotated[str | None, option("check.FailOn")]
AllowEmpty = Annotated[bool, option("check.AllowEmpty")]


@dataclass(frozen=True, kw_only=True)
class CheckOptions(options.WhatIsGiven, options.WhatMayRun, options.WhereSparkRuns, options.WhereItIsTold):
    """What ``check`` is asked."""

    repo: options.Repo = Path(".")
    base: options.Base = None
    head: options.Head = "HEAD"
    pipeline: options.Pipelines = None
    manifests: ManifestsOfHead = None
    base_manifests: ManifestsOfBase = None
    engine: EngineName = None
    allow_exec_of_head: options.AllowExecOfHead = False
    built_jar: options.BuiltJars = None
    rehearse: Rehearse = False
    output_format: options.Format = None
    output: options.Output = None
    fail_on: FailOn = None
    allow_empty: AllowEmpty = False
    verbose: options.Verbose = False


@options.options_of(CheckOptions)
def check(asked: CheckOptions) -> None:
    """Compare two revisions: which state restores, which is lost, which lands in the wrong operator, and why.

    \b
    savepoint-checker check                              this branch against the default branch
    savepoint-checker check --base v1.4.0 --output report.html
    savepoint-checker check --head :index --engine in-process
    """
    if asked.fail_on is not None and asked.fail_on not in (*Severity, "never"):
        raise UsageError(f"--fail-on {asked.fail_on}: must be error, warning, info or never")
    tell = asked.teller(Report.CHECK, verbose=asked.verbose)
    run = choose_engine(asked.engine, master=asked.spark_master, remote=asked.spark_remote, verbose=asked.verbose)
    with waiting("looking for pipelines"):
        plan = plan_check(
            asked.repo,
            asked.base,
            asked.head,
            Asked(
                pipelines=tuple(asked.pipeline or ()),
                overrides=asked.overrides,
                fail_on="configured" if asked.fail_on is None else None if asked.fail_on == "never" else asked.fail_on,
                execution=replace(
                    asked.execution,
                    built_jars=options.built_jars(asked.built_jar, head=asked.head, allow_exec=asked.allow_exec),
                    rehearse=asked.rehearse,
                ),
                trust_head=asked.allow_exec_of_head,
                manifests=_given(asked.manifests, asked.base_manifests),
            ),
        )
        report = run_check(plan, run)
    tell(report)
    if report["blocking"]:
        raise typer.Exit(2 if lacks_means(report) else 1)
    missed = () if asked.allow_empty else flink_without_jobs(plan, report)
    if missed:
        raise ExtractionError(
            f"nothing was checked: {listed(missed, 3)} {'use' if len(missed) > 1 else 'uses'} Flink, and no job was "
            f"found. Name the class or script that starts one as 'main' under [[pipeline]] in {FILE}, or accept this "
            "with --allow-empty"
        )


def _given(head: list[str] | None, base: list[str] | None) -> Manifests:
    """Rendered manifests of both revisions. Raises UsageError for a file that can't be read."""
    if [*(head or ()), *(base or ())].count("-") > 1:
        raise UsageError("--manifests -: standard input can be read once only")
    if base and not head:
        raise UsageError("--base-manifests: give the head's, too, with --manifests")
    return Manifests(_read(head or ()), _read(base) if base else None)


def _read(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name if name != "-" else "stdin", _text(name)) for name in names)


def _text(name: str) -> str:
    if name == "-":
        return sys.stdin.read()
    try:
        return content_of(name).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"--manifests {name}: can't be read: {error.strerror}") from None
