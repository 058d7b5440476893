"""``hook``: what git's hooks call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from checker.commands import options
from checker.commands.git_hooks import run_hook

Stage = Annotated[str, typer.Argument(metavar="STAGE", help="pre-commit, pre-push or validate.")]
Rest = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ARGUMENT]...", help="What git or pre-commit gives: a remote and its address, or files."),
]


def hook(stage: Stage, arguments: Rest = None, repo: options.Repo = Path(".")) -> None:
    """Do the work of a git hook, in this process: pre-commit, pre-push, or validate FILE...

    \b
    savepoint-checker hook pre-commit               what is staged against HEAD
    savepoint-checker hook pre-push origin URL      what the remote has against what it gets
    savepoint-checker hook validate FILE...         topology documents and configuration
    """
    code = run_hook(stage, arguments or (), repo)
    if code:
        raise typer.Exit(code)
