"""Which library that holds state an entry of a build file is about: by its name, or by a version that one asks for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from checker.extract.asking.listing import listing_of
from checker.extract.changed_files.entries import build_entries
from checker.extract.changed_files.kinds import is_build
from checker.extract.connectors.releases import library_of
from checker.model.changed_files import Entry
from checker.model.gathered import gathered
from checker.model.sources import SourceFiles

_ASKED = re.compile(
    r"\$\{([\w.-]+)\}|\$([A-Za-z][\w.]*)|version\.ref\s*=\s*[\"']([\w.-]+)|libs\.versions\.([\w.]+?)(?:\.get\(|\s|\)|$)|"
    r"[+%,]\s*([A-Za-z][\w.]*)(?![\w.]*\s*[=\"':])"
)
"""Names that builds ask for: of Maven's properties, Gradle's and sbt's variables, versions of a catalog."""
_OWNER = re.compile(r"^(?:(?:rootProject|project|ext|extra|versions)\.)+")
_DEFINED = re.compile(r"^(?:property\s+([\w.-]+)$|[^=:]*?([\w.-]+)[\"'\])]*\s*(?::\s*String\s*)?=)")


def entries_of(path: str, files: SourceFiles) -> tuple[Entry, ...]:
    """What a build file says; a ``pom.xml`` is read beside the one of the folder above it."""
    above = posixpath.normpath(f"{path}/../../pom.xml") if path.endswith("pom.xml") else ""
    return build_entries(path, files.read(path), files.read(above) if above in listing_of(files).all else b"")


def versions_asked(*sides: SourceFiles) -> Mapping[str, list[str]]:
    """Names of versions → keys of the entries, in any build file, that ask for them and name a library.

    Raises RevisionError where a partial clone leaves one out: it may ask for whatever was edited.
    """
    return gathered(
        (name, entry.key)
        for files in sides
        for path in sorted(filter(is_build, listing_of(files).all))
        for entry in _naming_libraries(path, files)
        for name in _asked(f"{entry.key} {entry.value}")
    )


def with_versions(entries: Iterable[Entry], asked: Mapping[str, list[str]]) -> Iterator[Entry]:
    """Entries, a version that others ask for with the library of one of those."""
    for entry in entries:
        defined = _DEFINED.search(entry.key)
        name = _OWNER.sub("", (defined[1] or defined[2]) if defined else "")
        found = entry.library
        for key in asked.get(name, ()) if found is None else ():
            found = found or library_of(key, entry.value or entry.key)
        yield replace(entry, library=found)


def _naming_libraries(path: str, files: SourceFiles) -> list[Entry]:
    text = files.read(path).decode("utf-8", "replace")
    if "$" not in text and "version" not in text.lower():
        return []
    return [entry for entry in entries_of(path, files) if entry.library is not None]


def _asked(text: str) -> set[str]:
    return {_OWNER.sub("", next(filter(None, found))) for found in _ASKED.findall(text) if any(found)}
