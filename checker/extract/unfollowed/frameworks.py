"""Classes that extend what a library which nobody reads declares: a framework, which may start them or call them."""

from __future__ import annotations

import re

from checker.extract.asking.consulted import ask
from checker.extract.asking.content_facts import Facts
from checker.extract.texts import without_comments
from checker.model.sources import SourceFiles

_HEADER = re.compile(rb"\bclass\s++\w++([^{;]{0,1000}+)")
_GENERIC = re.compile(rb"<[^<>]*+>")
_DEEPEST = 4
"""Type arguments inside of type arguments that are taken out of a header."""
_ABOVE = re.compile(rb"\b(?:extends|implements)\b(.*)", re.DOTALL)
_NAME = re.compile(rb"\b[A-Z]\w*+")
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
        above.update(name for found in _ABOVE.findall(header) for name in _NAME.findall(found))
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
