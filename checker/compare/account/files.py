"""Explains the edits of files that are not code of the pipeline: builds, schemas, resources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from checker.compare.account.both_sides import BothSides
from checker.compare.account.deployments import deployment_edits
from checker.compare.account.key_flows import KeyFlows
from checker.compare.account.reach import Reach, differing, edit
from checker.model.account import Edit, Explanation, Thing, Why
from checker.model.changed_files import ChangedFile, Entry, FileKind
from checker.model.file_names import CONVENTIONAL, names_file, same_module

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
_CLASS = re.compile(r"[A-Z]\w*[a-z]\w*")
"""Names by which code of another module is used: those of its classes."""
_ALL_KNOWN = "graph and state are known without it in both revisions"


def file_edits(changed: Sequence[ChangedFile], reach: Reach) -> Iterator[Edit]:
    """Every edit of such a file that the pipeline can reach."""
    resources = [file for file in changed if file.kind is FileKind.RESOURCE]
    in_keys = KeyFlows(BothSides(reach.base, reach.head, reach.facts)).files if resources else frozenset()
    for file in _moved(list(changed), reach.deployed):
        if file.path in in_keys:
            why = "it may change how keys are computed: records get other keys, and their state is not found"
            yield edit(file, Thing.RESOURCE, file.path, Explanation.NOT_UNDERSTOOD, Why.KEY_NOT_READ, why)
            continue
        if file.unreadable is not None:
            if _mentioned(file, reach):
                yield _unreadable(file, file.unreadable)
        elif file.kind is FileKind.BUILD:
            yield from _build(file, reach)
        elif file.path in reach.named and file.kind in (FileKind.DEPLOYMENT, FileKind.RESOURCE):
            yield from _of_a_start(file, reach)
        elif file.kind is FileKind.DEPLOYMENT:
            yield from deployment_edits(file, reach)
        elif file.kind is not FileKind.CODE and _mentioned(file, reach):
            yield _unread(file, reach)


def _moved(changed: list[ChangedFile], deployed: frozenset[str]) -> Iterator[ChangedFile]:
    """Manifests that only the base has as the base of those that only the head has: what says the same was moved."""
    manifests = [file for file in changed if file.kind is FileKind.DEPLOYMENT and file.path in deployed]
    gone = [manifest for manifest in manifests if manifest.head is None and manifest.unreadable is None]
    paired: dict[str, ChangedFile] = {}
    for file in manifests:
        if file.base is None and file.unreadable is None and gone:
            old = max(gone, key=lambda candidate: len(_facts(candidate.base) & _facts(file.head)))
            gone.remove(old)
            paired[old.path] = replace(file, base=old.base)
    new = {file.path for file in paired.values()}
    for file in changed:
        if file.path in paired:
            yield paired[file.path]
        elif file.path not in new:
            yield file


def _facts(entries: Sequence[Entry] | None) -> set[tuple[str, str]]:
    return {(entry.key, entry.value) for entry in entries or ()}


# -- resources, schemas, other languages ---------------------------------------------------------------------------


def _mentioned(file: ChangedFile, reach: Reach) -> bool:
    if file.kind is FileKind.SCHEMA and not reach.in_modules(file.path):
        return False
    if file.kind is FileKind.BUILD:
        return reach.in_modules(file.path)
    if file.kind is FileKind.SCHEMA and file.unreadable is not None:
        return True
    if file.kind in (FileKind.SCHEMA, FileKind.FOREIGN, FileKind.CODE):
        stem = file.path.rpartition("/")[2].partition(".")[0]
        names = file.names | {stem, f"{stem}Kt"}
        if file.kind is FileKind.FOREIGN and not reach.in_modules(file.path):
            names = frozenset(name for name in names if _CLASS.fullmatch(name)) - reach.classes
        return not reach.names.isdisjoint(names)
    if file.kind is FileKind.SERVICE:
        return file.path.rpartition(".")[2] in reach.names
    if file.path in reach.files or (CONVENTIONAL.search(file.path) and same_module(file.path, reach.main)):
        return True
    return reach.mentions(lambda text: names_file(text, file.path, reach.main)) is not None


def _unreadable(file: ChangedFile, reason: str) -> Edit:
    return edit(file, Thing.RESOURCE, file.path, Explanation.NOT_UNDERSTOOD, Why.UNREADABLE, reason)


def _of_a_start(file: ChangedFile, reach: Reach) -> Iterator[Edit]:
    """Edits of a file that the program is given by its name; of settings only those that it asks for."""
    whole = _unread(file, reach)
    edited = list(differing(file))
    if not edited and file.base and file.head:
        return  # comments
    if whole.explanation is not Explanation.NOT_UNDERSTOOD or not edited or not reach.facts.all_named:
        yield whole
        return
    for entry in edited:
        asked = any(_asks_for(name, entry.key) for name in reach.facts.asked_for)
        explanation = Explanation.NOT_UNDERSTOOD if asked else Explanation.WITHOUT_EFFECT
        why = Why.RESOURCE_NOT_READ if asked else Why.UNRELATED_KEY
        reason = "the program is given this file, and graph or state depend on it" if asked else _UNRELATED
        yield edit(
            file, Thing.RESOURCE, entry.key, explanation, why, reason, line=entry.line,
            settled_by=f"--arg {entry.key}=VALUE" if asked else None,
        )  # fmt: skip


_UNRELATED = "neither the graph nor a state depends on it"


def _asks_for(name: str, key: str) -> bool:
    if name.endswith("*"):
        return key.startswith(name[:-1])
    return key in ("", name) or key.endswith(f".{name}") or name.endswith(f".{key}")


def _unread(file: ChangedFile, reach: Reach) -> Edit:
    if file.kind is FileKind.LOGGING:
        return edit(
            file,
            Thing.RESOURCE,
            file.path,
            Explanation.WITHOUT_EFFECT,
            Why.LOGGING_CONFIGURATION,
            "it only configures logging",
        )
    if file.kind is FileKind.SCHEMA:
        used = file.names & reach.names
        if reach.facts.elements_read and used and not used & reach.facts.polymorphic:
            return edit(
                file, Thing.SCHEMA, file.path, Explanation.COMPARED, Why.CLASS_READ,
                "the classes that are generated from it were compared where they lie in state",
            )  # fmt: skip
        return edit(
            file, Thing.SCHEMA, file.path, Explanation.NOT_UNDERSTOOD, Why.SCHEMA,
            "classes that the program uses are generated from it, and may lie in state",
        )  # fmt: skip
    if file.kind is FileKind.FOREIGN:
        return edit(
            file, Thing.DECLARATION, file.path, Explanation.NOT_UNDERSTOOD, Why.UNREADABLE,
            "the program uses what it declares, and its language is not read", settled_by="--allow-exec",
        )  # fmt: skip
    if file.path in reach.files:
        return edit(
            file, Thing.RESOURCE, file.path, Explanation.COMPARED, Why.RESOURCE_READ,
            "it was read as the program reads it: what comes of it was compared",
        )  # fmt: skip
    of_records = file.kind is FileKind.RESOURCE and file.path not in reach.named
    if of_records and reach.mentions(lambda text: names_file(text, file.path, reach.main)) is False:
        return edit(
            file, Thing.RESOURCE, file.path, Explanation.WITHOUT_EFFECT, Why.PROCESSES_RECORDS,
            "it is only read while records are processed",
        )  # fmt: skip
    if reach.facts.all_known:
        return edit(file, Thing.RESOURCE, file.path, Explanation.WITHOUT_EFFECT, Why.ALL_KNOWN, _ALL_KNOWN)
    return edit(
        file, Thing.RESOURCE, file.path, Explanation.NOT_UNDERSTOOD, Why.RESOURCE_NOT_READ,
        "the program may read it, and what it does with it is not known", settled_by="--allow-exec",
    )  # fmt: skip


# -- builds --------------------------------------------------------------------------------------------------------


def _build(file: ChangedFile, reach: Reach) -> Iterator[Edit]:
    if not reach.in_modules(file.path):
        return
    for entry in differing(file):
        explanation, why, reason = _older_connector(entry, file, reach) or _dependency(entry, reach)
        yield edit(file, Thing.BUILD, entry.key, explanation, why, reason, line=entry.line)


_RELEASE = re.compile(r"\d+(?:\.\d+)+")
_OF_FLINK = re.compile(r"org\.apache\.flink\.(?:connector|streaming\.connectors)\.(\w+)\.")


def _older_connector(entry: Entry, file: ChangedFile, reach: Reach) -> tuple[Explanation, Why, str] | None:
    """An edit after which a connector of the program's is of an earlier release: serializers only read older ones."""
    functions = (t.function or "" for t in reach.facts.transformations)
    used = {found[1].lower() for function in functions if (found := _OF_FLINK.match(function)) is not None}
    subject = _RELEASE.sub("", entry.key)
    if not any(word in subject.lower() for word in used):
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
    why = "an earlier release of a connector may not read what the later one wrote"
    return Explanation.NOT_UNDERSTOOD, Why.DEPENDENCY, why


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def _dependency(entry: Entry, reach: Reach) -> tuple[Explanation, Why, str]:
    key = entry.key
    if key.startswith(("plugin ", "extension ")) or "<scope>test</scope>" in entry.value:
        if _GENERATES.search(key) and not reach.facts.elements_read:
            return Explanation.NOT_UNDERSTOOD, Why.SCHEMA, "it generates classes that may lie in state"
        return Explanation.WITHOUT_EFFECT, Why.BUILD_ONLY, "it only concerns the build"
    if "flink" in key.lower():
        if _CONNECTOR.search(key):
            return (
                Explanation.WITHOUT_EFFECT,
                Why.UNRELATED_DEPENDENCY,
                "connectors read state of their earlier versions",
            )
        if reach.facts.versions_read:
            return Explanation.COMPARED, Why.VERSION_READ, "the Flink versions of both revisions were read and compared"
        return Explanation.NOT_UNDERSTOOD, Why.DEPENDENCY, "it may be the Flink version, which could not be read"
    if _SERIALIZATION.search(key):
        if reach.facts.elements_read and not reach.facts.polymorphic:
            return Explanation.WITHOUT_EFFECT, Why.UNRELATED_DEPENDENCY, "no state is written by this library"
        return Explanation.NOT_UNDERSTOOD, Why.DEPENDENCY, "state may be written by this library"
    if _BUILD_WORDS.search(key):
        return Explanation.WITHOUT_EFFECT, Why.BUILD_ONLY, "it only concerns the build"
    if _builds(key, reach):
        if reach.facts.all_known:
            return Explanation.WITHOUT_EFFECT, Why.ALL_KNOWN, _ALL_KNOWN
        return Explanation.NOT_UNDERSTOOD, Why.DEPENDENCY, "code of this library takes part in building the graph"
    return Explanation.WITHOUT_EFFECT, Why.UNRELATED_DEPENDENCY, "neither the graph nor a state depends on this library"


def _builds(key: str, reach: Reach) -> bool:
    """Whether an entry is about a library that the program uses: a dependency by its group, a version by its name."""
    version = _VERSION.match(key)
    if version is not None:
        words = {word.lower() for word in re.split(r"[._-]|(?<=[a-z])(?=[A-Z])", version[1]) if len(word) > 3}
        return any(not words.isdisjoint(name.split(".")) for name in _libraries(reach))
    group = re.search(r"([a-z][\w-]*(?:\.[\w-]+)+)", key)
    return group is not None and any(name.startswith(f"{group.group(1)}.") for name in _libraries(reach))


def _libraries(reach: Reach) -> frozenset[str]:
    """Qualified names in code that was not followed, except for those of the program's own classes."""
    own = reach.base.owners | reach.head.owners
    return frozenset(name for name in reach.base.libraries | reach.head.libraries if own.isdisjoint(_prefixes(name)))


def _prefixes(name: str) -> Iterator[str]:
    """A qualified name and those of what it stands in."""
    while name:
        yield name
        name = name.rpartition(".")[0]
