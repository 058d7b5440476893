"""What is needed to build and install as a user would. What this machine lacks is skipped, with the reason."""

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.hooks.conftest import TOP

MINORS = ("3.12", "3.13", "3.11")
"""Of Python, as ``pyproject.toml`` lists them; the one that the images and the examples have comes first."""


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


@pytest.fixture(scope="session")
def wheel(clean_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that would be published."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=clean_copy, capture_output=True, check=True,
    )  # fmt: skip
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where a package that is none of ours can't be had from the package index either."""
    asked = [sys.executable, "-m", "pip", "download", "--quiet", "--no-cache-dir", "--no-deps", "--dest"]
    done = subprocess.run(
        [*asked, str(tmp_path_factory.mktemp("asked")), "iniconfig"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no package index is reachable: {on_a_line(done.stderr)}")


UNCOMPILED = {"PIP_COMPILE": "0"}
"""For environments that start hardly anything: what is imported is compiled then, and nothing ahead."""


def environment(folder: Path) -> Path:
    """A new environment of ``some_python`` with pip, made of what is here: the folder of its programs."""
    subprocess.run([sys.executable, "-m", "virtualenv", "--quiet", "--python", some_python(), str(folder)], check=True)
    return folder / "bin"


def needed(*programs: str) -> None:
    """Skip where a program is missing."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        pytest.skip(f"not on this machine: {', '.join(missing)}")


@cache
def python(minor: str) -> str | None:
    """An interpreter of that minor version that can make environments, where this machine has one."""
    known = sorted(Path.home().glob(f".pyenv/versions/{minor}.*/bin/python"))
    own = [sys.executable] if sys.version.startswith(f"{minor}.") else []
    for found in (*own, *map(str, known), shutil.which(f"python{minor}")):
        asked = [found, "-c", "import ensurepip, sys; print(sys.version)"] if found else ["false"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.startswith(f"{minor}."):
            return found
    return None


def some_python() -> str:
    """The interpreter that stands in for the one of images and examples."""
    return next(found for found in (*map(python, MINORS), sys.executable) if found is not None)


@cache
def downloads_of_pip() -> str:
    """The user's own cache: what was installed to run these tests is there already."""
    asked = [sys.executable, "-m", "pip", "cache", "dir"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def on_a_line(text: str) -> str:
    """The end of what a program printed, for the reason of a skip."""
    return " ".join(text.split())[-300:] or "no reason was given"
