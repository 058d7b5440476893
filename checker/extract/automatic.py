"""``extract = "auto"``: which reader fits what an entry names, decided by the files of the revision."""

import re

from checker.extract.asking.consulted import plain
from checker.extract.documents.committed import is_document
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles, submodules_of

_UNREAD_APIS = {
    b"org.apache.flink.datastream.api.": "the DataStream API V2",
    b"org.apache.beam.runners.flink.": "Apache Beam",
    b"org.apache.flink.statefun.sdk.": "Stateful Functions",
    b"org.apache.flink.statefun.flink.": "Stateful Functions",
    b"org.apache.flink.agents.": "Flink Agents",
}
"""How programs of APIs are known that no reader follows."""
_OTHER_LANGUAGES = {".scala": "Scala", ".kt": "Kotlin", ".groovy": "Groovy"}


def document_kind(files: SourceFiles, entry: PipelineEntry) -> ExtractorKind | None:
    """The reader of a ``file`` that holds the graph itself (a topology document, a compiled plan), else None."""
    path = entry.file
    if path is None:
        return None
    if is_document(path) or path.endswith((".yaml", ".yml", ".jsonl")) or path in submodules_of(plain(files)):
        return ExtractorKind.DOCUMENT
    if path.endswith(".json"):
        data = _content(files, path)
        return ExtractorKind.SQL if b'"flinkVersion"' in data and b'"edges"' in data else ExtractorKind.DOCUMENT
    return None


def source_kind(files: SourceFiles, entry: PipelineEntry) -> ExtractorKind:
    """The reader that reads an entry's source and executes nothing; see ``unread`` for what none can read."""
    by_ending = {".py": ExtractorKind.PYTHON, ".sql": ExtractorKind.SQL}
    ending = (entry.main or entry.file or "").rpartition(".")
    return document_kind(files, entry) or by_ending.get("".join(ending[1:]), ExtractorKind.JAVA)


def unread(files: SourceFiles, entry: PipelineEntry) -> str | None:
    """What an entry names and no source reader can read; None where one can, or where there is no such file."""
    if document_kind(files, entry) is not None:
        return None
    paths = files.paths()
    if entry.main is None:
        ending = "" if entry.file is None else entry.file[entry.file.rfind(".") :]
        if ending in _OTHER_LANGUAGES and entry.file in set(paths):
            return f"it is a program in {_OTHER_LANGUAGES[ending]}"
        api = unread_api(files.read(entry.file or "")) if ending == ".java" and entry.file in set(paths) else None
        return None if api is None else f"it is a program of {api}"
    path = file_of_main(files, entry.main)
    language = None if path is None else _OTHER_LANGUAGES.get(path[path.rfind(".") :])
    return None if language is None else f"{path} is a program in {language}"


def unread_api(source: bytes) -> str | None:
    """The API of a Java program that no reader follows, None for all others."""
    return next((name for mark, name in _UNREAD_APIS.items() if mark in source), None)


def file_of_main(files: SourceFiles, main: str) -> str | None:
    """The source file that a main class, or a script, is in; None where there is none."""
    name = re.split(r"[.$]", main)[-1]
    paths = files.paths()
    if main.endswith(".py"):
        return main if main in paths else None
    java = [path for path in paths if path.rpartition("/")[2] == f"{name}.java"]
    if java:
        return next((path for path in java if path.endswith(f"{main.replace('.', '/')}.java")), java[0])
    declared = re.compile(rf"\b(?:object|class)\s+{re.escape(name)}\b".encode())
    for path in paths:
        ending = path[path.rfind(".") :]
        if ending in _OTHER_LANGUAGES:
            stem = path.rpartition("/")[2].removesuffix(ending)
            if name in (stem, f"{stem}Kt") or declared.search(files.read(path)):
                return path
    return None


def _content(files: SourceFiles, path: str) -> bytes:
    """The content of a file, empty where there is none."""
    try:
        return files.read(path)
    except KeyError:
        return b""
