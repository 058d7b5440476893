"""The files of a commit, of the index and of the work tree, as git's objects and the disk hold them."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from checker.errors import RevisionError
from checker.files_below import FilesBelow
from checker.git_process import AT_ONCE, Git
from checker.trees import missing

_PART = 1024 * 1024
"""Bytes that are read at a time of a file of any size."""


class GitFiles:
    """Files named by blob ids. ``SourceFiles`` of a commit or of the index."""

    def __init__(
        self,
        git: Git,
        blobs: Mapping[str, str],
        links: Mapping[str, str] | None = None,
        submodules: Mapping[str, str] | None = None,
    ) -> None:
        self._git = git
        self._blobs = blobs
        self._sorted = sorted(blobs)
        self._links = links or {}
        self.submodules: Mapping[str, str] = submodules or {}

    @cached_property
    def links(self) -> Mapping[str, str]:
        """Symbolic links and what they say."""
        try:
            return {path: self._git.blob(blob).decode("utf-8", "surrogateescape") for path, blob in self._links.items()}
        except KeyError as error:
            raise missing(next(p for p, blob in self._links.items() if blob == error.args[0]), error.args[0]) from None

    def paths(self) -> Sequence[str]:
        """All file paths, sorted."""
        return self._sorted

    def read(self, path: str) -> bytes:
        """The content of one file; KeyError when there is none."""
        blob = self._blobs[path]
        try:
            return self._git.blob(blob)
        except KeyError as error:
            raise missing(path, blob) from error

    def read_many(self, paths: Sequence[str]) -> Iterator[bytes]:
        """The contents of many files, in this order; KeyError when there is no such file."""
        for start in range(0, len(paths), AT_ONCE):
            asked = paths[start : start + AT_ONCE]
            try:
                yield from self._git.blobs([self._blobs[path] for path in asked])
            except KeyError:
                yield from map(self.read, asked)  # which says what can't be read

    def content_id(self, path: str) -> str:
        """The blob id; KeyError when there is no such file."""
        return self._blobs[path]


class WorktreeFiles:
    """Tracked and new, not ignored, files as they are on disk."""

    def __init__(self, git: Git, top: Path, paths: Sequence[str], submodules: Mapping[str, str] | None = None) -> None:
        self._git = git
        self._below = FilesBelow(top)
        self.submodules: Mapping[str, str] = submodules or {}
        modes = {path: self._below.kind(path) for path in paths}
        self._paths = frozenset(path for path, mode in modes.items() if stat.S_ISREG(mode))
        self.links: Mapping[str, str] = {p: self._below.link(p) for p, mode in modes.items() if stat.S_ISLNK(mode)}
        self._ids: dict[str, str] = {}

    def paths(self) -> Sequence[str]:
        """All file paths, sorted."""
        return sorted(self._paths)

    def read(self, path: str) -> bytes:
        """The content of one file; KeyError when there is none."""
        if path not in self._paths:
            raise KeyError(path)
        try:
            return self._below.read(path)
        except OSError as error:
            raise RevisionError(f"{path}: can't be read: {error.strerror}") from error

    def content_id(self, path: str) -> str:
        """Git's blob id of the content on disk, as it was when it was asked for first."""
        if path not in self._paths:
            raise KeyError(path)
        if path not in self._ids:
            try:
                with self._below.opened(path) as file:
                    digest = hashlib.sha1(b"blob %d\0" % os.fstat(file).st_size, usedforsecurity=False)
                    while part := os.read(file, _PART):
                        digest.update(part)
            except OSError as error:
                raise RevisionError(f"{path}: can't be read: {error.strerror}") from error
            self._ids[path] = digest.hexdigest()
        return self._ids[path]
