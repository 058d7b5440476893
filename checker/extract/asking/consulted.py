"""What was asked of a revision's files, so that an answer can be used again where every file and question is the same.

Readers ask a revision for the content of files, and questions about all of its files (``ask``, see ``listing.py``).
``ConsultedFiles`` write down both, also what was looked for and is not there. An edit elsewhere changes none of it:
an answer is used again where all that it rests on is alike, in this process (``once``) and from
the cache (``remembered``).
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import process_time
from typing import Any, TypeVar, cast
from weakref import ref

from checker.cache import active_cache
from checker.extract.asking.content_facts import RecordsAsJson
from checker.extract.asking.listing import Answer, Listing, listing_of
from checker.model.sources import SourceFiles


def ask(files: SourceFiles, question: str, argument: str = "") -> Answer:
    """The answer to a question about all files of a revision; it is written down where ``files`` are consulted ones."""
    return (
        files.answer(question, argument)
        if isinstance(files, ConsultedFiles)
        else listing_of(files).answer(question, argument)
    )


@dataclass
class Consulted:
    """The questions that were asked of one revision, with their answers."""

    contents: dict[str, str | None] = field(default_factory=dict)
    """Path → its content's id, None where there was no such file."""
    answers: dict[tuple[str, str], str] = field(default_factory=dict)
    """(question, argument) → a digest of the answer."""

    def holds(self, files: SourceFiles) -> bool:
        """Whether a revision answers everything alike."""
        listing = listing_of(files)
        contents = all(content_or_none(files, path) == content for path, content in self.contents.items())
        return contents and all(listing.digest(*key) == digest for key, digest in self.answers.items())

    def add(self, more: Consulted) -> None:
        """What was asked at another time, of the same revision."""
        self.contents.update(more.contents)
        self.answers.update(more.answers)

    def document(self) -> Any:
        """As JSON."""
        return [self.contents, [[*key, digest] for key, digest in self.answers.items()]]

    @classmethod
    def of(cls, document: Any) -> Consulted:
        """From JSON. Raises ValueError or TypeError for anything other than ``document`` gives."""
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
        listing = listing_of(self.files)
        self.consulted.answers[question, argument] = listing.digest(question, argument)
        return listing.answer(question, argument)

    def consult_like(self, earlier: Consulted) -> None:
        """Ask everything that was asked of another revision."""
        for path in earlier.contents:
            self.consulted.contents[path] = content_or_none(self.files, path)
        for question, argument in earlier.answers:
            self.answer(question, argument)


def consulted(files: SourceFiles) -> ConsultedFiles:
    """The files with a record of what is asked of them."""
    return files if isinstance(files, ConsultedFiles) else ConsultedFiles(files)


def plain(files: SourceFiles) -> SourceFiles:
    """The files themselves, to look at without writing it down."""
    return files.files if isinstance(files, ConsultedFiles) else files


T = TypeVar("T")


def _known_elsewhere(listing: Listing, key: str) -> tuple[Any, Consulted] | None:
    """What is known of another revision and holds for this one."""
    for recent in (known() for known in reversed(_RECENT)):
        if recent is None or key not in recent.found or recent.submodules != listing.submodules:
            continue
        found: tuple[Any, Consulted] = recent.found[key]
        if found[1].holds(listing.files):
            return found
    return None


_RECENT: deque[ref[Listing]] = deque(maxlen=4)
"""The revisions that were asked last."""


_WORTH_KEEPING = 0.02
"""Processor seconds from which on an answer is kept for other processes: to read it again takes a tenth of that."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """How the answers to a question are kept for other processes, and which of them may be."""

    records: RecordsAsJson
    may_be: Callable[[Any], bool]
    """Whether an answer rests on nothing but the files that were consulted."""
    secrets: frozenset[str] = frozenset()
    """Texts that are kept nowhere."""
    always: bool = False
    """Whether answers that took no time are kept, too: many are asked for."""

    def recalled(self, key: str, files: SourceFiles) -> tuple[Any, Consulted] | None:
        """The kept answer, if every file that it rests on is unchanged; with what it rests on."""
        cache = active_cache()
        for row in [] if cache is None else cache.rows(_kept_under(key, files)):
            with suppress(ValueError, TypeError, KeyError):
                document, found = row
                asked = Consulted.of(document)
                if asked.holds(files):
                    return self.records.made(json.loads(found)), asked
        return None

    def keep(self, key: str, files: SourceFiles, answer: Any, asked: Consulted) -> None:
        """Keep an answer."""
        cache = active_cache()
        if cache is not None and self.may_be(answer):
            with suppress(TypeError):
                kept = json.dumps(self.records.document(answer))
                cache.keep(_kept_under(key, files), [asked.document(), kept], secrets=self.secrets)


def _kept_under(key: str, files: SourceFiles) -> str:
    return f"once {sorted(listing_of(files).submodules.items())!r} {key}"


def once(files: SourceFiles, key: str, compute: Callable[[ConsultedFiles], T], keeping: Keeping | None = None) -> T:
    """What ``compute`` says of a revision, found out once in this process, however many pipelines ask.

    It is known of a revision if it is of another one that has the same files, as far as it rests on files. That is
    written down for each pipeline where ``files`` are consulted ones. With ``keeping`` other processes know it, too.
    """
    listing = listing_of(plain(files))
    if key not in listing.found:
        recalled = _known_elsewhere(listing, key) or (keeping and keeping.recalled(key, listing.files))
        listing.found[key] = recalled or _found_out(key, listing.files, compute, keeping)
    if all(recent() is not listing for recent in _RECENT):
        _RECENT.append(ref(listing))
    answer, asked = listing.found[key]
    if isinstance(files, ConsultedFiles):
        files.consulted.add(asked)
    return cast("T", answer)


def _found_out(
    key: str, files: SourceFiles, compute: Callable[[ConsultedFiles], T], keeping: Keeping | None
) -> tuple[T, Consulted]:
    watched, start = ConsultedFiles(files), process_time()
    answer = compute(watched)
    if keeping is not None and (keeping.always or process_time() - start > _WORTH_KEEPING):
        keeping.keep(key, files, answer, watched.consulted)
    return answer, watched.consulted


def remembered(key: str, files: SourceFiles, compute: Callable[[SourceFiles], T]) -> T:
    """``once`` for values of plain JSON, always kept in the cache."""
    return once(files, key, compute, _PLAIN)


_PLAIN = Keeping(RecordsAsJson(), lambda _: True, always=True)


def flink_version(files: SourceFiles, source: str) -> tuple[str | None, tuple[str, ...]]:
    """(version, build files consulted) for a source file.

    Where ``files`` are consulted ones, this answer is written down and not what the build files hold besides.
    """
    version, *consulted = ask(files, "flink version", source)
    return version or None, tuple(consulted)
