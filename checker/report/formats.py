"""Every output format of every report: what renders it, and by which file endings it is asked for.

A new format is one entry in two tables here. A renderer is imported when it is used: hooks wait for nothing else.
"""

from collections.abc import Callable, Mapping
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


FORMATS: Mapping[str, tuple[str, ...]] = {
    "text": (".txt",),
    "json": (".json",),
    "markdown": (".md",),
    "html": (".html",),
    "sarif": (".sarif", ".sarif.json"),
    "junit": (".xml",),
    "github": (),
    "gitlab": (".gitlab.json",),
}
"""Format → endings of files."""
_OF_ALL = ("text", "json", "markdown", "html")
"""Formats that every report has; that of ``check`` has all."""
_ALONE = "checker.report.check.continuous_integration"
_OF_CHECK = {
    "text": "checker.report.check.text:render_text",
    "json": "checker.report.check.document:render_json",
    "markdown": "checker.report.check.markdown:render_markdown",
    "html": "checker.report.check.page:render_html",
    **{name: f"{_ALONE}:render_{name}" for name in ("sarif", "junit", "github", "gitlab")},
}
"""Format → the function that makes text of the document of ``check``; the same of others, in JSON."""
_OF_OTHERS = {
    Report.GATE: "checker.report.gate.view",
    Report.SAVEPOINT: "checker.report.gate.view",
    Report.AUDIT: "checker.report.audits",
    Report.ANSWER: "checker.report.audits",
}
"""Where the functions of other reports are, which are called like the report and the format: ``audit_html``."""
_STYLED = frozenset({Report.CHECK, Report.GATE, Report.SAVEPOINT})
"""Reports whose text has colours on a terminal."""


def formats_of(report: Report) -> tuple[str, ...]:
    """The formats that a report has."""
    return tuple(FORMATS) if report is Report.CHECK else _OF_ALL


def renderer(report: Report, name: str, stream: TextIO | None = None, **options: bool) -> Renderer:
    """What renders a report in a format, text as ``stream`` can show it and with ``options`` of its function.

    Raises UsageError naming the known formats.
    """
    if name not in formats_of(report):
        raise UsageError(f"--format {name}: unknown; known are {', '.join(formats_of(report))}")
    of_check = report is Report.CHECK or name == "json"
    module, _, function = (_OF_CHECK[name] if of_check else f"{_OF_OTHERS[report]}:{report}_{name}").partition(":")
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
    endings = {ending: name for name in formats_of(report) for ending in FORMATS[name]}
    for ending in sorted(endings, key=len, reverse=True):
        if path.name.endswith(ending):
            return endings[ending]
    raise UsageError(f"--output {path}: no format has this ending; known are {', '.join(endings)}")
