"""Jobs of Flink that no reader follows: each is said with its kind, and an edit of its files is not understood.

Which source files outside of tests use Flink: where none of them starts a job that is known, nothing is checked.
"""

import posixpath
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files as files_of_package
from typing import Any

import yaml

from checker.extract.asking.consulted import ask, plain
from checker.extract.asking.content_facts import Facts
from checker.extract.asking.listing import FETCHING
from checker.extract.changed_files.difference import differing
from checker.extract.paths import in_tests
from checker.extract.texts import same_code, with_variables, yaml_documents
from checker.model.nested import table_in, text_in
from checker.model.pipelines import Discovery, Note
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location

ELSEWHERE = "starts a program whose code is not here: check it in the repository that has it"
"""What is said of a manifest that starts something which no file of the revision makes."""
_DBT = "dbt_project.yml"
_MANIFESTS = (".yaml", ".yml", ".json")
_OF_MAPS = re.compile(rb"\bkind[\"']?: *[\"']?(?:ConfigMap|Secret)\b")
_NAMED = re.compile(rb"\bname: *([\w.-]+)")
_OF_DBT = (".sql", ".yml", ".yaml")
_FOR_FLINK = re.compile(
    rb"\b(?:default_)?connector_properties\s*[=:]|\bmaterialized\s*=\s*['\"]streaming_|^\s*type:\s*['\"]?flink\b",
    re.MULTILINE,
)
"""What models for Flink, or the profile of their project, have."""


@dataclass(frozen=True, slots=True)
class _Kind:
    what: str
    """What such a file is, behind "is"."""
    several: str
    """The same, behind "2 files"."""
    ending: str
    marks: tuple[re.Pattern[bytes], ...]
    """What its text has, each of them."""
    instead: str
    """What would have it checked, or what to look at."""
    beside: re.Pattern[bytes] | None = None
    """What names a part of it in other files: another release of what makes the job, options of all its jobs."""
    stateless: re.Pattern[bytes] | None = None
    """Lines that decide on no state: logins, and which tables are read with the positions that are kept."""

    def without_these(self, data: bytes) -> bytes:
        """A file of this kind but for such lines."""
        return data if self.stateless is None else self.stateless.sub(b"", data)


def _kinds() -> Iterator[_Kind]:
    text = files_of_package("checker.extract.unfollowed").joinpath("other_jobs.toml").read_text(encoding="utf-8")
    for row in tomllib.loads(text)["kind"]:
        marks = tuple(re.compile(mark.encode(), re.MULTILINE) for mark in row["marks"])
        beside, stateless = (re.compile(row[n].encode()) if n in row else None for n in ("beside", "stateless"))
        for ending in row["endings"]:
            yield _Kind(row["what"], row["several"], ending, marks, row["instead"], beside, stateless)


_KINDS = tuple(_kinds())


def _facts(kind: _Kind) -> Facts:
    name = " ".join(("jobs", kind.ending, *(mark.pattern.decode() for mark in kind.marks)))
    return Facts(name, lambda data: (int(all(mark.search(data) for mark in kind.marks)),))


_LOOKED = tuple(map(_facts, _KINDS))
_LOOKED_AT_MODELS = Facts("models for flink", lambda data: (int(_FOR_FLINK.search(data) is not None),))


def discover(files: SourceFiles) -> Discovery:
    """No pipelines, but a note for each such job outside of tests."""
    return Discovery(
        entries=(),
        notes=tuple(
            Note(message=_reason(path, kind), location=Location(path, 1), unread=kind.several)
            for kind, looked in zip(_KINDS, _LOOKED, strict=True)
            for path, (found,) in looked.of(plain(files), _paths(files, kind), absent=(0,)).items()
            if found and (kind.ending != _DBT or _is_for_flink(files, path))
        ),
    )


def why_unread(files: SourceFiles, path: str) -> str | None:
    """Why a file that holds such a job is not read; None for all other files."""
    kind = _kind_of(files, path)
    return None if kind is None else _reason(path, kind)


def edited_parts(base: SourceFiles, head: SourceFiles, path: str) -> tuple[str, ...] | None:
    """The edited files of such a job, but for layout; None where the file holds none.

    Of a manifest, files with what it hands to its program: how it starts that is compared elsewhere.
    """
    kind = _kind_of(head, path) or _kind_of(base, path)
    if kind is None and path.endswith(_MANIFESTS):
        return tuple(sorted(_handed(base, head, path)))
    if kind is None or path.endswith(".py"):  # which modules a script uses is known
        return None
    below = _below(path)
    models = kind.ending == _DBT
    changed = differing(base, head)
    parts = {p for p in changed if p == path or (models and p.startswith(below) and p.endswith(_OF_DBT))}
    both = parts & {*base.paths()} & {*head.paths()}
    texts = {p: [kind.without_these(files.read(p)) for files in (base, head)] for p in both}
    edited = {p for p in parts if p not in both or not same_code(p, *texts[p])}
    if kind.beside is not None:
        others = (p for p in changed if p != path)
        edited |= {p for p in others if _named_in(p, base, kind.beside) != _named_in(p, head, kind.beside)}
    return tuple(sorted(edited))


def _named_in(path: str, files: SourceFiles, names: re.Pattern[bytes]) -> list[bytes]:
    """What a file that is run with, fetched or built says of something: by its own name, and in its text."""
    if not ask(files, "file", path):
        return []
    if names.search(posixpath.basename(path).encode()) and not path.endswith((".java", ".md")):
        return [files.read(path)]
    return names.findall(files.read(path)) if FETCHING.search(path) and not in_tests(path) else []


def _handed(base: SourceFiles, head: SourceFiles, manifest: str) -> Iterator[str]:
    """Edited files with a ``ConfigMap`` or ``Secret`` that a manifest names."""
    text = b"\0".join(files.read(manifest) for files in (base, head) if ask(files, "file", manifest))
    for path in (p for p in differing(base, head) if p.endswith(_MANIFESTS)):
        before, after = (_values(files.read(path)) if ask(files, "file", path) else {} for files in (base, head))
        names = (name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        if any(re.search(rb"[\s\"':]%s(?![\w.-])" % re.escape(name.encode()), text) for name in names):
            yield path


def _values(data: bytes) -> dict[str, Any]:
    """Name → values of each ``ConfigMap`` and ``Secret``; where a file can't be read, all of it stands for any name."""
    if _OF_MAPS.search(data) is None:
        return {}
    try:
        documents = map(table_in, yaml_documents(with_variables(data.decode("utf-8", "replace"))))
        kinds = [d for d in documents if d.get("kind") in ("ConfigMap", "Secret")]
    except yaml.YAMLError:
        return {name.decode(): data for name in _NAMED.findall(data)}
    return {text_in(table_in(d.get("metadata")).get("name")) or "": (d.get("data"), d.get("stringData")) for d in kinds}


def _reason(path: str, kind: _Kind) -> str:
    return f"{path} is {kind.what}, which is not read: {kind.instead}"


def _paths(files: SourceFiles, kind: _Kind) -> Iterator[str]:
    return (path for path in ask(files, "ending", kind.ending) if not in_tests(path))


def _kind_of(files: SourceFiles, path: str) -> _Kind | None:
    if not ask(files, "file", path):
        return None
    data = files.read(path)
    return next((k for k in _KINDS if path.endswith(k.ending) and all(mark.search(data) for mark in k.marks)), None)


def _is_for_flink(files: SourceFiles, project: str) -> bool:
    below = _below(project)
    parts = [path for ending in _OF_DBT for path in ask(files, "ending", ending) if path.startswith(below)]
    return any(found for (found,) in _LOOKED_AT_MODELS.of(plain(files), parts, absent=(0,)).values())


def _below(project: str) -> str:
    folder = posixpath.dirname(project)
    return f"{folder}/" if folder else ""


_ENDINGS = (".java", ".kt", ".scala", ".groovy", ".py", ".sql")
_USES = re.compile(
    rb"^\s*(?:import|from)\s+(?:static\s+)?(?:org\.apache\.flink|pyflink)\b|'connector'\s*=\s*'", re.MULTILINE
)
_FLINK = Facts("uses flink", lambda data: (int(_USES.search(data) is not None),))


def using_flink(files: SourceFiles) -> tuple[str, ...]:
    """The paths of such files, sorted. Raises RevisionError where a partial clone leaves one out: it may be one."""
    paths = [path for ending in _ENDINGS for path in ask(files, "ending", ending) if not in_tests(path)]
    return tuple(sorted(p for p, (uses,) in _FLINK.of(plain(files), paths).items() if uses))
