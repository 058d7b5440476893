"""YAML of a repository, read so that no text can cost more than it is long.

In: text. Out: plain values. Called by everything that reads configuration and manifests. Aliases are followed, since
people use them; a text whose aliases stand for more than a bounded number of values, or for themselves, is refused.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

MOST_VALUES = 200_000
"""Values that the documents of one text may stand for, with every alias written out."""
MOST_LEVELS = 500
"""How deep values may be nested. The C loader ends the whole process where its own stack is full."""

_EXPRESSION = re.compile(r"\{\{-?\s*(?:\w+\.)*([A-Za-z_]\w*)[^{}\n]*\}\}|(?<![\w\"'])[@%](\w+)[@%]")
_STATEMENT = re.compile(r"^[ \t]*\{%.*%\}[ \t]*$", re.M)


def yaml_documents(text: str) -> tuple[Any, ...]:
    """The documents of a text, empty ones left out.

    Raises yaml.YAMLError for what is not YAML, is nested too deeply, or stands for too much.
    """
    try:
        _refuse_deep(text)
        documents = tuple(d for d in yaml.load_all(text, Loader=yaml.CSafeLoader) if d is not None)
    except (ValueError, RecursionError) as error:
        raise yaml.YAMLError(str(error)) from None
    pending, seen = list(documents), 0
    while pending:
        value = pending.pop()
        seen += 1
        if seen > MOST_VALUES:
            raise yaml.YAMLError(f"its aliases stand for more than {MOST_VALUES} values")
        if isinstance(value, dict):
            pending.extend(value.values())
        elif isinstance(value, list | tuple | set):
            pending.extend(value)
    return documents


def _refuse_deep(text: str) -> None:
    """Every level takes a bracket, or a column of some line: most texts need no second look."""
    if text.count("[") + text.count("{") <= MOST_LEVELS and max(map(len, text.splitlines()), default=0) <= MOST_LEVELS:
        return
    level = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
            if level > MOST_LEVELS:
                raise yaml.YAMLError(f"nested more than {MOST_LEVELS} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1


def with_variables(text: str) -> str:
    """A template with variables of a shell in place of what something fills in: ``{{ name }}``, ``@NAME@``."""
    return _EXPRESSION.sub(lambda match: f"${{{match[1] or match[2]}}}", _STATEMENT.sub("", text))
