"""The verdicts as every report speaks of them: words, marks and colours, and what of these a terminal can show."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

from checker.model.findings import Severity, Verdict

HISTORY = "history"
"""The series of steps that an audit goes through commit by commit; every other one is a question (``--what-if``)."""
WORST_FIRST = (
    Verdict.FAILS, Verdict.MISASSIGNED, Verdict.DROPPED, Verdict.UNDECIDED, Verdict.STARTS_EMPTY, Verdict.RESTORES,
    Verdict.STATELESS,
)  # fmt: skip
WORDS = {
    Verdict.RESTORES: "restores",
    Verdict.FAILS: "start fails",
    Verdict.DROPPED: "state dropped",
    Verdict.STARTS_EMPTY: "starts empty",
    Verdict.MISASSIGNED: "wrong operator",
    Verdict.UNDECIDED: "undecided",
    Verdict.STATELESS: "no state",
}
MARKS = {
    Verdict.RESTORES: "✓", Verdict.FAILS: "✕", Verdict.DROPPED: "−", Verdict.MISASSIGNED: "⇄",
    Verdict.UNDECIDED: "?", Verdict.STARTS_EMPTY: "○", Verdict.STATELESS: "·",
}  # fmt: skip
DOTS = {
    Verdict.RESTORES: "🟢", Verdict.FAILS: "🔴", Verdict.DROPPED: "🔴", Verdict.MISASSIGNED: "🟣",
    Verdict.UNDECIDED: "❔", Verdict.STARTS_EMPTY: "🔵", Verdict.STATELESS: "⚪",
}  # fmt: skip
"""Coloured marks for Markdown."""
TERMINAL: dict[str, str] = {
    Verdict.RESTORES: "green", Verdict.FAILS: "red", Verdict.DROPPED: "yellow", Verdict.MISASSIGNED: "red",
    Verdict.UNDECIDED: "yellow", Verdict.STARTS_EMPTY: "blue", Verdict.STATELESS: "dim",
}  # fmt: skip
SEVERITIES: dict[str, str] = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "dim"}
"""Colours of severities on a terminal."""


_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "magenta": "35"}


@dataclass(frozen=True, slots=True)
class Terminal:
    """How text is shown: with ANSI colours or without, and how many columns a line may take."""

    colour: bool = False
    width: int = 100

    def styled(self, text: str, *styles: str) -> str:
        """The text in these styles, unchanged without colour."""
        if not self.colour or not styles:
            return text
        return f"\x1b[{';'.join(_CODES[s] for s in styles)}m{text}\x1b[0m"


def terminal_of(stream: TextIO, environ: Mapping[str, str] | None = None) -> Terminal:
    """What a stream can show. Colour needs a terminal (or FORCE_COLOR), no NO_COLOR and no TERM=dumb."""
    env = os.environ if environ is None else environ
    tty = stream.isatty()
    colour = not env.get("NO_COLOR") and (bool(env.get("FORCE_COLOR")) or (tty and env.get("TERM") != "dumb"))
    columns = shutil.get_terminal_size((100, 24)).columns if tty else 100
    return Terminal(colour=colour, width=max(40, min(columns, 120)))
