"""Whether an edit can reach no pipeline at all, told from names alone: what spares a hook everything else.

A program can only use a class that some file on its way names. So files are nodes, and a file points to every file that
declares a name which it writes anywhere, and to every file that extends what it declares. That is wider than what a
program can really reach, never narrower. An edit outside of what programs with Flink reach in this sense changes no
pipeline. Where an edit is of another kind than Java source, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from checker.extract.changed_files.same_code import same_code
from checker.extract.consulted import listing_of
from checker.extract.java.syntax.paths import in_tests
from checker.model.sources import SourceFiles
from checker.settings import FILE, PYPROJECT

_NEVER_READ = (
    ".md", ".markdown", ".rst", ".adoc", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".pdf", ".css", ".html",
    "LICENSE", "NOTICE", ".gitignore", ".gitattributes", ".editorconfig",
)  # fmt: skip
"""Ends of paths that no extractor reads and no program's graph depends on: a list of the harmless, since a list of
what matters could lack something."""
_NAMING = (".kt", ".kts", ".scala", ".groovy", ".sql", ".py")
"""Ends of other files that can bring a Java class into a program."""
_DECLARED = re.compile(rb"\b(?:class|interface|enum|record)\s+([\w$\x80-\xff]+)")
_SUPERTYPES = re.compile(rb"\b(?:implements|extends)\s+([^{;]{1,2000})")
_MAIN = re.compile(rb"\bmain\s*\(")
_IN_NAMES = bytes(c if chr(c).isalnum() or c in b"_$" or c > 127 else 32 for c in range(256))


def edited_files(base: SourceFiles, head: SourceFiles) -> frozenset[str]:
    """Files that came, went or differ in more than comments and layout, of those that a pipeline can depend on."""
    before, after = base.paths(), head.paths()
    one, other = set(before), set(after)
    changed = {path for path in one ^ other if not path.endswith(_NEVER_READ)}
    for path in one & other:
        if base.content_id(path) == head.content_id(path) or path.endswith(_NEVER_READ):
            continue
        if not same_code(path, base.read(path), head.read(path)):
            changed.add(path)
    return frozenset(changed)


@dataclass(frozen=True, slots=True)
class _Text:
    """What the text of one file says."""

    declared: frozenset[bytes]
    words: frozenset[bytes]
    above: frozenset[bytes]
    main: bool
    flink: bool


def _words(data: bytes) -> frozenset[bytes]:
    return frozenset(data.translate(_IN_NAMES).split())


def _text(data: bytes) -> _Text:
    return _Text(
        frozenset(_DECLARED.findall(data)),
        _words(data),
        _words(b" ".join(_SUPERTYPES.findall(data))),
        _MAIN.search(data) is not None,
        b"flink" in data,
    )


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
    """Which files can reach the edited ones, in either revision; None where names don't tell."""
    edited = frozenset(edited)
    if not all(path.endswith(".java") for path in edited):
        return None
    contents: dict[str, bytes] = {}
    for files in (base, head):
        for path in listing_of(files).java:
            if path not in contents:
                contents[path] = files.read(path)
            elif path in edited:
                contents[path] += b"\n" + files.read(path)
    if any(b"\0" in data for data in contents.values()):
        return None  # another encoding: its names can't be told from bytes
    edited &= contents.keys()
    texts = {path: _text(data) for path, data in contents.items()}
    named = _named_elsewhere((base, head))
    if any(not named.isdisjoint(texts[path].declared) for path in edited):
        return None
    forward, backward = _edges(texts)
    users = _closure(edited, backward)
    programs = (path for path in users if texts[path].main and not in_tests(path))
    with_flink = any(any(texts[used].flink for used in _closure([path], forward)) for path in programs)
    return Reaching(frozenset(users), frozenset(texts), with_flink)


def _named_elsewhere(both: Iterable[SourceFiles]) -> frozenset[bytes]:
    """Names in files that can bring a class into a program without a Java file that names it."""
    found: set[bytes] = set()
    for files in both:
        for path in files.paths():
            if path.endswith(_NAMING) or path in (FILE, PYPROJECT) or "META-INF/services/" in path:
                found |= _words(files.read(path))
    return frozenset(found)


def _edges(texts: Mapping[str, _Text]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """File → files that it can use, and the other way round."""
    declaring: dict[bytes, list[str]] = {}
    for path, text in texts.items():
        for name in text.declared:
            declaring.setdefault(name, []).append(path)
    forward: dict[str, set[str]] = {path: set() for path in texts}
    backward: dict[str, set[str]] = {path: set() for path in texts}

    def edge(user: str, used: str) -> None:
        forward[user].add(used)
        backward[used].add(user)

    for path, text in texts.items():
        for name in text.words & declaring.keys():
            for used in declaring[name]:
                edge(path, used)
                if name in text.above:
                    edge(used, path)
    return forward, backward


def _closure(start: Iterable[str], edges: Mapping[str, set[str]]) -> set[str]:
    found = set(start)
    pending = list(found)
    while pending:
        for path in edges[pending.pop()]:
            if path not in found:
                found.add(path)
                pending.append(path)
    return found
