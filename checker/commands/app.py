"""The typer application: every command with its options, and the texts of usage errors."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core

from checker import __version__
from checker.cache import VARIABLE, folder_of, use_cache
from checker.commands.options import command_of
from checker.errors import did_you_mean

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
    "baseline": "checker.commands.baseline:baseline",
    "cache": "checker.commands.machine:cache",
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
        return typer.main.get_command(lone)

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
        result = typer.main.get_command(app).main(arguments, standalone_mode=False)
    except typer.Exit as stop:
        return int(stop.exit_code)
    except _UsageErrors as error:
        error.show()
        return 2
    except typer.Abort:
        raise KeyboardInterrupt from None
    return result if isinstance(result, int) else 0
