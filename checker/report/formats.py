"""Every output format of every report: what renders it, and by which file endings it is asked for.

A new format is one entry here. A renderer is imported when it is used: hooks wait for nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from checker.errors import UsageError
from checker.report.presentable import terminal_of

Renderer = Callable[[dict[str, Any]], str]


class Report(StrEnum):
    """The documents that are rendered, by the command that makes them."""

    CHECK = "check"
    GATE = "gate"
    SAVEPOINT = "savepoint"
    AUDIT = "audit"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Format:
    """One output format. ``renderers`` name, by report, the function that makes text of the document."""

    endings: tuple[str, ...]
    renderers: Mapping[Report, str]


_JSON = "checker.report.check.document:render_json"
FORMATS: Mapping[str, Format] = {
    "text": Format(
        (".txt",),
        {
            Report.CHECK: "checker.report.check.text:render_text",
            Report.GATE: "checker.report.gate.view:gate_text",
            Report.SAVEPOINT: "checker.report.gate.view:savepoint_text",
            Report.AUDIT: "checker.report.audits:audit_text",
            Report.ANSWER: "checker.report.audits:answer_text",
        },
    ),
    "json": Format((".json",), dict.fromkeys(Report, _JSON)),
    "markdown": Format(
        (".md",),
        {
            Report.CHECK: "checker.report.check.markdown:render_markdown",
            Report.GATE: "checker.report.gate.view:gate_markdown",
            Report.SAVEPOINT: "checker.report.gate.view:savepoint_markdown",
            Report.AUDIT: "checker.report.audits:audit_markdown",
            Report.ANSWER: "checker.report.audits:answer_markdown",
        },
    ),
    "html": Format(
        (".html",),
        {
            Report.CHECK: "checker.report.check.page:render_html",
            Report.GATE: "checker.report.gate.view:gate_html",
            Report.SAVEPOINT: "checker.report.gate.view:savepoint_html",
            Report.AUDIT: "checker.report.audits:audit_html",
            Report.ANSWER: "checker.report.audits:answer_html",
        },
    ),
    "sarif": Format((".sarif", ".sarif.json"), {Report.CHECK: "checker.report.check.sarif:render_sarif"}),
    "junit": Format((".xml",), {Report.CHECK: "checker.report.check.continuous_integration:render_junit"}),
    "github": Format((), {Report.CHECK: "checker.report.check.continuous_integration:render_github"}),
    "gitlab": Format((".gitlab.json",), {Report.CHECK: "checker.report.check.continuous_integration:render_gitlab"}),
}
_STYLED = frozenset({Report.CHECK, Report.GATE, Report.SAVEPOINT})
"""Reports whose text has colours on a terminal."""


def formats_of(report: Report) -> tuple[str, ...]:
    """The formats that a report has."""
    return tuple(name for name, format_ in FORMATS.items() if report in format_.renderers)


def renderer(report: Report, name: str, stream: TextIO | None = None, **options: bool) -> Renderer:
    """What renders a report in a format, text as ``stream`` can show it and with ``options`` of its function.

    Raises UsageError naming the known formats.
    """
    if name not in formats_of(report):
        raise UsageError(f"--format {name}: unknown; known are {', '.join(formats_of(report))}")
    module, _, function = FORMATS[name].renderers[report].partition(":")
    styled = name == "text" and stream is not None and report in _STYLED

    def render(document: dict[str, Any]) -> str:
        found = getattr(import_module(module), function)
        if styled:
            assert stream is not None
            found = partial(found, terminal=terminal_of(stream), **options)
        return str(found(document))

    return render


def format_of(report: Report, path: Path) -> str:
    """The format that a file's ending asks for; the longest ending counts. Raises UsageError."""
    endings = {ending: name for name in formats_of(report) for ending in FORMATS[name].endings}
    for ending in sorted(endings, key=len, reverse=True):
        if path.name.endswith(ending):
            return endings[ending]
    raise UsageError(f"--output {path}: no format has this ending; known are {', '.join(endings)}")
