"""The command line: every command with its options, and what a usage error says."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import click
from click.exceptions import Exit

from checker import __version__
from checker.cache import VARIABLE, folder_of, use_cache
from checker.commands.command_line import CONTEXT, command_of, option, parameters_of

COMMANDS = {
    "check": "checker.commands.check:check",
    "gate": "checker.commands.gate:gate",
    "audit": "checker.commands.audit:audit",
    "ask": "checker.commands.ask:ask",
    "ids": "checker.commands.ids:ids",
    "extract": "checker.commands.extract:extract",
    "deployments": "checker.commands.deployments:deployments",
    "savepoint": "checker.commands.savepoint:savepoint",
    "repair": "checker.commands.repair:repair",
    "rules": "checker.commands.rules:rules",
    "explain": "checker.commands.rules:explain",
    "init": "checker.commands.init:init",
    "baseline": "checker.commands.baseline:baseline",
    "cache": "checker.commands.cache:cache",
    "spark": "checker.commands.spark:spark",
    "hook": "checker.commands.hook:hook",
    "lsp": "checker.commands.lsp:lsp",
}
"""Command → where it is. A command's modules are imported when it is called: hooks wait for nothing else."""


class _LazyGroup(click.Group):
    """Imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        return command_of(cmd_name, getattr(import_module(module), function))


def _version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        print(f"savepoint-checker {__version__}")
        raise Exit


def _main(
    version: Annotated[
        bool, option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    cache: Annotated[
        str | None,
        option(
            "--cache",
            metavar="FOLDER",
            envvar=VARIABLE,
            show_envvar=True,
            help="Where to keep what earlier runs found out; off = nowhere. [default: in the user's cache folder]",
        ),
    ] = None,
) -> None:
    use_cache(folder_of(cache))


app = _LazyGroup(
    "savepoint-checker",
    callback=_main,
    params=parameters_of(_main),
    help="Tells before you deploy which Apache Flink state restores, which is lost, and which lands in the wrong "
    "operator. Start with: savepoint-checker check",
    no_args_is_help=True,
    context_settings=CONTEXT,
)


def invoke(arguments: list[str]) -> int:
    """Run one command; the exit code. Raises CheckerError, KeyboardInterrupt."""
    try:
        result = app.main(arguments, standalone_mode=False)
    except Exit as stop:
        return int(stop.exit_code)
    except click.ClickException as error:
        error.show()
        return 2
    except click.Abort:
        raise KeyboardInterrupt from None
    return result if isinstance(result, int) else 0
