"""What is needed to build and install as a user would, or a reason to skip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hooks.conftest import TOP


@pytest.fixture(scope="session")
def clean_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of this repository as they are in the work tree, without what is built or ignored."""
    folder = tmp_path_factory.mktemp("copy") / "savepoint-checker"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TOP, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.split("\0")):
        if (TOP / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, folder / name)
    return folder


def needed(*programs: str, root: bool = False) -> None:
    """Skip where a program is missing, or where the test would need root."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        pytest.skip(f"not on this machine: {', '.join(missing)}")
    if root and (sys.platform != "linux" or os.geteuid() != 0):
        pytest.skip("needs root on Linux")


@pytest.fixture(scope="session")
def wheel(clean_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that would be published."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=clean_copy, capture_output=True, check=True,
    )  # fmt: skip
    return next(folder.glob("*.whl"))
