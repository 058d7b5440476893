"""The Jinja2 templates: ``reports/templates`` of a checkout, ``checker/report/templates`` of an installed wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from checker.errors import UsageError

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
