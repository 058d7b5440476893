"""What a Java program logs, by its tokens: statements that change nothing else."""

from __future__ import annotations

import re

LOGGERS = frozenset({"LOG", "LOGGER", "log", "logger", "Log", "System.out", "System.err"})
"""What Java calls the objects that log."""
_LOGGERS = {tuple(re.findall(rb"\w+|\.", name.encode())) for name in LOGGERS}


def without_logs(texts: list[bytes]) -> list[bytes]:
    """A file's tokens without the statements that log, where these stand between others: no ``if`` ends at one."""
    found: list[bytes] = []
    place = 0
    while place < len(texts):
        end = _end_of_log(texts, place) if place and texts[place - 1] in (b";", b"{", b"}") else place
        found.extend(texts[place : place + 1] if end == place else ())
        place = end if end > place else place + 1
    return found


def _end_of_log(texts: list[bytes], start: int) -> int:
    """The place behind a statement that logs; its start where it is another one."""
    size = next((len(name) for name in _LOGGERS if tuple(texts[start : start + len(name)]) == name), 0)
    if not size or texts[start + size : start + size + 1] != [b"."]:
        return start
    depth = 0
    for place in range(start + size, len(texts)):
        calls = texts[place] == b"(" and depth
        depth += (texts[place] in (b"(", b"{")) - (texts[place] in (b")", b"}"))
        if depth < 0 or (not depth and texts[place] == b"=") or (calls and not _SHOWN.fullmatch(texts[place - 1])):
            return start
        if not depth and texts[place] == b";":
            return place + 1
    return start


_SHOWN = re.compile(
    rb"[^\w]|(?:get(?!StreamGraph)|is|has)[A-Z]\w*|toString|size|length|name|format|valueOf|join|equals|contains"
)
"""What is called to show something, or a bracket behind no name."""
