"""Commands of click, made of plain functions: the type of a parameter, its default and ``option`` or ``argument``.

A type such as ``Annotated[list[Path] | None, option("--output", metavar="FILE", help="...")]`` says how a parameter is
given. Nothing but click is imported for it: every command waits for what its command line needs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import click

CONTEXT = {"help_option_names": ["-h", "--help"]}
_TYPES: dict[type, Any] = {Path: click.Path(path_type=Path)}


@dataclass(frozen=True)
class Given:
    """How a parameter is given: by the names of an option, else by its place. ``settings`` are click's own."""

    names: tuple[str, ...]
    settings: dict[str, Any]
    least: int | None = None


def option(*names: str, least: int | None = None, **settings: Any) -> Given:
    """An option; ``settings`` are those of ``click.Option``, ``least`` is the least number that it takes."""
    return Given(names, settings, least)


def argument(**settings: Any) -> Given:
    """What is given without a name; ``settings`` are those of ``click.Argument``, and a ``help``."""
    return Given((), settings)


class _Argument(click.Argument):
    """An argument that a command's help explains."""

    def __init__(self, name: str, **settings: Any) -> None:
        self.explained = str(settings.pop("help"))
        super().__init__([name], **settings)


class _Command(click.Command):
    """A command whose help lists its arguments before its options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        arguments = [(str(p.metavar), _explained(p)) for p in self.params if isinstance(p, _Argument)]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        super().format_options(ctx, formatter)


def _explained(parameter: _Argument) -> str:
    if parameter.required:
        return f"{parameter.explained}  [required]"
    given = f"  [default: {parameter.default}]" if isinstance(parameter.default, str) else ""
    return parameter.explained + given


def command_of(name: str, function: Callable[..., None]) -> click.Command:
    """The command that calls a function, and whose help is the function's docstring."""
    return _Command(
        name, callback=function, params=parameters_of(function), help=inspect.getdoc(function), context_settings=CONTEXT
    )


def parameters_of(function: Callable[..., None]) -> list[click.Parameter]:
    """The options and arguments of a function."""
    hints = get_type_hints(function, include_extras=True)
    return [_parameter(p.name, hints[p.name], p.default) for p in inspect.signature(function).parameters.values()]


def _parameter(name: str, hint: Any, default: Any) -> click.Parameter:
    kind, given = get_args(hint) if get_origin(hint) is Annotated else (None, None)
    assert isinstance(given, Given), f"{name} is neither an option nor an argument"
    if get_origin(kind) is UnionType:
        kind = next(part for part in get_args(kind) if part is not type(None))
    several = get_origin(kind) is list
    kind = get_args(kind)[0] if several else kind
    required = default is inspect.Parameter.empty
    settings = {**given.settings, **({"required": True} if required else {"default": default, "required": False})}
    settings["type"] = _TYPES.get(kind, kind) if given.least is None else _at_least(kind, given.least)
    if several:
        settings["callback"] = _listed
    if not given.names:
        return _Argument(name, nargs=-1 if several else 1, **settings)
    if kind is bool:
        settings["is_flag"] = True
    settings.setdefault("show_default", default != "")
    return click.Option([*given.names, name], multiple=several, **settings)


def _at_least(kind: type, least: int) -> click.IntRange | click.FloatRange:
    return click.IntRange(min=least) if kind is int else click.FloatRange(min=least)


def _listed(ctx: click.Context, parameter: click.Parameter, values: tuple[Any, ...]) -> list[Any] | None:
    """What was given several times, None where it was not given."""
    return list(values) or None
