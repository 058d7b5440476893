"""What was asked of a revision's files, so that an answer can be used again where every file and question is the same.

Readers ask a revision for the content of files, and questions about all of its files (``ask``): which file has this
name, which declares this class. ``ConsultedFiles`` write down both, also what was looked for and is not there. An edit
elsewhere changes none of it.
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

from checker.cache import active_cache
from checker.extract.java.build_files.search import stated_version
from checker.extract.java.state.serializer_mentions import RESOURCES, mentions_serializers
from checker.extract.java.syntax.paths import in_tests
from checker.extract.moved_code import ForgivingFiles, moved
from checker.model.sources import SourceFiles, contents_of

T = TypeVar("T")
Answer = tuple[str, ...]
Fact = tuple[str | int, ...]
_FLINK_ITSELF = "org/apache/flink/streaming/api/environment/StreamExecutionEnvironment.java"
_FLINK_PROGRAMS = re.compile(r"example|end-to-end|walkthrough|quickstart|flink-tests/|tutorial")
_MOST_FACTS = 60_000


class ByContent(Generic[T], ABC):
    """What the content of single files says, remembered by content: in this process, and in the cache."""

    def __init__(self, kind: str, look: Callable[[bytes], T]) -> None:
        self._kind = kind
        self._look = look
        self._known: dict[str, T] = {}

    @abstractmethod
    def write(self, found: T) -> bytes:
        """As it is kept."""

    @abstractmethod
    def read(self, written: bytes) -> T:
        """From what was kept. Raises ValueError for anything else."""

    def of(self, files: SourceFiles, paths: Iterable[str]) -> dict[str, T]:
        """Path → what the file says."""
        contents = {path: files.content_id(path) for path in paths}
        if len(self._known) > _MOST_FACTS:
            self._known.clear()
        unknown = {content: path for path, content in contents.items() if content not in self._known}
        cache = active_cache()
        for content, written in (cache.facts(self._kind, tuple(unknown)) if cache is not None else {}).items():
            with suppress(ValueError, TypeError):
                self._known[content] = self.read(written)
                del unknown[content]
        for content, data in zip(unknown, contents_of(files, tuple(unknown.values())), strict=True):
            self._known[content] = self._look(data)
        if cache is not None and unknown:
            cache.keep_facts(self._kind, {content: self.write(self._known[content]) for content in unknown})
        return {path: self._known[content] for path, content in contents.items()}

    def known(self, content: str) -> T | None:
        """What a content says that was looked at before, None where it was not."""
        if content not in self._known and (cache := active_cache()) is not None:
            with suppress(ValueError, TypeError):
                self._known.update({key: self.read(kept) for key, kept in cache.facts(self._kind, (content,)).items()})
        return self._known.get(content)


class Facts(ByContent[Fact]):
    """Facts of a few numbers and texts."""

    def write(self, found: Fact) -> bytes:
        """As JSON."""
        return json.dumps(found, separators=(",", ":")).encode()

    def read(self, written: bytes) -> Fact:
        """From JSON."""
        found = json.loads(written)
        if not isinstance(found, list):
            raise ValueError("no list")
        return tuple(found)


_TYPE_NAME = re.compile(rb"\b(?:class|interface|enum|record)\s+(\w+)")
_SUPERTYPES = re.compile(rb"\b(?:implements|extends)\s+([^{;]{1,2000})")
_UPPER_NAME = re.compile(rb"\b[A-Z]\w*")


def _names(found: Iterable[bytes]) -> Fact:
    return tuple(sorted({name.decode("utf-8", "replace") for name in found}))


_DECLARED = Facts("declared types", lambda data: _names(_TYPE_NAME.findall(data)))
_ABOVE = Facts("super types", lambda data: _names(_UPPER_NAME.findall(b" ".join(_SUPERTYPES.findall(data)))))


def declared_types(files: SourceFiles, paths: Iterable[str]) -> dict[str, list[str]]:
    """Java file → the types that it seems to declare."""
    return {path: [str(name) for name in names] for path, names in _DECLARED.of(files, paths).items()}


_SERIALIZERS = Facts("serializer settings", lambda data: (int(mentions_serializers(data)),))
_BUILD = re.compile(
    r"\.(?:xml|gradle|kts|sbt|properties|toml)$|(?:^|/)(?:project|buildSrc|build-logic|buildLogic)/.*\.(?:kt|groovy|java|scala)$"
)
"""Paths that may belong to a build, wider than what ``build_files`` reads."""


_PINNING = re.compile(r"\.(?:txt|in|toml|cfg|ya?ml)$|(?:^|/)(?:setup\.py|Pipfile|Dockerfile)$")
"""Paths that may pin a Python package or an image, wider than what the reader of PyFlink looks for."""
BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts")
"""Build files of which each makes its folder a module."""


class Listing:
    """Questions about all files of one revision, answered from their names and from facts."""

    def __init__(self, files: SourceFiles) -> None:
        self.files = files
        self._answers: dict[tuple[str, str], Answer] = {}
        self.found: dict[str, tuple[Any, Consulted]] = {}
        """What this process found out about the revision, by what was asked for (see ``once``)."""
        self._digests: dict[tuple[str, str], str] = {}
        self._declared: dict[str, dict[str, list[str]]] = {}

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
            found = self._digests[key] = hashlib.blake2b(text, digest_size=10).hexdigest()
        return found

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
        found: dict[str, list[str]] = {}
        for path in self.java:
            found.setdefault(path.rpartition("/")[2][:-5], []).append(path)
        return found

    @cached_property
    def java_folders(self) -> dict[str, list[str]]:
        """Folder → Java files directly in it."""
        found: dict[str, list[str]] = {}
        for path in self.java:
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    @cached_property
    def folders_named(self) -> dict[str, list[str]]:
        """The last part of a folder's path → folders with Java files."""
        found: dict[str, list[str]] = {}
        for folder in self.java_folders:
            found.setdefault(folder.rpartition("/")[2], []).append(folder)
        return found

    def declaring(self, folder: str, name: str) -> Sequence[str]:
        """Java files of a folder that seem to declare a type of that name."""
        declared = self._declared.get(folder)
        if declared is None:
            declared = self._declared[folder] = {}
            for path, names in declared_types(self.files, self.java_folders.get(folder, ())).items():
                for declaration in names:
                    declared.setdefault(declaration, []).append(path)
        return declared.get(name, ())

    @cached_property
    def below(self) -> dict[str, list[str]]:
        """Simple name → Java files that write it after ``extends`` or ``implements``."""
        found: dict[str, list[str]] = {}
        for path, names in _ABOVE.of(self.files, self.java).items():
            for name in names:
                found.setdefault(str(name), []).append(path)
        return found

    @cached_property
    def stems(self) -> dict[str, list[str]]:
        """File name, with and without what follows its first dot → files that are no Java source."""
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


def _build_files(listing: Listing, _: str) -> Iterable[str]:
    return (path for path in listing.files.paths() if _BUILD.search(path))


def _flink_version(listing: Listing, source: str) -> Iterable[str]:
    """The version that a source file is built with, empty where none is stated, and the build files that say so."""
    version, consulted = stated_version(listing.files, listing.answer("build files", ""), source)
    return (version or "", *consulted)


def _module(listing: Listing, folder: str) -> Iterable[str]:
    """The nearest folder with a build file, at or above a folder."""
    while True:
        if any((f"{folder}/{name}" if folder else name) in listing.all for name in BUILD_FILES):
            return (folder,)
        if not folder:
            return ()
        folder = folder.rpartition("/")[0]


def _mentioning_serializers(listing: Listing, _: str) -> Iterable[str]:
    others = (path for path in listing.files.paths() if path.endswith(RESOURCES))
    paths = sorted(path for path in (*listing.java, *others) if not in_tests(path))
    return (path for path, (mentions,) in _SERIALIZERS.of(listing.files, paths).items() if mentions)


_QUESTIONS: dict[str, Callable[[Listing, str], Iterable[str]]] = {
    "file": lambda listing, path: (path,) if path in listing.all else (),
    "ending": lambda listing, ending: (path for path in listing.files.paths() if path.endswith(ending)),
    "at or below": lambda listing, path: listing.standing_for.get(path, ()),
    "within": lambda listing, part: (path for path in listing.files.paths() if part in path),
    "stem": lambda listing, name: listing.stems.get(name, ()),
    "java": lambda listing, _: listing.java,
    "java file": lambda listing, name: listing.java_names.get(name, ()),
    "java folder": lambda listing, folder: ("",) if folder in listing.java_folders else (),
    "java folders": lambda listing, name: listing.folders_named.get(name, ()),
    "declaring": lambda listing, place: listing.declaring(*place.rsplit("/", 1)),
    "below": lambda listing, name: listing.below.get(name, ()),
    "build files": _build_files,
    "flink version": _flink_version,
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


def ask(files: SourceFiles, question: str, argument: str = "") -> Answer:
    """The answer to a question about all files of a revision; it is written down where ``files`` are consulted ones."""
    return (
        files.answer(question, argument)
        if isinstance(files, ConsultedFiles)
        else listing_of(files).answer(question, argument)
    )


@dataclass
class Consulted:
    """What was asked of one revision, and what it answered."""

    contents: dict[str, str | None] = field(default_factory=dict)
    """Path → its content's id, None where there was no such file."""
    answers: dict[tuple[str, str], str] = field(default_factory=dict)
    """(question, argument) → a digest of the answer."""

    def holds(self, files: SourceFiles, same: Callable[[str, str], bool] | None = None) -> bool:
        """Whether a revision answers everything alike. ``same`` forgives contents: it gets the path and the old id."""
        listing = listing_of(files)
        for path, content in self.contents.items():
            now = content_or_none(files, path)
            if now != content and (None in (now, content) or same is None or not same(path, str(content))):
                return False
        return all(listing.digest(*key) == digest for key, digest in self.answers.items())

    def add(self, other: Consulted) -> None:
        """What was asked at another time, of the same revision."""
        self.contents.update(other.contents)
        self.answers.update(other.answers)

    def document(self) -> Any:
        """As JSON."""
        return [self.contents, [[*key, digest] for key, digest in self.answers.items()]]

    @classmethod
    def of(cls, document: Any) -> Consulted:
        """From JSON. Raises ValueError or TypeError for anything else than ``document`` gives."""
        contents, answers = document
        return cls(dict(contents), {(question, argument): digest for question, argument, digest in answers})


def content_or_none(files: SourceFiles, path: str) -> str | None:
    """The id of a file's content, None where there is no such file."""
    try:
        return files.content_id(path)
    except KeyError:
        return None


class ConsultedFiles:
    """The files of a revision; what is asked of them is written down in ``consulted``."""

    def __init__(self, files: SourceFiles) -> None:
        self.files = files
        self.consulted = Consulted()
        self._answers: dict[tuple[str, str], Answer] = {}

    def paths(self) -> Sequence[str]:
        """All file paths, sorted."""
        return self.answer("ending", "")

    def read(self, path: str) -> bytes:
        """The content of one file. Raises KeyError when the revision has no such file."""
        self.content_id(path)
        return self.files.read(path)

    def content_id(self, path: str) -> str:
        """A name of the content. Raises KeyError when the revision has no such file."""
        content = self.consulted.contents[path] = content_or_none(self.files, path)
        if content is None:
            raise KeyError(path)
        return content

    def answer(self, question: str, argument: str) -> Answer:
        """The paths that a question asks for."""
        key = (question, argument)
        answer = self._answers.get(key)
        if answer is None:
            listing = listing_of(self.files)
            answer = self._answers[key] = listing.answer(question, argument)
            self.consulted.answers[key] = listing.digest(question, argument)
        return answer

    def consult_like(self, other: Consulted) -> None:
        """Ask everything that was asked of another revision."""
        for path in other.contents:
            self.consulted.contents[path] = content_or_none(self.files, path)
        for question, argument in other.answers:
            self.answer(question, argument)


def consulted(files: SourceFiles) -> ConsultedFiles:
    """The files with a record of what is asked of them."""
    return files if isinstance(files, ConsultedFiles) else ConsultedFiles(files)


def plain(files: SourceFiles) -> SourceFiles:
    """The files themselves, to look at without writing it down."""
    return files.files if isinstance(files, ConsultedFiles) else files


def once(files: SourceFiles, key: str, compute: Callable[[ConsultedFiles], T]) -> T:
    """What ``compute`` says of a revision, found out once in this process, however many pipelines ask.

    What it rests on is written down for each of them where ``files`` are consulted ones.
    """
    found = listing_of(plain(files)).found
    if key not in found:
        watched = ConsultedFiles(plain(files))
        found[key] = compute(watched), watched.consulted
    answer, asked = found[key]
    if isinstance(files, ConsultedFiles):
        files.consulted.add(asked)
    return cast("T", answer)


_REMEMBERED: OrderedDict[str, list[tuple[Consulted, Any]]] = OrderedDict()
"""What this process found out, by key: the revisions of a history share most of it."""
_MOST_REMEMBERED = 4_000


def remembered(key: str, files: SourceFiles, compute: Callable[[SourceFiles], Any]) -> Any:
    """What ``compute`` says of a revision, as JSON; used again where it was asked before of files alike.

    Files may differ in comments and layout. What it rests on is written down where ``files`` are consulted ones.
    """
    revision = plain(files)
    known = _REMEMBERED.setdefault(key, [])
    recalled = next((record for record in known if record[0].holds(revision)), None)
    if recalled is None:
        recalled = _alike(key, known, revision) or _computed(key, revision, compute)
        known[:] = [recalled, *known[:3]]
        while len(_REMEMBERED) > _MOST_REMEMBERED:
            _REMEMBERED.popitem(last=False)
    asked, found = recalled
    if isinstance(files, ConsultedFiles):
        files.consulted.add(asked)
    return found


def _alike(key: str, known: Iterable[tuple[Consulted, Any]], files: SourceFiles) -> tuple[Consulted, Any] | None:
    """What is known of a revision whose files say the same, with the places of this one."""
    cache = active_cache()
    rows = [] if cache is None else cache.rows(key)
    for row in (*known, *rows):
        with suppress(ValueError, TypeError, KeyError):
            document, found = row
            asked = document if isinstance(document, Consulted) else Consulted.of(document)
            forgiving = ForgivingFiles(files)
            if asked.holds(files, forgiving.forgives):
                now = ConsultedFiles(files)
                now.consult_like(asked)
                return now.consulted, moved(found, forgiving.moves)
    return None


def _computed(key: str, files: SourceFiles, compute: Callable[[SourceFiles], Any]) -> tuple[Consulted, Any]:
    watched = ConsultedFiles(files)
    found = compute(watched)
    cache = active_cache()
    if cache is not None:
        cache.keep(key, [watched.consulted.document(), found])
    return watched.consulted, found
