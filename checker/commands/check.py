"""``check``: compare two revisions."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import typer

from checker.commands import options
from checker.engines.choice import choose_engine
from checker.engines.progress import waiting
from checker.errors import ExtractionError, UsageError
from checker.model.findings import Severity
from checker.report.check.document import lacks_means
from checker.report.formats import Report
from checker.report.wording import listed
from checker.settings import FILE
from checker.workflows.check.both_configurations import Manifests
from checker.workflows.check.comparing_revisions import Asked, flink_without_jobs, plan_check, run_check


@dataclass(frozen=True, kw_only=True)
class CheckOptions(options.WhatIsGiven, options.WhatMayRun, options.WhereSparkRuns, options.WhereItIsTold):
    """What ``check`` is asked."""

    repo: Path = Path(".")
    base: str | None = None
    head: str = "HEAD"
    pipeline: list[str] | None = None
    manifests: list[str] | None = None
    base_manifests: list[str] | None = None
    engine: str | None = None
    allow_exec_of_head: bool = False
    output_format: str | None = None
    output: list[Path] | None = None
    fail_on: str | None = None
    allow_empty: bool = False
    verbose: bool = False


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
                execution=asked.execution,
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
    return tuple(("stdin" if n == "-" else n, options.text_of(n, named=f"--manifests {n}")) for n in names)
