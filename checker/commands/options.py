"""Options that several commands share, spelled and explained once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

from checker.commands import option
from checker.errors import UsageError, defect_message
from checker.files_below import FilesBelow, placed
from checker.revisions import WORKTREE
from checker.settings import DEFAULTS, Overrides

if TYPE_CHECKING:
    from checker.extract.runtime.execution import Execution
    from checker.report.formats import Report

Repo = Annotated[Path, option("Repo")]
Base = Annotated[str | None, option("Base")]
Head = Annotated[str, option("Head")]
Pipelines = Annotated[list[str] | None, option("Pipelines")]
Flink = Annotated[str | None, option("Flink")]
Parallelism = Annotated[int | None, option("Parallelism")]
Args = Annotated[list[str] | None, option("Args")]
Unset = Annotated[list[str] | None, option("Unset")]
Assume = Annotated[str | None, option("Assume")]
Format = Annotated[str | None, option("Format")]
Output = Annotated[list[Path] | None, option("Output")]
PageFormat = Annotated[str | None, option("PageFormat")]
PageOutput = Annotated[list[Path] | None, option("PageOutput")]
Verbose = Annotated[bool, option("Verbose")]
SparkMaster = Annotated[str, option("SparkMaster")]
SparkRemote = Annotated[str | None, option("SparkRemote")]
AllowExec = Annotated[bool, option("AllowExec")]

AllowExecOfHead = Annotated[bool, option("AllowExecOfHead")]
BuiltJars = Annotated[list[Path] | None, option("BuiltJars")]
FlinkHome = Annotated[Path | None, option("FlinkHome")]
ExecTimeout = Annotated[float, option("ExecTimeout")]


@dataclass(frozen=True, kw_only=True)
class WhatIsGiven:
    """What the deployment is said to give a program, in place of what the repository says."""

    flink: Flink = None
    parallelism: Parallelism = None
    arg: Args = None
    unset: Unset = None
    assume: Assume = None

    @property
    def overrides(self) -> Overrides:
        """What these options say together. Raises UsageError."""
        if self.assume not in (None, DEFAULTS):
            raise UsageError(f"--assume {self.assume}: only '{DEFAULTS}' can be assumed")
        return Overrides(
            flink=self.flink,
            parallelism=self.parallelism,
            values=_values_of(self.arg or []),
            unset=tuple(self.unset or ()),
            assume_defaults=self.assume is not None,
        )


@dataclass(frozen=True, kw_only=True)
class WhatMayRun:
    """Whether programs of the repository may be run, and how."""

    allow_exec: AllowExec = False
    flink_home: FlinkHome = None
    exec_timeout: ExecTimeout = 120.0

    @property
    def execution(self) -> Execution:
        """What these options say together, with progress on stderr."""
        from checker.engines.progress import say
        from checker.extract.runtime.execution import Execution

        return Execution(
            allow_exec=self.allow_exec, flink_home=self.flink_home, seconds=self.exec_timeout, progress=say
        )


@dataclass(frozen=True, kw_only=True)
class WhereSparkRuns:
    """The Spark that does the work, where Spark does it."""

    spark_master: SparkMaster = "local[*]"
    spark_remote: SparkRemote = None


@dataclass(frozen=True, kw_only=True)
class WhereItIsTold:
    """The formats and files that a report is wanted in."""

    output_format: PageFormat = None
    output: PageOutput = None

    def teller(self, report: Report, **how: bool) -> Callable[[dict[str, Any]], None]:
        """What writes a document of this kind wherever it is wanted; ``how`` is what its texts know of.

        A format that a defect keeps from being rendered is named on stderr; the others are written all the same.

        Raises UsageError for a format that is unknown.
        """
        from checker.report.formats import format_of, renderer

        shown = self.output_format or "text"
        renderers = [(path, renderer(report, format_of(report, path))) for path in self.output or ()]
        show = renderer(report, shown, sys.stdout, **how)

        def tell(document: dict[str, Any]) -> None:
            for path, render in (*renderers, (None, show)):
                try:
                    text = render(document)
                except Exception as error:
                    asked = f"--format {shown}" if path is None else f"--output {path}"
                    print(f"error: {asked}: not written because of {defect_message(error)}", file=sys.stderr)
                    continue
                if path is None:
                    sys.stdout.write(text)
                else:
                    write(path, text)

        return tell


Record = TypeVar("Record")


def options_of(record: type[Record]) -> Callable[[Callable[[Record], None]], Callable[..., None]]:
    """Make a function of one record a command whose options are the record's fields: its own, then its bases'."""
    hints = get_type_hints(record, include_extras=True)
    defaults = {field.name: field.default for field in fields(record)}  # type: ignore[arg-type]
    names = dict.fromkeys(name for part in record.__mro__ for name in vars(part).get("__annotations__", ()))
    parameters = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if defaults[name] is MISSING else defaults[name],
            annotation=hints[name],
        )
        for name in names
    ]

    def command_of(function: Callable[[Record], None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            function(record(**given))

        command.__doc__ = function.__doc__
        vars(command)["__signature__"] = Signature(parameters)
        return command

    return command_of


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
