"""Files that a program does not name: a container finds them, or they start it or tell something how it is started.

Classes that extend what a library which nobody reads declares: a framework, which may start them or call them.
"""

import posixpath
import re
from itertools import chain

from checker.extract.asking.consulted import ConsultedFiles, ask, once
from checker.extract.asking.content_facts import Fact, Facts
from checker.extract.paths import in_tests, is_build, module_of
from checker.extract.texts import without_comments
from checker.extract.unfollowed.used_by_name import JVM, source_text, users_of
from checker.model.nested import gathered, reached
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

_CONFIGURING = (".xml", ".yaml", ".yml", ".json", ".properties", ".conf", ".toml")
"""Ends of files from which containers and frameworks take what they make and start."""
_DOTTED = re.compile(rb"[\w$/-]++(?:\.[\w$/-]+)++")
_NAMES = Facts("dotted names", lambda data: tuple({name.decode("utf-8", "replace") for name in _DOTTED.findall(data)}))


def configuring(files: SourceFiles, start: str) -> frozenset[str]:
    """The files that configure what starts a program, where that is not seen: they name its class in full.

    Files that these name count as well, as do files that name these.
    """
    contained, started, _ = _FOUND.of(files, [start])[start]
    if started and not contained:
        return frozenset()
    source = source_text(files, start)
    classes = {f"{source.package}.{name}" for name in source.declared}
    found = (path for ending in _CONFIGURING for path in ask(files, "ending", ending))
    paths = [path for path in found if not in_tests(path) and not is_build(path)]
    named = {path: frozenset(map(str, names)) for path, names in _NAMES.of(files, paths).items()}
    by_name = gathered((posixpath.basename(path), path) for path in paths)
    linked: dict[str, list[str]] = {path: [] for path in paths}
    for path in paths:
        for beside in (p for name in named[path] for p in by_name.get(posixpath.basename(name), ())):
            if module_of(beside) == module_of(path):
                linked[path].append(beside)
                linked[beside].append(path)
    return frozenset(reached((path for path in paths if not classes.isdisjoint(named[path])), linked.__getitem__))


def found_beside(files: SourceFiles, start: str, used: frozenset[str]) -> frozenset[str]:
    """The files that may belong to a program although it does not name them. It starts in a file and uses others.

    A container looks in the modules that the program uses, and in those that are not programs: without a main method.
    Where the start has no main method, files that use it or what it extends may start it, and those of its module that
    find classes by name or know it by a type of Java's; a framework that it extends may do so with any of these.
    """
    contained = any(facts[0] for facts in _FOUND.of(files, used).values())
    started = bool(_FOUND.of(files, [start])[start][1]) and not _is_inherited(files.read(start))
    if not contained and started:
        return frozenset()
    modules = once(files, "modules with what they hold", _modules)
    found = set()
    if contained:
        own = {module_of(path) for path in used}
        others = {module for module, paths in modules.items() if any(facts[1] for facts in paths.values())} - own
        apart = (paths for module, paths in modules.items() if module not in others)
        found |= {path for paths in apart for path, facts in paths.items() if facts[0]}
    if not started:
        module = modules.get(module_of(start), {})
        types = extended_of_java(files, start)
        finding = [path for paths in modules.values() for path, facts in paths.items() if facts[2]]
        knowing = [p for p in module if not types.isdisjoint(source_text(files, p).names)] if types else []
        named = [start, *extended(files, start)]
        found |= users_of(files, named, chain.from_iterable(modules.values()))
        found |= set(module) if extends_unread(files, start) else users_of(files, [*finding, *knowing], module)
    return frozenset(found) - used


def _is_inherited(data: bytes) -> bool:
    """Whether a file's main method is one of an abstract class or trait: objects elsewhere are started with it."""
    return _ABSTRACT.search(data) is not None and _STARTED.search(data) is None


_ABSTRACT = re.compile(rb"\b(?:abstract\s+class|trait)\s+\w")
_STARTED = re.compile(rb"\bobject\s+\w|^\s*(?:public\s+)?static\b|^(?:suspend\s+)?fun\s+main\b", re.MULTILINE)


def _modules(files: ConsultedFiles) -> dict[str, dict[str, Fact]]:
    """Module → its source files but for tests, each with what is found in it."""
    paths = [path for ending in JVM for path in ask(files, "ending", ending) if not in_tests(path)]
    found: dict[str, dict[str, Fact]] = {}
    for path, facts in _FOUND.of(files, paths).items():
        found.setdefault(module_of(path), {})[path] = facts
    return found


_HEADER = re.compile(rb"\bclass\s++\w++([^{;]{0,1000}+)")
_GENERIC = re.compile(rb"<[^<>]*+>")
_DEEPEST = 4
"""Type arguments inside of type arguments that are taken out of a header."""
_ABOVE = re.compile(rb"\b(?:extends|implements)\b(.*)", re.DOTALL)
_TYPE_NAME = re.compile(rb"\b[A-Z]\w*+")
_OF_LIBRARIES = re.compile(rb"\bimport\s++(org\.apache\.flink|java)\.[\w.]*\.(\w++)\s*+;")
_OF_DATA = (b"Serializable", b"Comparable", b"Cloneable", b"Iterable", b"Exception", b"RuntimeException")
_JAVA = "java."


def _above(data: bytes) -> tuple[str, ...]:
    """What classes of a file extend that is not Flink's: ``java.Runnable`` for what is Java's."""
    data = without_comments(data.decode("utf-8", "replace")).encode()
    above: set[bytes] = set()
    for header in _HEADER.findall(data):
        for _ in range(_DEEPEST):
            header = _GENERIC.sub(b"", header)
        above.update(name for found in _ABOVE.findall(header) for name in _TYPE_NAME.findall(found))
    libraries = {b"Runnable": b"java", **{name: library for library, name in _OF_LIBRARIES.findall(data)}}
    named = (libraries[name] + b"." + name if name in libraries else name for name in above.difference(_OF_DATA))
    return tuple(sorted(name.decode("utf-8", "replace") for name in named if not name.startswith(b"org.")))


_EXTENDED = Facts("what classes extend", _above)


def extended(files: SourceFiles, path: str) -> list[str]:
    """The files that declare what classes of a Java file extend."""
    return [declaring for name in _own(files, path) for declaring in ask(files, "java file", name)]


def extended_of_java(files: SourceFiles, path: str) -> frozenset[str]:
    """By which of Java's types something may know an object of a file's classes, as ``Runnable``."""
    found = map(str, _EXTENDED.of(files, [path])[path])
    return frozenset(name.removeprefix(_JAVA) for name in found if name.startswith(_JAVA))


def extends_unread(files: SourceFiles, path: str) -> bool:
    """Whether a class of a Java file extends one that neither the repository nor Flink nor Java declares."""
    return not all(ask(files, "java file", name) for name in _own(files, path))


def _own(files: SourceFiles, path: str) -> list[str]:
    """The names of what classes of a file extend that is neither Flink's nor Java's."""
    return [name for name in map(str, _EXTENDED.of(files, [path])[path]) if not name.startswith(_JAVA)]
