"""The files that a program may use which no reader follows: what its text mentions, and what that mentions.

For edits of Kotlin, Scala and Table API programs, whose graphs are not read from source.
"""

from __future__ import annotations

from collections.abc import Iterator

from checker.extract.asking.consulted import ask, content_or_none
from checker.extract.changed_files.entries import declared_names, is_deployment
from checker.extract.paths import kind_of
from checker.extract.unfollowed.found_beside import configuring, found_beside
from checker.extract.unfollowed.separate_builds import connected
from checker.extract.unfollowed.used_by_name import JVM, SourceText, source_text, used_files
from checker.model.changed_files import CONVENTIONAL, FileKind, names_file, same_module
from checker.model.sources import SourceFiles

_OTHERS = (FileKind.DEPLOYMENT, FileKind.RESOURCE, FileKind.SCHEMA, FileKind.SERVICE)
"""Files that are looked for by what the source says."""


def program_files(files: SourceFiles, start: str, among: frozenset[str]) -> frozenset[str]:
    """Those of some files (source, resources, schemas, deployments) that the program in ``start`` may use."""
    if start.endswith(".py"):
        from checker.extract.python.interpreter.run_state import Limits
        from checker.extract.python.reachable import reachable

        return among & reachable(files, Limits(), start.rpartition("/")[0], {start})
    source = _used_source(files, start)
    packaged = {path for path in among if path.endswith(JVM) or "/src/" in path}
    among = among - packaged | connected(files, start, packaged)
    others = frozenset(path for path in among.intersection(files.paths()) if kind_of(path, ".java") in _OTHERS)
    texts = [source_text(files, path) for path in source] if others else []
    return among & source | frozenset(_resources(files, start, texts, others))


def used_foreign(files: SourceFiles, start: str, changed: frozenset[str]) -> frozenset[str]:
    """Those of some files that a Java program may use, itself or through such files, or that say how it is started.

    They are in other languages of the JVM, or are resources. The content of every file of these languages is asked
    for: what is between the program and the file decides, too.
    """
    there = bool(changed) and content_or_none(files, start) is not None
    resources = frozenset(path for path in changed if not path.endswith(JVM))
    if resources:
        configured = configuring(files, start) if there and start.endswith(JVM) else frozenset()
        return used_foreign(files, start, changed - resources) | resources & configured
    if not there:
        return changed
    for ending in JVM:
        for path in ask(files, "ending", ending) if ending != ".java" else ():
            files.content_id(path)
    return connected(files, start, changed) & _used_source(files, start)


def _used_source(files: SourceFiles, start: str) -> frozenset[str]:
    """The source files that a program may use, in any language of the JVM."""
    source = used_files(files, start)
    beside = found_beside(files, start, source)
    return source | used_files(files, *beside) if beside else source


def _resources(files: SourceFiles, start: str, texts: list[SourceText], among: frozenset[str]) -> Iterator[str]:
    words = frozenset().union(*(text.words for text in texts))
    strings = frozenset().union(*(text.strings for text in texts))
    configured = configuring(files, start) if among else frozenset()
    for path in sorted(among):
        kind = kind_of(path, ".java")
        if kind is FileKind.DEPLOYMENT and is_deployment(path, files.read(path)):
            if start.rpartition("/")[2].partition(".")[0].encode() in files.read(path):
                yield path
        elif kind in (FileKind.RESOURCE, FileKind.DEPLOYMENT):
            conventional = CONVENTIONAL.search(path) is not None and same_module(path, start)
            if conventional or path in configured or any(names_file(string, path, start) for string in strings):
                yield path
        elif kind is FileKind.SCHEMA:
            if same_module(path, start) and not words.isdisjoint(declared_names(path, files.read(path))):
                yield path
        elif kind is FileKind.SERVICE and path.rpartition(".")[2] in words:
            yield path
