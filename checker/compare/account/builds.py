"""Explains the edits of build files: which of them are about the program, its state or a library that it uses.

``Reach`` says which parts of a program a file of any kind can concern.
"""

import posixpath
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.facts import Facts
from checker.compare.account.uses import uses_in
from checker.model.account import READ, SAME_PROGRAM, UNUSED, BuildUse, Edit, Thing, Verdict, Why
from checker.model.changed_files import ChangedFile, Entry, Library, same_module
from checker.model.program_code import Part, ProgramCode
from checker.model.unknowns import Location


def build_use(codes: Sequence[ProgramCode], facts: Facts) -> BuildUse:
    """What edits of build files are judged by: the code of both revisions, and the facts about both."""
    own = frozenset().union(*(code.reached.owners for code in codes))
    packages = {package for owner in own for package in _prefixes(owner)}
    of_keys = facts.words_of_keys.union(*(_words_of_keys(codes) if facts.keys_open else ()))
    libraries = _in_full(facts.words, codes).union(n for n in _in_full(of_keys, codes) if not n.startswith(_FORMATS))
    libraries = libraries.union(*(() if facts.all_known else code.libraries for code in codes)) - packages
    return BuildUse(
        folders=frozenset(
            file.rpartition("/")[0] + "/"
            for file in {d.location.file for code in codes for d in code.reached.declarations.values()}
        ),
        libraries=frozenset(name for name in libraries if own.isdisjoint(_prefixes(name))),
        connectors=frozenset({""} if any(t.meaning for t in facts.transformations) else ()),
        named=frozenset(name for code in codes for s in code.followed for name in s.qualified),
        elements_read=facts.elements_read,
        polymorphic=bool(facts.polymorphic),
        versions_read=facts.versions_read,
        one_version=facts.one_version,
        all_known=facts.all_known,
    )


def _words_of_keys(codes: Sequence[ProgramCode]) -> Iterator[frozenset[str]]:
    """Identifiers in the code that chooses keys."""
    for code, uses in zip(codes, uses_in(codes[0].reached, codes[-1].reached), strict=True):
        yield from (s.key_names for s in code.followed)
        yield from (code.reached.declarations[key].names for key in uses.key_code)


def _in_full(words: AbstractSet[str], codes: Sequence[ProgramCode]) -> frozenset[str]:
    return frozenset(word for word in words if "." in word).union(*(code.reached.imported(words) for code in codes))


_FORMATS = (
    "com.fasterxml.jackson.", "com.google.gson.", "com.alibaba.fastjson", "org.json.", "net.minidev.", "com.jayway.",
    "orjson.", "ujson.", "simplejson.",
)  # fmt: skip
"""Libraries that read JSON, which says what a value is: another release gives equal keys."""


def in_modules(path: str, use: BuildUse) -> bool:
    """Whether a file belongs to a module with code that the program can reach."""
    return any(same_module(path, folder) for folder in use.folders)


def _prefixes(name: str) -> Iterator[str]:
    """A qualified name and those of what it stands in."""
    while name:
        yield name
        name = name.rpartition(".")[0]


@dataclass(frozen=True)
class Reach:
    """What the files are looked at for: the code of both sides, where the program stands, what was read of it."""

    base: ProgramCode
    head: ProgramCode
    facts: Facts
    files: frozenset[str]
    """Files that the readings used, of each revision that has them."""
    main: str
    """The file of the main class or script."""
    entry: str | None
    deployed: frozenset[str] = frozenset()
    """The files of the deployments with which both sides were read."""
    resources: frozenset[str] = frozenset()
    """The names of these where they are resources of the operator, and of the session clusters that they run in."""
    of_others: frozenset[str] = frozenset()
    """The names of resources of the operator that run other pipelines in each revision that has them."""
    elsewhere: frozenset[str] = frozenset()
    """Changed files that belong to a module which has no part of the program."""
    named: frozenset[str] = frozenset()
    """Files that a start of either side names to the program."""
    of_other_starts: frozenset[str] = frozenset()
    """Changed manifests of other deployments, where those of both sides are known."""
    foreign: frozenset[str] = frozenset()
    """Changed files in other languages of the JVM that either side may use, and resources that say how it starts."""

    @cached_property
    def builds(self) -> BuildUse:
        """What edits of build files are judged by."""
        return build_use((self.base, self.head), self.facts)

    @cached_property
    def names(self) -> frozenset[str]:
        """Identifiers of either side."""
        return self.base.reached.names | self.head.reached.names

    def beside(self, path: str) -> str:
        """The program's main file, or where its code lies in the module of a file, whose resources it finds, too."""
        return next(
            (place for place in (self.main, *sorted(self.builds.folders)) if same_module(path, place)), self.main
        )

    def mentions(self, text: Callable[[str], bool]) -> bool | None:
        """Whether a text that fits is mentioned: True where the graph or a state may depend on it, None nowhere."""
        found: bool | None = None
        sides = (self.base, self.head)
        for code, uses in zip(sides, uses_in(self.base.reached, self.head.reached), strict=True):
            for key, declaration in code.reached.declarations.items():
                if any(text(string) for string in declaration.strings):
                    if declaration.part is not Part.METHOD or code.detail(key).executed:
                        return True
                    if key in uses.state_code or key in uses.key_code:
                        return True
                    found = False
        return found


def edit(file: ChangedFile, thing: Thing, name: str, verdict: Verdict, line: int = 1) -> Edit:
    """The edit of one thing in a changed file."""
    place = Location(file.path, line)
    return verdict.edit(thing, name, place if file.base is not None else None, place if file.head is not None else None)


def differing_entries(file: ChangedFile) -> Iterator[Entry]:
    """The head's entries that the base does not have, then the base's that are gone."""
    before = {(e.key, e.value) for e in file.base or ()}
    after = {(e.key, e.value) for e in file.head or ()}
    seen: set[tuple[str, bool]] = set()
    for entry in (*(file.head or ()), *(file.base or ())):
        there = (entry.key, entry.value)
        if (there in before) != (there in after) and (entry.key, entry.build_only) not in seen:
            seen.add((entry.key, entry.build_only))
            yield entry


_SERIALIZATION = re.compile(r"avro|protobuf|proto|kryo|thrift|chill|\bscala|msgpack|flatbuffers", re.IGNORECASE)
_OF_KAFKA = re.compile(r"io\.confluent\W+kafka-|\bkafka-(?:avro|protobuf|json(?:-schema)?|streams-\w+)-(?:de)?ser")
"""What reads and writes records of Kafka, none of which are serializers of Flink's."""
_GENERATES = re.compile(r"avro|proto|thrift|jsonschema2pojo|jaxb|xjc|openapi", re.IGNORECASE)
_BUILD_WORDS = re.compile(
    r"plugin|junit|test|mockito|assertj|encoding|compiler|jdk|java[._-]?version|maven|gradle|checkstyle|spotless|jacoco|"
    r"slf4j|log4j|logback|lombok|sourceCompatibility|targetCompatibility|^version\b|^group\b|scm|license|developer|"
    r"repositor|jarTask|manifest|shadow|mainClass|archive|hadoop",
    re.IGNORECASE,
)
"""Words of entries that build no graph: of the build itself, of tests and logs, and of Hadoop's file systems."""
_COMMAND = re.compile(r"([\w.-]+ = )[\"'][\w.]+:[\w.]+[\"']$")
"""A command that a Python package installs: ``produce = "orders.producer:main"``."""
_VERSION = re.compile(r"(?:property |<|(?:ext\.|def |val |val\(\"))?([A-Za-z][\w.-]*?)[._-]?[vV]ersion\b")
"""A version that builds give a name: ``jackson.version``, ``pravegaVersion``."""
_RELEASE = re.compile(r"\d+(?:\.\d+)+")
_FLINKS = re.compile(
    r"org\.apache\.flink\b|apache[-_.]flink\b|versions?[._-]?flink(?![\w.-])|"
    r"(?<![\w.:{$-])(?:(?:ext|extra|versions?)\.)?(?:(?:org\.?)?apache[._-]?)?flink(?:[._-]?core)?"
    r"(?:[._-]?versions?(?![\w.-])|[\"'\])]*\s*(?:[=:]|to\b|by\b))|^property flink$",
    re.IGNORECASE,
)
"""What Flink's own project releases, or a name of Flink's version."""


def build_edits(file: ChangedFile, use: BuildUse) -> Iterator[Edit]:
    """Every edit of a build file that the pipeline can reach.

    Builds of other modules count for the libraries whose releases the pipeline's own take from somewhere else.
    """
    own = [library for library, path in file.libraries if in_modules(path, use)]
    released = {library.name for library in own if library.release}
    if not in_modules(file.path, use):
        yield from jar_edits(file, use, released)
        return
    taken = [library for library in own if library.name not in released and _uses(library, use)]
    for entry in differing_entries(file):
        verdict = None if entry.build_only or entry.library is None else _library(entry.library, file, use)
        verdict = verdict or _lombok(entry, file) or _platform(entry, file, taken) or _dependency(entry, file, use)
        yield edit(file, Thing.BUILD, entry.key, verdict, entry.line)


def jar_edits(file: ChangedFile, use: BuildUse, released: Collection[str] = ()) -> Iterator[Edit]:
    """Edits of what may bring another release of a library that is known to hold state, unless builds say it."""
    for entry in differing_entries(file):
        if entry.library is not None and not entry.build_only and entry.library.name not in released:
            verdict = _library(entry.library, file, use)
            if verdict is not None:
                yield edit(file, Thing.BUILD, entry.key, verdict, entry.line)


_LOMBOK_UNREAD = re.compile(r"import\b|clear\b|lombok\.(?:equalsAndHashCode|accessors\.prefix\s*-)", re.IGNORECASE)
"""Settings of Lombok that may decide on types or keys and are not read."""


def _lombok(entry: Entry, file: ChangedFile) -> Verdict | None:
    if posixpath.basename(file.path) != "lombok.config":
        return None
    unread = _LOMBOK_UNREAD.match(entry.key.strip())
    return Verdict(Why.DEPENDENCY, "Lombok may make other members, or other hash codes of keys") if unread else READ


_IN_REPOSITORY = re.compile(r"<relativePath>[^<\s]")
"""A parent that lies in the repository: what it says are edits of its own file."""


def _platform(entry: Entry, file: ChangedFile, taken: Sequence[Library]) -> Verdict | None:
    """What another release of a parent or BOM means, from outside, for libraries whose releases are taken from it."""
    before, after = ({e.platform for e in side or () if e.platform} for side in (file.base, file.head))
    if entry.platform not in before ^ after or _IN_REPOSITORY.search(entry.value):
        return None
    pairs = zip(*(_parts(" ".join(sorted(releases))) for releases in (before - after, after - before)), strict=False)
    earlier = any(new < old for old, new in pairs)
    for library in taken:
        if not library.reads or earlier:
            return Verdict(
                Why.DEPENDENCY, f"it may bring another release of {library.name}; see {library.notes or library.reads}"
            )
    return None


def _uses(library: Library, use: BuildUse) -> bool:
    """Whether the program's graph or code names classes of a library; tables may be of any."""
    used = (*use.connectors, *use.libraries, *use.named)
    return any(name.startswith(package) or not name for name in used for package in library.packages)


def _library(library: Library, file: ChangedFile, use: BuildUse) -> Verdict | None:
    """What another release of a library means that is known to hold state; None where it is no other one."""
    if not _uses(library, use):
        return UNUSED
    releases = other_releases(library, file)
    if releases is None:
        return None
    before, after = releases
    if (not before or not after) and library.reads:
        return UNUSED  # one that is not said is hardly an earlier one
    if not before or not after:
        why = Why.DEPENDENCY if all(_of(library, side) for side in (file.base, file.head)) else Why.RELEASE
        return Verdict(why, f"{library.name}: which release comes is not said here; see {library.notes}")
    moved = f"{library.name} {before} → {after}"
    pairs = list(zip(_parts(before), _parts(after), strict=False))
    if any(new < old for old, new in pairs):
        return Verdict(Why.DEPENDENCY, f"{moved}: an earlier release may not read what the later one wrote")
    for broken in library.breaks:
        old, new = pairs[0]
        (at,), until = _parts(broken.at), _parts(broken.until or "")
        if old < at <= new and not (until and new >= until[0]):
            return Verdict(Why.BROKEN_RELEASE, f"{moved}; see {broken.source}")
    return UNUSED if library.reads else Verdict(Why.RELEASE, f"{moved}; see {library.notes or library.reads}")


def other_releases(library: Library, file: ChangedFile) -> tuple[str, str] | None:
    """The releases of a library that both sides of a build file name, empty where it is not one; None if the same."""
    named = [{e.library.release for e in _of(library, side) if e.library} for side in (file.base, file.head)]
    found = [names - {""} for names in named]
    if found[0] == found[1]:
        return None
    before, after = (releases.pop() if len(releases) == 1 else "" for releases in found)
    return before, after


def _of(library: Library, side: tuple[Entry, ...] | None) -> list[Entry]:
    return [entry for entry in side or () if entry.library is not None and entry.library.name == library.name]


def _parts(release: str) -> tuple[tuple[int, ...], ...]:
    """The numbers of a release, and of what else is in its name: ``3.4.0-1.20``."""
    parts = (tuple(map(int, re.findall(r"\d+", part))) for part in re.split(r"[-_]", release))
    return tuple(part for part in parts if part)


def _dependency(entry: Entry, file: ChangedFile, use: BuildUse) -> Verdict:
    key = entry.key
    if _is_new_command(entry, file):
        return SAME_PROGRAM
    relocated = _RELOCATED.match(key)
    if relocated is not None:
        spelled = "." in (relocated[1] or "") and "$" not in key
        return UNUSED if spelled and not _reaches(relocated[1], use) else Verdict(Why.DEPENDENCY, _OTHER_NAMES)
    if entry.build_only:
        generates = _GENERATES.search(key) and not use.elements_read
        return Verdict(Why.TYPE, "it generates classes that may lie in state") if generates else SAME_PROGRAM
    if not use.versions_read and any(map(_FLINKS.search, (key, *entry.asked_by))):
        why = "it may be the Flink version, which could not be read"
        return Verdict(Why.DEPENDENCY, why, _SAY_THE_VERSION)
    if _FLINKS.search(key):
        of_flink = use.one_version and {use.one_version}.issuperset(_RELEASE.findall(f"{key} {entry.value}"))
        return UNUSED if of_flink and not _SERIALIZATION.search(key) else READ
    if _SERIALIZATION.search(key) and not _OF_KAFKA.search(key):
        if use.elements_read and not use.polymorphic:
            return UNUSED
        return Verdict(Why.DEPENDENCY, "it may write state")
    if _BUILD_WORDS.search(key):
        return SAME_PROGRAM
    if any(_builds(name, use) for name in entry.asked_by or (key,)) and not _IN_REPOSITORY.search(entry.value):
        return Verdict(Why.DEPENDENCY, "operators, keys or state are made of its code")
    return UNUSED


_RELOCATED = re.compile(r"(?:.*\.)?relocate\W+([\w.]*[A-Za-z]\w*)|.*(?i:relocation)(?:Prefix)?\s*(?:=|\.set|\s['\"\w])")
"""Classes that a build puts into the jar under another name: the start of theirs, or all that it needs."""
_OTHER_NAMES = "classes in state or functions may have other names in the jar"


def _reaches(package: str, use: BuildUse) -> bool:
    """Whether classes of a package may lie in state, or are the program's own."""
    own = package.replace(".", "/") + "/"
    used = any(f"{name}.".startswith(f"{package}.") for name in use.libraries | use.named)
    return used or any(f"/{own}" in folder for folder in use.folders)


_SAY_THE_VERSION = '--flink 1.20, or flink = "1.20" in the savepoint-checker.toml of both revisions'


def _is_new_command(entry: Entry, file: ChangedFile) -> bool:
    """Whether it is a command that the base does not install. Entry points of other tables may be looked up."""
    command = _COMMAND.match(entry.key)
    if command is None or any(known.key.startswith(command[1]) for known in file.base or ()):
        return False
    tables = [line.key for line in file.head or () if line.key.startswith("[") and line.line < entry.line]
    return bool(tables) and tables[-1].endswith("scripts]")


def _builds(key: str, use: BuildUse) -> bool:
    """Whether an entry is about a library that the graph or a state depends on.

    A dependency is so by its group or, in Python, by its name, a version by the name that it is given.
    """
    version = _VERSION.match(key)
    if version is not None:
        words = {word.lower() for word in re.split(r"[._-]|(?<=[a-z])(?=[A-Z])", version[1]) if len(word) > 3}
        return any(not words.isdisjoint(name.split(".")) for name in use.libraries)
    named = re.search(r"([a-z][\w-]*(?:\.[\w-]+)+)(?:\W+([\w.-]+))?", key)
    if named is not None and any(_is_of(name, named[1], named[2] or "") for name in use.libraries):
        return True
    required = _REQUIRED.match(key)
    return required is not None and any(_provides(required[1], name.partition(".")[0]) for name in use.libraries)


_REQUIRED = re.compile(r"""(?:-\s*)?["']?([A-Za-z][\w.-]*?)(?:\[[^\]]*\])?["']?\s*(?:[=<>~!@;,"']|$)""")
"""What a program in Python needs, by the name that a package index has for it."""


def _provides(package: str, module: str) -> bool:
    """Whether a module is of a package, and not Python's own: by its name, or by a word that both names have."""
    if module in sys.stdlib_module_names:
        return False
    words = (re.split(r"[._-]", name.lower()) for name in (package, module))
    mine, others = ({word for word in parts if len(word) > 3} - _COMMON_WORDS for parts in words)
    return package.replace("-", "_").lower() == module.lower() or not mine.isdisjoint(others)


def _is_of(name: str, group: str, artifact: str) -> bool:
    """Whether a class is of an artifact: by its group, or by its organisation and a word that both names have."""
    if name.startswith(f"{group}."):
        return True
    organisation = ".".join(group.split(".")[: 3 if group.startswith(_HOSTS) else 2])
    words = {word for word in re.split(r"\W+|_", artifact.lower()) if len(word) > 3} - _COMMON_WORDS
    return name.startswith(f"{organisation}.") and not words.isdisjoint(name.lower().split("."))


_HOSTS = ("org.apache.", "com.github.", "io.github.")
"""Groups that many organisations share."""
_COMMON_WORDS = frozenset({"flink", "connector", "connectors", "java", "core", "common", "streaming", "api", "client"})
