"""The Flink version that a project's build files name: Maven, Gradle and version catalogs, read as text."""

from __future__ import annotations

import re
from functools import lru_cache

from checker.model.sources import SourceFiles

_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?")
_PROPERTY = re.compile(
    r"<(flink[\w.-]*version|version\.flink|apache\.flink\.version|version\.org\.apache\.flink)>\s*(?:\$\{([\w.-]+)\}|([^<\s]+))\s*<"
)
_ANY_PROPERTY = re.compile(r"<([\w.-]+)>\s*([^<\s]+)\s*</\1>")
_DEPENDENCY = re.compile(
    r"<groupId>\s*org\.apache\.flink\s*</groupId>\s*<artifactId>\s*flink-"
    r"(?:streaming-java|clients|core|java|runtime|streaming-scala)[^<]*</artifactId>\s*<version>\s*([^<\s]+)\s*<"
)
_GRADLE = (
    re.compile(r"""flink[._]?version\s*[:=]\s*["']?(\d+\.\d+(?:\.\d+)?)""", re.IGNORECASE),
    re.compile(r"""["']org\.apache\.flink:flink-(?:streaming-java|clients|core|java)[^"':]*:(\d+\.\d+(?:\.\d+)?)"""),
    re.compile(r"""^\s*flink\s*=\s*["'](\d+\.\d+(?:\.\d+)?)["']""", re.MULTILINE | re.IGNORECASE),
)
_BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts", "gradle.properties", "gradle/libs.versions.toml",
                "settings.gradle", "build.sbt")  # fmt: skip


def flink_version(files: SourceFiles, source: str) -> tuple[str | None, tuple[str, ...]]:
    """(version, files consulted): from the build file nearest to a source file, upward to the root."""
    paths = frozenset(files.paths())
    consulted: list[str] = []
    properties: dict[str, str] = {}
    wanted: str | None = None
    folder = source.rpartition("/")[0]
    while True:
        for name in _BUILD_FILES:
            path = f"{folder}/{name}" if folder else name
            if path not in paths:
                continue
            consulted.append(path)
            text = files.read(path)[:400_000].decode("utf-8", "replace")
            found, name_wanted, known = _read(name, text)
            properties = {**known, **properties}
            wanted = wanted or name_wanted
            if found is None and wanted is not None and wanted in properties:
                found = properties[wanted]
            if found is not None and _VERSION.match(found):
                match = _VERSION.match(found)
                return (match.group() if match else None), tuple(consulted)
        if not folder:
            return None, tuple(consulted)
        folder = folder.rpartition("/")[0]


@lru_cache(maxsize=256)
def _read(name: str, text: str) -> tuple[str | None, str | None, dict[str, str]]:
    """(version, property that holds it, all properties) of one build file."""
    if name == "pom.xml":
        return _pom(text)
    for pattern in _GRADLE:
        match = pattern.search(text)
        if match:
            return match.group(1), None, {}
    return None, None, {}


def _pom(text: str) -> tuple[str | None, str | None, dict[str, str]]:
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    properties = dict(_ANY_PROPERTY.findall(text))
    match = _DEPENDENCY.search(text)
    if match:
        written = match.group(1)
        if not written.startswith("${"):
            return written, None, properties
        name = written[2:-1]
        value = properties.get(name)
        while value is not None and value.startswith("${") and value[2:-1] != name:
            name = value[2:-1]
            value = properties.get(name)
        if value is not None and not value.startswith("${"):
            return value, None, properties
        return None, name, properties
    found = _PROPERTY.search(text)
    if found:
        return (found.group(3), None, properties) if found.group(3) else (None, found.group(2), properties)
    return None, None, properties
