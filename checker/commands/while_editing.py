"""What runs while a person edits: ``hook`` before a commit or a push, and ``lsp`` behind an editor."""

from importlib.util import find_spec
from pathlib import Path

import typer

from checker.commands.git_hooks import run_hook
from checker.errors import UsageError


def lsp() -> None:
    """Serve editors over the Language Server Protocol, on stdin and stdout.

    Editors start it themselves. It shows the operator id and uid of the line, warns while typing when an unsaved edit
    would move state against HEAD, says why on hover, and offers the repair as a code action. Needs
    savepoint-checker[editor].
    """
    if find_spec("pygls") is None:
        raise UsageError("the language server needs pygls: pip install 'savepoint-checker[editor]'")
    from checker.editor.server import make_server

    make_server().start_io()


def hook(stage: str, arguments: list[str] | None = None, repo: Path = Path(".")) -> None:
    """Do the work of a git hook, in this process: pre-commit or pre-push.

    \b
    savepoint-checker hook pre-commit               what is staged against HEAD
    savepoint-checker hook pre-push origin URL      compares the remote branch with what is pushed
    """
    code = run_hook(stage, repo)
    if code:
        raise typer.Exit(code)
