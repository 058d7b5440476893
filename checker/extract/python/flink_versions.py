"""The Flink version that a script is written for: what the requirement files beside and above it pin.

Where none does, the build files that fetch the connectors' jars say it.
"""

from __future__ import annotations

import posixpath
import re

from checker.extract.asking.consulted import ask
from checker.extract.java.flink_versions import flink_version as built_version
from checker.model.sources import SourceFiles

_FILES = re.compile(
    r"(requirements[^/]*|constraints[^/]*)\.(txt|in)|pyproject\.toml|setup\.(py|cfg)|Pipfile|environment\.ya?ml|Dockerfile"
)
_PINNED = re.compile(
    r"""\bapache[-_.]flink["']?\s*+(?:\[[^\]]{0,500}+\]\s*+)?(?:=\s*+)?(?:\{[^}\n]{0,500}?\bversion\s*+=\s*+)?["'(]*+\s*+(?:
        (?:===?|~=?)\s*["']?v?(?P<pinned>\d+\.\d+(?:\.\d+)?)
        |>=\s*(?P<least>\d+\.\d+(?:\.\d+)?)\s*,\s*<\s*(?P<below>\d+\.\d+)(?!\.?[1-9])
    )
    |\bapache[-_.]flink["']?\s*+=\s*+(?:\{[^}\n]{0,500}?\bversion\s*+=\s*+)?["'](?P<exact>\d+\.\d+(?:\.\d+)?)(?:\.\*)?["']
    |^FROM\s+(?:\S+/)?flink:(?P<image>\d+\.\d+(?:\.\d+)?)""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
"""A version that is pinned, the bounds of a range, or an image's version."""
_COMMENT = re.compile(r"(?m)(^|\s)#.*$")
_LONGEST = 200_000


def flink_version(files: SourceFiles, script: str) -> tuple[str | None, tuple[str, ...]]:
    """(version, files consulted): of the nearest folder whose files pin one; None where they pin several."""
    by_folder: dict[str, list[str]] = {}
    for path in ask(files, "pinning versions"):
        folder, name = posixpath.split(path)
        if _FILES.fullmatch(name):
            by_folder.setdefault(folder, []).append(path)
    consulted: list[str] = []
    folder = posixpath.dirname(script)
    while True:
        here = sorted(by_folder.get(folder, ()))
        consulted.extend(here)
        pinned = {version for path in here for version in _pinned(files.read(path))}
        if pinned:
            return (pinned.pop() if len(pinned) == 1 else None), tuple(consulted)
        if not folder:
            version, read = built_version(files, script)
            return version, (*consulted, *read)
        folder = posixpath.dirname(folder)


def _pinned(data: bytes) -> set[str]:
    text = _COMMENT.sub("", data[:_LONGEST].decode("utf-8", "replace"))
    found = (_version(match) for match in _PINNED.finditer(text))
    return {version for version in found if version is not None}


def _version(match: re.Match[str]) -> str | None:
    """The version that is pinned; the minor of a range that has no other one (``>=1.20.1,<1.21``)."""
    if match["least"] is None:
        return match["pinned"] or match["exact"] or match["image"]
    major, minor = map(int, match["least"].split(".")[:2])
    return f"{major}.{minor}" if match["below"] == f"{major}.{minor + 1}" else None
