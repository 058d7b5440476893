"""A language server: operator ids while typing, what an unsaved edit would lose, and the repair as a code action."""

import asyncio
import difflib
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.server import LanguageServer

from checker import __version__
from checker.editor.looking import Editing, Hint, Problem, explained, hints, problems
from checker.errors import CheckerError
from checker.model.findings import Severity
from checker.revisions import Repository

QUIET_SECONDS = 0.1
"""After the last key before a file is looked at."""
ENDINGS = (".java", ".py", ".sql", ".yaml", ".yml", ".json", ".jsonl")
T = TypeVar("T")
REPAIR = "Keep the state: make savepoint-checker's repair"
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.INFO: lsp.DiagnosticSeverity.Information,
}


Seen = tuple[tuple[Hint, ...], tuple[Problem, ...]]
"""What was found the last time that a document was looked at."""


class Server(LanguageServer):
    """The protocol's server, with what it knows of every document."""

    def __init__(self) -> None:
        super().__init__("savepoint-checker", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.editings: dict[Path, Editing] = {}
        self.seen: dict[str, Seen] = {}
        self.waiting: dict[str, asyncio.Task[None]] = {}
        self.judge = ThreadPoolExecutor(max_workers=1)
        """One look at a time, also where nobody waits for the last one any more: one thread reads repositories."""

    def run(self, work: Callable[[str], T], path: str) -> asyncio.Future[T]:
        """What ``work`` makes of a path, in the thread that reads repositories."""
        return asyncio.get_running_loop().run_in_executor(self.judge, work, path)

    def place_of(self, uri: str) -> tuple[Editing, str] | None:
        """The repository of a document and its path in it; None where it has none or is of no interest."""
        name = uris.to_fs_path(uri)
        if name is None or not name.endswith(ENDINGS):
            return None
        file = Path(name).resolve()
        for top, editing in self.editings.items():
            if file.is_relative_to(top):
                return editing, file.relative_to(top).as_posix()
        try:
            repository = Repository(file.parent)
        except CheckerError:
            return None
        top = repository.top.resolve()
        return self.editings.setdefault(top, Editing(repository)), file.relative_to(top).as_posix()

    async def look(self, uri: str) -> None:
        """Judge a document as it is now, and publish what was found."""
        found = self.place_of(uri)
        if found is None:
            return
        editing, path = found
        try:
            pipelines = await self.run(editing.look, path)
        except Exception as error:  # nothing may look as if all were well
            self.seen.pop(uri, None)
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, [_not_judged(explained(error))]))
            return
        self.seen[uri] = hints(pipelines, path), problems(pipelines, path)
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, [_diagnostic(problem) for problem in self.seen[uri][1]])
        )
        about = self.client_capabilities.workspace
        if about and about.inlay_hint and about.inlay_hint.refresh_support:
            # Nobody waits for the answer: one that comes after the next key has ended this look is an error to pygls.
            self.workspace_inlay_hint_refresh(None)

    def soon(self, uri: str, seconds: float = 0) -> None:
        """Look at a document after a while, in place of an earlier look that still waits."""

        async def later() -> None:
            await asyncio.sleep(seconds)
            await self.look(uri)

        self.no_more(uri)
        self.waiting[uri] = asyncio.ensure_future(later())

    def no_more(self, uri: str) -> None:
        """End a look that waits or goes on."""
        earlier = self.waiting.pop(uri, None)
        if earlier is not None:
            earlier.cancel()

    def edited(self, uri: str, text: str) -> None:
        """Take the editor's text of a document in place of the file's."""
        found = self.place_of(uri)
        if found is not None:
            found[0].unsaved[found[1]] = text.encode("utf-8")

    def lines(self, uri: str) -> Sequence[str]:
        """A document as the editor has it."""
        return self.workspace.get_text_document(uri).lines

    def seen_in(self, uri: str) -> Seen:
        """What the last look found."""
        return self.seen.get(uri, ((), ()))


def make_server() -> Server:
    """The server, not yet started."""
    logging.getLogger("pygls").setLevel(logging.ERROR)
    server = Server()
    for feature, answer in _FEATURES.items():
        server.feature(feature)(answer)
    return server


def _opened(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    ls.edited(params.text_document.uri, params.text_document.text)
    ls.soon(params.text_document.uri)


def _changed(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    uri = params.text_document.uri
    ls.edited(uri, ls.workspace.get_text_document(uri).source)
    ls.soon(uri, QUIET_SECONDS)


def _saved(ls: Server, params: lsp.DidSaveTextDocumentParams) -> None:
    ls.soon(params.text_document.uri)


def _closed(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    found = ls.place_of(uri)
    if found is not None:
        found[0].unsaved.pop(found[1], None)
    ls.no_more(uri)
    ls.seen.pop(uri, None)
    ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def _inlay_hints(ls: Server, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    lines = ls.lines(params.text_document.uri)
    return [
        lsp.InlayHint(
            position=lsp.Position(hint.line - 1, len(lines[hint.line - 1].rstrip("\r\n"))),
            label=hint.label,
            tooltip=lsp.MarkupContent(lsp.MarkupKind.Markdown, hint.about),
            padding_left=True,
        )
        for hint in ls.seen_in(params.text_document.uri)[0]
        if hint.line <= len(lines) and params.range.start.line < hint.line <= params.range.end.line + 1
    ]


def _hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    line = params.position.line + 1
    hints_seen, problems_seen = ls.seen_in(params.text_document.uri)
    here = [hint.about for hint in hints_seen if hint.line == line]
    here += [f"{problem.severity.value}: {problem.message}" for problem in problems_seen if problem.line == line]
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join(here))) if here else None


async def _actions(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    uri = params.text_document.uri
    found = ls.place_of(uri)
    lines = range(params.range.start.line + 1, params.range.end.line + 2)
    here = [problem for problem in ls.seen_in(uri)[1] if problem.line in lines]
    if found is None or not here:
        return []
    editing, path = found
    try:
        texts = await ls.run(editing.repairs, path)
    except CheckerError:
        return []
    targets = {uris.from_fs_path(str(editing.repository.top / file)) or "": text for file, text in texts.items()}
    changes = {target: _edits(ls.workspace.get_text_document(target).source, text) for target, text in targets.items()}
    repair = lsp.CodeAction(
        title=REPAIR,
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(problem) for problem in here],
        edit=lsp.WorkspaceEdit(changes=changes),
        is_preferred=True,
    )
    return [repair] if changes else []


_FEATURES: dict[str, Callable[..., Any]] = {
    lsp.TEXT_DOCUMENT_DID_OPEN: _opened,
    lsp.TEXT_DOCUMENT_DID_CHANGE: _changed,
    lsp.TEXT_DOCUMENT_DID_SAVE: _saved,
    lsp.TEXT_DOCUMENT_DID_CLOSE: _closed,
    lsp.TEXT_DOCUMENT_INLAY_HINT: _inlay_hints,
    lsp.TEXT_DOCUMENT_HOVER: _hover,
    lsp.TEXT_DOCUMENT_CODE_ACTION: _actions,
}
"""pygls hands the server to what names its first parameter ``ls``."""


def _diagnostic(problem: Problem) -> lsp.Diagnostic:
    line = problem.line - 1
    return lsp.Diagnostic(
        range=lsp.Range(lsp.Position(line, 0), lsp.Position(line + 1, 0)),
        severity=_SEVERITIES[problem.severity],
        source="savepoint-checker",
        code=problem.rule,
        message=f"{problem.pipeline}: {problem.message}",
    )


def _not_judged(why: str) -> lsp.Diagnostic:
    """A notice in place of findings, so that their absence is not read as approval."""
    start = lsp.Position(0, 0)
    return lsp.Diagnostic(
        range=lsp.Range(start, lsp.Position(1, 0)),
        severity=lsp.DiagnosticSeverity.Warning,
        source="savepoint-checker",
        code="undecided",
        message=f"this file could not be judged: {why}",
    )


def _edits(before: str, after: str) -> list[lsp.TextEdit]:
    """The lines that differ, as edits."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        lsp.TextEdit(lsp.Range(lsp.Position(i1, 0), lsp.Position(i2, 0)), "".join(new[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]
