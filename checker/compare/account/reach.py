"""Explains the edits of files: which parts of a program a file can concern."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from checker.compare.account.facts import Facts
from checker.model.account import BuildUse, Edit, Thing, Verdict
from checker.model.changed_files import ChangedFile, Entry, same_module
from checker.model.program_code import Part, ProgramCode
from checker.model.unknowns import Location


def build_use(codes: Sequence[ProgramCode], facts: Facts) -> BuildUse:
    """What edits of build files are judged by: the code of both revisions, and the facts about both."""
    own = frozenset().union(*(code.owners for code in codes))
    packages = {package for owner in own for package in _prefixes(owner)}
    libraries = frozenset().union(*(code.libraries for code in codes)) - packages
    kept = [t for t in facts.kept_first if t.stateful is not False or t.committer is not False]
    outside = frozenset("" if t.meaning else t.function or "" for t in kept if t.meaning or t.function)
    return BuildUse(
        folders=frozenset(
            file.rpartition("/")[0] + "/"
            for file in {d.location.file for code in codes for d in code.declarations.values()}
        ),
        libraries=frozenset(name for name in libraries if own.isdisjoint(_prefixes(name))),
        connectors=frozenset(name for name in outside if own.isdisjoint(_prefixes(name))),
        named=frozenset(name for code in codes for s in code.followed for name in s.qualified),
        elements_read=facts.elements_read,
        polymorphic=bool(facts.polymorphic),
        versions_read=facts.versions_read,
        all_known=facts.all_known,
    )


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
    """Changed files in other languages of the JVM that either side may use."""

    @cached_property
    def builds(self) -> BuildUse:
        """What edits of build files are judged by."""
        return build_use((self.base, self.head), self.facts)

    @cached_property
    def names(self) -> frozenset[str]:
        """Identifiers of either side."""
        return self.base.names | self.head.names

    def mentions(self, text: Callable[[str], bool]) -> bool | None:
        """Whether a text that fits is mentioned: True where the graph or a state may depend on it, None nowhere."""
        found: bool | None = None
        for code in (self.base, self.head):
            for key, declaration in code.declarations.items():
                if any(text(string) for string in declaration.strings):
                    if declaration.part is not Part.METHOD or code.detail(key).executed:
                        return True
                    if key in code.state_code or key in code.key_code:
                        return True
                    found = False
        return found


def edit(file: ChangedFile, thing: Thing, name: str, verdict: Verdict, line: int = 1) -> Edit:
    """The edit of one thing in a changed file."""
    place = Location(file.path, line)
    return verdict.edit(thing, name, place if file.base is not None else None, place if file.head is not None else None)


def differing(file: ChangedFile) -> Iterator[Entry]:
    """The head's entries that the base does not have, then the base's that are gone."""
    before = {(e.key, e.value) for e in file.base or ()}
    after = {(e.key, e.value) for e in file.head or ()}
    seen: set[tuple[str, bool]] = set()
    for entry in (*(file.head or ()), *(file.base or ())):
        there = (entry.key, entry.value)
        if (there in before) != (there in after) and (entry.key, entry.build_only) not in seen:
            seen.add((entry.key, entry.build_only))
            yield entry
