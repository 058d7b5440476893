"""Flink programs that no main method reaches by name: a container, a scheduler or reflection starts them.

Their graphs are not read, so each is a note, and an edit of one is an edit that is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial

from checker.extract.asking.consulted import ask, remembered
from checker.extract.asking.content_facts import Fact, Facts
from checker.extract.paths import in_tests, module_of
from checker.extract.texts import without_comments
from checker.extract.unfollowed.program_files import used_files
from checker.extract.unfollowed.separate_builds import CONTAINED
from checker.model.nested import gathered
from checker.model.pipelines import Note
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location

NEEDS_A_RUN = (
    "is not read from source. To have it checked, name it under [[pipeline]] with main and build, and give --allow-exec"
)
_LANGUAGES = {".kt": "Kotlin", ".scala": "Scala", ".groovy": "Groovy"}
_ENVIRONMENT = re.compile(rb"\b(?:\w*StreamExecutionEnvironment|LocalStreamEnvironment|StreamTableEnvironment)\b")
_HANDED = re.compile(rb"[(,]\s*+(?:final\s++)?StreamExecutionEnvironment\s++\w++\s*+[,)]")
"""A parameter of a method that is handed an environment."""
_HEADER = re.compile(rb"\bclass\s++\w++([^{;]{0,1000}+)")
_GENERIC = re.compile(rb"<[^<>]*+>")
_DEEPEST = 4
"""Type arguments inside of type arguments that are taken out of a header."""
_ABOVE = re.compile(rb"\b(?:extends|implements)\b(.*)", re.DOTALL)
_NAME = re.compile(rb"\b[A-Z]\w*+")
_OF_LIBRARIES = re.compile(rb"\bimport\s++(?:org\.apache\.flink|javax?)\.[\w.]*\.(\w++)\s*+;")
_OF_LANGUAGE = (b"Runnable", b"Comparable", b"Cloneable", b"Iterable", b"Exception", b"RuntimeException")
_EXECUTES = re.compile(rb"\.\s*(?:execute|executeAsync|executeAndCollect|executeSql|executeInsert|getStreamGraph)\s*\(")


def _look(data: bytes) -> tuple[int | str, ...]:
    if b"flink" not in data:
        return (0, 0, 0, "")
    data = without_comments(data.decode("utf-8", "replace")).encode()
    return (
        int(_ENVIRONMENT.search(data) is not None),
        int(_EXECUTES.search(data) is not None),
        int(CONTAINED.search(data) is not None),
        _framework(data),
    )


def _framework(data: bytes) -> str:
    """What classes extend that is neither Flink's nor Java's, in a file whose methods are handed environments."""
    above: set[bytes] = set()
    for header in _HEADER.findall(data) if _HANDED.search(data) else ():
        for _ in range(_DEEPEST):
            header = _GENERIC.sub(b"", header)
        above.update(name for found in _ABOVE.findall(header) for name in _NAME.findall(found))
    above.difference_update(_OF_LIBRARIES.findall(data), _OF_LANGUAGE)
    return " ".join(sorted(name.decode("utf-8", "replace") for name in above))


_LOOKED = Facts("flink environments", _look)


def programs_without_main(files: SourceFiles, known: Collection[str]) -> list[Note]:
    """A note for each file that executes a job which none of the ``known`` programs, given by their files, can use.

    Where no such file executes one itself, a file of the module that does stands for them. A library, which executes
    nothing and that no container looks at, is not a program.
    """
    foreign = (path for ending in (".kt", ".scala") for path in ask(files, "ending", ending))
    paths = [path for path in (*ask(files, "java"), *foreign) if not in_tests(path)]
    facts = _LOOKED.of(files, paths)
    environments = {path for path, (environment, *_) in facts.items() if environment}.difference(known)
    if not environments:
        return []
    starts = sorted(path for path in known if path in facts)
    used = frozenset(remembered(f"used by {starts}", files, partial(_used, starts=starts)))
    by_module = gathered((module_of(path), path) for path in sorted(environments - used))
    notes: list[Note] = []
    for module, found in by_module.items():
        others = sorted(path for path in facts if module_of(path) == module and path not in used)
        executing = [path for path in found if facts[path][1]] or [path for path in others if facts[path][1]][:1]
        contained = [path for path in found if facts[path][2]][:1]
        notes.extend(
            map(_note, executing or contained or [path for path in found if _of_framework(files, facts[path])])
        )
    return notes


def _of_framework(files: SourceFiles, fact: Fact) -> bool:
    """Whether a class of another repository may start it."""
    return not all(ask(files, "java file", name) for name in str(fact[3]).split())


def _used(files: SourceFiles, *, starts: list[str]) -> list[str]:
    ask(files, "java")  # A class that comes may be what a name means.
    return sorted(used_files(files, *starts))


def note_of_language(path: str, line: int = 1) -> Note:
    """A note for a program, or a part of one, in a language of the JVM that is not read."""
    language = _LANGUAGES[path[path.rfind(".") :]]
    message = f"{path} is a Flink program in {language}, which {NEEDS_A_RUN}"
    return Note(message=message, location=Location(path, line), unread=f"in {language}")


def _note(path: str) -> Note:
    if path.endswith(tuple(_LANGUAGES)):
        return note_of_language(path)
    message = (
        f"{path} is part of a Flink program that no main method is seen to start (a container, a framework or "
        "reflection may): it is not read; name the class that starts it under [[pipeline]]"
    )
    return Note(message=message, location=Location(path, 1), unread="that no main method is seen to start")
