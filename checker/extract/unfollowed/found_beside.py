"""Source files that a program does not name: a container finds them, or they are started without a main method."""

from __future__ import annotations

import re

from checker.extract.asking.consulted import ask
from checker.extract.asking.content_facts import Facts
from checker.extract.paths import in_tests, module_of
from checker.extract.unfollowed.frameworks import extended, extends_unread
from checker.extract.unfollowed.used_by_name import JVM, users_of
from checker.model.sources import SourceFiles

CONTAINED = re.compile(
    rb"\b(?:org\.springframework|com\.google\.inject|io\.quarkus|io\.micronaut|dagger)\."
    rb"|\b(?:javax|jakarta)\.(?:annotation\.(?:PostConstruct|Resource)|inject|enterprise|ejb)\b"
)
"""What a file mentions that a container makes objects of, or that starts one: Spring, CDI, Guice, Micronaut, Dagger."""
_MAIN = re.compile(rb"\bmain\s*\(|\bextends\s+App\b")
_FINDS = re.compile(rb"\b(?:forName|loadClass|newInstance|invoke|getBean|ServiceLoader)\b")
_FOUND = Facts(
    "files beside a program",
    lambda data: tuple(int(found.search(data) is not None) for found in (CONTAINED, _MAIN, _FINDS)),
)


def found_beside(files: SourceFiles, start: str, used: frozenset[str]) -> frozenset[str]:
    """The files that may belong to a program although it does not name them. It starts in a file and uses others.

    A container looks in the modules that the program uses, and in those that are not programs: without a main method.
    Where the start has no main method, files that use it or what it extends may start it, and those of its module that
    find classes by name; a framework that it extends may do so with any of these.
    """
    contained = any(facts[0] for facts in _FOUND.of(files, used).values())
    started = bool(_FOUND.of(files, [start])[start][1])
    if not contained and started:
        return frozenset()
    paths = [path for ending in JVM for path in ask(files, "ending", ending) if not in_tests(path)]
    facts = _FOUND.of(files, paths)
    found = set()
    if contained:
        modules = {module_of(path) for path in used}
        others = {module_of(path) for path in paths if facts[path][1]} - modules
        found |= {path for path in paths if facts[path][0] and module_of(path) not in others}
    if not started:
        module = [path for path in paths if module_of(path) == module_of(start)]
        finding = [path for path in paths if facts[path][2]]
        named = [start, *extended(files, start)]
        found |= users_of(files, named, paths)
        found |= set(module) if extends_unread(files, start) else users_of(files, finding, module)
    return frozenset(found) - used
