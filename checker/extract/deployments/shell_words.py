"""Where one command of a shell ends: its words, as POSIX shells split a line."""

from __future__ import annotations

import re
import shlex

_PLACEHOLDER = re.compile(r"<[^\s<>](?:[^<>\n]{0,60}[^\s<>])?>(?!\S*>)")
"""What stands for something else in a document: a shell never reads from and writes to files like that."""
_DESCRIPTOR = re.compile(r"(?<!\S)\d+$")
_PLAIN = re.compile(r"[^\s\"'\\;|&<>()#]+")
_QUOTED = re.compile(r"[\\\"]")


STATEMENT = re.compile(r"(?:\\[\s\S]|(?<!\S)#[^\n]*|'[^']*'|\"(?:\\[\s\S]|[^\"\\])*\"|.)*+")
"""A line of a shell with those that its quotes and backslashes go on for."""


def first_command(line: str) -> str:
    """A line up to what ends its first command: an operator, a redirection, a comment, or the end of a subshell."""
    quote, depth, place = "", 0, 0
    while place < len(line):
        character = line[place]
        if character == "\\" and quote != "'":
            place += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif line.startswith("{{", place):
            place = max(line.find("}}", place), place) + 1
        elif character == "(":
            depth += 1
        elif character == ")" and depth > 0:
            depth -= 1
        elif depth == 0 and character == "<" and (placeholder := _PLACEHOLDER.match(line, place)):
            place = placeholder.end() - 1
        elif depth == 0 and (character in ";|&<>)" or (character == "#" and line[place - 1 : place].isspace())):
            return _DESCRIPTOR.sub("", line[:place]) if character in "<>" else line[:place]
        place += 1
    return line


def split(line: str) -> list[str]:
    """The words of a command, none where its quotes do not match."""
    try:
        return shlex.split(line)
    except ValueError:
        return []


def joined(words: tuple[str, ...]) -> str:
    """A line of a shell that has these words, whose variables are still filled in."""
    return " ".join(w if _PLAIN.fullmatch(w) else '"' + _QUOTED.sub(r"\\\g<0>", w) + '"' for w in words)
