"""The release report and a savepoint's page: self-contained HTML, and Markdown for release notes."""

from __future__ import annotations

from typing import Any

from checker.report.gate.view import gate_view, savepoint_view
from checker.report.markdown_text import code, escaped
from checker.report.pages import render_page
from checker.report.templates import environment

Json = dict[str, Any]


def gate_markdown(document: Json) -> str:
    """The gate's document for release notes."""
    return _markdown("gate.md", gate_view(document))


def gate_html(document: Json) -> str:
    """The gate's document as one page."""
    return render_page("gate.html", "gate.css", view=gate_view(document))


def savepoint_markdown(document: Json) -> str:
    """A savepoint's document for people who read Markdown."""
    return _markdown("gate.savepoint.md", savepoint_view(document))


def savepoint_html(document: Json) -> str:
    """A savepoint's document as one page."""
    return render_page("gate.savepoint.html", "gate.css", view=savepoint_view(document))


def _markdown(name: str, view: Json) -> str:
    return environment(autoescape=False).get_template(name).render(view=view, text=escaped, code=code)
