"""Options that several commands share, spelled and explained once."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from functools import cache
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from checker.errors import CheckerError, UsageError, defect_message
from checker.files_below import FilesBelow, content_of, placed

if TYPE_CHECKING:
    from checker.extract.runtime.execution import Execution
    from checker.report.formats import Report
    from checker.settings import Overrides


@dataclass(frozen=True, kw_only=True)
class WhatIsGiven:
    """What the deployment is said to give a program, in place of what the repository says."""

    flink: str | None = None
    parallelism: int | None = None
    arg: list[str] | None = None
    unset: list[str] | None = None
    assume: str | None = None

    @property
    def overrides(self) -> Overrides:
        """What these options say together. Raises UsageError."""
        from checker.settings import DEFAULTS, Overrides

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

    allow_exec: bool = False
    flink_home: Path | None = None
    exec_timeout: float = 120.0

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

    spark_master: str = "local[*]"
    spark_remote: str | None = None


@dataclass(frozen=True, kw_only=True)
class WhereItIsTold:
    """The formats and files that a report is wanted in."""

    output_format: str | None = None
    output: list[Path] | None = None

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
                    from checker.report.presentable import complain

                    asked = f"--format {shown}" if path is None else f"--output {path}"
                    complain(f"error: {asked}: not written because of {defect_message(error)}")
                    continue
                if path is None:
                    sys.stdout.write(text)
                else:
                    write(path, text)

        return tell


@cache
def _spelled() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("options.toml").read_text(encoding="utf-8"))


def command_of(name: str, function: Callable[..., None]) -> Callable[..., None]:
    """A command whose options are the parameters of a function, as ``options.toml`` spells and explains them.

    Those of a function that takes a record are the record's fields: its own, then its bases'.
    """
    taken = get_type_hints(function)
    record: Any = next((hint for hint in taken.values() if is_dataclass(hint)), None)
    hints = taken if record is None else get_type_hints(record)
    defaults = {p.name: p.default for p in signature(function if record is None else record).parameters.values()}
    names = list(defaults)
    if record is not None:
        names = list(dict.fromkeys(n for part in record.__mro__ for n in vars(part).get("__annotations__", ())))
    parameters = [
        Parameter(n, Parameter.KEYWORD_ONLY, default=defaults[n], annotation=Annotated[hints[n], _option(name, n)])
        for n in names
    ]

    def command(**given: Any) -> None:
        if record is None:
            function(**given)
        else:
            function(record(**given))

    command.__doc__ = function.__doc__
    vars(command)["__signature__"] = Signature(parameters)
    return command


def _option(command: str, name: str) -> Any:
    spec = dict(_spelled().get(f"{command}.{name}") or _spelled()[name])
    flags = spec.pop("flags", None)
    return typer.Argument(**spec) if flags is None else typer.Option(*flags.split(), **spec)


def _values_of(arguments: list[str]) -> tuple[tuple[str, str], ...]:
    """``KEY=VALUE`` texts as pairs. Raises UsageError."""
    pairs = []
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or not key:
            raise UsageError(f"--arg {argument}: must be KEY=VALUE, for example --arg env=prod")
        pairs.append((key.lstrip("-"), value))
    return tuple(pairs)


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


def text_of(path: Path | str, wrong: type[CheckerError] = UsageError, named: str | None = None) -> str:
    """A text that an option names, ``-`` for what is piped in. Raises an error of this kind, which names the option."""
    shown = named or str(path)
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else content_of(path)
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise wrong(f"{shown}: no such file") from None
    except UnicodeDecodeError as error:
        raise wrong(f"{shown}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except OSError as error:
        raise wrong(f"{shown}: can't be read: {error.strerror}") from None
