"""The files of a commit, read folder by folder out of tree objects, of which none is believed.

A tree can hold what no checkout would make: names with slashes, a name twice, one folder in itself a million times.
In: a commit. Out: paths of files, links and submodules with their ids; RevisionError that says what is damaged.
Called by ``revisions``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from checker.errors import RevisionError
from checker.files_below import why_unsound
from checker.git_process import AT_ONCE, Git

Entry = tuple[str, bytes, str]
"""Name, mode and id of something in a folder."""
_FILE, _LINK, _SUBMODULE, _FOLDER = b"100", b"120000", b"160000", b"40000"
_MODES = (_FILE, _LINK, _SUBMODULE, _FOLDER)
MOST_FILES = 3_000_000
"""Files of a revision: some times those of the largest repositories."""
_LONGEST_PATH = 4096
"""Characters of a path: what systems take."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Path → id, of everything in a commit."""

    blobs: Mapping[str, str]
    links: Mapping[str, str]
    submodules: Mapping[str, str]


class Trees:
    """Reads commits of one repository; what the last one shares with the next is not read again."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._folders: dict[str, tuple[Entry, ...]] = {}

    def forget(self) -> None:
        """Give back what is kept of the last commit."""
        self._folders.clear()

    def listed(self, commit: str) -> Listed:
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
        return Listed(blobs, links, submodules)

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
