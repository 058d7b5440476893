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
_OF_LIBRARIES = re.compile(rb"\bimport\s++(?:org\.apache\.flink|java)\.[\w.]*\.(\w++)\s*+;")
_OF_LANGUAGE = (b"Runnable", b"Comparable", b"Cloneable", b"Iterable", b"Exception", b"RuntimeException")


def _above(data: bytes) -> tuple[str, ...]:
    """What classes of a file extend that is neither Flink's nor Java's."""
    data = without_comments(data.decode("utf-8", "replace")).encode()
    above: set[bytes] = set()
    for header in _HEADER.findall(data):
        for _ in range(_DEEPEST):
            header = _GENERIC.sub(b"", header)
        above.update(name for found in _ABOVE.findall(header) for name in _NAME.findall(found))
    above.difference_update(_OF_LIBRARIES.findall(data), _OF_LANGUAGE)
    return tuple(sorted(name.decode("utf-8", "replace") for name in above))


_EXTENDED = Facts("what classes extend", _above)


def extended(files: SourceFiles, path: str) -> list[str]:
    """The files that declare what classes of a Java file extend."""
    return [declaring for name in _EXTENDED.of(files, [path])[path] for declaring in ask(files, "java file", str(name))]


def extends_unread(files: SourceFiles, path: str) -> bool:
    """Whether a class of a Java file extends one that neither the repository nor Flink nor Java declares."""
    return not all(ask(files, "java file", str(name)) for name in _EXTENDED.of(files, [path])[path])
