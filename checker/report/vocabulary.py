"""The verdicts as every report speaks of them: words, marks, colours, and their order from bad to good.

Colours on pages are the variables of ``colours.css``, one for each verdict under its own name.
"""

from __future__ import annotations

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
