"""What a Java program logs, by its tokens: statements that change nothing else."""

import re

_LOGS = re.compile(
    r"(?:this\.)?(?:LOG|LOGGER|log|logger|Log)\.(?:trace|debug|info|warn|warning|error|fatal|severe|fine\w*|log|at[A-Z]\w*)"
    r"|System\.(?:out|err)\.(?:print|println|printf|format|flush)|\w+\.printStackTrace"
)
_SHOWS = re.compile(
    r"[^\w>]|(?:get(?!And|Or|StreamGraph|\w*State\b)|is|has)[A-Z]\w*|toString|size|length|name|format|valueOf|join|equals|contains"
)
"""What is called to show something, or a bracket behind no name."""


def logs(called: str) -> bool:
    """Whether a method logs, by its name behind that of its object: a stream may be called ``log``, too."""
    return _LOGS.fullmatch(called) is not None


def shows(called: str) -> bool:
    """Whether a method, by its name, gives something to be shown and changes nothing."""
    return _SHOWS.fullmatch(called) is not None


def without_logs(texts: list[bytes]) -> list[bytes]:
    """A file's tokens without the statements that log, where these stand between others: no ``if`` ends at one."""
    found: list[bytes] = []
    place = 0
    while place < len(texts):
        end = _end_of_log(texts, place) if place and texts[place - 1] in (b";", b"{", b"}") else place
        found.extend(texts[place : place + 1] if end == place else ())
        place = end if end > place else place + 1
    return found


_LONGEST = 6
"""Tokens of the name of a method that logs."""


def _end_of_log(texts: list[bytes], start: int) -> int:
    """The place behind a statement that logs; its start where it is another one."""
    place = next((at for at in range(start, start + _LONGEST) if texts[at : at + 1] == [b"("]), start)
    if not logs(b"".join(texts[start:place]).decode("utf-8", "replace")):
        return start
    depth = 0
    for at in range(place, len(texts)):
        calls = texts[at] == b"(" and depth and not shows(texts[at - 1].decode("utf-8", "replace"))
        if calls or b"".join(texts[at : at + 2]) in (b"++", b"--") or texts[at] == b"=":
            return start
        depth += (texts[at] in (b"(", b"{")) - (texts[at] in (b")", b"}"))
        if not depth:
            return at + 2 if texts[at + 1 : at + 2] == [b";"] else start
    return start
