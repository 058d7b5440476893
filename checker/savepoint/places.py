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
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast
from urllib.parse import unquote

from checker.errors import SavepointError
from checker.model.savepoint import StreamHandle, StreamKind

if TYPE_CHECKING:
    from collections.abc import Sequence

METADATA = "_metadata"
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.\-]+):")
_EXTRAS = {
    "s3": "s3",
    "s3a": "s3",
    "s3n": "s3",
    "s3p": "s3",
    "gs": "gs",
    "abfs": "abfs",
    "abfss": "abfs",
    "wasb": "abfs",
    "wasbs": "abfs",
    "hdfs": "hdfs",
    "viewfs": "hdfs",
}
_FSSPEC_NAMES = {"s3a": "s3", "s3n": "s3", "s3p": "s3", "abfss": "abfs", "wasb": "abfs", "wasbs": "abfs"}


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
            raise SavepointError(f"path mapping {text!r} is not FROM=TO: for example /var/flink/state=/mnt/state.")
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
    rest = unquote(path.split(":", 1)[1])
    return "/" + rest.lstrip("/") if rest.startswith("/") else rest


class SnapshotPlace:
    """One snapshot: its folder, its metadata file, and the way to the files that the metadata names."""

    def __init__(self, path: str, mappings: Sequence[PathMapping] = ()) -> None:
        """``path`` names a folder or the metadata file, as Flink's ``-s``. Raises SavepointError."""
        self.path = path
        self._mappings = tuple(mappings)
        self._files = _file_system(path)
        location = self._files.plain(path)
        if self._files.is_directory(location):
            metadata = self._files.join(location, METADATA)
            if not self._files.exists(metadata):
                raise SavepointError(
                    f"{path} is a directory without a {METADATA} file (Flink: Cannot find meta data file). "
                    "Name the directory of one savepoint or checkpoint."
                )
            self.folder, self.metadata = location, metadata
        elif self._files.exists(location):
            self.folder, self.metadata = self._files.parent(location), location
        else:
            raise SavepointError(
                f"{path} does not exist (Flink: Cannot find checkpoint or savepoint file/directory). Check the path."
            )

    def open_metadata(self) -> BinaryIO:
        """The metadata file, seekable. Raises SavepointError."""
        return self._files.open(self.metadata)

    @cached_property
    def _neighbours(self) -> frozenset[str]:
        return self._files.names_in(self.folder)

    def has(self, handle: StreamHandle) -> bool:
        """Whether a state file is there. Raises SavepointError if it is out of reach from here."""
        return self._locate(handle) is not None

    def _locate(self, handle: StreamHandle) -> tuple[_Files, str] | None:
        """The file system and the path in it of a state file that is there."""
        path = handle.path or ""
        if handle.kind is StreamKind.RELATIVE:
            if "/" in path or path in ("", ".", ".."):
                raise SavepointError(f"{self.metadata} names {path!r} as a relative state file, which can't be one.")
            return (self._files, self._files.join(self.folder, path)) if path in self._neighbours else None
        for mapping in self._mappings:
            mapped = mapping.apply(path)
            if mapped is not None:
                return _present(mapped)
        found = _present(path)
        if found is None and scheme_of(path) is None and not _reachable(_plain(path)):
            raise SavepointError(
                f"{posixpath.dirname(_plain(path))} is not on this machine. Say where it lies: --map-path FROM=TO."
            )
        return found

    def open_stream(self, handle: StreamHandle) -> tuple[BinaryIO, int, int]:
        """A handle's file with where its bytes begin and how many they are. Raises SavepointError."""
        if handle.kind is StreamKind.INLINE:
            return self.open_metadata(), handle.position or 0, handle.size
        place = self._locate(handle)
        if place is None:
            raise SavepointError(f"state file {handle.path} is missing. Restore it, or check that all was copied.")
        files, path = place
        return files.open(path), handle.start, handle.size


def _present(path: str) -> tuple[_Files, str] | None:
    files = _file_system(path)
    plain = files.plain(path)
    return (files, plain) if files.exists(plain) else None


def _reachable(path: str) -> bool:
    """Whether the top folder of an absolute path exists here: if not, the path belongs to another machine."""
    parent = os.path.dirname(os.path.dirname(path))
    return os.path.isdir(os.path.dirname(path)) or os.path.isdir(parent)


class _Files(Protocol):
    """What is needed of a file system. Paths are the file system's own, without a scheme."""

    def plain(self, path: str) -> str: ...
    def join(self, folder: str, name: str) -> str: ...
    def parent(self, path: str) -> str: ...
    def is_directory(self, path: str) -> bool: ...
    def exists(self, path: str) -> bool: ...
    def names_in(self, folder: str) -> frozenset[str]: ...
    def open(self, path: str) -> BinaryIO: ...


class _LocalFiles:
    def plain(self, path: str) -> str:
        return _plain(path)

    def join(self, folder: str, name: str) -> str:
        return os.path.join(folder, name)

    def parent(self, path: str) -> str:
        return os.path.dirname(path) or "."

    def is_directory(self, path: str) -> bool:
        return os.path.isdir(path)

    def exists(self, path: str) -> bool:
        return os.path.isfile(path)

    def names_in(self, folder: str) -> frozenset[str]:
        try:
            return frozenset(os.listdir(folder))
        except OSError as error:
            raise SavepointError(f"{folder} can't be listed: {error.strerror}. Check its permissions.") from error

    def open(self, path: str) -> BinaryIO:
        try:
            return open(path, "rb")
        except OSError as error:
            raise SavepointError(f"{path} can't be read: {error.strerror}. Check its permissions.") from error


class _RemoteFiles:
    """A file system of fsspec. Its errors become SavepointError, whatever package raises them."""

    def __init__(self, scheme: str, authority: str) -> None:
        self._scheme = scheme
        extra = _EXTRAS.get(scheme, "remote")
        try:
            import fsspec
        except ImportError as error:
            raise SavepointError(_install_hint(scheme, extra)) from error
        try:
            self._files: Any = fsspec.filesystem(_FSSPEC_NAMES.get(scheme, scheme), **_options(scheme, authority))
        except (ImportError, ValueError) as error:
            raise SavepointError(f"{_install_hint(scheme, extra)} ({error})") from error
        except Exception as error:
            raise SavepointError(f"{scheme}:// can't be opened: {error}. Check the configuration.") from error

    def plain(self, path: str) -> str:
        scheme = _SCHEME.match(path)
        name = _FSSPEC_NAMES.get(self._scheme, self._scheme)
        return cast("str", self._files._strip_protocol(name + path[len(scheme[1]) :] if scheme else path))

    def join(self, folder: str, name: str) -> str:
        return posixpath.join(folder, name)

    def parent(self, path: str) -> str:
        return posixpath.dirname(path)

    def is_directory(self, path: str) -> bool:
        return bool(self._ask(self._files.isdir, path))

    def exists(self, path: str) -> bool:
        return bool(self._ask(self._files.isfile, path))

    def names_in(self, folder: str) -> frozenset[str]:
        return frozenset(posixpath.basename(n.rstrip("/")) for n in self._ask(self._files.ls, folder, detail=False))

    def open(self, path: str) -> BinaryIO:
        return cast("BinaryIO", self._ask(self._files.open, path, "rb"))

    def _ask(self, call: Any, path: str, *args: Any, **options: Any) -> Any:
        try:
            return call(path, *args, **options)
        except Exception as error:
            reason = str(error) or type(error).__name__
            raise SavepointError(f"{self._scheme}://{path.lstrip('/')} can't be read: {reason}.") from error


def _options(scheme: str, authority: str) -> dict[str, Any]:
    if scheme != "hdfs":
        return {}
    host, _, port = authority.partition(":")
    options: dict[str, Any] = {"host": host or "default"}
    if port.isdigit():
        options["port"] = int(port)
    return options


def _install_hint(scheme: str, extra: str) -> str:
    return (
        f"{scheme}:// needs a package that is not installed: pip install 'savepoint-checker[{extra}]'. "
        "Or copy the savepoint here and name the copy."
    )


def _file_system(path: str) -> _Files:
    scheme = scheme_of(path)
    if scheme is None:
        return _LOCAL
    return _remote(scheme, path.split("://", 1)[-1].split("/", 1)[0])


_LOCAL = _LocalFiles()


@lru_cache(maxsize=64)
def _remote(scheme: str, authority: str) -> _RemoteFiles:
    """One file system a scheme and host: asking for it may open a connection."""
    return _RemoteFiles(scheme, authority)
