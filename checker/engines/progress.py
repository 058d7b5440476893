"""Progress for a waiting person: one line on a terminal's stderr, elsewhere a new line there each ten seconds."""

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

AFTER = 0.3
"""Seconds of waiting after which the line appears, and between two looks at what it says: a shorter run shows none."""
EACH = 10.0
"""Seconds between two lines where none can be redrawn: in pipes, in CI and on plain terminals."""
_CLEARED = "\r\x1b[2K"


class _Shown:
    def __init__(self, text: str, *, redrawn: bool) -> None:
        self.text = text
        self._redrawn = redrawn
        self._began = monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        if self._redrawn:
            self._thread.join()  # it takes its line away

    def _run(self) -> None:
        drawn = False
        while not self._ended.wait(AFTER if self._redrawn else EACH):
            from checker.report.presentable import short, visible

            text = f"{visible(self.text)} ({monotonic() - self._began:.0f} s)"
            if self._redrawn:
                drawn = True
                text = _CLEARED + short(text, shutil.get_terminal_size().columns - 1)
            print(text, end="" if self._redrawn else "\n", file=sys.stderr, flush=True)
        if drawn:
            print(_CLEARED, end="", file=sys.stderr, flush=True)


_shown: list[_Shown] = []
"""What shows the progress of this process; empty where nothing takes time."""


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show what is going on as long as the context lasts; ``text`` until something else is said.

    Nothing is to be printed inside of it.
    """
    if _shown:
        say(text)
        yield
        return
    can_redraw = sys.stderr.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
    _shown.append(_Shown(text, redrawn=can_redraw))
    try:
        yield
    finally:
        _shown.pop().end()


def say(text: str) -> None:
    """What is being done now, as the line says it: ``reading pipelines, 7 of 45``."""
    if _shown:
        _shown[-1].text = text


def counted(stage: str, done: int, total: int) -> None:
    """How far a stage has come: the number of what is being done now, of all."""
    say(f"{stage}, {min(done + 1, total)} of {total}" if total > 1 else stage)
