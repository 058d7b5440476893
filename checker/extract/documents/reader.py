"""Topology documents in files: YAML, JSON, and JSON lines, read into ``Topology`` records.

The format is described by ``checker/schemas/topology.schema.json`` (``docs/topology-documents.md`` for
people). A document that breaks it gets one error naming the file and the path in the document.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from checker.errors import DocumentError
from checker.extract.documents.fields import topology_of
from checker.extract.documents.values import BadFieldError, Path
from checker.model.topology import Topology

MAX_BYTES = 64 * 1024 * 1024


def iterate_documents(text: str, path: str) -> Iterator[tuple[int, Topology]]:
    """The topologies of a file with their index in it; ``path`` decides the format and is named in errors.

    Raises DocumentError for the first thing that breaks the format.
    """
    if len(text) > MAX_BYTES:
        raise DocumentError(f"{path}: larger than {MAX_BYTES // 1024 // 1024} MiB; split it into several documents")
    names: set[str] = set()
    for index, (line, raw) in enumerate(_raw_documents(text, path)):
        try:
            topology = topology_of(raw)
        except BadFieldError as bad:
            place, where = f"{path}:{line}" if line else path, _dotted(bad.path)
            raise DocumentError(f"{place}: {f'field {where}: ' if where else ''}{bad.message}") from None
        if topology.name in names and not path.endswith(".jsonl"):
            raise DocumentError(f"{path}: field name: two documents are called '{topology.name}'; rename one")
        names.add(topology.name)
        yield index, topology


def _raw_documents(text: str, path: str) -> Iterator[tuple[int | None, Any]]:
    """The documents, each with the line that it is, where documents are lines."""
    try:
        if path.endswith(".jsonl"):
            for number, line in enumerate(text.split("\n"), start=1):
                if line.strip():
                    try:
                        yield number, json.loads(line, object_pairs_hook=_unique_pairs, parse_constant=_no_constant)
                    except json.JSONDecodeError as error:
                        raise DocumentError(f"{path}:{number}:{error.colno}: not JSON: {error.msg}") from None
        elif path.endswith(".json"):
            raw = json.loads(text, object_pairs_hook=_unique_pairs, parse_constant=_no_constant)
            yield from ((None, document) for document in (raw if isinstance(raw, list) else [raw]))
        else:
            from checker.extract.documents.in_yaml import yaml_documents  # whose library loads longer than most texts

            yield from ((None, document) for document in yaml_documents(text, path))
    except json.JSONDecodeError as error:
        raise DocumentError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise DocumentError(f"{path}: nested too deeply for a topology document") from None
    except ValueError as error:
        raise DocumentError(f"{path}: {error}") from None


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        (key, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key '{key}' stands twice in one object")
    return mapping


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _dotted(path: Path) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
