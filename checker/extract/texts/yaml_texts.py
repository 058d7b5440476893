"""YAML of a repository, read so that no text can cost more than it is long.

In: text. Out: plain values. Called by everything that reads configuration and manifests. Aliases are followed, since
people use them; a text whose aliases stand for more than a bounded number of values, or for themselves, is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

MOST_VALUES = 200_000
"""Values that the documents of one text may stand for, with every alias written out."""
MOST_CHARACTERS = 5_000_000
MOST_LEVELS = 500
"""How deep values may be nested. The C loader ends the whole process where its own stack is full."""

_EXPRESSION = re.compile(r"\{\{-?\s*+(?:\w++\.)*+([A-Za-z_]\w*+)[^{}\n]*+\}\}|(?<![\w\"'])[@%](\w+)[@%]")
_STATEMENT = re.compile(r"^[ \t]*\{%.*%\}[ \t]*$", re.M)


def yaml_documents(text: str) -> tuple[Any, ...]:
    """The documents of a text, empty ones left out.

    Raises yaml.YAMLError for what is not YAML, is nested too deeply, or stands for too much.
    """
    try:
        if len(text) > MOST_CHARACTERS:
            raise yaml.YAMLError(f"it has more than {MOST_CHARACTERS:,} characters")
        return tuple(document for document in loaded(text, yaml.CSafeLoader) if document is not None)
    except (ValueError, RecursionError) as error:
        raise yaml.YAMLError(str(error)) from None


def json_documents(text: str) -> tuple[Any, ...]:
    """The documents of a text in JSON, one after the other; none where it is not JSON, or too much of it.

    YAML takes most JSON, but no tabulators, and no documents that nothing divides.
    """
    found: list[Any] = []
    text = text.strip()
    if not text.startswith(("{", "[")) or len(text) > MOST_CHARACTERS:
        return ()
    place, decoder = 0, json.JSONDecoder()
    try:
        while place < len(text):
            document, place = decoder.raw_decode(text, place)
            found.append(document)
            while place < len(text) and text[place].isspace():
                place += 1
    except (ValueError, RecursionError):
        return ()
    return tuple(found)


def loaded(text: str, kind: Any, most: int = MOST_VALUES) -> Iterator[Any]:
    """The documents of a text as a loader makes them, each counted before it is made. Raises yaml.YAMLError."""
    _refuse_deep(text)
    left = most
    loader = kind(text)
    try:
        while loader.check_node():
            node = loader.get_node()
            left -= values_of(node, left)
            yield _constructed(loader, node)
    finally:
        loader.dispose()


def _constructed(loader: Any, node: yaml.Node) -> Any:
    """What a node stands for. A tag says of any text what it is: constructors fail on what is none in several ways."""
    try:
        return loader.construct_document(node)
    except (LookupError, AttributeError, TypeError, ArithmeticError) as error:
        raise yaml.YAMLError(f"a value is not what its tag says ({type(error).__name__})") from None


def values_of(node: yaml.Node, most: int = MOST_VALUES) -> int:
    """How many values a node stands for, with every alias and merge key written out. Raises yaml.YAMLError."""
    return _counted(node, {}, most)


def _counted(node: yaml.Node, known: dict[int, int], most: int) -> int:
    found = known.get(id(node))
    if found is None:
        known[id(node)] = most  # for a node that holds itself
        parts = node.value if isinstance(node, yaml.CollectionNode) else ()
        if isinstance(node, yaml.MappingNode):
            parts = [part for pair in parts for part in pair]
        found = known[id(node)] = 1 + sum(_counted(part, known, most) for part in parts)
    if found > most:
        raise yaml.YAMLError(f"its aliases stand for more than {most:,} values")
    return found


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
