"""Whether an edit can reach no pipeline at all, decided by names alone: then a hook is done.

A program can only use a class that some file on its way names. So source files are nodes, and a file points to every
file that declares a name which it writes outside of comments, and to every file that extends what it declares.
Files whose classes a container finds by itself point to each other. Java names a class of another package with that
package, except in a text. All that is wider than what a program can really
reach, never narrower. An edit outside of what programs with Flink reach in this sense changes no pipeline. Where an
edit is of another kind than Java source, or where a resource names a class that can reach it, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from itertools import chain
from zlib import crc32

from checker.errors import RevisionError
from checker.extract.asking.content_facts import ByContent
from checker.extract.asking.listing import Listing, listing_of
from checker.extract.paths import in_tests
from checker.extract.texts import same_code
from checker.extract.unfollowed.found_beside import CONTAINED
from checker.model.nested import gathered, reached
from checker.model.sources import SourceFiles

_NEVER_READ = (
    ".md", ".markdown", ".rst", ".adoc", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".pdf", ".css", ".html",
    "LICENSE", "NOTICE", ".gitignore", ".gitattributes", ".editorconfig",
)  # fmt: skip
"""Ends of paths that no extractor reads and no program's graph depends on: a list of the harmless, since a list of
what matters could lack something."""
_MIXED = (".kt", ".scala", ".groovy")
"""Ends of source files of other languages whose classes and Java's use each other."""
_SCRIPTS = (".py", ".sql")
"""Ends of programs that can name Java classes, and that no Java program uses."""
_RESOURCES = (
    ".yaml", ".yml", ".properties", ".conf", ".json", ".toml", ".xml", ".sh", ".tf", ".gradle", ".kts", ".env",
)  # fmt: skip
"""Ends of files that can bring a class into a program without a source file that names it."""
_BUILD_CODE = re.compile(r"(?:^|/)(?:buildSrc|build-logic|buildLogic)/")
_BUILDS = (".xml", ".json", ".gradle", ".kts")
"""Those that name classes in full."""
_SERVICES = "META-INF/services/"
_DECLARED = re.compile(rb"\b(?:class|interface|enum|record)\s+([\w$\x80-\xff]+)")
_DECLARED_MIXED = re.compile(
    rb"\b(?:class|object|interface|trait|enum|record|typealias)\s+([\w$\x80-\xff]+)"
    rb"|^[ \t]*+(?:\w++[ \t]++){0,10}(?:fun|def|val|var|given|type)[ \t]++"
    rb"(?:<[^>\n]*>[ \t]*)?(?:[\w<>?,. ]{1,300}\.)?([\w$\x80-\xff]+)",
    re.MULTILINE,
)
_SUPERTYPES = re.compile(rb"\b(?:implements|extends)\s+([^{;]{1,2000})")
_MAIN = re.compile(rb"\bmain\s*\(|\bextends\s+App\b")
_EXECUTES = re.compile(rb"\.\s*execute(?:Async)?\s*\(")
_PACKAGE = re.compile(rb"^[^\S\n]*+package\s++(?!object\b)([\w.` \t$\x80-\xff]+)", re.MULTILINE)
_REFLECTS = re.compile(rb"\b(?:forName|loadClass|newInstance|getBean|invoke)\b")
_IN_NAMES = bytes(c if chr(c).isalnum() or c in b"_$" or c > 127 else 32 for c in range(256))
Edges = dict[str, set[str]]
"""File → files that it can use, or that can use it."""
_COMMENT_OR_TEXT = re.compile(
    rb'(?<!\\)(?:"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*+")|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|'
    rb"/\*(?:.|\n)*?(?:\*/|\Z)"
)


def edited_files(base: SourceFiles, head: SourceFiles) -> frozenset[str]:
    """Files that came, went or differ in more than comments and layout, of those that a pipeline can depend on."""
    before, after = base.paths(), head.paths()
    base_paths, head_paths = set(before), set(after)
    changed = {path for path in base_paths ^ head_paths if not path.endswith(_NEVER_READ)}
    for path in base_paths & head_paths:
        if base.content_id(path) == head.content_id(path) or path.endswith(_NEVER_READ):
            continue
        if not same_code(path, base.read(path), head.read(path)):
            changed.add(path)
    return frozenset(changed)


@dataclass(frozen=True, slots=True)
class _Text:
    """What the text of one file says. Names are numbers: two names with one number add a way that there is not."""

    declared: frozenset[int]
    words: frozenset[int]
    above: frozenset[int]
    loose: frozenset[int]
    """Names in texts, which need no package beside them."""
    package: int
    last: int
    """The last part of the package; 0 where there is none."""
    main: bool
    executes: bool
    """Whether it executes a job, if one in a program that something else starts."""
    flink: bool
    reflects: bool
    """Whether it may make a class of a name that it is given."""
    contained: bool
    """Whether a container may find it."""
    encoded: bool
    """Whether its names can't be searched for in bytes: it is in another encoding."""

    def with_text(self, added: _Text) -> _Text:
        """What this text and another one say."""
        merged = {f.name: getattr(self, f.name) | getattr(added, f.name) for f in fields(self)}
        last = self.last if self.package == added.package else 0
        return _Text(**{**merged, "package": self.package, "last": last})

    def sees(self, name: int, declaring: _Text) -> bool:
        """Whether a name that it writes may mean what another file declares."""
        mentioned = declaring.last == 0 or declaring.package == self.package or declaring.last in self.words
        return mentioned or name in self.loose


def _numbers(names: Iterable[bytes]) -> frozenset[int]:
    return frozenset(map(crc32, names))


def _words(data: bytes) -> frozenset[int]:
    return _numbers(set(data.translate(_IN_NAMES).split()))


def _source(declared: re.Pattern[bytes], *, packages: bool) -> Callable[[bytes], _Text]:
    """What looks at source; where no ``packages`` are asked for, every name counts as one in a text."""

    def look(data: bytes) -> _Text:
        texts: list[bytes] = []

        def without(found: re.Match[bytes]) -> bytes:
            if found.group().startswith(b"/"):
                return b" "
            texts.append(found.group())
            return found.group()

        code = _COMMENT_OR_TEXT.sub(without, data)
        names = chain.from_iterable(match.groups(b"") for match in declared.finditer(code))
        words = _words(code)
        package = b"".join(match[1].split()) if (match := _PACKAGE.search(code)) else b""
        return _Text(
            declared=_numbers(set(names) - {b"", b"main"}),
            words=words,
            above=_words(b" ".join(_SUPERTYPES.findall(code))),
            loose=_words(b" ".join(texts)) if packages else words,
            package=crc32(package),
            last=crc32(package.rpartition(b".")[2]),
            main=_MAIN.search(code) is not None,
            executes=_EXECUTES.search(code) is not None,
            flink=b"flink" in code,
            reflects=_REFLECTS.search(code) is not None,
            contained=CONTAINED.search(code) is not None,
            encoded=b"\0" in data,
        )

    return look


def _plain_words(data: bytes) -> _Text:
    words, flink = _words(data), b"flink" in data
    return _Text(
        declared=frozenset(), words=words, above=frozenset(), loose=words, package=0, last=0,
        main=True, executes=True, flink=flink, reflects=True, contained=False, encoded=b"\0" in data,
    )  # fmt: skip


_JAVA = ByContent("names of Java code, with jobs", _source(_DECLARED, packages=True), _Text)
_OTHER_SOURCE = ByContent("names of other code, with jobs", _source(_DECLARED_MIXED, packages=False), _Text)
_ANY = ByContent("words, with jobs", _plain_words, _Text)


@dataclass(frozen=True, slots=True)
class Reaching:
    """The files that can reach an edit, and whether a program with Flink is among them."""

    files: frozenset[str]
    looked_at: frozenset[str]
    """All files of which that is known."""
    programs: bool

    def spares(self, path: str | None) -> bool:
        """Whether the program of a file can reach none of the edits."""
        return path in self.looked_at and path not in self.files


def reaching(edited: Iterable[str], base: SourceFiles, head: SourceFiles) -> Reaching | None:
    """Which files can reach the edited ones, in either revision; None where names don't decide it."""
    edited = frozenset(edited)
    if not all(path.endswith(".java") and not _BUILD_CODE.search(path) for path in edited):
        return None
    texts: dict[str, _Text] = {}
    for files in (base, head):
        for path, text in _sources(listing_of(files)).items():
            texts[path] = texts[path].with_text(text) if path in edited and path in texts else text
    if any(text.encoded for text in texts.values()):
        return None
    edited &= texts.keys()
    forward, backward = _edges(texts)
    users = frozenset(reached(edited, backward.__getitem__))
    users |= _started_elsewhere(users, texts, forward)
    programs = {path for path in users if (texts[path].main or texts[path].executes) and not in_tests(path)}
    reflection = any(text.reflects for path, text in texts.items() if path.endswith((".java", *_MIXED)))
    try:
        if any(_named_in_resources(listing_of(files), users - programs, texts, reflection) for files in (base, head)):
            return None
    except RevisionError:  # data that was left out of a partial clone
        return None
    with_flink = any(any(texts[used].flink for used in reached([path], forward.__getitem__)) for path in programs)
    return Reaching(users, frozenset(texts), with_flink)


def _started_elsewhere(users: frozenset[str], texts: Mapping[str, _Text], forward: Edges) -> frozenset[str]:
    """Files that execute a job which no main method reaches, and that some files may start.

    Those start it that use it or something that makes classes by name, and any where a framework may start it.
    """
    started = reached([path for path, text in texts.items() if text.main], forward.__getitem__)
    found = {path for path, text in texts.items() if text.executes and not in_tests(path)}.difference(started)
    used = frozenset(reached(users, forward.__getitem__))
    if not found or any(texts[path].reflects for path in used):
        return frozenset(found)
    declared = frozenset().union(*(text.declared for text in texts.values()))
    by_frameworks = {path for path in found if not texts[path].above <= declared}
    return used & found | by_frameworks


def _sources(listing: Listing) -> dict[str, _Text]:
    """File → what it says, of all source files and scripts."""
    by_ending = gathered((path[path.rfind(".") :], path) for path in listing.of_programs)
    found = _JAVA.of(listing.files, by_ending.get(".java", ()))
    found |= _OTHER_SOURCE.of(listing.files, chain.from_iterable(by_ending.get(ending, ()) for ending in _MIXED))
    others = [path for ending in _SCRIPTS for path in by_ending.get(ending, ())]
    services = [path for path in listing.of_programs if _SERVICES in path]
    for path, text in _ANY.of(listing.files, (*others, *services)).items():
        named = path.removesuffix("/__init__.py").rpartition("/")[2]
        name = re.split(r"[.$]", named)[-1] if path in services else named.partition(".")[0]
        started = path not in services
        found[path] = replace(text, declared=_numbers([name.encode()]), main=started, executes=started)
    return found


def _named_in_resources(listing: Listing, users: Iterable[str], texts: Mapping[str, _Text], reflection: bool) -> bool:
    """Whether a file may bring one of some classes into a program that names none of them.

    It names one in full, or a part of its name that a program puts together.
    """
    declared: dict[int, set[int]] = {}
    for path in users:
        for name in texts[path].declared:
            declared.setdefault(name, set()).add(texts[path].last)
    paths = (path for path in listing.of_programs if path.endswith(_RESOURCES) and not in_tests(path))
    for path, text in _ANY.of(listing.files, paths).items():
        for name in text.words & declared.keys():
            if (reflection and not path.endswith(_BUILDS)) or not declared[name].isdisjoint({0, *text.words}):
                return True
    return False


def _edges(texts: Mapping[str, _Text]) -> tuple[Edges, Edges]:
    """File → files that it can use, and the other way round."""
    declaring = gathered((name, path) for path, text in texts.items() for name in text.declared)
    forward: Edges = {path: set() for path in texts}
    backward: Edges = {path: set() for path in texts}

    def edge(user: str, used: str) -> None:
        forward[user].add(used)
        backward[used].add(user)

    for path, text in texts.items():
        for name in text.words & declaring.keys():
            for used in declaring[name]:
                if text.sees(name, texts[used]):
                    edge(path, used)
                    if name in text.above:
                        edge(used, path)
    contained = [path for path, text in texts.items() if text.contained and not in_tests(path)]
    for path, following in zip(contained, contained[1:] + contained[:1], strict=True):
        edge(path, following)
    return forward, backward
