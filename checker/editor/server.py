"""A language server: operator ids while typing, what an unsaved edit would lose, and the repair as a code action."""

from __future__ import annotations

import asyncio
import difflib
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.server import LanguageServer

from checker import __version__
from checker.editor.looking import Editing, explained
from checker.editor.showing import Hint, Problem, hints, problems
from checker.errors import CheckerError
from checker.model.findings import Severity
from checker.revisions import Repository

QUIET_SECONDS = 0.1
"""After the last key before a file is looked at, where key follows key."""
PAUSE_SECONDS = 1.0
"""After which a change comes alone, like one that was pasted, and is looked at immediately."""
ENDINGS = (".java", ".py", ".sql", ".yaml", ".yml", ".json", ".jsonl")
T = TypeVar("T")
REPAIR, SILENCE = "Keep the state: make savepoint-checker's repair", "Silence this finding here, with a reason"
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.INFO: lsp.DiagnosticSeverity.Information,
}


@dataclass
class _Seen:
    """What was found the last time that a document was looked at."""

    hints: tuple[Hint, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass
class _State:
    editings: dict[Path, Editing] = field(default_factory=dict)
    seen: dict[str, _Seen] = field(default_factory=dict)
    waiting: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    changed: dict[str, float] = field(default_factory=dict)
    """When a document was last changed, in seconds of the loop's clock."""
    judge: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(max_workers=1))
    """One look at a time, also where nobody waits for the last one any more: repositories are read by one thread."""

    def run(self, work: Callable[[str], T], path: str) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self.judge, work, path)


def make_server() -> LanguageServer:
    """The server, not yet started."""
    logging.getLogger("pygls").setLevel(logging.ERROR)
    server = LanguageServer("savepoint-checker", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
    state = _State()

    def place_of(uri: str) -> tuple[Editing, str] | None:
        """The repository of a document and its path in it; None where it has none or is of no interest."""
        name = uris.to_fs_path(uri)
        if name is None or not name.endswith(ENDINGS):
            return None
        file = Path(name).resolve()
        for top, editing in state.editings.items():
            if file.is_relative_to(top):
                return editing, file.relative_to(top).as_posix()
        try:
            repository = Repository(file.parent)
        except CheckerError:
            return None
        top = repository.top.resolve()
        return state.editings.setdefault(top, Editing(repository)), file.relative_to(top).as_posix()

    async def look(uri: str) -> None:
        found = place_of(uri)
        if found is None:
            return
        editing, path = found
        try:
            pipelines = await state.run(editing.look, path)
        except Exception as error:  # nothing may look as if all were well
            state.seen.pop(uri, None)
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, [_not_judged(explained(error))]))
            return
        state.seen[uri] = _Seen(hints(pipelines, path), problems(pipelines, path))
        server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, [_diagnostic(problem) for problem in state.seen[uri].problems])
        )
        about = server.client_capabilities.workspace
        if about and about.inlay_hint and about.inlay_hint.refresh_support:
            # Nobody waits for the answer: one that comes after the next key has ended this look is an error to pygls.
            server.workspace_inlay_hint_refresh(None)

    def soon(uri: str, seconds: float = 0) -> None:
        async def later() -> None:
            await asyncio.sleep(seconds)
            await look(uri)

        no_more(uri)
        state.waiting[uri] = asyncio.ensure_future(later())

    def no_more(uri: str) -> None:
        earlier = state.waiting.pop(uri, None)
        if earlier is not None:
            earlier.cancel()

    def edited(uri: str, text: str) -> None:
        found = place_of(uri)
        if found is not None:
            found[0].unsaved[found[1]] = text.encode("utf-8")

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        edited(params.text_document.uri, params.text_document.text)
        soon(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        edited(uri, server.workspace.get_text_document(uri).source)
        now = asyncio.get_running_loop().time()
        alone = now - state.changed.get(uri, 0) > PAUSE_SECONDS
        state.changed[uri] = now
        soon(uri, 0 if alone else QUIET_SECONDS)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        soon(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        found = place_of(uri)
        if found is not None:
            found[0].unsaved.pop(found[1], None)
        no_more(uri)
        state.seen.pop(uri, None)
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def inlay_hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        lines = server.workspace.get_text_document(params.text_document.uri).lines
        return [
            lsp.InlayHint(
                position=lsp.Position(hint.line - 1, len(lines[hint.line - 1].rstrip("\r\n"))),
                label=hint.label,
                tooltip=lsp.MarkupContent(lsp.MarkupKind.Markdown, hint.about),
                padding_left=True,
            )
            for hint in _seen(params.text_document.uri).hints
            if hint.line <= len(lines) and params.range.start.line < hint.line <= params.range.end.line + 1
        ]

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        line = params.position.line + 1
        here = [hint.about for hint in _seen(params.text_document.uri).hints if hint.line == line]
        here += [f"{p.severity.value}: {p.message}" for p in _seen(params.text_document.uri).problems if p.line == line]
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join(here))) if here else None

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    async def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        found = place_of(uri)
        lines = range(params.range.start.line + 1, params.range.end.line + 2)
        here = [problem for problem in _seen(uri).problems if problem.line in lines]
        if found is None or not here:
            return []
        editing, path = found
        offered = [_silenced(uri, problem, server.workspace.get_text_document(uri).lines) for problem in here]
        try:
            texts = await state.run(editing.repairs, path)
        except CheckerError:
            texts = {}
        if texts:
            changes = {
                (target := uris.from_fs_path(str(editing.repository.top / file)) or ""): _edits(
                    server.workspace.get_text_document(target).source, text
                )
                for file, text in texts.items()
            }
            offered.insert(
                0,
                lsp.CodeAction(
                    title=REPAIR,
                    kind=lsp.CodeActionKind.QuickFix,
                    diagnostics=[_diagnostic(problem) for problem in here],
                    edit=lsp.WorkspaceEdit(changes=changes),
                    is_preferred=True,
                ),
            )
        return [action for action in offered if action is not None]

    def _seen(uri: str) -> _Seen:
        return state.seen.get(uri, _Seen())

    return server


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


def _silenced(uri: str, problem: Problem, lines: Any) -> lsp.CodeAction | None:
    if problem.comment is None or problem.line > len(lines):
        return None
    indent = lines[problem.line - 1][: len(lines[problem.line - 1]) - len(lines[problem.line - 1].lstrip())]
    start = lsp.Position(problem.line - 1, 0)
    edit = lsp.TextEdit(lsp.Range(start, start), f"{indent}{problem.comment}\n")
    return lsp.CodeAction(
        title=f"{SILENCE}: {problem.rule}",
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(problem)],
        edit=lsp.WorkspaceEdit(changes={uri: [edit]}),
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
