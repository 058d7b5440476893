"""How long an editor waits for the language server: 436 files, 20 jobs, one open, a real client over stdin and stdout.

    python -m benchmarks.language_server [--files 436] [--jobs 20] [--edits 8]

An edit is a whole new text, as editors send it; an answer is the findings that follow. The server waits 0.1 s after
the last key: that is part of the clock. Goal, warm: 300 ms. Processor seconds are the server's own.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types as lsp

from benchmarks.java_repository import ROOT, repository
from tests.editor.test_server import Editor
from tests.hooks.conftest import clean_environment

JOB = f"{ROOT}/job0/Job0.java"
EDITS: dict[str, Callable[[str, int], str]] = {
    "a comment": lambda text, n: f"// {n}\n{text}",
    "code of a function": lambda text, n: text.replace(
        "Environments.create(args);", f"Environments.create(args); // {n}"
    ),
    "an operator": lambda text, n: text.replace(
        "clean.keyBy(Event::key).window",
        f'clean.filter(e -> e.key().length() > {n}).name("f{n}").keyBy(Event::key).window',
    ),
}


def processor(pid: int) -> float:
    """Processor seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(folder: Path, edits: int) -> None:
    """Print a line for each kind of edit and question."""
    file = folder / JOB
    text = file.read_text(encoding="utf-8")
    editor = Editor(file.as_uri(), text)
    start = time.perf_counter()
    await editor.start(folder)
    await editor.diagnostics()
    print(f"opened, nothing known before: {time.perf_counter() - start:.2f} s")
    server = editor.client._server
    assert server is not None
    for name, edit in EDITS.items():
        waited, used = [], []
        for number in range(edits):
            before = processor(server.pid)
            start = time.perf_counter()
            editor.type(edit(text, number))
            await editor.diagnostics()
            waited.append(time.perf_counter() - start)
            used.append(processor(server.pid) - before)
        show(f"{name}: findings", waited[1:], used[1:])
    for name, ask in (("hints", editor.hints), ("hover", lambda: hover(editor))):
        waited = []
        for _ in range(edits):
            start = time.perf_counter()
            await ask()
            waited.append(time.perf_counter() - start)
        show(name, waited, [])
    await editor.stop()


async def hover(editor: Editor) -> None:
    hints = await editor.hints()
    position = lsp.TextDocumentIdentifier(editor.uri), hints[0].position
    assert await editor.client.text_document_hover_async(lsp.HoverParams(*position))


def show(name: str, waited: list[float], used: list[float]) -> None:
    processor_seconds = f", processor {statistics.median(used):.2f} s" if used else ""
    median, worst = statistics.median(waited) * 1000, max(waited) * 1000
    print(f"{name}: median {median:.0f} ms, worst {worst:.0f} ms{processor_seconds}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=436)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--edits", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "repository")
        for path, data in repository(options.files, options.jobs).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
            subprocess.run(["git", *command], cwd=folder, env=clean_environment(), check=True)
        asyncio.run(measure(folder, options.edits))


if __name__ == "__main__":
    main()
