"""Files that are fetched piece by piece, and copies of them."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Callable
from typing import Any, BinaryIO, cast

from checker.errors import SavepointError

IN_MEMORY = 1 << 24
"""Bytes of a copy that are held in memory; a longer one lies in the folder for temporary files."""
MOST_AHEAD = 1 << 23
"""Bytes fetched at once at most, unless more is asked for."""
_GAP = 1 << 16
"""A jump over so few bytes is still reading in a row."""


class LocalCopy:
    """A remote file that is read over and over, fetched once."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        """Fetches all of ``stream``. Raises SavepointError."""
        self._size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - lives as long as this copy
        folder = tempfile.gettempdir()
        try:
            if IN_MEMORY < self._size > shutil.disk_usage(folder).free:
                raise OSError("too little space")
            while piece := stream.read(MOST_AHEAD):
                self._file.write(piece)
        except OSError as error:
            raise SavepointError(
                f"{name} of {self._size} bytes can't be copied to {folder}: {error}. Name a roomier folder with TMPDIR."
            ) from error
        if self._file.tell() != self._size:
            raise SavepointError(f"{name} has {self._size} bytes, but only {self._file.tell()} came. Try again.")

    def open(self) -> BinaryIO:
        """The copy, from its beginning."""
        return cast("BinaryIO", RangedFile(self._range, self._size))

    def _range(self, start: int, end: int) -> bytes:
        self._file.seek(start)
        return self._file.read(end - start)


class RangedFile(io.RawIOBase):
    """A file of known size that is fetched in ranges: what is asked for, and more ahead while it is read in a row."""

    def __init__(self, fetch: Callable[[int, int], bytes], size: int) -> None:
        super().__init__()
        self._fetch = fetch
        self._size = size
        self._position = 0
        self._base = 0
        self._window = b""
        self._ahead = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """Offset of the next byte."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to an offset; nothing is fetched by that."""
        self._position = max(0, offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence])
        return self._position

    def readinto(self, target: Any) -> int:
        """Fill ``target`` up to the end of the file; less only where fewer bytes come than the size promised."""
        view = memoryview(target).cast("B")
        wanted = max(0, min(len(view), self._size - self._position))
        done = 0
        while done < wanted:
            part = self._buffered(wanted - done)
            if not part:
                break  # shorter than the store said: the reader tells that bytes are missing
            view[done : done + len(part)] = part
            done += len(part)
            self._position += len(part)
        return done

    def _buffered(self, wanted: int) -> bytes:
        at = self._position - self._base
        if not 0 <= at < len(self._window):
            in_a_row = bool(self._window) and 0 <= at - len(self._window) <= _GAP
            self._ahead = min(2 * max(self._ahead, wanted), MOST_AHEAD) if in_a_row else 0
            self._base, at = self._position, 0
            end = min(self._size, self._position + max(wanted, self._ahead))
            self._window = self._fetch(self._position, end)
        return self._window[at : at + wanted]
