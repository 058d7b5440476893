"""Questions about all files of a revision: which file has this name, which declares this class."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from checker.extract.asking.content_facts import KEYS, Fact, Facts
from checker.extract.java.build_files import stated_version
from checker.extract.paths import in_tests
from checker.model.changed_files import SET_SERIALIZERS
from checker.model.nested import gathered
from checker.model.sources import SourceFiles, submodules_of

Answer = tuple[str, ...]
_FLINK_ITSELF = "org/apache/flink/streaming/api/environment/StreamExecutionEnvironment.java"
_FLINK_PROGRAMS = re.compile(r"example|end-to-end|walkthrough|quickstart|flink-tests/|tutorial")
_TYPE_NAME = re.compile(rb"\b(?:class|interface|enum|record)\s+(\w+)")
_SUPERTYPES = re.compile(rb"\b(?:implements|extends)\s+([^{;]{1,2000})")
_UPPER_NAME = re.compile(rb"\b[A-Z]\w*")


def _names(found: Iterable[bytes]) -> Fact:
    return tuple(sorted({name.decode("utf-8", "replace") for name in found}))


_DECLARED = Facts("declared types", lambda data: _names(_TYPE_NAME.findall(data)))
_TYPE_ARGUMENTS = re.compile(rb"<[^<>]*>")


def _above(data: bytes) -> Fact:
    """Names after ``extends`` and ``implements``, without the types that they are given as arguments."""
    written = b" ".join(_SUPERTYPES.findall(data))
    while (without := _TYPE_ARGUMENTS.sub(b"", written)) != written:
        written = without
    return _names(_UPPER_NAME.findall(written))


_ABOVE = Facts("super types", _above)


def declared_types(files: SourceFiles, paths: Iterable[str]) -> dict[str, list[str]]:
    """Java file → the types that it seems to declare."""
    return {path: [str(name) for name in names] for path, names in _DECLARED.of(files, paths).items()}


_PACKAGE = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:\s|//[^\n]*+|/\*(?s:.)*?\*/)*+package\s+([\w.\s$\x80-\xff]{1,500});")
"""A package clause that begins a file, but for comments."""
_PACKAGES = Facts("packages of java files", lambda data: _names(b"".join(n.split()) for n in _PACKAGE.findall(data)))
_SERIALIZERS = Facts("serializer settings", lambda data: (int(len(data) < 2_000_000 and bool(KEYS.search(data))),))
_BUILD = re.compile(
    r"\.(?:xml|gradle|kts|sbt|properties|toml)$|(?:^|/)(?:\.mvn/maven\.config|(?:project|buildSrc|build-logic|buildLogic)/.*\.(?:kt|groovy|java|scala))$"
)
"""Paths that may belong to a build, wider than what ``build_files`` reads."""


_PINNING = re.compile(r"\.(?:txt|in|toml|cfg|ya?ml)$|(?:^|/)(?:setup\.py|Pipfile|Dockerfile)$")
"""Paths that may pin a Python package or an image, wider than what the reader of PyFlink looks for."""
FETCHING = re.compile(
    r"\.(?:xml|gradle|kts|sbt|properties|toml|ya?ml|sh|env)$|(?:^|/)(?:\.env|Makefile|(?:[\w.-]*\.)?Dockerfile[\w.-]*)$"
)
"""Paths of files that may fetch a connector's jar, or build with it."""
_PAIMON = re.compile(
    r"paimon-flink-\d+\.\d+(?:</artifactId>\s*<version>|[-/:])v?(\d+\.\d+)"
    r"|paimon[._-]?version[}>]?\s*[:=>]-?\s*[\"']?v?(\d+\.\d+)",
    re.IGNORECASE,
)
"""The release in the name of a jar, in its coordinates, or in a variable or property of a build."""
_LONGEST = 400_000
BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts")
"""Build files of which each makes its folder a module."""


class Listing:
    """Questions about all files of one revision, answered from their names and from facts."""

    def __init__(self, files: SourceFiles) -> None:
        self.files = files
        self._answers: dict[tuple[str, str], Answer] = {}
        self.found: dict[str, tuple[Any, Any]] = {}
        """What this process found out about the revision, by what was asked for (see ``once``)."""
        self._digests: dict[tuple[str, str], str] = {}

    def answer(self, question: str, argument: str) -> Answer:
        """The paths that a question asks for. Raises KeyError for a question that there is not."""
        key = (question, argument)
        found = self._answers.get(key)
        if found is None:
            found = self._answers[key] = tuple(_QUESTIONS[question](self, argument))
        return found

    def digest(self, question: str, argument: str) -> str:
        """A digest of an answer."""
        key = (question, argument)
        found = self._digests.get(key)
        if found is None:
            text = "\0".join(self.answer(question, argument)).encode("utf-8", "surrogatepass")
            found = self._digests[key] = hashlib.blake2b(text, digest_size=20).hexdigest()
        return found

    @cached_property
    def submodules(self) -> Mapping[str, str]:
        """The submodules, each with the commit of its repository."""
        return submodules_of(self.files)

    @cached_property
    def all(self) -> frozenset[str]:
        """All paths."""
        return frozenset(self.files.paths())

    @cached_property
    def java(self) -> Answer:
        """All Java files of programs."""
        return tuple(path for path in self.of_programs if path.endswith(".java"))

    @cached_property
    def of_programs(self) -> Answer:
        """All files; in Flink's own repository only those of programs, not of its libraries."""
        paths = self.files.paths()
        if any(path.endswith(_FLINK_ITSELF) for path in paths):
            own = (p for p in paths if not p.endswith(".java") or "/org/apache/flink/" in p)
            library = {path for path in own if not _FLINK_PROGRAMS.search(path)}
            return tuple(path for path in paths if path not in library)
        return tuple(paths)

    @cached_property
    def java_names(self) -> dict[str, list[str]]:
        """File name without its ending → Java files."""
        return gathered((path.rpartition("/")[2][:-5], path) for path in self.java)

    @cached_property
    def classes(self) -> dict[str, dict[str, list[str]]]:
        """Simple name → package → Java files that seem to declare such a type.

        One that does not begin with a package clause, or is not readable, seems to declare what its path says.
        """
        packages = _PACKAGES.of(self.files, self.java, ())
        declared = _DECLARED.of(self.files, self.java, ())
        found: dict[str, dict[str, list[str]]] = {}
        for path in self.java:
            folder, _, file = path.rpartition("/")
            parts = folder.split("/")
            within = packages[path] or tuple(".".join(parts[start:]) for start in range(len(parts) + 1))
            for name in {*declared[path], file.removesuffix(".java")}:
                for package in within:
                    found.setdefault(str(name), {}).setdefault(str(package), []).append(path)
        return found

    @cached_property
    def below(self) -> dict[str, list[str]]:
        """Simple name → Java files that write it after ``extends`` or ``implements``."""
        return gathered((str(name), path) for path, names in _ABOVE.of(self.files, self.java).items() for name in names)

    @cached_property
    def stems(self) -> dict[str, list[str]]:
        """File name, with and without what follows its first dot → files that are not Java source."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.all):
            file = path.rpartition("/")[2]
            if not file.endswith(".java"):
                for key in {file, file.partition(".")[0]}:
                    found.setdefault(key, []).append(path)
        return found

    @cached_property
    def standing_for(self) -> dict[str, list[str]]:
        """Path or folder → that file, or the files at any depth below that folder."""
        found: dict[str, list[str]] = {}
        for path in self.files.paths():
            end = len(path)
            while end > 0:
                found.setdefault(path[:end], []).append(path)
                end = path.rfind("/", 0, end)
        return found


def _flink_version(listing: Listing, source: str) -> Iterable[str]:
    """The version that a source file is built with, empty where none is stated, and the build files that say so."""
    version, consulted = stated_version(listing.files, listing.answer("build files", ""), source)
    return (version or "", *consulted)


def _paimon_release(listing: Listing, _: str) -> Iterable[str]:
    """The one release of Paimon that all files which fetch or build with its jar agree on, and these; empty if none."""
    found: dict[str, set[str]] = {}
    for path in listing.files.paths():
        if FETCHING.search(path) and not in_tests(path):
            text = listing.files.read(path)[:_LONGEST].decode("utf-8", "replace")
            for release in _PAIMON.findall(text):
                found.setdefault(release[0] or release[1], set()).add(path)
    if len(found) > 1:
        return ("",)
    return [text for release, paths in found.items() for text in (release, *sorted(paths))]


def _module(listing: Listing, folder: str) -> Iterable[str]:
    """The nearest folder with a build file, at or above a folder."""
    while True:
        if any((f"{folder}/{name}" if folder else name) in listing.all for name in BUILD_FILES):
            return (folder,)
        if not folder:
            return ()
        folder = folder.rpartition("/")[0]


def _class(listing: Listing, qualified: str) -> Iterable[str]:
    """The Java files that seem to declare a class of a qualified name."""
    package, _, name = qualified.rpartition(".")
    return listing.classes.get(name, {}).get(package, ())


def _declaring(listing: Listing, name: str) -> Iterable[str]:
    """The Java files that seem to declare a type of a simple name, each behind its package."""
    return (f"{package} {path}" for package, paths in listing.classes.get(name, {}).items() for path in paths)


def _mentioning_serializers(listing: Listing, _: str) -> Iterable[str]:
    others = (path for path in listing.files.paths() if path.endswith(SET_SERIALIZERS))
    paths = sorted(path for path in (*listing.java, *others) if not in_tests(path))
    return (path for path, (mentions,) in _SERIALIZERS.of(listing.files, paths, (0,)).items() if mentions)


_QUESTIONS: dict[str, Callable[[Listing, str], Iterable[str]]] = {
    "file": lambda listing, path: (path,) if path in listing.all else (),
    "ending": lambda listing, ending: (path for path in listing.files.paths() if path.endswith(ending)),
    "at or below": lambda listing, path: listing.standing_for.get(path, ()),
    "within": lambda listing, part: (path for path in listing.files.paths() if part in path),
    "stem": lambda listing, name: listing.stems.get(name, ()),
    "java": lambda listing, _: listing.java,
    "java file": lambda listing, name: listing.java_names.get(name, ()),
    "class": _class,
    "declaring": _declaring,
    "below": lambda listing, name: listing.below.get(name, ()),
    "build files": lambda listing, _: (path for path in listing.files.paths() if _BUILD.search(path)),
    "flink version": _flink_version,
    "paimon release": _paimon_release,
    "module": _module,
    "pinning versions": lambda listing, _: (path for path in listing.files.paths() if _PINNING.search(path)),
    "mentioning serializers": _mentioning_serializers,
}


def listing_of(files: SourceFiles) -> Listing:
    """The listing of a revision, made once for each object."""
    found = getattr(files, "_listing", None)
    if not isinstance(found, Listing) or found.files is not files:
        found = Listing(files)
        object.__setattr__(files, "_listing", found)
    return found
