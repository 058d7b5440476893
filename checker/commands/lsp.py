"""``lsp``: a language server for editors."""

from __future__ import annotations

from importlib.util import find_spec

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
