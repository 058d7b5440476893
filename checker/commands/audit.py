"""``audit``: every step of a history, or of a fleet's histories; ``ask``: questions to the datasets that it keeps."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from checker.commands import options
from checker.engines.choice import without_spark
from checker.engines.progress import counted, waiting
from checker.errors import UsageError
from checker.report.formats import Report, format_of, renderer
from checker.workflows.audit.planning import Asked, audited, conditions_of, fleet, members_of

if TYPE_CHECKING:
    from checker.workflows.audit.auditing import AuditEngine


_FAILING: Final[dict[str, tuple[str, ...]]] = {"never": (), "broke": ("broke",), "undecided": ("broke", "undecided")}
"""What ``--fail-on`` says → the verdicts that end with exit code 1."""


@dataclass(frozen=True, kw_only=True)
class AuditOptions(options.WhereSparkRuns, options.WhereItIsTold):
    """What ``audit`` is asked."""

    repo: Path = Path(".")
    range_: str | None = None
    tags: str | None = None
    fleet_file: Path | None = None
    what_if: list[str] | None = None
    head: str = "HEAD"
    pipeline: list[str] | None = None
    data: str | None = None
    engine: str | None = None
    fail_on: str | None = None
    verbose: bool = False


def audit(asked: AuditOptions) -> None:
    """Find the commits that changed, broke or repaired state, in one repository's history or in a fleet's.

    \b
    savepoint-checker audit --range v1.0..HEAD
    savepoint-checker audit --tags 'v*' --data audit/ --output audit.html
    savepoint-checker audit --what-if flink=2.3 --what-if parallelism=8
    savepoint-checker audit --fleet fleet.toml --range HEAD~50..HEAD
    savepoint-checker audit --fleet fleet.toml --what-if flink=2.3 --output upgrade.html
    """
    if (failing := _FAILING.get(asked.fail_on or "broke")) is None:
        raise UsageError(f"--fail-on {asked.fail_on}: of an audit must be broke, undecided or never")
    tell = asked.teller(Report.AUDIT)
    what = Asked(range=asked.range_, tags=asked.tags, what_if=conditions_of(asked.what_if or []), head=asked.head)
    if what.nothing and asked.fleet_file is None:
        raise UsageError("say what to audit: --range A..B, --tags PATTERN, --what-if flink=VERSION, or --fleet FILE")
    members = [] if asked.fleet_file is None else members_of(asked.fleet_file)
    _needs_arrow()
    from checker.workflows.audit.auditing import run_audit
    from checker.workflows.audit.datasets import datasets

    with waiting("reading the history"), ExitStack() as stack:
        repositories = [] if members else [audited(None, asked.repo, what)]
        on_spark = not without_spark(asked.engine or "spark", asked.spark_remote)
        folder = asked.data or stack.enter_context(tempfile.TemporaryDirectory(prefix="savepoint-checker-"))
        kept = stack.enter_context(datasets(folder))
        repositories += fleet(members, what)  # not beside Spark's start, for which our variables are others
        runner = stack.enter_context(_engine(asked, on_spark))
        document = run_audit(repositories, runner, kept, pipelines=tuple(asked.pipeline or ()), progress=counted)
    tell(document)
    if document["counts"]["unreadable_repositories"]:
        print("some repositories could not be read", file=sys.stderr)
        raise typer.Exit(2)
    if document["verdict"] in failing:
        raise typer.Exit(1)


def _needs_arrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise UsageError("audits need pyarrow: pip install 'savepoint-checker[spark]'") from None


@contextmanager
def _engine(asked: AuditOptions, on_spark: bool) -> Iterator[AuditEngine]:
    if on_spark:
        from checker.engines.spark.session import spark_run
        from checker.engines.spark.work import SparkAudit

        with spark_run(master=asked.spark_master, remote=asked.spark_remote, verbose=asked.verbose) as run:
            yield SparkAudit(run)
    else:
        from checker.engines.choice import InProcessAudit

        yield InProcessAudit()


QUESTIONS = ("without-uid", "breaks", "upgrades", "trend")
"""What may be asked. The module that answers needs pyarrow to be imported."""


def ask(question: str, data: str, output_format: str | None = None, output: list[Path] | None = None) -> None:
    """Ask the datasets of audits: a table as text, JSON, Markdown or HTML.

    \b
    savepoint-checker ask without-uid --data audit/      stateful operators that have no uid now
    savepoint-checker ask breaks --data audit/           commits that broke state, and who repaired it
    savepoint-checker ask trend --data audit/ --output trend.html
    savepoint-checker ask upgrades --data audit/         which jobs 'audit --what-if flink=2.3' found to lose state
    """
    if question not in QUESTIONS:
        raise UsageError(f"ask {question}: must be one of {', '.join(QUESTIONS)}")
    _needs_arrow()
    from checker.workflows.audit import questions
    from checker.workflows.audit.datasets import datasets

    if not (Path(data) / "ledger").is_dir():
        raise UsageError(f"--data {data}: no audit was kept here; 'audit --data {data}' does that")
    show = renderer(Report.ANSWER, output_format or "text", sys.stdout)
    files = [(path, renderer(Report.ANSWER, format_of(Report.ANSWER, path))) for path in output or []]
    with datasets(data) as kept:
        answer = questions.ask(kept, question)
    for path, render in files:
        options.write(path, render(answer))
    sys.stdout.write(show(answer))
