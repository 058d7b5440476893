"""Which YAML files hold pipelines of Flink CDC, what they say, and which release of Flink CDC may read them.

``composition.toml``: what each release of Flink CDC composes, and of which connectors it is known.
"""

import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from checker.errors import DocumentError, PipelineMissingError
from checker.extract.asking.consulted import ask, plain
from checker.extract.asking.content_facts import Facts
from checker.extract.paths import in_tests
from checker.extract.texts import template_documents
from checker.model.flink_releases import minor_of
from checker.model.nested import list_in, spelled, table_in, text_in
from checker.model.pipelines import Discovery, ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.unknowns import Cause, Location, Maybe, Unknown

Row = Mapping[str, Any]


@cache
def table() -> Mapping[str, Any]:
    """All of it."""
    return tomllib.loads(Path(__file__).with_name("composition.toml").read_text("utf-8"))


def releases() -> tuple[str, ...]:
    """Those that are known, oldest first."""
    return tuple(table()["flink"])


def of_release(rows: Iterable[Row], release: str) -> list[Row]:
    """The rows that count for a release."""
    at = minor_of(release)
    return [r for r in rows if minor_of(r.get("since", "0.0")) <= at <= minor_of(r.get("until", "99.0"))]


def names_of(part: str) -> frozenset[str]:
    """The types of sources, or of sinks, that any release has."""
    return frozenset(row["type"] for row in table()[part])


def since(row: Row, key: str, release: str) -> bool:
    """Whether something holds from a release on that the row names, and this is that one or a later one."""
    return key in row and minor_of(row[key]) <= minor_of(release)


YAML = (".yaml", ".yml")
RELEASE = "flink-cdc.version"
"""The value that gives the release of Flink CDC."""
_PARTS = frozenset({"source", "sink", "route", "transform", "pipeline"})
"""All that the top level of a pipeline may have (``YamlPipelineDefinitionParser``)."""
_ENDS = ("source", "sink")
_LISTS = frozenset({"include.schema.changes", "exclude.schema.changes"})
_LOOKS = (re.compile(rb"^\s*source:", re.MULTILINE), re.compile(rb"^\s*sink:", re.MULTILINE))
_BETWEEN = re.compile(rb"^(?:pipeline|transform|route):\s", re.MULTILINE)
_TYPES = re.compile(rb"^ +type: *\S", re.MULTILINE)
_LOOKED = Facts("flink cdc pipelines", lambda data: (int(_may_hold_one(data)),))
_TEMPLATE = re.compile(r"\$\{|\{\{|^\$\w+$|^@\w+@$")
_GLOBAL = "flink-cdc.yaml"
"""The configuration of an installation: what counts for all of its pipelines that say nothing else."""


@dataclass(frozen=True, kw_only=True)
class CdcPipeline:
    """One pipeline as its YAML has it."""

    source: Mapping[str, Any]
    sink: Mapping[str, Any]
    routes: tuple[Mapping[str, Any], ...]
    transforms: tuple[Mapping[str, Any], ...]
    options: Mapping[str, Any]
    """``pipeline``, on top of what the installation's configuration says."""
    location: Location
    lines: Mapping[str, int] = field(default_factory=dict)
    """Part → the line where it begins."""

    def place(self, part: str) -> Location:
        """Where a part stands."""
        return Location(self.location.file, self.lines.get(part, self.location.line))


def option(options: Mapping[str, Any], key: str, default: str | None = None) -> Maybe[str] | None:
    """The value of an option as Flink CDC reads it; unknown where a template has to be filled in first."""
    value = options.get(key)
    if value is None:
        return default
    text = spelled(value)
    if _TEMPLATE.search(text):
        return Unknown(f"{key} is {text}, which something fills in", Cause.ARGUMENT, derived_from=text)
    return text


def is_pipeline_file(data: bytes) -> bool:
    """Whether a YAML file holds a pipeline."""
    return any(True for _ in _pipelines_in(data)) or (_may_hold_one(data) and _looks_like_one(data))


def discover(files: SourceFiles) -> Discovery:
    """Every pipeline outside of tests; where a text names none, its file does."""
    entries = []
    paths = [path for ending in YAML for path in ask(files, "ending", ending) if not in_tests(path)]
    for path in (path for path, fact in _LOOKED.of(plain(files), paths).items() if fact[0]):
        found = list(_pipelines_in(files.read(path)))
        if not found and _looks_like_one(files.read(path)):
            entries.append(
                PipelineEntry(name=posixpath.basename(path).rpartition(".")[0], extract=ExtractorKind.CDC, file=path)
            )
        for index, (document, _, called) in enumerate(found):
            stem = posixpath.basename(called or path).rpartition(".")[0]
            name = text_in(table_in(document.get("pipeline")).get("name"))
            fixed = name is not None and not _TEMPLATE.search(name)
            shown = name if name is not None and fixed else stem if index == 0 or called else f"{stem} #{index + 1}"
            entries.append(PipelineEntry(name=shown, extract=ExtractorKind.CDC, file=path, index=index))
    return Discovery(entries=tuple(sorted(entries, key=lambda e: (e.name, e.file or ""))))


def pipeline_of(files: SourceFiles, entry: PipelineEntry) -> tuple[CdcPipeline, tuple[str, ...]]:
    """The pipeline of an entry, and the files that were read for it.

    Raises DocumentError for a file that holds none, PipelineMissingError where there is no such file.
    """
    path = entry.file or ""
    try:
        found = list(_pipelines_in(files.read(path)))
    except KeyError:
        raise PipelineMissingError(f"pipeline '{entry.name}': the revision has no file '{path}'") from None
    if entry.index >= len(found):
        raise DocumentError(
            f"{path}: not read as a pipeline of Flink CDC, which has {', '.join(sorted(_PARTS))} and plain options only"
        )
    document, lines, _ = found[entry.index]
    above = [p for p in ask(files, "ending", _GLOBAL) if posixpath.basename(p) == _GLOBAL and p != path]
    nearest = max(above, key=lambda p: len(posixpath.commonpath([p, path])), default=None)
    given = {} if nearest is None else table_in(next(iter(_documents(files.read(nearest))), None))
    return CdcPipeline(
        source=table_in(document["source"]),
        sink=table_in(document["sink"]),
        routes=tuple(map(table_in, list_in(document.get("route")))),
        transforms=tuple(map(table_in, list_in(document.get("transform")))),
        options={**given, **table_in(document.get("pipeline"))},
        location=Location(path, lines.get("source", 1)),
        lines=lines,
    ), (path, *([nearest] if nearest else []))


def releases_of(files: SourceFiles, entry: PipelineEntry) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The releases of Flink CDC (``3.2``) that are given, or that the repository names, and the files that do."""
    given = dict(entry.values).get(RELEASE)
    if given:
        return (given,), ()
    answer = ask(files, "flink cdc releases")
    releases = tuple(text for text in answer if re.fullmatch(r"\d+\.\d+", text))
    return releases, tuple(text for text in answer if text not in releases)


def _looks_like_one(data: bytes) -> bool:
    """Whether a file that says more, or something else, than is read is one for all that."""
    return _BETWEEN.search(data) is not None and len(_TYPES.findall(data)) >= len(_ENDS)


def _may_hold_one(data: bytes) -> bool:
    return all(look.search(data) for look in _LOOKS)


def _documents(data: bytes) -> tuple[Any, ...]:
    try:
        return template_documents(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, yaml.YAMLError):
        return ()


def _pipelines_in(data: bytes) -> Iterator[tuple[Mapping[str, Any], Mapping[str, int], str | None]]:
    """The pipelines of a file: its documents with the lines of their parts, and files of a ``ConfigMap`` by name."""
    if not _may_hold_one(data):
        return
    for document in _documents(data):
        if _is_pipeline(document):
            lines = {
                part: data[: found.start()].count(b"\n") + 1
                for part in _PARTS
                if (found := re.search(rb"^%s:" % part.encode(), data, re.MULTILINE))
            }
            yield document, lines, None
        elif isinstance(document, dict) and document.get("kind") == "ConfigMap":
            for key, text in table_in(document.get("data")).items():
                if key.endswith(YAML) and isinstance(text, str):
                    yield from ((inner, {}, key) for inner in _documents(text.encode()) if _is_pipeline(inner))


def _is_pipeline(document: Any) -> bool:
    """A source and a sink with their types and plain options, and nothing else that Flink CDC does not read."""
    if not isinstance(document, dict) or not set(_ENDS) <= document.keys() <= _PARTS:
        return False
    ends = [document[part] for part in _ENDS]
    if not all(isinstance(end, dict) and text_in(end.get("type")) for end in ends):
        return False
    nested = [v for end in ends for k, v in end.items() if isinstance(v, dict | list) and k not in _LISTS]
    certain = len(document) > 2 or any(end["type"] in names_of(part) for part, end in zip(_ENDS, ends, strict=True))
    lists = (document.get(key) for key in ("route", "transform"))
    return certain and not nested and all(value is None or isinstance(value, list) for value in lists)
