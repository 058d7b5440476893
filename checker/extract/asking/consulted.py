"""What was asked of a revision's files, so that an answer can be used again where every file and question is the same.

Readers ask a revision for the content of files, and questions about all of its files (``ask``, see ``listing.py``).
``ConsultedFiles`` write down both, also what was looked for and is not there. An edit elsewhere changes none of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from checker.extract.asking.listing import Answer, listing_of
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
