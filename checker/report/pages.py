"""The shell of every HTML page: one file that needs no network, under a policy that allows only what it carries."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from checker import __version__
from checker.report.templates import asset, environment


def render_page(template: str, style: str, *, scripts: Sequence[str] = (), **shown: Any) -> str:
    """A template that extends ``shell.html``, with its style sheet between the common ones, and its own scripts."""
    styles = asset("colours.css") + asset(style) + asset("narrow.css")
    return (
        environment(autoescape=True)
        .get_template(template)
        .render(
            **shown,
            policy=_policy(styles, scripts),
            style=Markup(styles),
            scripts=[Markup(script) for script in scripts],
            generator=f"savepoint-checker {__version__}",
        )
    )


def _policy(style: str, scripts: Sequence[str]) -> str:
    allowed = f"script-src {' '.join(_hash(script) for script in scripts)}; " if scripts else ""
    return f"default-src 'none'; {allowed}style-src {_hash(style)}; img-src data:; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
