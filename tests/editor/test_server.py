"""The language server, driven by a real client over its stdin and stdout."""

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from checker.editor import server as serving
from checker.editor.looking import Editing
from checker.model.nested import Json
from tests.hooks.conftest import TOP, Scratch, clean_environment

sys.path.insert(0, str(TOP / "examples"))

from make_repository import make_repository

FILE = "src/main/java/com/acme/orders/OrdersJob.java"


CAPABILITIES = lsp.ClientCapabilities(
    workspace=lsp.WorkspaceClientCapabilities(inlay_hint=lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True))
)


class Editor:
    """A client with one open document."""

    def __init__(self, uri: str, text: str) -> None:
        self.client = LanguageClient("tests", "1")
        self.uri, self.text, self.version = uri, text, 1
        self.published: asyncio.Queue[list[lsp.Diagnostic]] = asyncio.Queue()
        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda p: self.published.put_nowait(p.diagnostics))
        self.shown: list[str] = []
        self.client.feature(lsp.WINDOW_SHOW_MESSAGE)(lambda p: self.shown.append(p.message))

        @self.client.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)
        async def handle_refresh(_: None) -> None:
            pass

    async def start(self, folder: Path) -> None:
        env = clean_environment(SAVEPOINT_CHECKER_CACHE=str(folder.parent / "cache"))
        await self.client.start_io(sys.executable, "-m", "checker.cli", "lsp", cwd=folder, env=env)
        await self.client.initialize_async(lsp.InitializeParams(capabilities=CAPABILITIES, root_uri=folder.as_uri()))
        self.client.initialized(lsp.InitializedParams())
        document = lsp.TextDocumentItem(self.uri, "java", self.version, self.text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))

    async def diagnostics(self) -> list[lsp.Diagnostic]:
        return list(await asyncio.wait_for(self.published.get(), 120))

    def type(self, text: str) -> None:
        self.version, self.text = self.version + 1, text
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(self.version, self.uri),
                [lsp.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def hints(self) -> list[lsp.InlayHint]:
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(10_000, 0))
        found = await self.client.text_document_inlay_hint_async(
            lsp.InlayHintParams(lsp.TextDocumentIdentifier(self.uri), whole)
        )
        return list(found or [])

    async def actions(self, diagnostic: lsp.Diagnostic) -> list[lsp.CodeAction]:
        asked = lsp.CodeActionParams(
            lsp.TextDocumentIdentifier(self.uri), diagnostic.range, lsp.CodeActionContext([diagnostic])
        )
        found = await self.client.text_document_code_action_async(asked)
        return [action for action in found or [] if isinstance(action, lsp.CodeAction)]

    def applied(self, action: lsp.CodeAction) -> str:
        """The document's text with the edits of an action."""
        assert action.edit is not None
        assert action.edit.changes is not None
        lines = self.text.splitlines(keepends=True)
        for edit in sorted(action.edit.changes[self.uri], key=lambda e: -e.range.start.line):
            assert edit.range.start.character == edit.range.end.character == 0
            lines[edit.range.start.line : edit.range.end.line] = [edit.new_text]
        return "".join(lines)

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()


@pytest.fixture
def repository(tmp_path: Path) -> Scratch:
    scratch = Scratch(tmp_path / "orders")
    make_repository(scratch.top)
    scratch.git("checkout", "-q", "v1.0.0")
    return scratch


def session(repository: Scratch, steps: Callable[[Editor], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        file = repository.top / FILE
        editor = Editor(file.as_uri(), file.read_text(encoding="utf-8"))
        await editor.start(repository.top)
        try:
            await steps(editor)
        finally:
            await editor.stop()
        assert editor.shown == [], "no error of the server's own pops up"

    asyncio.run(run())


def test_shows_ids_warns_while_typing_and_repairs(repository: Scratch) -> None:
    after = repository.git("show", f"main~1:{FILE}") + "\n"

    async def steps(editor: Editor) -> None:
        assert await editor.diagnostics() == []
        labels = {str(hint.label) for hint in await editor.hints()}
        assert any(label.startswith("no uid · state · ") for label in labels), labels
        editor.type(after)
        found = await editor.diagnostics()
        errors = [d for d in found if d.severity is lsp.DiagnosticSeverity.Error]
        assert [d.code for d in errors] == ["stateful-id-changed"]
        hover = await editor.client.text_document_hover_async(
            lsp.HoverParams(lsp.TextDocumentIdentifier(editor.uri), errors[0].range.start)
        )
        assert hover is not None
        assert "'no test orders' was inserted" in str(hover.contents)
        actions = await editor.actions(errors[0])
        assert actions[0].is_preferred
        editor.type(editor.applied(actions[0]))
        assert [d for d in await editor.diagnostics() if d.severity is lsp.DiagnosticSeverity.Error] == []

    session(repository, steps)
    assert repository.git("status", "--porcelain") == "", "nothing is written"


def test_what_was_committed_meanwhile_is_the_new_base(repository: Scratch) -> None:
    after = repository.git("show", f"main~1:{FILE}") + "\n"

    async def steps(editor: Editor) -> None:
        assert await editor.diagnostics() == []
        editor.type(after)
        assert any(d.severity is lsp.DiagnosticSeverity.Error for d in await editor.diagnostics())
        repository.write(after, FILE)
        repository.git("commit", "--quiet", "--all", "-m", "all the same")
        editor.type(after + "// more\n")
        assert await editor.diagnostics() == []

    session(repository, steps)


def test_what_does_not_parse_ends_nothing(repository: Scratch) -> None:
    async def steps(editor: Editor) -> None:
        assert await editor.diagnostics() == []
        text = editor.text
        editor.type(text[: len(text) // 2])
        await editor.diagnostics()
        editor.type(text)
        assert await editor.diagnostics() == []

    session(repository, steps)


def test_what_can_not_be_judged_is_said_in_place_of_findings(repository: Scratch) -> None:
    repository.write("nonsense = 1\n", "savepoint-checker.toml")

    async def steps(editor: Editor) -> None:
        [hint] = await editor.diagnostics()
        assert hint.code == "undecided"
        assert "could not be judged" in hint.message
        assert "nonsense" in hint.message

    session(repository, steps)


def test_a_closed_file_has_no_findings(repository: Scratch) -> None:
    after = repository.git("show", f"main~1:{FILE}") + "\n"

    async def steps(editor: Editor) -> None:
        await editor.diagnostics()
        editor.type(after)
        assert await editor.diagnostics()
        closed = lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(editor.uri))
        editor.client.text_document_did_close(closed)
        assert await editor.diagnostics() == []

    session(repository, steps)


def test_a_repository_is_read_by_one_look_at_a_time(repository: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the next key ends the waiting for a look that goes on."""
    reading, met = threading.Lock(), []

    class Slow(Editing):
        def look(self, path: str) -> tuple[Json, ...]:
            met.append(reading.locked())
            with reading:
                time.sleep(0.3)
            return ()

    async def run() -> None:
        server = serving.make_server()
        server.protocol.client_capabilities = lsp.ClientCapabilities()
        published: asyncio.Queue[Any] = asyncio.Queue()
        monkeypatch.setattr(server, "text_document_publish_diagnostics", published.put_nowait)
        opened = server.protocol.fm.features[lsp.TEXT_DOCUMENT_DID_OPEN]
        document = lsp.TextDocumentItem((repository.top / FILE).as_uri(), "java", 1, "")
        for _ in range(2):
            opened(lsp.DidOpenTextDocumentParams(document))
            await asyncio.sleep(0.1)
        await asyncio.wait_for(published.get(), 60)

    monkeypatch.setattr(serving, "Editing", Slow)
    asyncio.run(run())
    assert met == [False, False]
