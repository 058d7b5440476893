"""The release report and a savepoint's page: self-contained HTML, and Markdown for release notes."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from checker.report.check.document import to_json
from checker.report.gate.text import gate_text, savepoint_text
from checker.report.gate.view import gate_view, savepoint_view
from checker.report.markdown_text import code, escaped
from checker.report.templates import asset, environment
from checker.report.terminal import Terminal

Json = dict[str, Any]


def render_gate(document: Json, output_format: str, terminal: Terminal | None = None) -> str:
    """The gate's document as ``text``, ``json``, ``markdown`` or ``html``."""
    if output_format == "json":
        return to_json(document) + "\n"
    if output_format == "text":
        return gate_text(document, terminal)
    name = "gate.md" if output_format == "markdown" else "gate.html"
    return _render(name, gate_view(document))


def render_savepoint(document: Json, output_format: str, terminal: Terminal | None = None) -> str:
    """A savepoint's document as ``text``, ``json``, ``markdown`` or ``html``."""
    if output_format == "json":
        return to_json(document) + "\n"
    if output_format == "text":
        return savepoint_text(document, terminal)
    name = "gate.savepoint.md" if output_format == "markdown" else "gate.savepoint.html"
    return _render(name, savepoint_view(document))


def _render(name: str, view: Json) -> str:
    if name.endswith(".md"):
        return environment(autoescape=False).get_template(name).render(view=view, text=escaped, code=code)
    style = asset("gate.css")
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return environment(autoescape=True).get_template(name).render(view=view, style=style, policy=policy)
