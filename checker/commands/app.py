"""The typer application: every command with its options, and the texts of usage errors.

Values of the command line, read without pydantic: importing it takes longer than most commands.

typer (0.26 and later) has pydantic read every value. A text, a number in digits and a path that is there need no
library; typer itself reads all others, and says what is wrong with them.
"""

import os
import re
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer
import typer.core

from checker import __version__
from checker.cache import VARIABLE, folder_of, use_cache
from checker.commands.options import command_of
from checker.errors import did_you_mean

_NUMBERS = {int: re.compile(r"-?[0-9]{1,15}"), float: re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")}
_LEFT = object()
"""Stands for a value that typer reads."""


def with_plain_values(command: Any) -> Any:
    """A command of typer whose parameters, ``--help`` among them, read plain values themselves."""
    listed = command.get_params

    def get_params(ctx: Any) -> list[Any]:
        parameters: list[Any] = listed(ctx)
        for parameter in parameters:
            typers_own = getattr(type(parameter), "get_runtime_param", None)
            if typers_own is not None:
                parameter.get_runtime_param = partial(_PlainValues, partial(typers_own, parameter))
        return parameters

    command.get_params = get_params
    return command


@dataclass(frozen=True, slots=True)
class _PlainValues:
    """What typer calls to turn the texts of a parameter into its value."""

    typers_own: Any

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:
        """The value of a parameter. Raises what typer raises for one that is wrong."""
        many = param.multiple or param.nargs == -1
        if value is None:
            return () if many else None
        declared, info = param.type_descriptor.annotation, param.type_descriptor.parameter_info
        if many and get_origin(declared) is list and isinstance(value, list | tuple):
            (declared,) = get_args(declared)
            found = [_plain(item, declared, info) for item in value]
            if _LEFT not in found:
                return found
        elif not many and (found := _plain(value, declared, info)) is not _LEFT:
            return found
        return self.typers_own().coerce(value, param=param, ctx=ctx)


def _plain(value: Any, declared: Any, info: Any) -> Any:
    if info.parser is not None:
        return _LEFT
    if declared is str:
        return value if type(value) is str else _LEFT
    if declared in _NUMBERS:
        return _number(value, declared, info)
    if declared is Path:
        return _path(value)
    return _LEFT


def _number(value: Any, declared: type[int] | type[float], info: Any) -> Any:
    if isinstance(value, str) and _NUMBERS[declared].fullmatch(value):
        value = declared(value)
    within = type(value) is declared and (info.min is None or info.min <= value)
    return value if within and (info.max is None or value <= info.max) else _LEFT


def _path(value: Any) -> Any:
    """A path that is there and can be read, or that is not there."""
    return Path(value) if os.access(value, os.R_OK) or not os.path.exists(value) else _LEFT


COMMANDS = {
    "check": "checker.commands.check:check",
    "gate": "checker.commands.gate:gate",
    "audit": "checker.commands.audit:audit",
    "ask": "checker.commands.audit:ask",
    "ids": "checker.commands.reading:ids",
    "extract": "checker.commands.reading:extract",
    "savepoint": "checker.commands.savepoint:savepoint",
    "savepoint rewrite": "checker.commands.savepoint:rewrite",
    "repair": "checker.commands.repair:repair",
    "rules": "checker.commands.rules:rules",
    "explain": "checker.commands.rules:explain",
    "doctor": "checker.commands.doctor:doctor",
    "flink fetch": "checker.commands.machine:fetch",
    "init": "checker.commands.init:init",
    "hook": "checker.commands.while_editing:hook",
    "lsp": "checker.commands.while_editing:lsp",
}
"""Command → where it is. A command's modules are imported when it is called: hooks wait for nothing else."""


class _LazyGroup(typer.core.TyperGroup):
    """Imports a command when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        words = 2 if " ".join(args[:2]) in COMMANDS else 1
        name = " ".join(args[:words])
        full = name if name in COMMANDS else next((known for known in COMMANDS if known.startswith(f"{name} ")), name)
        if full not in COMMANDS:
            ctx.fail(f"No such command '{args[0]}'{did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, [full, *args[words:]])

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        lone = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=_CONTEXT)
        lone.command(cmd_name)(command_of(cmd_name, getattr(import_module(module), function)))
        return with_plain_values(typer.main.get_command(lone))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Every command with its first sentence, as a whole."""
        rows = [(name, self._in_a_sentence(ctx, name)) for name in COMMANDS]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def _in_a_sentence(self, ctx: Any, name: str) -> str:
        about = " ".join((self.get_command(ctx, name).help or "").partition("\n\n")[0].split())
        sentence = about.partition(". ")[0]
        return sentence if sentence.endswith((".", "?")) else f"{sentence}."


_CONTEXT = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    name="savepoint-checker",
    cls=_LazyGroup,
    help="Tells before you deploy which Apache Flink state restores, which is lost, and which lands in the wrong "
    "operator. Start with: savepoint-checker check",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=_CONTEXT,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"savepoint-checker {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    cache: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            envvar=VARIABLE,
            help="Folder for cached results of earlier runs, or off. [default: in the user's cache folder]",
        ),
    ] = None,
) -> None:
    use_cache(folder_of(cache))


_UsageErrors: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
"""What typer raises for a wrong command line: its own class or click's, depending on its release."""


def invoke(arguments: list[str]) -> int:
    """Run one command; the exit code. Raises CheckerError, KeyboardInterrupt."""
    try:
        result = with_plain_values(typer.main.get_command(app)).main(arguments, standalone_mode=False)
    except typer.Exit as stop:
        return int(stop.exit_code)
    except _UsageErrors as error:
        error.show()
        return 2
    except typer.Abort:
        raise KeyboardInterrupt from None
    return result if isinstance(result, int) else 0
