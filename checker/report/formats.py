"""Output formats by name and by file ending."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TextIO

from checker.errors import UsageError
from checker.report.annotations import render_github
from checker.report.code_quality import render_gitlab
from checker.report.document import Json, to_json
from checker.report.junit import render_junit
from checker.report.markdown import render_markdown
from checker.report.page import render_html
from checker.report.sarif import render_sarif
from checker.report.terminal import terminal_of
from checker.report.text import render_text

Renderer = Callable[[Json], str]

FORMATS: dict[str, Renderer] = {
    "text": render_text,
    "json": lambda report: to_json(report) + "\n",
    "markdown": render_markdown,
    "html": render_html,
    "sarif": render_sarif,
    "junit": render_junit,
    "github": render_github,
    "gitlab": render_gitlab,
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
        return partial(render_text, terminal=terminal_of(stream))
    return FORMATS[name]


def format_of(path: Path) -> str:
    """The format that a file's ending asks for. Raises UsageError."""
    for ending, name in ENDINGS.items():
        if path.name.endswith(ending):
            return name
    raise UsageError(f"--output {path}: no format has this ending; known are {', '.join(ENDINGS)}")
