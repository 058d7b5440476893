"""Which library that holds state an entry of a build file is about: by its name, or by a version that one asks for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from checker.extract.asking.listing import listing_of
from checker.extract.changed_files.entries import build_entries, line_entries
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


_JAR = re.compile(r"(?<![\w.${}-])[\w.${}-]+\.jar\b")
_NAME = re.compile(r"(.*?)(?:-\d+\.\d+(?=-[\d$]))?-((?:v?\d|\$)[\w.${}-]*)\.jar")
"""What a jar is called, the Flink that it is for, and its release."""
_FORMATTED = re.compile(r"(?<!\$)\{")


def jar_entries(text: str) -> tuple[Entry, ...]:
    """Libraries that are known to hold state, as a text names their jars: ``flink-sql-connector-kafka:3.1.0-1.18``."""
    named = ((jar, number) for number, line in enumerate(text.splitlines(), 1) for jar in _JAR.findall(line))
    parts = ((_NAME.fullmatch(_FORMATTED.sub("${", jar)), number) for jar, number in named)
    keys = ((f"{found[1]}:{found[2]}", number) for found, number in parts if found is not None)
    return tuple(Entry(k, "", n, library=library) for k, n in keys if (library := library_of(k, k)) is not None)


def jars_named(path: str, files: SourceFiles, asked: Mapping[str, list[str]]) -> tuple[Entry, ...]:
    """The libraries whose jars any file names, and those whose releases it says for others that name them."""
    text = f"{path}\n" if path.endswith(".jar") else files.read(path).decode("utf-8", "replace")
    given = with_versions(line_entries(text), asked) if asked else ()
    return (*jar_entries(text), *(entry for entry in given if entry.library is not None))


def versions_asked(entries: Iterable[Entry]) -> Mapping[str, list[str]]:
    """Names of versions → keys of the entries that ask for them and name a library."""
    naming = (entry for entry in entries if entry.library is not None)
    return gathered((name, entry.key) for entry in naming for name in _asked(f"{entry.key} {entry.value}"))


def with_versions(entries: Iterable[Entry], asked: Mapping[str, list[str]]) -> Iterator[Entry]:
    """Entries, a version that others ask for with the library of one of those."""
    for entry in entries:
        defined = _DEFINED.search(entry.key)
        name = _OWNER.sub("", (defined[1] or defined[2]) if defined else "")
        found = entry.library
        for key in asked.get(name, ()) if found is None else ():
            found = found or library_of(key, entry.value or entry.key)
        yield replace(entry, library=found)


def _asked(text: str) -> set[str]:
    return {_OWNER.sub("", next(filter(None, found))) for found in _ASKED.findall(text) if any(found)}
