"""Where to look: from a source file upward to the root, then in the whole repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from checker.extract.java.build_files.declared import (
    Declared,
    merged,
    read_catalog,
    read_pom,
    read_properties,
    read_script,
    version_of,
)
from checker.model.sources import SourceFiles

_READERS: tuple[tuple[re.Pattern[str], Callable[[str], Declared]], ...] = (
    (re.compile(r"pom\.xml"), read_pom),
    (re.compile(r"(?:build|settings|versions|dependencies)\.gradle(?:\.kts)?|build\.sbt"), read_script),
    (re.compile(r"gradle/[^/]+\.gradle(?:\.kts)?|project/[^/]+\.scala"), read_script),
    (re.compile(r"(?:buildSrc|build-logic|buildLogic)/.+\.(?:kts?|gradle|groovy|java)"), read_script),
    (re.compile(r"gradle\.properties"), read_properties),
    (re.compile(r"(?:gradle/)?[^/]+\.versions\.toml"), read_catalog),
)
"""Paths of build files, relative to the folder of the project that they build, and what reads them."""
_ENDINGS = (".xml", ".gradle", ".kts", ".kt", ".groovy", ".java", ".sbt", ".scala", ".properties", ".toml")
_OWN_FOLDERS = ("gradle", "project", "buildSrc", "build-logic", "buildLogic")
"""Folders beside what is built, in which build files or their constants are kept."""
_LONGEST = 400_000
_PARENTS = 16


def stated_version(files: SourceFiles, build_files: tuple[str, ...], source: str) -> tuple[str | None, tuple[str, ...]]:
    """(version, files consulted) for a source file. ``build_files`` are paths that may belong to a build.

    The build files of the nearest folder that say anything decide, with what their parents and those of outer folders
    declare. Where none on the way to the root does, the one version that all build files of the repository agree on.
    """
    by_folder = _by_folder(build_files)
    consulted: list[str] = []
    inner: list[Declared] = []
    folder = posixpath.dirname(source)
    while True:
        here = [_declared(files, path, consulted) for path in by_folder.get(folder, ())]
        here.extend(_parents(files, by_folder, folder, here, consulted))
        inner.extend(here)
        version = version_of(merged(inner)) if here else None
        if version is not None or not folder:
            break
        folder = posixpath.dirname(folder)
    if version is None:
        version = _agreed(files, by_folder, consulted)
    return version, tuple(dict.fromkeys(consulted))


@lru_cache(maxsize=4)
def _by_folder(paths: tuple[str, ...]) -> dict[str, list[str]]:
    """Folder of a project → its build files."""
    found: dict[str, list[str]] = {}
    for path in paths:
        for folder, name in _splits(path):
            if any(pattern.fullmatch(name) for pattern, _ in _READERS):
                found.setdefault(folder, []).append(path)
    return found


def _splits(path: str) -> Iterator[tuple[str, str]]:
    """Folders that a file may be a build file of, with its path from there."""
    if not path.endswith(_ENDINGS):
        return
    parts = path.split("/")
    yield "/".join(parts[:-1]), parts[-1]
    for place, part in enumerate(parts[:-1]):
        if part in _OWN_FOLDERS:
            yield "/".join(parts[:place]), "/".join(parts[place:])


def _declared(files: SourceFiles, path: str, consulted: list[str]) -> Declared:
    consulted.append(path)
    return _read(path, files.read(path)[:_LONGEST].decode("utf-8", "replace"))


@lru_cache(maxsize=1024)
def _read(path: str, text: str) -> Declared:
    for _, name in _splits(path):
        for pattern, reader in _READERS:
            if pattern.fullmatch(name):
                return reader(text)
    return Declared()


def _parents(
    files: SourceFiles, by_folder: dict[str, list[str]], folder: str, here: Sequence[Declared], consulted: list[str]
) -> Iterator[Declared]:
    """The Maven files that those of a folder inherit from, inside of the repository."""
    for build in here:
        place, parent = folder, build.parent
        for _ in range(_PARENTS):
            if parent is None:
                break
            path = posixpath.normpath(posixpath.join(place, parent))
            if not path.endswith(".xml"):
                path = f"{path}/pom.xml"
            place = posixpath.dirname(path)
            if path not in by_folder.get(place, ()) or path in consulted:
                break
            declared = _declared(files, path, consulted)
            yield declared
            parent = declared.parent


def _agreed(files: SourceFiles, by_folder: dict[str, list[str]], consulted: list[str]) -> str | None:
    """The one version that all folders with build files agree on, of those that name a version."""
    versions = set()
    for paths in by_folder.values():
        read: list[str] = []
        version = version_of(merged(_declared(files, path, read) for path in paths))
        if version is not None:
            versions.add(version)
            consulted.extend(read)
    return versions.pop() if len(versions) == 1 else None
