"""The shell of every HTML page: one file that needs no network, under a policy that allows only what it carries."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from checker import __version__
from checker.errors import UsageError


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


_HERE = Path(__file__).resolve().parent


def template_folder() -> Path:
    """Where the templates are. Raises UsageError when the installation lost them."""
    for folder in (_HERE / "templates", _HERE.parents[1] / "reports" / "templates"):
        if folder.is_dir():
            return folder
    raise UsageError(f"{_HERE}: the report templates are missing; install savepoint-checker again")


@cache
def environment(*, autoescape: bool) -> Environment:
    """The environment for HTML and XML (``autoescape``) or for plain text; an unknown name is an error in both."""
    return Environment(
        loader=FileSystemLoader(template_folder()),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def asset(name: str) -> str:
    """A file that a page carries inside: a style sheet or a script."""
    return (template_folder() / name).read_text(encoding="utf-8")
