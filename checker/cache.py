"""The results of earlier runs: JSON in one SQLite file below the user's cache folder, shared by all processes.

A cache is only ever used to leave work out. An entry that can't be read, or was not written by exactly this code, is as
good as none; a cache that can't be written is left. Entries are JSON, so that a cache from elsewhere can run nothing.
"""

import hashlib
import json
import os
import sqlite3
import sys
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

from checker import __version__

VARIABLE = "SAVEPOINT_CHECKER_CACHE"
MOST_BYTES = 256_000_000
_KEPT = 6
"""Answers kept for one question, the newest ones: several revisions take turns."""
_AT_ONCE = 500
"""Facts that are asked for together."""
_TIMEOUT = 2.0
"""Seconds that a process waits for another one that writes."""
_OURS = ("cache.sqlite", "spark", "flink", "plans", "planner", "builds")
"""How the names begin of what is kept in a cache folder."""
_BROKEN = (sqlite3.Error, OSError, ValueError, zlib.error, RecursionError)


class Cache:
    """Rows of JSON by key, the least recently used ones dropped first."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "cache.sqlite"
        self._rows: sqlite3.Connection | None = None
        self._broken = False
        self._new_facts: dict[str, bytes] = {}

    def _connection(self) -> sqlite3.Connection | None:
        if self._rows is None and not self._broken:
            try:
                private_folder(self.file.parent)
                for ending in ("", "-wal", "-shm"):
                    private_file(self.file.with_name(self.file.name + ending), more=True).close()
                rows = sqlite3.connect(self.file, timeout=_TIMEOUT, isolation_level=None)
                rows.execute("pragma journal_mode = wal")
                rows.execute("pragma synchronous = off")
                rows.execute(
                    "create table if not exists entries (key text primary key, used real not null, value blob not null)"
                )
                self._rows = rows
            except _BROKEN:
                self._broken = True
        return self._rows

    def rows(self, key: str) -> list[Any]:
        """What was kept under a key, newest first."""
        rows = self._connection()
        if rows is None:
            return []
        try:
            found = rows.execute("select value, used from entries where key = ?", (_named(key),)).fetchone()
            if found is None:
                return []
            kept = json.loads(zlib.decompress(found[0]))
            if time.time() - found[1] > 86_400:
                rows.execute("update entries set used = ? where key = ?", (time.time(), _named(key)))
            return kept if isinstance(kept, list) else []
        except _BROKEN:
            return []

    def keep(self, key: str, row: Any, *, secrets: Iterable[str] = ()) -> None:
        """Keep something more under a key, before what is there; nothing in which a secret occurs."""
        text = json.dumps(row) if secrets else ""
        for secret in secrets:
            once = json.dumps(secret)[1:-1]
            if any(form in text for form in (once, json.dumps(once)[1:-1])):  # also as JSON within JSON
                return
        with suppress(*_BROKEN):
            kept = json.dumps([row, *self.rows(key)][:_KEPT], separators=(",", ":"))
            self._write({_named(key): zlib.compress(kept.encode("utf-8", "surrogatepass"), 1)})

    def facts(self, kind: str, contents: Sequence[str]) -> dict[str, bytes]:
        """What is kept of contents, by their ids."""
        rows = self._connection()
        if rows is None:
            return {}
        asked = {_named(f"{kind}\0{content}"): content for content in contents}
        names, found = list(asked), {}
        try:
            for start in range(0, len(names), _AT_ONCE):
                some = names[start : start + _AT_ONCE]
                marks = ", ".join("?" * len(some))
                for key, value in rows.execute(f"select key, value from entries where key in ({marks})", some):
                    found[asked[key]] = value
        except _BROKEN:
            return {}
        return found

    def keep_facts(self, kind: str, found: Mapping[str, bytes]) -> None:
        """Keep what contents say, by their ids: written when the work is done."""
        self._new_facts |= {_named(f"{kind}\0{content}"): value for content, value in found.items()}

    def close(self) -> None:
        """Write what was left for the end."""
        self._write(self._new_facts)
        self._new_facts.clear()

    def _write(self, kept: Mapping[str, bytes]) -> None:
        rows = self._connection() if kept else None
        if rows is None:
            return
        try:
            with rows:  # which commits, or takes all of it back
                rows.execute("begin immediate")
                new = ((key, time.time(), value) for key, value in kept.items())
                rows.executemany("replace into entries values (?, ?, ?)", new)
            if _size(rows) < MOST_BYTES:
                return
            rows.execute(
                "delete from entries where key in "
                "(select key from entries order by used limit (select count(*) / 2 from entries))"
            )
            rows.execute("vacuum")
        except _BROKEN:
            pass


def _size(rows: sqlite3.Connection) -> int:
    """Bytes of the whole file, with what is still in its journal."""
    pages, bytes_each = (int(rows.execute(f"pragma {name}").fetchone()[0]) for name in ("page_count", "page_size"))
    return pages * bytes_each


def _named(key: str) -> str:
    return hashlib.sha256(f"{this_code()}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()


@cache
def this_code() -> str:
    """A digest of this tool's own code, and of the Python that runs it."""
    digest = hashlib.sha256(f"{__version__} {sys.version}".encode())
    top = Path(__file__).parent
    for folder, folders, files in os.walk(top):
        folders.sort()
        for name in sorted(files):
            if name.endswith((".py", ".toml", ".json")):
                file = Path(folder, name)
                digest.update(f"{file.relative_to(top)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def folder_of(asked: str | None) -> Path | None:
    """The folder that was asked for, else one below the user's cache folder; None where none is wanted (``off``)."""
    if asked:
        return None if asked == "off" else Path(asked).absolute()
    return user_folder()


def user_folder() -> Path:
    """Where everything is kept unless another folder is asked for; what is downloaded, always."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home).absolute() if home else Path.home() / ".cache") / "savepoint-checker"


def kept_folder() -> Path:
    """Where this process keeps what is nobody else's business: the folder of its cache, or the user's."""
    cache = active_cache()
    return private_folder(user_folder() if cache is None else cache.file.parent)


def private_folder(folder: Path) -> Path:
    """The folder, for this user alone. One that holds what is not ours stays as open as it is. Raises OSError."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder == user_folder() or all(name.startswith(_OURS) for name in os.listdir(folder)):
        with suppress(OSError):  # somebody else's
            folder.chmod(0o700)
    return folder


def private_file(file: Path, *, more: bool = False) -> IO[bytes]:
    """A file that only this user can read, opened to be written anew or to write ``more``. No link is followed."""
    kind = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if more else os.O_TRUNC) | getattr(os, "O_NOFOLLOW", 0)
    opened = os.fdopen(os.open(file, kind, 0o600), "ab" if more else "wb")
    with suppress(OSError):
        file.chmod(0o600)
    return opened


_active: list[Cache] = []


def use_cache(folder: Path | None) -> None:
    """Let this process use the cache in a folder, None = none at all. The one used before is closed."""
    for before in _active:
        before.close()
    _active[:] = [] if folder is None else [Cache(folder)]


def active_cache() -> Cache | None:
    """The cache that this process uses, None where it uses none."""
    return _active[0] if _active else None
