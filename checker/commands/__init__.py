"""What a person types: one module per command of ``savepoint-checker``.

In: options. Out: a report on stdout or in files, and the exit code. Called by ``checker.cli``; the work is done by
``checker.workflows``.
"""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _spelled() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files("checker.commands").joinpath("options.toml").read_text(encoding="utf-8"))


def option(name: str) -> Any:
    """An option of commands, or an argument, as ``options.toml`` spells and explains it."""
    import typer

    spec = dict(_spelled()[name])
    flags = spec.pop("flags", None)
    return typer.Argument(**spec) if flags is None else typer.Option(*flags.split(), **spec)
