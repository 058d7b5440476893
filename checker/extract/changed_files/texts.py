"""Which texts between quotes did an edit change where they stand?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from checker.extract.asking.consulted import plain
from checker.model.changed_texts import ChangedText
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location

_TEXT = re.compile(r""""([^"\\]*)"|'([^'\\]*)'""")
_VALUE = re.compile(r"\{[^{}]*\}")
"""What an f-string fills in."""
_MOST_LINES = 5000


def changed_texts(base: SourceFiles, head: SourceFiles, paths: Iterable[str]) -> tuple[ChangedText, ...]:
    """The texts of some files, which were read, that are the only change of their line."""
    base, head = plain(base), plain(head)  # what a program depends on is known from its reading
    known = set(base.paths())
    both = [path for path in paths if path in known and base.content_id(path) != head.content_id(path)]
    return tuple(text for path in both for text in _of_file(path, _lines(base, path), _lines(head, path)))


def _lines(files: SourceFiles, path: str) -> list[str]:
    return files.read(path).decode("utf-8", "replace").split("\n")


def _of_file(path: str, before: list[str], after: list[str]) -> Iterator[ChangedText]:
    if max(len(before), len(after)) > _MOST_LINES:
        return
    for kind, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "replace" or end - start != last - first:
            continue
        for place, (old, new) in enumerate(zip(before[start:end], after[first:last], strict=True), first + 1):
            changed = [pair for pair in zip(_parts(old), _parts(new), strict=False) if pair[0][0] != pair[1][0]]
            if len(changed) == 1:
                (was, start_of), (now, column) = changed[0]
                rest = (old[:start_of] + old[start_of + len(was) :], new[:column] + new[column + len(now) :])
                if rest[0] == rest[1] and now:
                    yield ChangedText(was, now, Location(path, place, column + 1))


def _parts(line: str) -> Iterator[tuple[str, int]]:
    """The texts of a line, without what is filled in, each with its place in the line."""
    for found in _TEXT.finditer(line):
        start, end = found.start() + 1, found.end() - 1
        for value in (*_VALUE.finditer(line, start, end), None):
            stop = end if value is None else value.start()
            yield line[start:stop], start
            start = end if value is None else value.end()
