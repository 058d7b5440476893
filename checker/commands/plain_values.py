"""Values of the command line, read without pydantic: importing it takes longer than most commands.

typer (0.26 and later) has pydantic read every value. A text, a number in digits and a path that is there need no
library; typer itself reads all others, and says what is wrong with them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_origin

_NUMBERS = {int: re.compile(r"-?[0-9]{1,15}"), float: re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")}
_LEFT = object()
"""Stands for a value that typer reads."""


def with_plain_values(command: Any) -> Any:
    """A command of typer whose parameters, ``--help`` among them, read plain values themselves."""
    listed = command.get_params

    def get_params(ctx: Any) -> list[Any]:
        parameters: list[Any] = listed(ctx)
        for parameter in parameters:
            typers_own = getattr(type(parameter), "get_runtime_param", None)
            if typers_own is not None:
                parameter.get_runtime_param = partial(_PlainValues, partial(typers_own, parameter))
        return parameters

    command.get_params = get_params
    return command


@dataclass(frozen=True, slots=True)
class _PlainValues:
    """What typer calls to turn the texts of a parameter into its value."""

    typers_own: Any

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:
        """The value of a parameter. Raises what typer raises for one that is wrong."""
        many = param.multiple or param.nargs == -1
        if value is None:
            return () if many else None
        declared, info = param.type_descriptor.annotation, param.type_descriptor.parameter_info
        if many and get_origin(declared) is list and isinstance(value, list | tuple):
            (declared,) = get_args(declared)
            found = [_plain(item, declared, info) for item in value]
            if _LEFT not in found:
                return found
        elif not many and (found := _plain(value, declared, info)) is not _LEFT:
            return found
        return self.typers_own().coerce(value, param=param, ctx=ctx)


def _plain(value: Any, declared: Any, info: Any) -> Any:
    if info.parser is not None:
        return _LEFT
    if declared is str:
        return value if type(value) is str else _LEFT
    if declared in _NUMBERS:
        return _number(value, declared, info)
    if declared is Path:
        return _path(value, info)
    return _LEFT


def _number(value: Any, declared: type[int] | type[float], info: Any) -> Any:
    if isinstance(value, str) and _NUMBERS[declared].fullmatch(value):
        value = declared(value)
    within = type(value) is declared and (info.min is None or info.min <= value)
    return value if within and (info.max is None or value <= info.max) else _LEFT


def _path(value: Any, info: Any) -> Any:
    constrained = info.exists or info.writable or info.resolve_path or info.allow_dash or info.path_type is not None
    if constrained or not (info.file_okay and info.dir_okay) or not isinstance(value, str | Path):
        return _LEFT
    return Path(value) if os.access(value, os.R_OK) or not os.path.exists(value) else _LEFT
