"""Whether what a statement writes to a state is there afterwards: a value at all, and not taken out again at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from checker.model.program_code import Outcome, Runs

_NOTHING: Final = re.compile(
    r"(?:[\w. ]*\b(?:(?:List|Set|Map) \. of|Collections \. empty\w+)(?: < [\w ,.]* >)? \( \)"
    r"|new [\w. ]+(?: < [\w ,.]*>)? \( \)|null)"
)
"""What leaves nothing in a state that it replaces: an empty collection or object, or null."""
_CAST: Final = re.compile(r"\( [\w. <>,]+ \) ")
_CHOICE: Final = re.compile(r"[^?]* \? ([^?:]+) : ([^?:]+)")
_LOCAL: Final = re.compile(r"\$\d+")
_BRANCHES: Final = re.compile(r"\belse\b|\bswitch\b")
_LEAVES: Final = re.compile(r"(?:return|throw|break|continue|yield)\b")
_CALLED: Final = re.compile(r"(new )?(?:[\w$]+ \. )*([\w$]+)(?: < [^()]*>)? $")


@dataclass(frozen=True, slots=True)
class Line:
    """A statement, its literals blanked out."""

    text: str
    names: frozenset[str]
    outcome: Outcome
    depth: int
    signature: bool
    """The declaration's own line."""


def leaves_nothing(call: str, given: str, lines: Sequence[Line]) -> bool:
    """Whether a call on a state writes nothing to it; ``given`` is the text behind its parenthesis."""
    value = (arguments(given) or [""])[-1]
    return _is_null(value, lines) or (call not in ("put", "add") and _NOTHING.fullmatch(value) is not None)


def _is_null(value: str, lines: Sequence[Line]) -> bool:
    value = _CAST.sub("", value)
    choice = _CHOICE.fullmatch(value)
    if choice is not None:
        return all(_is_null(side.strip(), lines) for side in choice.groups())
    if _LOCAL.fullmatch(value) is None:
        return value == "null"
    if _is_never_filled(value, lines):
        return True
    setting = re.compile(rf"(?<![\w$.]){re.escape(value)} (?:([-+*/|&^%]? ?=) (?!=)(.*?)(?: ;)?$|: |\+ \+|- -)")
    found = [made for line in lines if (made := setting.search(line.text)) is not None]
    parameter = any(line.signature and value in line.text.split() for line in lines)
    return bool(found) and not parameter and all(made[1] == "=" and made[2] == "null" for made in found)


def _is_never_filled(name: str, lines: Sequence[Line]) -> bool:
    """Whether a local variable is an empty collection which is only looked at and written."""
    using = [line.text for line in lines if name in line.text.split() and line.outcome.runs is not Runs.NEVER]
    word = re.escape(name)
    made = re.compile(rf"[\w. <>,]+ {word} = (new [\w. ]+(?: < [\w ,.]* ?>)? \( \)) ?;?")
    harmless = re.compile(rf"(?<![\w$]){word} \. (?:isEmpty|size) \(|\. (?:update|addAll|putAll|add) \( {word} \)")
    rest = [harmless.sub("", text).split() for text in using[1:]]
    return len(using) > 1 and made.fullmatch(using[0]) is not None and not any(name in words for words in rest)


def undone(lines: Sequence[Line], place: int, *ends: str) -> bool:
    """Whether a statement, one of ``ends``, always follows another one."""
    depth = own = lines[place].depth
    around = next((line.text for line in reversed(lines[:place]) if line.depth < own), "")
    branches = _BRANCHES.search(around) is not None
    for line in lines[place + 1 :]:
        if branches and depth == line.depth == own:
            continue  # it may stand in the other branch
        if _LEAVES.match(line.text):
            return False
        depth = min(depth, line.depth)
        if line.depth <= depth and line.text.rstrip(" ;") in ends:
            return True
    return False


def cleared(lines: Sequence[Line], place: int, state: str, methods: AbstractSet[str]) -> bool:
    """Whether a state was cleared on every way to a statement, and neither it nor code of the program stands between.

    ``state`` is the word for it in these statements, ``methods`` are the program's own: one may write to it.
    """
    depth = lines[place].depth
    for before in range(place - 1, 0, -1):
        line = lines[before]
        if re.search(rf"(?<![\w$.]){re.escape(state)}(?![\w$])", line.text) or not line.names.isdisjoint(methods):
            around = next((outer.text for outer in reversed(lines[:before]) if outer.depth < line.depth), "")
            clears = line.text.rstrip(" ;") == f"{state} . clear ( )"
            return clears and line.depth <= depth and _BRANCHES.search(around) is None
        depth = min(depth, line.depth)
    return False


def arguments(text: str) -> list[str]:
    """The arguments of a call, by the text behind its parenthesis."""
    found, depth = [""], 0
    for word in text.split():
        depth += (word in "([{") - (word in ")]}")
        if depth < 0:
            break
        if word == "," and depth == 0:
            found.append("")
        else:
            found[-1] = f"{found[-1]} {word}".strip()
    return [argument for argument in found if argument]


def argument_at(text: str, place: int) -> tuple[str, int, int]:
    """The call around a place, the number of the argument there, and how many there are; "new C" for constructors."""
    depth, number = 0, 0
    for at in range(place - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth < 0:
            called = _CALLED.search(text[:at])
            name = f"{called[1] or ''}{called[2]}" if called is not None else ""
            return name, number, len(arguments(text[at + 1 :]))
        number += text[at] == "," and depth == 0
    return "", 0, 0
