"""Topology documents in YAML."""

from collections.abc import Iterator
from typing import Any

import yaml

from checker.errors import DocumentError
from checker.extract.texts import loaded

_MOST_VALUES = 5_000_000
"""Values of the documents of one file, which generators write, too."""
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _UniqueKeyLoader(_LOADER):  # type: ignore[misc]
    """Safe YAML that refuses a key given twice: YAML would silently keep the last."""


def _unique_mapping(loader: Any, node: Any) -> dict[Any, Any]:
    loader.flatten_mapping(node)
    mapping: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} is not text", key_node.start_mark)
        if key in mapping:
            raise yaml.constructor.ConstructorError(None, None, f"the key '{key}' stands twice", key_node.start_mark)
        mapping[key] = loader.construct_object(value_node, deep=True)
    return mapping


_UniqueKeyLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _unique_mapping)


def yaml_documents(text: str, path: str) -> Iterator[Any]:
    """The documents of a YAML file, empty ones left out. Raises DocumentError."""
    try:
        yield from (document for document in loaded(text, _UniqueKeyLoader, _MOST_VALUES) if document is not None)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else path
        raise DocumentError(f"{place}: not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise DocumentError(f"{path}: not YAML: {str(error).splitlines()[0]}") from None
