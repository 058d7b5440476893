"""Topology documents in files: YAML, JSON, and JSON lines, read into ``Topology`` records.

The format is described by ``checker/schemas/topology.schema.json`` (``docs/topology-documents.md`` for
people). A document that breaks it gets one error naming the file, the line and the path in the document.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import yaml

from checker.errors import DocumentError, PipelineMissingError
from checker.extract.documents.fields import topology_of
from checker.extract.documents.values import BadFieldError, Path
from checker.extract.texts import loaded
from checker.model.pipelines import Discovery, ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology, Transformation
from checker.model.unknowns import Location

_ID = re.compile(r"""(?:^|[\s{,"'-])id["']?[ \t]*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s,}#][^,}#\n]*))""")


def located(topology: Topology, text: str, file: str) -> Topology:
    """The topology with the lines of its declarations, where it names no other places itself.

    An id that stands twice in the file, which may hold several documents, has none.
    """
    lines = _lines_of_ids(text)

    def placed(declared: tuple[Transformation, ...]) -> tuple[Transformation, ...]:
        return tuple(
            replace(t, location=Location(file, line)) if t.location is None and (line := lines.get(t.id)) else t
            for t in declared
        )

    variants = tuple(replace(variant, transformations=placed(variant.transformations)) for variant in topology.variants)
    return replace(topology, transformations=placed(topology.transformations), variants=variants)


def _lines_of_ids(text: str) -> dict[str, int]:
    """The line of each ``id`` whose value stands once in a text, 0 for others."""
    found: dict[str, int] = {}
    place, line = 0, 1
    for match in _ID.finditer(text):
        line += text.count("\n", place, match.end())
        place = match.end()
        value = next(group for group in match.groups() if group is not None).strip()
        found[value] = 0 if value in found else line
    return found


SUFFIXES = (".topology.yaml", ".topology.yml", ".topology.json", ".topology.jsonl")
MAX_BYTES = 64 * 1024 * 1024


def is_document(path: str) -> bool:
    """Whether a committed file is a topology document, by its name."""
    return path.endswith(SUFFIXES)


def read_documents(text: str, path: str) -> tuple[Topology, ...]:
    """All topologies in a file's text; ``path`` decides the format and is named in errors.

    Raises DocumentError for the first thing that breaks the format.
    """
    return tuple(topology for _, topology in iterate_documents(text, path))


def iterate_documents(text: str, path: str) -> Iterator[tuple[int, Topology]]:
    """The topologies of a file with their index in it. Raises DocumentError."""
    if len(text) > MAX_BYTES:
        raise DocumentError(f"{path}: larger than {MAX_BYTES // 1024 // 1024} MiB; split it into several documents")
    names: set[str] = set()
    for index, (line, raw) in enumerate(_raw_documents(text, path)):
        try:
            topology = topology_of(raw)
        except BadFieldError as bad:
            place = f"{path}:{line if path.endswith('.jsonl') else line_of(text, index, bad.path) or line}"
            where = _dotted(bad.path)
            raise DocumentError(f"{place}: {f'field {where}: ' if where else ''}{bad.message}") from None
        if topology.name in names and not path.endswith(".jsonl"):
            raise DocumentError(f"{path}:{line}: field name: two documents are called '{topology.name}'; rename one")
        names.add(topology.name)
        yield index, topology


def _raw_documents(text: str, path: str) -> Iterator[tuple[int, Any]]:
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
            yield from ((1, document) for document in (raw if isinstance(raw, list) else [raw]))
        else:
            yield from ((1, document) for document in yaml_documents(text, path))
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


def discover(files: SourceFiles) -> Discovery:
    """Every topology document of the revision, one entry per document. A broken one is a note, not a stop."""
    entries: list[PipelineEntry] = []
    notes: list[Note] = []
    for path in files.paths():
        if is_document(path):
            try:
                names, broken = _names(_text(files, path), path)
            except DocumentError as error:
                names, broken = (), str(error)
            if broken is not None:
                names = (*names, (-1, path.rsplit("/", 1)[-1].split(".topology.", 1)[0]))
                notes.append(Note(message=broken))
            entries.extend(
                PipelineEntry(name=name, extract=ExtractorKind.DOCUMENT, file=path, index=index)
                for index, name in names
            )
    return Discovery(entries=tuple(entries), notes=tuple(notes))


@lru_cache(maxsize=1024)
def _names(text: str, path: str) -> tuple[tuple[tuple[int, str], ...], str | None]:
    """Index and name of the documents in a file, and what is wrong with it.

    Remembered: along a history most files are the same in every revision.
    """
    found: list[tuple[int, str]] = []
    try:
        found.extend((index, topology.name) for index, topology in iterate_documents(text, path))
    except DocumentError as error:
        return tuple(found), str(error)
    return tuple(found), None


def extract(files: SourceFiles, entry: PipelineEntry) -> Topology:
    """The topology an entry names. Raises DocumentError."""
    if entry.file is None:
        raise DocumentError(f'pipeline \'{entry.name}\': extract = "document" needs file = "PATH"')
    try:
        text = _text(files, entry.file)
    except KeyError:
        raise PipelineMissingError(f"pipeline '{entry.name}': the revision has no file '{entry.file}'") from None
    for index, topology in iterate_documents(text, entry.file):
        if index == entry.index or (not entry.discovered and topology.name == entry.name):
            return replace(
                located(topology, text, entry.file),
                name=entry.name,
                flink=entry.flink or topology.flink,
                parallelism=entry.parallelism or topology.parallelism,
                max_parallelism=entry.max_parallelism or topology.max_parallelism,
                extractor=ExtractorKind.DOCUMENT.value,
                files=(entry.file,),
            )
    raise PipelineMissingError(f"{entry.file}: holds no document called '{entry.name}'")


def _text(files: SourceFiles, path: str) -> str:
    try:
        return files.read(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None


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


def line_of(text: str, index: int, path: Path) -> int | None:
    """The line of a place in a YAML or JSON document (JSON is read as YAML here, only after an error)."""
    try:
        roots = [n for n in yaml.compose_all(text, Loader=_LOADER) if n]
        if len(roots) == 1 and isinstance(roots[0], yaml.SequenceNode):
            roots = roots[0].value
        node = roots[index]
        line: int = node.start_mark.line + 1
        for step in path:
            if isinstance(step, int) and isinstance(node, yaml.SequenceNode):
                node = node.value[step]
            elif isinstance(node, yaml.MappingNode):
                keys = {key.value: (key, value) for key, value in node.value}
                if step not in keys:
                    break
                line = keys[step][0].start_mark.line + 1
                node = keys[step][1]
                continue
            else:
                break
            line = node.start_mark.line + 1
    except (yaml.YAMLError, IndexError, RecursionError):
        return None
    return line
