"""Answers about a file, used for another text of it that differs in comments and layout only: its lines move.

Every token of the one text is the same token of the other one, so a place where a token starts has a new place. What
can't be moved for certain raises ``UnmovableError``: the answer is found out again.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import lru_cache
from typing import Any

from checker.extract.java.syntax.parse import to_utf8
from checker.extract.java.syntax.tokens import token_places
from checker.extract.same_code import MAVEN, same_code
from checker.model.sources import SourceFiles, content_named
from checker.model.suppressions import COMMENT_MARK
from checker.model.unknowns import Location

Place = tuple[int, int]
"""Line and column, counted from 1."""
_NO_CODE = frozenset(
    (tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
)


class UnmovableError(ValueError):
    """A place has no certain counterpart in the other text."""


@dataclass(frozen=True, slots=True)
class Moves:
    """Where the code of one text stands in another text of the same file."""

    places: Mapping[Place, Place] = field(default_factory=dict)
    lines: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """Line → the lines on which the tokens that start on it are now."""
    whole_file_first: bool = False
    """Whether nothing but the file as a whole is named by its first place."""

    def line(self, line: int) -> int:
        """The line of what stands on a line. Raises UnmovableError."""
        found = self.lines.get(line, frozenset())
        if len(found) != 1:
            raise UnmovableError(line)
        return next(iter(found))

    def place(self, line: int, column: int) -> Place:
        """The place of what starts at a place. Raises UnmovableError."""
        place = (line, column)
        if place == (1, 1) and (self.whole_file_first or place not in self.places):
            return place
        if place in self.places:
            if place == (1, 1) and self.places[place] != place:
                raise UnmovableError(place)
            return self.places[place]
        if column == 1:
            return self.line(line), 1
        raise UnmovableError(place)


def moves_between(path: str, before: bytes, after: bytes) -> Moves | None:
    """Where the code of ``before`` stands in ``after``, None where they don't say the same for certain."""
    if COMMENT_MARK in before or COMMENT_MARK in after:
        return None  # A comment that silences findings is no mere comment.
    return _moves(path[path.rfind("/") + 1 :], before, after)


@lru_cache(maxsize=256)
def _moves(name: str, before: bytes, after: bytes) -> Moves | None:
    if name.endswith(MAVEN):
        return Moves() if same_code(name, before, after) else None
    if not name.endswith((".java", ".py")) or not same_code(name, before, after):
        return None
    java = name.endswith(".java")
    try:
        old, new = (list(_java(data) if java else _python(data)) for data in (before, after))
    except (tokenize.TokenError, SyntaxError):
        return None
    if len(old) != len(new):
        return None
    lines: dict[int, set[int]] = {}
    for (line, _), (now, _) in zip(old, new, strict=True):
        lines.setdefault(line, set()).add(now)
    return Moves(dict(zip(old, new, strict=True)), {k: frozenset(v) for k, v in lines.items()}, java)


def _java(data: bytes) -> Iterable[Place]:
    text = to_utf8(data)
    line, start = 1, 0
    for place in token_places(text):
        line += text.count(b"\n", start, place)
        start = max(start, text.rfind(b"\n", start, place) + 1)
        yield line, len(text[start:place].decode("utf-8", "replace")) + 1


def _python(data: bytes) -> Iterable[Place]:
    for token in tokenize.tokenize(io.BytesIO(data).readline):
        if token.type not in _NO_CODE:
            line, column = token.start
            yield line, len(token.line.split("\n", 1)[0][:column].encode()) + 1


class ForgivingFiles:
    """The files of a revision, where comments and layout may differ from those that an answer rests on."""

    def __init__(self, files: SourceFiles, base: SourceFiles | None = None) -> None:
        """``other`` is the revision that an answer is about, where that is known."""
        self._files = files
        self._base = base
        self.moves: dict[str, Moves] = {}
        """Path → where its code was moved: of files whose content was forgiven."""

    def forgives(self, path: str, content: str) -> bool:
        """Whether a file says the same as one of another content, by the id of that."""
        before = content_named(self._files, content) if self._base is None else self._base.read(path)
        moves = None if before is None else moves_between(path, before, self._files.read(path))
        if moves is None:
            return False
        self.moves[path] = moves
        return True


def moved(found: Any, moves: Mapping[str, Moves]) -> Any:
    """An answer, a record or JSON, with its places moved. Raises UnmovableError."""
    return _Mover(moves, moves, moves).moved(found) if moves else found


def moved_sides(document: Any, base: Mapping[str, Moves], head: Mapping[str, Moves], *, one_program: bool) -> Any:
    """A document about two revisions with its places moved. Raises UnmovableError.

    What is said under ``base`` and ``head`` is of that side. Any other place is in the head where both are one
    program, and not known where they differ.
    """
    if not base and not head:
        return document
    return _Mover(head if one_program or base == head else None, base, head).moved(document)


class _Mover:
    def __init__(self, here: Mapping[str, Moves] | None, base: Mapping[str, Moves], head: Mapping[str, Moves]) -> None:
        self._here = here
        self._base, self._head = base, head
        self._paths = frozenset({*base, *head})
        named = "|".join(re.escape(path) for path in sorted(self._paths, key=len, reverse=True))
        self._named = re.compile(rf"(?<![\w./-])({named}):(\d+)")

    def moved(self, found: Any) -> Any:
        if isinstance(found, str):
            return self._named.sub(self._line, found) if ":" in found else found
        if isinstance(found, Location):
            return Location(found.file, *self._place(found.file, found.line, found.column))
        if isinstance(found, dict):
            return self._object(found)
        if isinstance(found, list | tuple):
            return self._listed(found)
        if is_dataclass(found) and not isinstance(found, type):
            now = {field_.name: self.moved(getattr(found, field_.name)) for field_ in fields(found) if field_.init}
            changed = {name: value for name, value in now.items() if value is not getattr(found, name)}
            return replace(found, **changed) if changed else found
        return found

    def _object(self, found: dict[str, Any]) -> dict[str, Any]:
        if found.keys() >= {"file", "line", "column"}:
            line, column = self._place(found["file"], found["line"], found["column"])
            return {**found, "line": line, "column": column}
        sides = {"base": self._base, "head": self._head}
        return {name: (self._of(sides[name]) if name in sides else self).moved(value) for name, value in found.items()}

    def _of(self, side: Mapping[str, Moves]) -> _Mover:
        return self if self._here is side else _Mover(side, side, side)

    def _listed(self, found: Any) -> Any:
        match found:
            case [str(path), int(line), int(column)] if path in self._paths:
                return type(found)((path, *self._place(path, line, column)))
        now = [self.moved(item) for item in found]
        return found if all(a is b for a, b in zip(found, now, strict=True)) else type(found)(now)

    def _place(self, path: str, line: int, column: int) -> Place:
        moves = self._moves(path)
        return (line, column) if moves is None else moves.place(line, column)

    def _moves(self, path: str) -> Moves | None:
        if path not in self._paths:
            return None
        if self._here is None:
            raise UnmovableError(path)
        return self._here.get(path)

    def _line(self, named: re.Match[str]) -> str:
        """The place of a file in a sentence or a key."""
        moves = self._moves(named[1])
        return named[0] if moves is None else f"{named[1]}:{moves.line(int(named[2]))}"
