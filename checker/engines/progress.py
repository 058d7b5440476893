"""Progress for a waiting person: one line on a terminal's stderr, elsewhere a new line there each ten seconds."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

AFTER = 0.3
"""Seconds of waiting after which the line appears: a shorter run shows none, and imports nothing for it."""
EACH = 10.0
"""Seconds between two lines where none can be redrawn: in pipes, in CI and on plain terminals."""


class _Line:
    def __init__(self, text: str) -> None:
        self._text = text
        self._status: Any = None
        self._over = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(AFTER, self._show)
        self._timer.daemon = True
        self._timer.start()

    def say(self, text: str) -> None:
        with self._lock:
            self._text = text
            if self._status is not None:
                self._status.update(self._shown())

    def end(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._status is not None:
                self._status.stop()

    def _show(self) -> None:
        from rich.console import Console

        with self._lock:
            if not self._over:
                self._status = Console(stderr=True).status(self._shown())
                self._status.start()

    def _shown(self) -> Any:
        from rich.text import Text

        from checker.report.presentable import visible

        return Text(visible(self._text), overflow="ellipsis", no_wrap=True)


class _Log:
    def __init__(self, text: str) -> None:
        self._text = text
        self._began = monotonic()
        self._ended = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def say(self, text: str) -> None:
        self._text = text

    def end(self) -> None:
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.wait(EACH):
            from checker.report.presentable import visible

            print(f"{visible(self._text)} ({monotonic() - self._began:.0f} s)", file=sys.stderr, flush=True)


_lines: list[_Line | _Log] = []
"""What shows the progress of this process; empty where nothing takes time."""


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show what is going on as long as the context lasts; ``text`` until something else is said.

    Nothing is to be printed inside of it.
    """
    if _lines:
        say(text)
        yield
        return
    can_redraw = sys.stderr.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
    _lines.append(_Line(text) if can_redraw else _Log(text))
    try:
        yield
    finally:
        _lines.pop().end()


def say(text: str) -> None:
    """What is being done now, as the line says it: ``reading pipelines, 7 of 45``."""
    if _lines:
        _lines[-1].say(text)


def counted(stage: str, done: int, total: int) -> None:
    """How far a stage has come: the number of what is being done now, of all."""
    say(f"{stage}, {min(done + 1, total)} of {total}" if total > 1 else stage)
