"""``savepoint-checker``: the commands, and what every one of them does with errors and exit codes.

Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 could not do the work, 3 a defect of ours,
130 interrupted. Results go to stdout, everything else to stderr.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core

from checker import __version__
from checker.cache import VARIABLE, folder_of, use_cache
from checker.errors import CheckerError, defect_message

_ALLOCATED = 200_000
"""Objects made between two searches for garbage: what a run reads and computes it mostly needs to its end."""
COMMANDS = {
    "check": "checker.commands.check:check",
    "gate": "checker.commands.gate:gate",
    "audit": "checker.commands.audit:audit",
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
    "hook": "checker.commands.hook:hook",
    "lsp": "checker.commands.lsp:lsp",
}
"""Command → where it is. A command's modules are imported when it is called: hooks wait for nothing else."""


class _LazyGroup(typer.core.TyperGroup):
    """Imports a command when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        lone = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=_CONTEXT)
        lone.command(cmd_name)(getattr(import_module(module), function))
        return typer.main.get_command(lone)


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
            help="Where to keep what earlier runs found out; off = nowhere. [default: in the user's cache folder]",
        ),
    ] = None,
) -> None:
    use_cache(folder_of(cache))


_UsageErrors: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
"""What typer raises for a wrong command line: its own class or click's, depending on its release."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and end the process with the right exit code."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run one command; the exit code."""
    gc.set_threshold(_ALLOCATED)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        result = app(arguments, standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except CheckerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except typer.Exit as stop:
        return int(stop.exit_code)
    except _UsageErrors as error:
        error.show()
        return 2
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader (head, less) went away: nothing is left to say, also not at interpreter exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        print(f"error: {defect_message(error)}", file=sys.stderr)
        return 3
    finally:
        use_cache(None)


if __name__ == "__main__":
    main()
