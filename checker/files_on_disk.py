"""Which tracked files on disk are not what a commit has: told by time and size first, and without git's filters.

``git diff`` and ``git status`` compare contents through the filters that a repository configures, which are commands.
In: a repository's folder and the files of its commit. Out: paths. Called by ``revisions``.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path

from checker.files_below import FilesBelow
from checker.git_process import Git, GitError
from checker.model.sources import SourceFiles

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
