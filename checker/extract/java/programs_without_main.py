"""Flink programs that no main method reaches by name: a container, a scheduler or reflection starts them.

Their graphs are not read, so each is a note, and an edit of one is an edit that is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial

from checker.extract.asking.consulted import ask, remembered
from checker.extract.asking.content_facts import Facts
from checker.extract.paths import in_tests, module_of
from checker.extract.texts import without_comments
from checker.extract.unfollowed.found_beside import CONTAINED, extends_unread
from checker.extract.unfollowed.used_by_name import used_files
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
_EXECUTES = re.compile(rb"\.\s*(?:execute|executeAsync|executeAndCollect|executeSql|executeInsert|getStreamGraph)\s*\(")


def _look(data: bytes) -> tuple[int, ...]:
    if b"flink" not in data:
        return (0, 0, 0, 0)
    data = without_comments(data.decode("utf-8", "replace")).encode()
    return (
        int(_ENVIRONMENT.search(data) is not None),
        int(_EXECUTES.search(data) is not None),
        int(CONTAINED.search(data) is not None),
        int(_HANDED.search(data) is not None),
    )


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
        framework = [path for path in found if facts[path][3] and extends_unread(files, path)]
        notes.extend(map(_note, executing or contained or framework))
    return notes


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
