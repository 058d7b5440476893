"""The files that a program may use which no reader follows: what its text mentions, and what that mentions.

Wider than what the program uses: a class counts as used where its name stands in a file that can see its package. For
edits of Kotlin, Scala and Table API programs, whose graphs are not read from source.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from checker.extract.asking.consulted import ask, content_or_none, plain
from checker.extract.asking.listing import Listing, listing_of
from checker.extract.changed_files.entries import declared_names, is_deployment
from checker.extract.paths import in_tests, kind_of
from checker.extract.texts import without_comments
from checker.extract.unfollowed.separate_builds import JVM, connected, found_beside
from checker.model.changed_files import CONVENTIONAL, FileKind, names_file, same_module
from checker.model.nested import gathered, reached
from checker.model.sources import SourceFiles

_STRING = re.compile(r'(?<!\\)(?:"""((?:.|\n)*?)"""|"((?:\\.|[^"\\\n])*+)")')
_PACKAGE = re.compile(r"^[^\S\n]*+package\s++(?!object\b)([\w.`]+)", re.MULTILINE)
_TYPE = re.compile(r"\b(?:class|object|interface|trait|enum|record|typealias)\s+(\w+)")
_TOP_LEVEL = re.compile(
    r"^(?:(?:private|internal|public|inline|suspend|const|implicit|lazy|final)[^\S\n]++)*+"
    r"(?:fun|def|val|var|given|type)\s++(?:<[^>\n]*+>\s*+)?(?:[\w<>?,. ]{1,300}\.)?(\w+)",
    re.MULTILINE,
)
_WORD = re.compile(r"\w+")
_MOST_DESCRIBED = 20_000


def program_files(files: SourceFiles, start: str, among: frozenset[str]) -> frozenset[str]:
    """Those of some files (source, resources, schemas, deployments) that the program in ``start`` may use."""
    if start.endswith(".py"):
        from checker.extract.python.interpreter.run_state import Limits
        from checker.extract.python.reachable import reachable

        return among & reachable(files, Limits(), start.rpartition("/")[0], {start})
    source = _used_source(files, start)
    texts = [_source(files, path) for path in source]
    packaged = {path for path in among if path.endswith(JVM) or "/src/" in path}
    among = among - packaged | connected(files, start, packaged)
    return among & source | frozenset(_resources(files, start, texts, among))


def used_foreign(files: SourceFiles, start: str, changed: frozenset[str]) -> frozenset[str]:
    """Those of some files in other languages of the JVM that a Java program may use, itself or through such files.

    The content of every file of these languages is asked for: what is between the program and the file decides, too.
    """
    if not changed or content_or_none(files, start) is None:
        return changed
    for ending in JVM:
        for path in ask(files, "ending", ending) if ending != ".java" else ():
            files.content_id(path)
    return connected(files, start, changed) & _used_source(files, start)


def _used_source(files: SourceFiles, start: str) -> frozenset[str]:
    """The source files that a program may use, in any language of the JVM."""
    source = used_files(files, start)
    beside = found_beside(files, start, source)
    return source | _closure(files, *beside) if beside else source


def used_files(files: SourceFiles, *starts: str) -> frozenset[str]:
    """The source files that some of them may use by name, and they. Tests are used by tests only."""
    tests = [path for path in starts if in_tests(path)]
    return _closure(files, *tests) | _closure(files, *(path for path in starts if path not in tests))


@dataclass(frozen=True, slots=True)
class _Source:
    """What the text of a source file says."""

    packages: tuple[str, ...]
    """Its package last; before it those around it that have a clause of their own, as Scala's may."""
    declared: frozenset[str]
    words: frozenset[str]
    """But for those of the package clauses."""
    strings: frozenset[str]
    text: str

    @property
    def package(self) -> str:
        """Its own package, empty where it has none."""
        return self.packages[-1] if self.packages else ""


def _described(data: bytes) -> _Source:
    text = without_comments(data.decode("utf-8", "replace"))
    packages = accumulate((name.replace("`", "") for name in _PACKAGE.findall(text)), "{}.{}".format)
    declared = {*_TYPE.findall(text), *_TOP_LEVEL.findall(text)} - {"main"}
    strings = frozenset(double or single for double, single in _STRING.findall(text))
    words = frozenset(_WORD.findall(_PACKAGE.sub("", text)))
    return _Source(tuple(packages), frozenset(declared), words, strings, text)


_DESCRIBED: dict[str, _Source] = {}
"""Content → what it says: a file is asked for thousands of times and read once."""


def _source(files: SourceFiles, path: str) -> _Source:
    content = files.content_id(path)
    found = _DESCRIBED.get(content)
    if found is None:
        if len(_DESCRIBED) >= _MOST_DESCRIBED:
            _DESCRIBED.clear()
        found = _DESCRIBED[content] = _described(files.read(path))
    return found


def _closure(files: SourceFiles, *starts: str) -> frozenset[str]:
    uses = _uses(listing_of(plain(files)), any(map(in_tests, starts)))
    found = reached(starts, uses.of)
    uses.consult(files, found)
    return frozenset(found)


def used_first(files: SourceFiles, start: str, most: int) -> Iterator[str]:
    """A source file and those that it may use by name, the nearest first; none behind the first ``most``."""
    uses = _uses(listing_of(plain(files)), in_tests(start))
    pending, seen = [start], {start}
    for path in pending:
        yield path
        uses.consult(files, [path])
        if len(seen) <= most:
            more = [used for used in uses.of(path) if used not in seen and in_tests(used) == in_tests(start)]
            pending.extend(more)
            seen.update(more)


class _Packages:
    """All packages of a revision, by their parts."""

    def __init__(self) -> None:
        self.children: dict[str, _Packages] = {}
        self.name: str | None = None
        """The package, None where none is called so far."""

    def add(self, package: str) -> None:
        """One more."""
        here = self
        for part in package.split("."):
            here = here.children.setdefault(part, _Packages())
        here.name = package

    def seen_by(self, source: _Source) -> frozenset[str]:
        """The packages whose names mean something in a file: its own, those around it, and those that it mentions.

        An import names every part of a package, but for those that its own package begins with.
        """
        found = {source.package, *source.packages}
        own = source.package.split(".")
        pending = [(self, 0, True)]
        while pending:
            here, depth, around = pending.pop()
            if here.name and (not around or own[depth - 1] in source.words):
                found.add(here.name)
            following = own[depth : depth + 1] if around else []
            named = {*(here.children.keys() & source.words), *(here.children.keys() & following)}
            pending.extend((here.children[part], depth + 1, part in following) for part in named)
        return frozenset(found)


class _Uses:
    """Which source files of a revision each one may use, found out once however many programs ask."""

    def __init__(self, listing: Listing, with_tests: bool) -> None:
        self.names: dict[str, frozenset[str]] = {}
        """File → the names in it that decide which files it uses."""
        self._files = listing.files
        self._with_tests = with_tests
        self.foreign, self._packages = _foreign(listing)
        self._java = listing.classes
        self._by_package: dict[str, dict[str, list[str]]] = {}
        self._used: dict[str, tuple[str, ...]] = {}

    def of(self, user: str) -> tuple[str, ...]:
        """The files that one may use."""
        if user not in self._used:
            here = _source(self._files, user)
            names = self.names[user] = here.words & (self._java.keys() | self.foreign.keys())
            packages = self._packages.seen_by(here)
            found: dict[str, None] = {}
            for name in sorted(names):
                declaring = self._declaring(name)
                seen = [path for package in sorted(packages & declaring.keys()) for path in declaring[package]]
                found.update(dict.fromkeys([path for path in seen if same_module(path, user)] or seen))
            self._used[user] = tuple(found)
        return self._used[user]

    def consult(self, files: SourceFiles, users: Iterable[str]) -> None:
        """Ask for all that decides which files some may use."""
        names: set[str] = set()
        for path in users:
            files.content_id(path)
            self.of(path)
            names |= self.names[path]
        for name in names:
            ask(files, "declaring", name)
            for path in self.foreign.get(name, ()):
                files.content_id(path)

    def _declaring(self, name: str) -> dict[str, list[str]]:
        """Package → the files that declare a name there."""
        if name not in self._by_package:
            foreign = [(_source(self._files, path).package, path) for path in self.foreign.get(name, ())]
            java = [(package, path) for package, paths in self._java.get(name, {}).items() for path in paths]
            self._by_package[name] = gathered(
                (package, path) for package, path in (*java, *foreign) if self._with_tests or not in_tests(path)
            )
        return self._by_package[name]


@lru_cache(maxsize=4)
def _uses(listing: Listing, with_tests: bool) -> _Uses:
    return _Uses(listing, with_tests)


@lru_cache(maxsize=2)
def _foreign(listing: Listing) -> tuple[dict[str, list[str]], _Packages]:
    """Name → files of the JVM's other languages that declare it or are called so; and the packages of all languages."""
    by_name: dict[str, list[str]] = defaultdict(list)
    packages = _Packages()
    for path in listing.files.paths():
        if path.endswith(JVM) and not path.endswith(".java"):
            source = _source(listing.files, path)
            packages.add(source.package)
            for name in {*source.declared, path.rpartition("/")[2].partition(".")[0]}:
                by_name[name].append(path)
    for package in {package for named in listing.classes.values() for package in named}:
        packages.add(package)
    return by_name, packages


def _resources(files: SourceFiles, start: str, texts: list[_Source], among: frozenset[str]) -> Iterator[str]:
    words = frozenset().union(*(text.words for text in texts))
    strings = frozenset().union(*(text.strings for text in texts))
    for path in sorted(among.intersection(files.paths())):
        kind = kind_of(path, ".java")
        if kind is FileKind.DEPLOYMENT and is_deployment(path, files.read(path)):
            if start.rpartition("/")[2].partition(".")[0].encode() in files.read(path):
                yield path
        elif kind in (FileKind.RESOURCE, FileKind.DEPLOYMENT):
            conventional = CONVENTIONAL.search(path) is not None and same_module(path, start)
            if conventional or any(names_file(string, path, start) for string in strings):
                yield path
        elif kind is FileKind.SCHEMA:
            if same_module(path, start) and not words.isdisjoint(declared_names(path, files.read(path))):
                yield path
        elif kind is FileKind.SERVICE and path.rpartition(".")[2] in words:
            yield path
