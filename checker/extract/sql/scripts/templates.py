"""Scripts with places to fill in: ``${name}`` and ``{{ name }}`` take the values of the configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLACE = re.compile(r"\$\{\s*(?P<dollar>[\w.-]+)\s*(?::-?(?P<default>[^}]*))?\}|\{\{\s*(?P<braces>[\w.-]+)\s*\}\}")


def filled(text: str, values: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The text with all values put in, and the names that nobody gave a value for."""
    missing: dict[str, None] = {}

    def fill(match: re.Match[str]) -> str:
        name = match["dollar"] or match["braces"]
        value = values.get(name, match["default"])
        if value is None:
            missing[name] = None
            return match[0]
        return value

    return _PLACE.sub(fill, text), tuple(missing)
