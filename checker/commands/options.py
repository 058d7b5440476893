"""Options that several commands share, spelled and explained once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from checker.errors import UsageError
from checker.files_below import FilesBelow, placed
from checker.revisions import WORKTREE
from checker.settings import DEFAULTS, Overrides

Repo = Annotated[
    Path, typer.Option("--repo", metavar="FOLDER", help="A folder inside the git repository.", show_default="here")
]
Base = Annotated[
    str | None,
    typer.Option(
        "--base",
        metavar="REV",
        help="Revision to compare with: commit, branch, tag, or tag:PATTERN for the newest tag that matches. "
        "[default: the merge base with the default branch]",
        show_default=False,
    ),
]
Head = Annotated[
    str, typer.Option("--head", metavar="REV", help="Revision to judge; also :index (staged) and :worktree (on disk).")
]
Pipelines = Annotated[
    list[str] | None, typer.Option("--pipeline", metavar="NAME", help="Only this pipeline (repeatable, globs allowed).")
]
Flink = Annotated[
    str | None,
    typer.Option("--flink", metavar="VERSION", help="Flink version whose rules apply, e.g. 1.20; wins over the rest."),
]
Parallelism = Annotated[
    int | None,
    typer.Option("--parallelism", min=1, metavar="N", help="Default parallelism that the deployment passes."),
]
Args = Annotated[
    list[str] | None,
    typer.Option("--arg", metavar="KEY=VALUE", help="Program argument or configuration value (repeatable)."),
]
Unset = Annotated[
    list[str] | None,
    typer.Option("--unset", metavar="NAME", help="An argument or environment variable that is not given (repeatable)."),
]
Assume = Annotated[
    str | None,
    typer.Option(
        "--assume",
        metavar="WHAT",
        help="defaults: values that are not known count as not given, the default parallelism is 1. Reports say so.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="FORMAT", help="text, json, markdown, html, sarif, junit, github or gitlab on stdout."
    ),
]
Output = Annotated[
    list[Path] | None,
    typer.Option(
        "--output",
        metavar="FILE",
        help="Also write this file, in the format of its ending: .json .md .html .sarif .xml .txt (repeatable).",
    ),
]
PageFormat = Annotated[
    str | None, typer.Option("--format", metavar="FORMAT", help="text, json, markdown or html on stdout.")
]
PageOutput = Annotated[
    list[Path] | None,
    typer.Option(
        "--output",
        metavar="FILE",
        help="Also write this file, in the format of its ending: .json .md .html .txt (repeatable).",
    ),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Say more: every note in the text, and Spark's own log on stderr.")
]
SparkMaster = Annotated[
    str, typer.Option("--spark-master", metavar="URL", help="Spark master, e.g. local[*] or spark://host:7077.")
]
SparkRemote = Annotated[
    str | None, typer.Option("--spark-remote", metavar="URL", help="A Spark Connect server, e.g. sc://host:15002.")
]
AllowExec = Annotated[
    bool,
    typer.Option(
        "--allow-exec",
        help="Build and run the programs of pipelines that configure how (build or jars). Never for forks.",
    ),
]

AllowExecOfHead = Annotated[
    bool,
    typer.Option(
        "--allow-exec-of-head",
        help="With --allow-exec: also run what only the head's configuration asks for. Never for forks.",
    ),
]
BuiltJars = Annotated[
    list[Path] | None,
    typer.Option(
        "--built-jar",
        metavar="FILE",
        help="With --allow-exec and --head :worktree: a jar that was just built of the work tree, so that only the "
        "base is built (repeatable).",
    ),
]
FlinkHome = Annotated[
    Path | None,
    typer.Option("--flink-home", metavar="FOLDER", help="A Flink distribution for --allow-exec; else downloaded."),
]
ExecTimeout = Annotated[
    float,
    typer.Option(
        "--exec-timeout", metavar="SECONDS", min=1, help="With --allow-exec: how long a program may take to its job."
    ),
]
Twice = Annotated[
    bool, typer.Option("--twice", help="With --allow-exec: run each program twice and report ids that differ.")
]


def overrides(
    flink: str | None,
    parallelism: int | None,
    arg: list[str] | None,
    unset: list[str] | None = None,
    assume: str | None = None,
) -> Overrides:
    """What these options say together. Raises UsageError."""
    if assume not in (None, DEFAULTS):
        raise UsageError(f"--assume {assume}: only '{DEFAULTS}' can be assumed")
    return Overrides(
        flink=flink,
        parallelism=parallelism,
        values=_values_of(arg or []),
        unset=tuple(unset or ()),
        assume_defaults=assume is not None,
    )


def _values_of(arguments: list[str]) -> tuple[tuple[str, str], ...]:
    """``KEY=VALUE`` texts as pairs. Raises UsageError."""
    pairs = []
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or not key:
            raise UsageError(f"--arg {argument}: must be KEY=VALUE, for example --arg env=prod")
        pairs.append((key.lstrip("-"), value))
    return tuple(pairs)


def built_jars(jars: list[Path] | None, *, head: str, allow_exec: bool) -> tuple[Path, ...]:
    """What ``--built-jar`` names. Raises UsageError where it could say nothing, or names no file."""
    if jars and (not allow_exec or head != WORKTREE):
        raise UsageError(f"--built-jar {jars[0]}: needs --allow-exec and --head {WORKTREE}")
    for jar in jars or ():
        if not jar.is_file():
            raise UsageError(f"--built-jar {jar}: no such file; build it first")
    return tuple(jar.absolute() for jar in jars or ())


def write(path: Path, text: str) -> None:
    """Write a result file whole or not at all. Raises UsageError."""
    below, name = placed(path)
    write_below(below, name, text.encode("utf-8", "backslashreplace"), path)


def write_below(below: FilesBelow, name: str, content: bytes, shown: Path | str) -> None:
    """Write a file whole or not at all, with the permissions it has. Raises UsageError."""
    try:
        below.replace(name, content)
    except OSError as error:
        raise UsageError(f"{shown}: can't be written: {error.strerror}") from None
