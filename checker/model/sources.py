"""The files of one revision, as extractors see them: wherever they come from, they are read only."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast


class SourceFiles(Protocol):
    """Read access to the tracked files of one revision. Paths are repository-relative with ``/``."""

    def paths(self) -> Sequence[str]:
        """All file paths, sorted."""

    def read(self, path: str) -> bytes:
        """The content of one file. Raises KeyError when the revision has no such file."""

    def content_id(self, path: str) -> str:
        """A name of the content: equal ids mean equal bytes (git's blob id). Raises KeyError."""


def links_of(files: SourceFiles) -> Mapping[str, str]:
    """The symbolic links of a revision, which are not files: path of the link → what it says."""
    return cast("Mapping[str, str]", getattr(files, "links", {}))


def submodules_of(files: SourceFiles) -> Mapping[str, str]:
    """The submodules of a revision, whose files are not among its own: path → commit of the other repository."""
    return cast("Mapping[str, str]", getattr(files, "submodules", {}))


def contents_of(files: SourceFiles, paths: Sequence[str]) -> Iterator[bytes]:
    """The contents of files in this order. Raises KeyError when the revision has no such file.

    Some revisions read many files (``read_many``) faster than one by one.
    """
    many = getattr(files, "read_many", None)
    return map(files.read, paths) if many is None else cast("Iterator[bytes]", many(paths))


@dataclass(frozen=True)
class MemoryFiles:
    """Files held in memory: what travels to Spark executors, and what tests use."""

    contents: Mapping[str, bytes]

    def paths(self) -> Sequence[str]:
        """All file paths, sorted."""
        return sorted(self.contents)

    def read(self, path: str) -> bytes:
        """The content of one file."""
        return self.contents[path]

    def content_id(self, path: str) -> str:
        """Git's blob id of the content."""
        data = self.contents[path]
        return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class OverlaidFiles:
    """The files of a revision with some contents replaced, or added."""

    files: SourceFiles
    contents: Mapping[str, bytes]

    def paths(self) -> Sequence[str]:
        """All file paths, sorted."""
        return sorted({*self.files.paths(), *self.contents})

    def read(self, path: str) -> bytes:
        """The replaced content, else the revision's."""
        return self.contents[path] if path in self.contents else self.files.read(path)

    def content_id(self, path: str) -> str:
        """A name of the content, which no other content has in any revision."""
        if path not in self.contents:
            return self.files.content_id(path)
        return f"edited {hashlib.sha256(self.contents[path]).hexdigest()}"

    @property
    def links(self) -> Mapping[str, str]:
        """The symbolic links of the revision."""
        return links_of(self.files)

    @property
    def submodules(self) -> Mapping[str, str]:
        """The submodules of the revision."""
        return submodules_of(self.files)
