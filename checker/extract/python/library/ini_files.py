"""``configparser.ConfigParser`` whose references to other keys are counted before they are written out."""

from __future__ import annotations

import configparser
import re
from collections.abc import Mapping, MutableMapping
from typing import Any, Final

from checker.extract.interpreting.bounds import MAX_TEXT, TOO_LONG
from checker.extract.python.interpreter.signals import UnclearError
from checker.model.unknowns import Cause, Unknown

_REFERENCE: Final = re.compile(r"%\(([^)]{1,500})\)s")


class _Counted(configparser.BasicInterpolation):
    def before_get(
        self, parser: MutableMapping[str, Mapping[str, str]], section: str, option: str, value: str,
        defaults: Mapping[str, str],
    ) -> str:  # fmt: skip
        if _length(value, defaults, {}) > MAX_TEXT:
            raise UnclearError(Unknown(TOO_LONG, Cause.LIMIT))
        return super().before_get(parser, section, option, value, defaults)


def _length(value: str, values: Mapping[str, str], known: dict[str, int]) -> int:
    """The length of a value with its references written out."""
    found = len(value)
    for name in map(str.lower, _REFERENCE.findall(value)):
        if name not in known:
            known[name] = 0  # one that refers to itself is refused later
            known[name] = _length(values.get(name) or "", values, known)
        found += known[name]
    return found


def bounded_configuration(*given: Any, **named: Any) -> configparser.ConfigParser:
    """``ConfigParser(...)``."""
    return configparser.ConfigParser(*given, **{"interpolation": _Counted(), **named})
