"""Where a snapshot and its state files lie: local folders, and everything fsspec knows by URL.

Nothing is written, nothing is listed but the snapshot's own folder, and no file is opened that the metadata does not
name. State files that lie elsewhere (shared files of checkpoints) are found through path mappings, for a snapshot
that was copied or is mounted under another name.
"""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, BinaryIO, TypeVar

from checker.errors import SavepointError
from checker.model.secrets import masked
from checker.model.state_handles import StreamHandle, StreamKind
from checker.savepoint.remote_files import RemoteFiles, UnansweredError, local_copy, remote_files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Answer = TypeVar("Answer")

METADATA = "_metadata"
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.\-]+):")
_STATE_SCHEMES = {
    *("s3", "s3a", "s3n", "s3p", "gs", "abfs", "abfss", "wasb", "wasbs", "adl", "oss", "cosn", "obs"),
    *("hdfs", "viewfs", "webhdfs", "swebhdfs"),
}
"""Where Flink keeps state. What a snapshot names elsewhere (``http:``) is not asked for, whoever wrote it."""
_WITH_HOSTS = {"hdfs", "webhdfs", "swebhdfs"}
"""Stores whose paths say which host is asked. All others are asked where the user's own settings say."""
_MOST_SILENT = 3
"""Stores that may fail to answer for one snapshot before no further one is asked."""


@dataclass(frozen=True, slots=True)
class PathMapping:
    """Files that the metadata places below ``prefix`` are read from below ``replacement``."""

    prefix: str
    replacement: str

    @classmethod
    def parse(cls, text: str) -> PathMapping:
        """``FROM=TO``. Raises SavepointError."""
        prefix, separator, replacement = text.partition("=")
        if not separator or not prefix or not replacement:
            raise SavepointError(
                f"path mapping {masked(text)!r} is not FROM=TO: for example /var/flink/state=/mnt/state."
            )
        return cls(_plain(prefix).rstrip("/"), replacement.rstrip("/") or "/")

    def apply(self, path: str) -> str | None:
        """The path behind the mapping, None where it does not apply."""
        plain = _plain(path)
        if plain == self.prefix:
            return self.replacement
        return self.replacement + plain[len(self.prefix) :] if plain.startswith(self.prefix + "/") else None


def scheme_of(path: str) -> str | None:
    """The URL scheme in lower case, None for a local path (``file:`` counts as local)."""
    match = _SCHEME.match(path)
    if not match or (len(match[1]) == 1 and os.name == "nt"):
        return None
    scheme = match[1].lower()
    return None if scheme in ("file", "local") else scheme


def _plain(path: str) -> str:
    """A local path without ``file:`` and its slashes; URLs of other schemes as they are."""
    if scheme_of(path) is not None or not _SCHEME.match(path):
        return path
    rest = path.split(":", 1)[1]  # Flink's Path takes "%20" as it stands there
    return "/" + rest.lstrip("/") if rest.startswith("/") else rest


class SnapshotPlace:
    """One snapshot: its folder, its metadata file, and the way to the files that the metadata names."""

    def __init__(self, path: str, mappings: Sequence[PathMapping] = ()) -> None:
        """``path`` names a folder or the metadata file, as Flink's ``-s``. Raises SavepointError."""
        self.path = masked(path)
        self._named = path
        self._mappings = tuple(mappings)
        self._scheme = scheme_of(path)
        self._files = _file_system(path)
        self._copy: IO[bytes] | None = None
        self._silent: set[_Files] = set()
        self.folder, self.metadata = self._found(self._files.plain(path))

    def _found(self, location: str) -> tuple[str, str]:
        """Folder and metadata file. A store is asked for files first: who may read them need not be let list them."""
        files = self._files
        metadata = files.join(location, METADATA)
        if posixpath.basename(location) != METADATA and files.size(metadata) is not None:
            return location, metadata
        if files.size(location) is not None:
            return files.parent(location), location
        if files.is_directory(location):
            raise SavepointError(
                f"{self.path} is a directory without a {METADATA} file (Flink: Cannot find meta data file). "
                "Name the directory of one savepoint or checkpoint."
            )
        raise SavepointError(
            f"{self.path} does not exist (Flink: Cannot find checkpoint or savepoint file/directory). Check the path."
        )

    def open_metadata(self) -> BinaryIO:
        """The metadata file, seekable. Raises SavepointError."""
        if self._copy is None:
            stream = self._files.open(self.metadata)
            if stream is None:
                raise SavepointError(f"{self.path} is gone since it was first looked at. Is something cleaning up?")
            if self._scheme is None:
                return stream
            self._copy = local_copy(stream, self.path)
        return open(self._copy.name, "rb")

    @property
    def is_local(self) -> bool:
        """Whether the snapshot lies in a folder of this machine."""
        return self._scheme is None

    def absolute(self, name: str) -> str:
        """The path by which Flink finds a file of the snapshot's folder. Raises SavepointError."""
        if self._scheme is not None:
            if self._named != self.path:
                raise SavepointError(f"{self.path} holds credentials, which would be written down. Leave them out.")
            folder = self._named.rstrip("/")
            itself = self._files.plain(self._named) == self.metadata
            return posixpath.join(posixpath.dirname(folder) if itself else folder, name)
        path = os.path.join(os.path.abspath(self.folder), name)
        for mapping in self._mappings:
            here = mapping.replacement if scheme_of(mapping.replacement) else os.path.abspath(mapping.replacement)
            mapped = PathMapping(here, mapping.prefix).apply(path)
            if mapped is not None:
                return mapped if scheme_of(mapped) else f"file:{mapped}"
        return f"file:{path}"

    @cached_property
    def _neighbours(self) -> frozenset[str]:
        return self._files.names_in(self.folder)

    def has(self, handle: StreamHandle) -> bool:
        """Whether a state file is there. Raises SavepointError if it is out of reach from here."""
        files, path = self._place_of(handle)
        if handle.kind is StreamKind.RELATIVE:
            return handle.path in self._neighbours
        if self._asked(files, lambda: files.size(path)) is not None:
            return True
        self._check_reachable(handle)
        return False

    def is_remote(self, handle: StreamHandle) -> bool:
        """Whether to look for a state file takes a request of its own."""
        path = handle.path or ""
        return handle.kind is not StreamKind.RELATIVE and scheme_of(self._mapped(path) or path) is not None

    def _mapped(self, path: str) -> str | None:
        """Where a path is found instead, None where no mapping applies."""
        return next((m for m in (mapping.apply(path) for mapping in self._mappings) if m is not None), None)

    def _place_of(self, handle: StreamHandle) -> tuple[_Files, str]:
        """File system and path in it where a state file should be. Raises SavepointError."""
        path = handle.path or ""
        if handle.kind is StreamKind.RELATIVE:
            if "/" in path or path in ("", ".", ".."):
                raise SavepointError(f"{self.path} names {path!r} as a relative state file, which can't be one.")
            return self._files, self._files.join(self.folder, path)
        mapped, scheme = self._mapped(path), scheme_of(path)
        if mapped is None and scheme not in (None, self._scheme, *_STATE_SCHEMES):
            raise SavepointError(
                f"{self.path} names {masked(path)}, and {scheme}:// is not a place where Flink keeps state: not asked. "
                "Say where it lies: --map-path FROM=TO."
            )
        files = _file_system(mapped or path)
        if (
            mapped is None
            and scheme in _WITH_HOSTS
            and files is not self._files
            and not path.startswith(f"{scheme}:///")
        ):
            raise SavepointError(
                f"{self.path} names {masked(path)}, on a host that only the savepoint names: not asked. "
                "Say that it lies there: --map-path FROM=TO."
            )
        return files, files.plain(mapped or path)

    def _check_reachable(self, handle: StreamHandle) -> None:
        """Raises SavepointError for a local path that belongs to another machine: it is not missing."""
        path = handle.path or ""
        if handle.kind is StreamKind.RELATIVE or scheme_of(path) is not None:
            return
        if self._mapped(path) is None and not _reachable(_plain(path)):
            raise SavepointError(
                f"{posixpath.dirname(_plain(path))} is not on this machine. Say where it lies: --map-path FROM=TO."
            )

    def _asked(self, files: _Files, call: Callable[[], Answer]) -> Answer:
        """An answer of a store, unless too many did not answer."""
        if len(self._silent) >= _MOST_SILENT and files not in self._silent:
            raise SavepointError(f"{_MOST_SILENT} stores that {self.path} names did not answer: no further is asked.")
        try:
            return call()
        except UnansweredError:
            self._silent.add(files)
            raise

    def open_stream(self, handle: StreamHandle) -> tuple[BinaryIO, int, int]:
        """A handle's file with where its bytes begin and how many they are. Raises SavepointError."""
        if handle.kind is StreamKind.INLINE:
            return self.open_metadata(), handle.position or 0, handle.size
        files, path = self._place_of(handle)
        stream = self._asked(files, lambda: files.open(path))
        if stream is None:
            self._check_reachable(handle)
            raise SavepointError(
                f"state file {masked(handle.path or '')} is missing. Restore it, or check that all was copied."
            )
        return stream, handle.start, handle.size


def _reachable(path: str) -> bool:
    """Whether the top folder of an absolute path exists here: if not, the path belongs to another machine."""
    parent = os.path.dirname(os.path.dirname(path))
    return os.path.isdir(os.path.dirname(path)) or os.path.isdir(parent)


class _LocalFiles:
    """The files of this machine, asked as those of a store are."""

    def plain(self, path: str) -> str:
        return _plain(path)

    def join(self, folder: str, name: str) -> str:
        return os.path.join(folder, name)

    def parent(self, path: str) -> str:
        return os.path.dirname(path) or "."

    def is_directory(self, path: str) -> bool:
        return os.path.isdir(path)

    def size(self, path: str) -> int | None:
        return os.path.getsize(path) if os.path.isfile(path) else None

    def names_in(self, folder: str) -> frozenset[str]:
        try:
            return frozenset(os.listdir(folder))
        except OSError as error:
            raise SavepointError(f"{folder} can't be listed: {error.strerror}. Check its permissions.") from error

    def open(self, path: str) -> BinaryIO | None:
        if not os.path.isfile(path):
            return None
        try:
            return open(path, "rb")
        except OSError as error:
            raise SavepointError(f"{path} can't be read: {error.strerror}. Check its permissions.") from error


def _file_system(path: str) -> _Files:
    """What is asked for a path, with paths of its own, without a scheme."""
    scheme = scheme_of(path)
    if scheme is None:
        return _LOCAL
    return remote_files(scheme, path.split("://", 1)[1].split("/", 1)[0] if "://" in path else "")


_LOCAL = _LocalFiles()
_Files = _LocalFiles | RemoteFiles
