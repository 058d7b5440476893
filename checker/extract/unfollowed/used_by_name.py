"""The source files that a file may use by name, and those that these may, in every language of the JVM.

Wider than what a program uses: a class counts as used where its name stands in a file that can see its package.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, takewhile

from checker.extract.asking.consulted import Consulted, ConsultedFiles, plain
from checker.extract.asking.content_facts import ByContent
from checker.extract.asking.listing import Listing, listing_of
from checker.extract.paths import in_tests
from checker.extract.texts import without_comments
from checker.model.changed_files import same_module
from checker.model.nested import gathered, reached
from checker.model.sources import SourceFiles

JVM = (".java", ".kt", ".scala", ".groovy")
_STRING = re.compile(r'(?<!\\)(?:"""((?:.|\n)*?)"""|"((?:\\.|[^"\\\n])*+)")')
_PACKAGE = re.compile(r"^[^\S\n]*+package\s++(?!object\b)([\w.`]+)", re.MULTILINE)
_TYPE = re.compile(r"\b(?:class|object|interface|trait|enum|record|typealias)\s+(\w+)")
_TOP_LEVEL = re.compile(
    r"^(?:(?:private|internal|public|inline|suspend|const|implicit|lazy|final)[^\S\n]++)*+"
    r"(?:fun|def|val|var|given|type)\s++(?:<[^>\n]*+>\s*+)?(?:[\w<>?,. ]{1,300}\.)?(\w+)",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^[^\S\n]*+import\s++[\w.]++\s*+;", re.MULTILINE)
_WORD = re.compile(r"\w+")
_NESTING = re.compile(rf"(?P<around>\bpackage\b[^{{\n]*+{{)|[{{}}]|{_TYPE.pattern}")
_CHARACTER = re.compile(r"'(?:\\.|[^'\\\n])'")


def used_files(files: SourceFiles, *starts: str) -> frozenset[str]:
    """The source files that some of them may use by name, and they. Tests are used by tests only."""
    tests = [path for path in starts if in_tests(path)]
    return _closure(files, *tests) | _closure(files, *(path for path in starts if path not in tests))


def users_of(files: SourceFiles, used: Iterable[str], among: Iterable[str]) -> frozenset[str]:
    """Those of some files that may use one of others by name, themselves or through files that do."""
    among = frozenset(among)
    listing = listing_of(plain(files))
    asked = _asked_following(listing, among)
    if isinstance(files, ConsultedFiles):
        files.consulted.add(asked)
    using = reached(used, _uses(listing, False).users.__getitem__)
    return among.intersection(using)


@lru_cache(maxsize=8)
def _asked_following(listing: Listing, among: frozenset[str]) -> Consulted:
    """What is asked to see which files some use, themselves or through others: many programs ask the same."""
    watched, uses = ConsultedFiles(listing.files), _uses(listing, False)
    uses.consult(watched, reached(among, uses.of))
    return watched.consulted


@dataclass(frozen=True, slots=True)
class SourceText:
    """What the text of a source file says."""

    packages: tuple[str, ...]
    """Its package last; before it those around it that have a clause of their own, as Scala's may."""
    declared: frozenset[str]
    nested: frozenset[str]
    """Those that are types inside of others only, which nobody sees without a name of these."""
    words: frozenset[str]
    """But for those of the package clauses."""
    imported: frozenset[str]
    """The words that only imports mention, which uses nothing."""
    strings: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """The words but for what is only imported."""
        return self.words - self.imported

    @property
    def package(self) -> str:
        """Its own package, empty where it has none."""
        return self.packages[-1] if self.packages else ""

    def sees(self, package: str) -> bool:
        """Whether the names of a package mean something in the file: its own, one around it, or one that it mentions.

        An import names every part of a package, but for those that its own package begins with.
        """
        if package == self.package or package in self.packages:
            return True
        parts, own = package.split("."), self.package.split(".")
        shared = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(parts, own, strict=False)))
        return self.words.issuperset(parts[shared:] or parts[-1:])


def _described(data: bytes) -> SourceText:
    text = without_comments(data.decode("utf-8", "replace"))
    packages = accumulate((name.replace("`", "") for name in _PACKAGE.findall(text)), "{}.{}".format)
    declared = {*_TYPE.findall(text), *_TOP_LEVEL.findall(text)} - {"main"}
    strings = frozenset(double or single for double, single in _STRING.findall(text))
    nested = declared & _nested(text)
    text = _PACKAGE.sub("", text)
    words, names = (frozenset(_WORD.findall(code)) for code in (text, _IMPORT.sub("", text)))
    return SourceText(tuple(packages), frozenset(declared), frozenset(nested), words, words - names, strings)


def _nested(text: str) -> frozenset[str]:
    """The types that are declared in braces, but for those of a package or package object."""
    depth, around, inside, outside = 0, list[int](), set[str](), set(_TOP_LEVEL.findall(text))
    for found in _NESTING.finditer(_CHARACTER.sub("", _STRING.sub("", text))):
        if found["around"]:
            around.append(depth)
        elif found[0] == "{":
            depth += 1
        elif found[0] == "}" and around and around[-1] == depth:
            around.pop()
        elif found[0] == "}":
            depth = max(0, depth - 1)
        else:
            (inside if depth > 0 else outside).add(found[2])
    return frozenset(inside - outside)


_TEXTS = ByContent("words of source files", _described, SourceText)


def source_text(files: SourceFiles, path: str) -> SourceText:
    """What a file says."""
    return _TEXTS.of(files, (path,))[path]


def _closure(files: SourceFiles, *starts: str) -> frozenset[str]:
    uses = _uses(listing_of(plain(files)), any(map(in_tests, starts)))
    found = reached(starts, uses.of)
    uses.consult(files, found)
    return frozenset(found)


def used_first(files: SourceFiles, start: str, most: int) -> Iterator[str]:
    """A source file and those that it may use by name, the nearest first; none behind the first ``most``."""
    uses = _uses(listing_of(plain(files)), in_tests(start))
    pending, seen = [start], {start}
    for path in pending:
        yield path
        uses.consult(files, [path])
        if len(seen) <= most:
            more = [used for used in uses.of(path) if used not in seen and in_tests(used) == in_tests(start)]
            pending.extend(more)
            seen.update(more)


class _Uses:
    """Which source files of a revision each one may use, found out once however many programs ask."""

    def __init__(self, listing: Listing, with_tests: bool) -> None:
        self.names: dict[str, frozenset[str]] = {}
        """File → the names in it that decide which files it uses."""
        self._listing = listing
        self._files = listing.files
        self._with_tests = with_tests
        self.foreign = _foreign(listing)
        self._java = listing.classes
        self._by_package: dict[str, dict[str, list[str]]] = {}
        self._used: dict[str, tuple[str, ...]] = {}
        self.users: defaultdict[str, list[str]] = defaultdict(list)
        """File → those of the files looked at so far that may use it."""

    def of(self, user: str) -> tuple[str, ...]:
        """The files that one may use."""
        if user not in self._used:
            here = source_text(self._files, user)
            names = self.names[user] = here.names & (self._java.keys() | self.foreign.keys())
            found: dict[str, None] = {}
            for name in sorted(names):
                declaring = self._declaring(name)
                seen = [path for package in sorted(declaring) if here.sees(package) for path in declaring[package]]
                if name in here.declared:  # which is meant then, and not one inside of another file's types
                    seen = [path for path in seen if name not in source_text(self._files, path).nested]
                found.update(dict.fromkeys([path for path in seen if same_module(path, user)] or seen))
            self._used[user] = tuple(found)
            for path in found:
                self.users[path].append(user)
        return self._used[user]

    def consult(self, files: SourceFiles, users: Iterable[str]) -> None:
        """Write down as asked all that decides which files some may use."""
        if not isinstance(files, ConsultedFiles):
            return
        users = frozenset(users)
        for path in users:
            self.of(path)
        names = frozenset().union(*(self.names[path] for path in users))
        foreign = (path for name in names & self.foreign.keys() for path in self.foreign[name])
        contents = {path: self._files.content_id(path) for path in users.union(foreign)}
        declaring = (("declaring", name) for name in names)
        files.consulted.add(Consulted({**contents}, {key: self._listing.digest(*key) for key in declaring}))

    def _declaring(self, name: str) -> dict[str, list[str]]:
        """Package → the files that declare a name there."""
        if name not in self._by_package:
            foreign = [(source_text(self._files, path).package, path) for path in self.foreign.get(name, ())]
            java = [(package, path) for package, paths in self._java.get(name, {}).items() for path in paths]
            self._by_package[name] = gathered(
                (package, path) for package, path in (*java, *foreign) if self._with_tests or not in_tests(path)
            )
        return self._by_package[name]


@lru_cache(maxsize=4)
def _uses(listing: Listing, with_tests: bool) -> _Uses:
    return _Uses(listing, with_tests)


@lru_cache(maxsize=2)
def _foreign(listing: Listing) -> dict[str, list[str]]:
    """Name → files of the JVM's other languages that declare it or are called so."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in listing.files.paths():
        if path.endswith(JVM) and not path.endswith(".java"):
            for name in {*source_text(listing.files, path).declared, path.rpartition("/")[2].partition(".")[0]}:
                by_name[name].append(path)
    return by_name
