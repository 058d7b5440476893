"""This package as a zip, for executors that do not have it installed. They need its dependencies."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import checker


@contextmanager
def package_zip(*, needed: bool) -> Iterator[str | None]:
    """The path of a zip with the package in it, for as long as the context lasts; None when not needed."""
    if not needed:
        yield None
        return
    root = Path(checker.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"savepoint_checker-{checker.__version__}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(root.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, Path("checker") / file.relative_to(root))
        yield str(path)
