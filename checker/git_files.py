"""The files of a commit, of the index and of the work tree, as git's objects and the disk hold them."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from checker.errors import RevisionError
from checker.git_process import AT_ONCE, Git

_BLOB = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
Entry = tuple[str, bytes, str]
"""Name, mode and id of something in a folder."""


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
        return {path: self._git.blob(blob).decode("utf-8", "surrogateescape") for path, blob in self._links.items()}

    def paths(self) -> Sequence[str]:
        """All file paths, sorted."""
        return self._sorted

    def read(self, path: str) -> bytes:
        """The content of one file; KeyError when there is none."""
        blob = self._blobs[path]
        try:
            return self._git.blob(blob)
        except KeyError as error:
            raise RevisionError(
                f"{path}: its content (blob {blob[:12]}) is not in this clone; in a partial clone run "
                "'git fetch --refetch --no-filter', in a damaged one 'git fsck'"
            ) from error

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

    def content(self, content_id: str) -> bytes:
        """Any blob of the repository. Raises KeyError when it is not there."""
        return _blob(self._git, content_id)


def _blob(git: Git, name: str) -> bytes:
    """A blob by its id, and by nothing else that git would take for a name. Raises KeyError."""
    if _BLOB.fullmatch(name) is None:
        raise KeyError(name)
    return git.blob(name)


def entries_of(tree: bytes, size: int) -> Iterator[Entry]:
    """Everything in a folder, as a tree object with ids of ``size`` bytes lists it."""
    place = 0
    while place < len(tree):
        mode_ends = tree.index(b" ", place)
        name_ends = tree.index(b"\0", mode_ends)
        name = tree[mode_ends + 1 : name_ends].decode("utf-8", "surrogateescape")
        yield name, tree[place:mode_ends], tree[name_ends + 1 : name_ends + 1 + size].hex()
        place = name_ends + 1 + size


def _mode(path: str) -> int:
    """What kind of file a path names, itself and not what it links to; 0 for none."""
    try:
        return os.lstat(path).st_mode
    except OSError:
        return 0


class WorktreeFiles:
    """Tracked and new, not ignored, files as they are on disk."""

    def __init__(self, git: Git, top: Path, paths: Sequence[str], submodules: Mapping[str, str] | None = None) -> None:
        self._git = git
        self._top = top
        self.submodules: Mapping[str, str] = submodules or {}
        modes = {path: _mode(os.path.join(top, path)) for path in paths}
        self._paths = frozenset(path for path, mode in modes.items() if stat.S_ISREG(mode))
        self.links: Mapping[str, str] = {p: os.readlink(top / p) for p, mode in modes.items() if stat.S_ISLNK(mode)}
        self._ids: dict[str, str] = {}

    def paths(self) -> Sequence[str]:
        """All file paths, sorted."""
        return sorted(self._paths)

    def read(self, path: str) -> bytes:
        """The content of one file; KeyError when there is none."""
        if path not in self._paths:
            raise KeyError(path)
        try:
            return (self._top / path).read_bytes()
        except OSError as error:
            raise RevisionError(f"{path}: can't be read: {error.strerror}") from error

    def content_id(self, path: str) -> str:
        """Git's blob id of the content on disk, as it was when it was asked for first."""
        if path not in self._ids:
            data = self.read(path)
            self._ids[path] = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        return self._ids[path]

    def content(self, content_id: str) -> bytes:
        """Any blob of the repository. Raises KeyError when it is not there."""
        return _blob(self._git, content_id)
