"""Replacements at exact spans of a file, and the unified diff they make."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, order=True)
class TextEdit:
    """``text`` in place of the bytes ``start`` to ``end`` of a file's text in UTF-8 (without a byte order mark)."""

    file: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file as UTF-8, and how to write it back as it was."""

    utf8: bytes
    bom: bool = False
    latin1: bool = False

    @classmethod
    def of(cls, data: bytes) -> SourceText:
        """What is not UTF-8 is taken for Latin-1, as the Java reader does."""
        bom = data.startswith(_BOM)
        plain = data.removeprefix(_BOM)
        try:
            plain.decode("utf-8")
        except UnicodeDecodeError:
            return cls(plain.decode("latin-1").encode("utf-8"), bom, latin1=True)
        return cls(plain, bom)

    def back(self, utf8: bytes) -> bytes:
        """Edited text in the file's own encoding."""
        plain = utf8.decode("utf-8").encode("latin-1", "backslashreplace") if self.latin1 else utf8
        return (_BOM if self.bom else b"") + plain


def apply_edits(data: bytes, edits: Iterable[TextEdit]) -> bytes:
    """The file with all edits made; insertions at one place follow in the order given.

    Raises ValueError for edits that overlap.
    """
    source = SourceText.of(data)
    parts: list[bytes] = []
    done = 0
    for edit in sorted(dict.fromkeys(edits), key=lambda e: (e.start, e.end)):
        if edit.start < done:
            raise ValueError(f"edits of {edit.file} overlap at byte {edit.start}")
        parts += [source.utf8[done : edit.start], edit.text.encode("utf-8")]
        done = edit.end
    return source.back(b"".join([*parts, source.utf8[done:]]))


def unified_diff(file: str, before: bytes, after: bytes) -> str:
    """The change as ``git apply`` and ``patch -p1`` take it; empty where nothing changed."""
    lines = [SourceText.of(d).utf8.decode("utf-8").splitlines(keepends=True) for d in (before, after)]
    # splitlines also breaks at characters that are not line ends to diff: form feeds, U+2028.
    lines = [_joined(line) for line in lines]
    made = difflib.unified_diff(lines[0], lines[1], f"a/{file}", f"b/{file}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in made)


def _joined(lines: list[str]) -> list[str]:
    joined: list[str] = []
    for line in lines:
        if joined and not joined[-1].endswith("\n"):
            joined[-1] += line
        else:
            joined.append(line)
    return joined
