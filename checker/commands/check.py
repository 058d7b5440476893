"""``check``: compare two revisions."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from checker.commands import options
from checker.engines.choice import choose_engine
from checker.engines.progress import say, waiting
from checker.errors import UsageError
from checker.extract.runtime.execution import Execution
from checker.model.findings import Severity
from checker.report.formats import Report, format_of, renderer
from checker.workflows.check.comparing_revisions import plan_check, run_check
from checker.workflows.check.rendered import Manifests

EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        help="spark or in-process. Without PySpark or Java: in-process. "
        "[default: spark from 200 pipelines on that have to be read]",
        show_default=False,
    ),
]
ManifestsOfHead = Annotated[
    list[str] | None,
    typer.Option(
        "--manifests",
        metavar="FILE",
        help="What helm template, kustomize build, cdk synth or terraform show -json printed for the head, - for "
        "standard input (repeatable). Without --base-manifests the same holds for the base.",
    ),
]
ManifestsOfBase = Annotated[
    list[str] | None,
    typer.Option("--base-manifests", metavar="FILE", help="The same, rendered of the base (repeatable)."),
]
Rehearse = Annotated[
    bool,
    typer.Option(
        "--rehearse",
        help="Really start each SQL job of the head, and each Java program that may be run, from a savepoint of the "
        "base's, on a cluster of Flink on this machine whose sources emit nothing, and hold Flink's verdict against "
        "ours.",
    ),
]
FailOn = Annotated[
    str | None,
    typer.Option("--fail-on", metavar="SEVERITY", help="Exit 1 from this severity on: error, warning, info, never."),
]


def check(
    repo: options.Repo = Path("."),
    base: options.Base = None,
    head: options.Head = "HEAD",
    pipeline: options.Pipelines = None,
    flink: options.Flink = None,
    parallelism: options.Parallelism = None,
    arg: options.Args = None,
    unset: options.Unset = None,
    assume: options.Assume = None,
    manifests: ManifestsOfHead = None,
    base_manifests: ManifestsOfBase = None,
    engine: EngineName = None,
    spark_master: options.SparkMaster = "local[*]",
    spark_remote: options.SparkRemote = None,
    allow_exec: options.AllowExec = False,
    allow_exec_of_head: options.AllowExecOfHead = False,
    built_jar: options.BuiltJars = None,
    flink_home: options.FlinkHome = None,
    exec_timeout: options.ExecTimeout = 120.0,
    twice: options.Twice = False,
    rehearse: Rehearse = False,
    output_format: options.Format = None,
    output: options.Output = None,
    fail_on: FailOn = None,
    verbose: options.Verbose = False,
) -> None:
    """Compare two revisions: which state restores, which is lost, which lands in the wrong operator, and why.

    \b
    savepoint-checker check                              this branch against the default branch
    savepoint-checker check --base v1.4.0 --output report.html
    savepoint-checker check --head :index --engine in-process
    """
    if fail_on is not None and fail_on not in (*Severity, "never"):
        raise UsageError(f"--fail-on {fail_on}: must be error, warning, info or never")
    show = renderer(Report.CHECK, output_format or "text", sys.stdout, verbose=verbose)
    files = [(path, renderer(Report.CHECK, format_of(Report.CHECK, path))) for path in output or []]
    run = choose_engine(engine, master=spark_master, remote=spark_remote, verbose=verbose)
    with waiting("looking for pipelines"):
        plan = plan_check(
            repo,
            base=base,
            head=head,
            pipelines=tuple(pipeline or ()),
            overrides=options.overrides(flink, parallelism, arg, unset, assume),
            fail_on="configured" if fail_on is None else None if fail_on == "never" else fail_on,
            execution=Execution(
                allow_exec=allow_exec,
                built_jars=options.built_jars(built_jar, head=head, allow_exec=allow_exec),
                flink_home=flink_home,
                seconds=exec_timeout,
                twice=twice,
                rehearse=rehearse,
                progress=say,
            ),
            trust_head=allow_exec_of_head,
            manifests=_given(manifests, base_manifests),
        )
        report = run_check(plan, run)
    for path, render in files:
        options.write(path, render(report))
    sys.stdout.write(show(report))
    if report["blocking"]:
        raise typer.Exit(1)


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
        return Path(name).read_text("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"--manifests {name}: can't be read: {error.strerror}") from None
