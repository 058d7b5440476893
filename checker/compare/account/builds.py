"""Explains the edits of build files: which of them are about the program, its state or a library that it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from checker.compare.account.reach import differing, edit, in_modules
from checker.compare.account.verdicts import READ, SAME_PROGRAM, UNUSED, Verdict
from checker.model.account import BuildUse, Edit, Thing, Why
from checker.model.changed_files import ChangedFile, Entry

_SERIALIZATION = re.compile(r"avro|protobuf|proto|kryo|thrift|chill|\bscala|msgpack|flatbuffers", re.IGNORECASE)
_GENERATES = re.compile(r"avro|proto|thrift|jsonschema2pojo|jaxb|xjc|openapi", re.IGNORECASE)
_CONNECTOR = re.compile(r"connector|flink-(s3|gs|azure|hadoop|shaded|metrics|statebackend|test|runtime-web)|cdc", re.I)
_BUILD_WORDS = re.compile(
    r"plugin|junit|test|mockito|assertj|encoding|compiler|jdk|java[._-]?version|maven|gradle|checkstyle|spotless|jacoco|"
    r"slf4j|log4j|logback|lombok|sourceCompatibility|targetCompatibility|^version\b|^group\b|scm|license|developer|"
    r"repositor|jarTask|manifest|shadow|mainClass|archive",
    re.IGNORECASE,
)
_VERSION = re.compile(r"(?:property |<|(?:ext\.|def |val |val\(\"))?([A-Za-z][\w.-]*?)[._-]?[vV]ersion\b")
"""A version that builds give a name: ``jackson.version``, ``pravegaVersion``."""
_PYTHON = re.compile(r"(^|/)(requirements|setup\.|pyproject|Pipfile|environment)[^/]*$")
_FLINK_IN_PYTHON = re.compile(r"apache[-_.]flink|(?<!\d)\d+\.\d", re.IGNORECASE)
"""A package of Flink, or a release: names of projects and of their scripts have neither."""


def build_edits(file: ChangedFile, use: BuildUse) -> Iterator[Edit]:
    """Every edit of a build file that the pipeline can reach."""
    if not in_modules(file.path, use):
        return
    for entry in differing(file):
        verdict = _older_connector(entry, file, use) or _dependency(entry, file.path, use)
        yield edit(file, Thing.BUILD, entry.key, verdict, entry.line)


_IN_REPOSITORY = re.compile(r"<relativePath>[^<\s]")
"""A parent that lies in the repository: what it says are edits of its own file."""
_RELEASE = re.compile(r"(?<!\d)\d+(?:\.\d+)+")


def _older_connector(entry: Entry, file: ChangedFile, use: BuildUse) -> Verdict | None:
    """An edit after which a connector of the program's is of an earlier release: serializers only read older ones."""
    subject = _RELEASE.sub("", entry.key)
    if not any(word in subject.lower() for word in use.connectors):
        return None
    releases = [
        [_RELEASE.findall(f"{e.key} {e.value}") for e in entries or () if _RELEASE.sub("", e.key) == subject]
        for entries in (file.base, file.head)
    ]
    if not all(len(found) == 1 for found in releases):
        return None
    pairs = zip(releases[0][0], releases[1][0], strict=False)
    if all(_numbers(after) >= _numbers(before) for before, after in pairs):
        return None
    return Verdict(Why.DEPENDENCY, "an earlier release of a connector may not read what the later one wrote")


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def _dependency(entry: Entry, path: str, use: BuildUse) -> Verdict:
    key = entry.key
    if entry.build_only:
        generates = _GENERATES.search(key) and not use.elements_read
        return Verdict(Why.TYPE, "it generates classes that may lie in state") if generates else SAME_PROGRAM
    if "flink" in key.lower() and (_FLINK_IN_PYTHON.search(key) or not _PYTHON.search(path)):
        if _CONNECTOR.search(key):
            return UNUSED
        if use.versions_read:
            return READ
        return Verdict(Why.DEPENDENCY, "it may be the Flink version, which could not be read")
    if _SERIALIZATION.search(key):
        if use.elements_read and not use.polymorphic:
            return UNUSED
        return Verdict(Why.DEPENDENCY, "it may write state")
    if _BUILD_WORDS.search(key):
        return SAME_PROGRAM
    if not use.all_known and _builds(key, use) and not _IN_REPOSITORY.search(entry.value):
        return Verdict(Why.DEPENDENCY, "its code takes part in building the graph")
    return UNUSED


def _builds(key: str, use: BuildUse) -> bool:
    """Whether an entry is about a library that the program uses: a dependency by its group, a version by its name."""
    version = _VERSION.match(key)
    if version is not None:
        words = {word.lower() for word in re.split(r"[._-]|(?<=[a-z])(?=[A-Z])", version[1]) if len(word) > 3}
        return any(not words.isdisjoint(name.split(".")) for name in use.libraries)
    group = re.search(r"([a-z][\w-]*(?:\.[\w-]+)+)", key)
    return group is not None and any(name.startswith(f"{group.group(1)}.") for name in use.libraries)
