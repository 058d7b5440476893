"""Output formats by name and by file ending. A renderer is imported when it is used: hooks wait for nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from checker.errors import UsageError

Renderer = Callable[[dict[str, Any]], str]


def _later(place: str) -> Renderer:
    module, _, function = place.partition(":")

    def render(report: dict[str, Any]) -> str:
        return str(getattr(import_module(module), function)(report))

    return render


FORMATS: dict[str, Renderer] = {
    "text": _later("checker.report.check.text:render_text"),
    "json": _later("checker.report.check.document:render_json"),
    "markdown": _later("checker.report.check.markdown:render_markdown"),
    "html": _later("checker.report.check.page:render_html"),
    "sarif": _later("checker.report.check.sarif:render_sarif"),
    "junit": _later("checker.report.check.junit:render_junit"),
    "github": _later("checker.report.check.annotations:render_github"),
    "gitlab": _later("checker.report.check.code_quality:render_gitlab"),
}
# The first that fits counts, so the longer ones stand first.
ENDINGS: dict[str, str] = {
    ".gitlab.json": "gitlab",
    ".sarif.json": "sarif",
    ".txt": "text",
    ".json": "json",
    ".md": "markdown",
    ".html": "html",
    ".sarif": "sarif",
    ".xml": "junit",
}


def renderer(name: str, stream: TextIO | None = None) -> Renderer:
    """The renderer of a format, for text as ``stream`` can show it. Raises UsageError naming the known ones."""
    if name not in FORMATS:
        raise UsageError(f"--format {name}: unknown; known are {', '.join(FORMATS)}")
    if name == "text" and stream is not None:
        from checker.report.check.text import render_text
        from checker.report.terminal import terminal_of

        return partial(render_text, terminal=terminal_of(stream))
    return FORMATS[name]


def format_of(path: Path) -> str:
    """The format that a file's ending asks for. Raises UsageError."""
    for ending, name in ENDINGS.items():
        if path.name.endswith(ending):
            return name
    raise UsageError(f"--output {path}: no format has this ending; known are {', '.join(ENDINGS)}")
