"""The files of a commit, of the index and of the work tree, as git's objects and the disk hold them."""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from checker.errors import RevisionError
from checker.files_below import FilesBelow, why_unsound
from checker.git_process import AT_ONCE, Git, GitError
from checker.model.sources import SourceFiles


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
                with self._below.opened(path) as file, open(file, "rb", closefd=False) as stream:
                    begun = hashlib.sha1(b"blob %d\0" % os.fstat(file).st_size, usedforsecurity=False)
                    digest = hashlib.file_digest(stream, lambda: begun)
            except OSError as error:
                raise RevisionError(f"{path}: can't be read: {error.strerror}") from error
            self._ids[path] = digest.hexdigest()
        return self._ids[path]


Entry = tuple[str, bytes, str]
"""Name, mode and id of something in a folder."""
_FILE, _LINK, _SUBMODULE, _FOLDER = b"100", b"120000", b"160000", b"40000"
_MODES = (_FILE, _LINK, _SUBMODULE, _FOLDER)
MOST_FILES = 3_000_000
"""Files of a revision: some times those of the largest repositories."""
_LONGEST_PATH = 4096
"""Characters of a path: what systems take."""


class Trees:
    """Reads commits of one repository; what the last one shares with the next is not read again."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._folders: dict[str, tuple[Entry, ...]] = {}

    def forget(self) -> None:
        """Give back what is kept of the last commit."""
        self._folders.clear()

    def files(self, commit: str) -> GitFiles:
        """All files of a commit. Raises RevisionError."""
        blobs: dict[str, str] = {}
        links: dict[str, str] = {}
        submodules: dict[str, str] = {}
        used: dict[str, tuple[Entry, ...]] = {}
        pending = [("", f"{commit}^{{tree}}")]
        while pending:
            used |= self._read(pending, len(commit) // 2)
            inner: list[tuple[str, str]] = []
            for folder, tree in pending:
                for name, mode, found in used[tree]:
                    if mode == _FOLDER:
                        inner.append((f"{folder}{name}/", found))
                    elif mode.startswith(_FILE):
                        blobs[f"{folder}{name}"] = found
                    elif mode == _LINK:
                        links[f"{folder}{name}"] = found
                    else:
                        submodules[f"{folder}{name}"] = found
                if len(blobs) + len(links) + len(submodules) + len(inner) > MOST_FILES:
                    raise RevisionError(f"{commit[:10]}: has more than the {MOST_FILES:,} files that are read")
            if any(len(folder) > _LONGEST_PATH for folder, _ in inner):
                raise RevisionError(f"{commit[:10]}: has a path of more than {_LONGEST_PATH:,} characters")
            pending = inner
        self._folders = used
        return GitFiles(self._git, blobs, links, submodules)

    def _read(self, pending: Sequence[tuple[str, str]], size: int) -> dict[str, tuple[Entry, ...]]:
        found = {tree: self._folders[tree] for _, tree in pending if tree in self._folders}
        places = {tree: folder or "the top folder" for folder, tree in reversed(pending) if tree not in found}
        unknown = list(places)
        for start in range(0, len(unknown), AT_ONCE):
            asked = unknown[start : start + AT_ONCE]
            try:
                for tree, content in zip(asked, self._git.blobs(asked, b"tree"), strict=True):
                    found[tree] = _entries(places[tree], content, size)
            except KeyError as error:
                raise missing(places[error.args[0]], error.args[0]) from None
        return found


def missing(place: str, name: str) -> RevisionError:
    """That an object is not there, or not one, with what helps."""
    return RevisionError(
        f"{ascii(place)[1:-1]}: its content ({name[:12]}) is not in this clone, is damaged or too large; in a partial "
        "clone run 'git fetch --refetch --no-filter', in a damaged one 'git fsck'"
    )


def _entries(folder: str, tree: bytes, size: int) -> tuple[Entry, ...]:
    """Everything in a folder, as a tree object with ids of ``size`` bytes lists it. Raises RevisionError."""
    found: list[Entry] = []
    place = 0
    why = "it ends too early"
    try:
        while place < len(tree):
            mode_ends = tree.index(b" ", place)
            name_ends = tree.index(b"\0", mode_ends)
            name = tree[mode_ends + 1 : name_ends].decode("utf-8", "surrogateescape")
            mode = tree[place:mode_ends].lstrip(b"0")
            place = name_ends + 1 + size
            found.append((name, mode, tree[name_ends + 1 : place].hex()))
            unsound = "/" in name or why_unsound(name) is not None
            if unsound or not mode.startswith(_MODES):
                why = f"it holds {name!a} with mode {mode.decode('ascii', 'replace')}"
                raise ValueError
        if place > len(tree) or len({name for name, _, _ in found}) < len(found):
            why = "it holds a name twice" if place == len(tree) else why
            raise ValueError
    except ValueError:
        raise RevisionError(f"{ascii(folder)[1:-1]}: the folder is damaged: {why}; 'git fsck' says more") from None
    return tuple(found)


_ENTRY = re.compile(r"(?P<path>[^\0]+)\0  ctime: .*\n  mtime: (?P<mtime>\d+:\d+)\n.*\n.*\n  size: (?P<size>\d+)\t.*\n?")


def differing(git: Git, top: Path, files: SourceFiles) -> frozenset[str]:
    """Tracked paths whose content on disk or in the index is not that of the commit that is checked out."""
    below = FilesBelow(top)
    try:
        staged = git.run("diff-index", "--cached", "--name-only", "-z", "--ignore-submodules", "HEAD", "--")
        touched = [path for path in _touched(git.run("ls-files", "--debug", "-z"), top) if _edited(path, below, files)]
    except GitError:
        return frozenset()
    return frozenset((*touched, *filter(None, staged.split("\0"))))


def _touched(listed: str, top: Path) -> Iterator[str]:
    """Paths that are gone, or have another time or size than when git looked at them last."""
    for entry in _ENTRY.finditer(listed):
        try:
            found = (top / entry["path"]).lstat()
        except OSError:
            yield entry["path"]
            continue
        time = f"{found.st_mtime_ns // 10**9}:{found.st_mtime_ns % 10**9}"
        if time != entry["mtime"] or str(found.st_size & 0xFFFFFFFF) != entry["size"]:
            yield entry["path"]


def _edited(path: str, below: FilesBelow, files: SourceFiles) -> bool:
    if stat.S_IFMT(below.kind(path)) in (stat.S_IFLNK, stat.S_IFDIR):
        return False  # links and submodules
    try:
        return below.read(path).replace(b"\r\n", b"\n") != files.read(path).replace(b"\r\n", b"\n")
    except (OSError, KeyError):
        return True
