"""The files that a program may use which no reader follows: what its text mentions, and what that mentions.

For edits of Kotlin, Scala and Table API programs, whose graphs are not read from source.

Some files of a repository are built apart: no program of one build can use a class or a resource of the other. A build
is a folder with a build file and everything below it; builds in it belong to it. Two of them are connected where a
build file of either writes a name of the other: its folder, its artifact or its project. That is wider than Maven,
Gradle and sbt resolve dependencies.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from checker.extract.asking.consulted import ask, content_or_none, plain
from checker.extract.asking.listing import BUILD_FILES, Listing, listing_of
from checker.extract.changed_files.entries import declared_names, included_texts, is_deployment
from checker.extract.paths import kind_of
from checker.extract.unfollowed.found_beside import configuring, found_beside
from checker.extract.unfollowed.used_by_name import JVM, source_text, used_files
from checker.model.changed_files import CONVENTIONAL, FileKind, names_file, same_module
from checker.model.sources import SourceFiles

_OTHERS = (FileKind.DEPLOYMENT, FileKind.RESOURCE, FileKind.SCHEMA, FileKind.SERVICE)
"""Files that are looked for by what the source says."""


def program_files(files: SourceFiles, start: str, among: frozenset[str]) -> frozenset[str]:
    """Those of some files (source, resources, schemas, deployments) that the program in ``start`` may use."""
    if start.endswith(".py"):
        from checker.extract.python.interpreter.run_state import Limits
        from checker.extract.python.reached.code import reachable

        return among & reachable(files, Limits(), start.rpartition("/")[0], {start})
    source = _used_source(files, start)
    packaged = {path for path in among if path.endswith(JVM) or "/src/" in path}
    among = among - packaged | connected(files, start, packaged)
    others = frozenset(path for path in among.intersection(files.paths()) if kind_of(path, ".java") in _OTHERS)
    return among & source | frozenset(_resources(files, start, source, others) if others else ())


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


def _resources(files: SourceFiles, start: str, source: frozenset[str], among: frozenset[str]) -> Iterator[str]:
    """Those of some files that are no source which the program's source names, or what libraries look for beside it.

    On a program's class path is what lies in the modules of all its source; files of HOCON name others.
    """
    texts = [source_text(files, path) for path in source]
    words = frozenset().union(*(text.words for text in texts))
    strings = frozenset().union(*(text.strings for text in texts)) | included_texts(source, files)
    configured = configuring(files, start)

    def named(path: str) -> bool:
        within = next((used for used in source if same_module(path, used)), start)
        return any(names_file(string, path, within) for string in strings)

    for path in sorted(among):
        kind = kind_of(path, ".java")
        if kind is FileKind.DEPLOYMENT and is_deployment(path, files.read(path)):
            if start.rpartition("/")[2].partition(".")[0].encode() in files.read(path):
                yield path
        elif kind in (FileKind.RESOURCE, FileKind.DEPLOYMENT):
            conventional = CONVENTIONAL.search(path) is not None and any(same_module(path, used) for used in source)
            if conventional or path in configured or named(path):
                yield path
        elif kind is FileKind.SCHEMA:
            if same_module(path, start) and not words.isdisjoint(declared_names(path, files.read(path))):
                yield path
        elif kind is FileKind.SERVICE and path.rpartition(".")[2] in words:
            yield path


_MAKES_BUILD = frozenset((*BUILD_FILES, "settings.gradle", "settings.gradle.kts", "build.sbt"))
_BUILD_CODE = re.compile(
    r"(?:^|/)(?:pom|ivy)\.xml$|\.(?:gradle|sbt|toml)$|\.gradle\.kts$|(?:^|/)gradle\.properties$"
    r"|(?:^|/)(?:project|buildSrc|build-logic|buildLogic)/.*\.(?:kts?|groovy|java|scala)$"
)
_BUILD_WORD = re.compile(r"[\w.${}-]+")
_CALLED = re.compile(r"(?i)\b(?:\w*name|artifactId|artifact)\b[\s:=(]{1,8}[\"']([^\"']+)[\"']")
_OTHER_ARTIFACTS = re.compile(
    r"<(parent|dependencies|dependencyManagement|build|profiles|reporting)\b.*?(?:</\1\s*>|\Z)", re.DOTALL
)
_ARTIFACT = re.compile(r"<artifactId>\s*([^<\s]+)\s*<")
_OWN_MODULE = re.compile(r"<module>(?!\s*\.\.)[^<]*</module>")
"""A folder below that of the build file, which is never a folder of another build."""
_SCALA_VERSION = re.compile(r"_(?:\d[\d.]*|\$\{?[\w.]+\}?)$")


def connected(files: SourceFiles, start: str, paths: Iterable[str]) -> frozenset[str]:
    """Those of some files that are not built apart from the program in ``start``."""
    paths = frozenset(paths)
    builds = _builds(listing_of(plain(files)))
    own = _build_of(start, builds)
    if own is None:
        return paths
    together = _together(listing_of(plain(files)))
    return frozenset(
        path for path in paths if (build := _build_of(path, builds)) is None or together[build] == together[own]
    )


@lru_cache(maxsize=2)
def _builds(listing: Listing) -> frozenset[str]:
    """The folders of builds."""
    return frozenset(folder for folder, name in map(posixpath.split, listing.all) if name in _MAKES_BUILD)


def _build_of(path: str, builds: frozenset[str]) -> str | None:
    """The outermost build that a file lies in."""
    if "" in builds:
        return ""
    ends = (at for at, letter in enumerate(path) if letter == "/")
    return next((path[:end] for end in ends if path[:end] in builds), None)


@lru_cache(maxsize=2)
def _together(listing: Listing) -> dict[str, str]:
    """Maps each top-level build to the representative of its group of connected builds."""
    builds = _builds(listing)
    called: dict[str, set[str]] = {}
    written: dict[str, set[str]] = {}
    for path in sorted(listing.all):
        build = _build_of(path, builds) if _BUILD_CODE.search(path) else None
        if build is None:
            continue
        text = listing.files.read(path).decode("utf-8", "replace")
        folder, name = posixpath.split(path)
        called.setdefault(build, {posixpath.basename(build)}).update(_names(path, text))
        if name in _MAKES_BUILD:
            called[build].add(posixpath.basename(folder))
        words = _BUILD_WORD.findall(_OWN_MODULE.sub("", text))
        written.setdefault(build, set()).update(_SCALA_VERSION.sub("", word) for word in words)
    together = {build: build for build in called}
    for build in called:
        for used in called:
            if build != used and _mentions(written[build], called[used]):
                kept, gone = together[build], together[used]
                together = {each: kept if among == gone else among for each, among in together.items()}
    return together


def _names(path: str, text: str) -> set[str]:
    """How a build file may call what it builds."""
    maven = path.endswith(".xml")
    found = _ARTIFACT.findall(_OTHER_ARTIFACTS.sub("", text)) if maven else _CALLED.findall(text)
    return {_SCALA_VERSION.sub("", name) for name in found}


def _mentions(written: set[str], called: set[str]) -> bool:
    """Whether the text mentions one of the names; a name with a variable in it matches by its fixed prefix."""
    if any("$" in name for name in called) or not written.isdisjoint(called):
        return True
    begins = tuple(begin for begin in (word.partition("$")[0] for word in written if "$" in word) if begin)
    return any(name.startswith(begins) for name in called)
