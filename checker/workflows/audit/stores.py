"""Datasets in an object store (``--data s3://bucket/folder``): whole files, through fsspec, from wherever a task runs.

Credentials and endpoints are those of fsspec's packages: environment variables, on executors too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checker.errors import CheckerError
from checker.model.secrets import masked


class StoreError(CheckerError):
    """A store can't be read or written."""


def is_url(place: str | Path) -> bool:
    """Whether a place is a store's and no folder's."""
    return "://" in str(place)


@dataclass(frozen=True)
class Store:
    """A folder in a store. Names are relative to it."""

    url: str

    def below(self, name: str) -> Store:
        """A folder in the store."""
        return Store(f"{self.url.rstrip('/')}/{name}")

    def fetch(self, names: Sequence[str], folder: Path) -> None:
        """Copy files to a folder of this machine. Raises StoreError."""
        with self._opened() as (files, root):
            if names:
                files.get([f"{root}/{name}" for name in names], [str(folder / name) for name in names])

    def send(self, names: Sequence[str], folder: Path) -> None:
        """Copy files of a folder of this machine to the store. Raises StoreError."""
        with self._opened() as (files, root):
            if names:
                files.put([str(folder / name) for name in names], [f"{root}/{name}" for name in names])

    def create(self, name: str, content: bytes) -> None:
        """Write a file that must not be there. Raises StoreError."""
        with self._opened() as (files, root):
            try:
                files.pipe_file(f"{root}/{name}", content, mode="create")
            except FileExistsError:
                raise StoreError(f"{self.url}/{name}: another run has written this meanwhile; run again") from None

    def names(self) -> frozenset[str]:
        """All files. Raises StoreError."""
        with self._opened() as (files, root):
            files.invalidate_cache()
            return frozenset(path.removeprefix(f"{root}/") for path in files.find(root))

    def remove(self) -> None:
        """Remove all files. Raises StoreError."""
        with self._opened() as (files, root):
            files.invalidate_cache()
            if files.exists(root):
                files.rm(root, recursive=True)

    @contextmanager
    def _opened(self) -> Iterator[tuple[Any, str]]:
        try:
            from fsspec.core import url_to_fs

            files, root = url_to_fs(self.url)
            yield files, root.rstrip("/")
        except StoreError:
            raise
        except ImportError as error:
            raise StoreError(f"{masked(self.url)} needs {error.name}: pip install 'savepoint-checker[s3]'") from None
        except Exception as error:  # each package has failures of its own
            raise StoreError(f"{masked(self.url)}: {masked(str(error)) or type(error).__name__}") from error
