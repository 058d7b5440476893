"""Statements with one spelling for what everyday refactorings write in several ways.

Collections are copied in a loop, by a function or at once; a value is looked up with a default in one call or by a test
for null; what a statement takes stands in it or in a local variable before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

Line = tuple[int, str]
"""A statement: how deep it stands, and its text."""

_LOOP_OVER: Final = re.compile(r"for \( [^()=]*?(\$\d+@\d+) : (.*) \)", re.DOTALL)
_ADD: Final = re.compile(r"([\w$@]+) \. add \( ([\w$@]+) \)")
_ADD_ALL: Final = re.compile(r"([\w$@]+) \. addAll \( (.*) \)", re.DOTALL)
_FOR_EACH: Final = re.compile(r"(.*) \. forEach \( ([\w$@]+) : : add \)", re.DOTALL)
_TYPE_OF_EACH: Final = re.compile(r"^for \( [^()=]*?(\$\d+@\d+ : )")
_NEW_LIST: Final = re.compile(
    r"[\w. <>,]+ (\$\d+@\d+) = new (?:Array|Linked)List (?:< .* > )?\( (?:\d+ |[\w$@. ]+ \. size \( \) )?\)"
)
_WRITTEN_AT_ONCE: Final = r"([\w$@]+) \. (update|addAll) \( {0} \)"
_ADDED_ALONE: Final = r"{0} \. (add|addAll) \((?!.*{0}(?!\d))"
_ADD_LAST: Final = re.compile(r"(\. |: : )addLast\b")
_COLLECTED: Final = re.compile(
    r"([\w$@]+) \. (update|addAll) \( (.+?) \. stream \( \) \. map \( (?:\( )?(\$\d+@\d+) (?:\) )?- > (.+) \)"
    r" \. (?:collect \( Collectors \. toList \( \) \)|toList \( \)) \)",
    re.DOTALL,
)
_NEW_TUPLE: Final = re.compile(r"\bnew (?:[\w.]+ \. )?(Tuple\d+) \(")
_LOOKED_UP: Final = re.compile(r"((?:final )?[\w. <>,]+ (\$\d+@\d+) = [\w$@]+ \. get)( \( .*) \)")
_IS_NULL: Final = r"if \( (?:{0} = = null|null = = {0}) \)"
_DEFAULT: Final = r"([\w$@]+) \. put \( (.*) , {0} \1 \. getOrDefault \( \2 , 0[LlDdFf]?(?:\.0)? \) {1} (.*) \)"
_COUNTED: Final = re.compile(_DEFAULT.format("", r"\+").replace(" ,  ", " , "), re.DOTALL)
_HIGHEST: Final = re.compile(_DEFAULT.format(r"(?:Math|Long|Integer|Double) \. max \(", ",") + r" \)", re.DOTALL)
_FOLDED_BY: Final = re.compile(r"\b(?:Math|Long|Integer|Double) : : (sum|max)\b")
_LOCAL: Final = re.compile(r"(?:final )?[\w.]+(?: < [\w. <>,]+ >)? (\$\d+@\d+) = (?!= )(.+)", re.DOTALL)
_MEMBER: Final = re.compile(r"\$\d+@\d+(?: \. (?:\w+(?! \()|(?:get|is)\w+ \( \)))+")
"""A member of what a variable holds: the same wherever it stands."""
_OPERATOR: Final = re.compile(r" (?:[-+*/%?<>&|^]|= =|! =|- >) ")
_SETS: Final = (
    r"(?<![\w$@.]){0}(?: \. \w+)* (?:(?:[-+*/|&^%] )?= (?!= )|\+ \+|- -)|(?:\+ \+|- -) {0}\b|{0} \. set\w* \("
)
"""What changes a variable, or a member of what it holds."""
_REPEATED: Final = re.compile(r"(?:while|do|for \( [^:]*;)")


def plain(lines: Sequence[Line]) -> list[Line]:
    """The same statements, as few of them as possible."""
    found = [(depth, _ADD_LAST.sub(r"\1add", text)) for depth, text in _without_streams(lines)]
    found = [(depth, _TYPE_OF_EACH.sub(r"for ( \1", _NEW_TUPLE.sub(r"\1 . of (", text))) for depth, text in found]
    found = _without_lists(_without_locals(_with_defaults(found)))
    return _copying_at_once([(depth, _merging(text)) for depth, text in found])


def _merging(text: str) -> str:
    """A statement that puts a sum or a maximum of the old and a new value, as the call that does so."""
    text = _HIGHEST.sub(r"\1 . merge ( \2 , \3 , max )", _COUNTED.sub(r"\1 . merge ( \2 , \3 , sum )", text))
    return _FOLDED_BY.sub(r"\1", text)


def _without_streams(lines: Sequence[Line]) -> list[Line]:
    """A loop for a stream whose results are collected and written at once."""
    found: list[Line] = []
    for depth, text in lines:
        collected = _COLLECTED.fullmatch(text)
        if collected is None:
            found.append((depth, text))
            continue
        target, write, over, each, made = collected.groups()
        found += [(depth, f"{target} . clear ( )")] if write == "update" else []
        found += [(depth, f"for ( {each} : {over} )"), (depth + 1, f"{target} . add ( {made} )")]
    return found


def inside(lines: Sequence[Line], place: int) -> list[str]:
    """The statements inside of one."""
    depth = lines[place][0]
    return [text for _, text in takewhile(lambda line: line[0] > depth, lines[place + 1 :])]


def _with_defaults(lines: list[Line]) -> list[Line]:
    """``getOrDefault`` for a value that is looked up, and set where it is null."""
    found: list[Line] = []
    for depth, text in lines:
        found.append((depth, text))
        looked_up = _LOOKED_UP.fullmatch(found[-3][1]) if len(found) > 2 else None
        if looked_up is None or [d for d, _ in found[-3:]] != [depth - 1, depth - 1, depth]:
            continue
        name = re.escape(looked_up[2])
        default = re.fullmatch(rf"{name} = (?!= )(.*)", text, re.DOTALL)
        if default is not None and re.fullmatch(_IS_NULL.format(name), found[-2][1]):
            found[-3:] = [(depth - 1, f"{looked_up[1]}OrDefault{looked_up[3]} , {default[1]} )")]
    return found


def _without_locals(lines: list[Line]) -> list[Line]:
    """Variables that are set once to a member, or for the next statement only, replaced by what they are set to."""
    found = list(lines)
    place = 0
    while place < len(found):
        made = _LOCAL.fullmatch(found[place][1])
        using = re.compile(rf"{re.escape(made[1])}(?!\d)") if made is not None else None
        if made is None or using is None or not _may_move(found, place, made, using):
            place += 1
            continue
        value = made[2].replace("\\", r"\\")
        del found[place]
        found = [(depth, using.sub(value, text)) for depth, text in found]
        place = 0
    return found


def _may_move(lines: list[Line], place: int, made: re.Match[str], using: re.Pattern[str]) -> bool:
    """Whether what a variable is set to may stand in its place in all statements behind it."""
    name, value = made[1], made[2]
    behind = [text for _, text in lines[place + 1 :]]
    uses = [(text, use) for text in behind for use in using.finditer(text)]
    if any(re.search(_SETS.format(re.escape(name)), text) for text in behind):
        return False
    if _OPERATOR.search(value) is not None and not all(_whole(text, use) for text, use in uses):
        return False
    if _MEMBER.fullmatch(value) is not None:
        of = re.escape(value.partition(" ")[0])
        return not any(re.search(_SETS.format(of), text) for text in behind)
    beside = bool(behind) and lines[place + 1][0] == lines[place][0] and _REPEATED.match(behind[0]) is None
    return len(uses) == 1 and beside and using.search(behind[0]) is not None


def _whole(text: str, use: re.Match[str]) -> bool:
    """Whether a variable is a whole argument, or all that something is set to."""
    before, after = text[: use.start()], text[use.end() :]
    return before.endswith(("( ", ", ", " = ")) and (after.startswith((" )", " ,")) or not after)


def _without_lists(lines: list[Line]) -> list[Line]:
    """What is collected in a new list and then written at once, written one by one."""
    for place, (depth, text) in enumerate(lines):
        made = _NEW_LIST.fullmatch(text)
        if made is None:
            continue
        name = re.escape(made[1])
        using = [n for n in range(place + 1, len(lines)) if re.search(rf"{name}(?!\d)", lines[n][1])]
        written = re.fullmatch(_WRITTEN_AT_ONCE.format(name), lines[using[-1]][1]) if using else None
        alone = all(re.match(_ADDED_ALONE.format(name), lines[n][1], re.DOTALL) for n in using[:-1])
        if written is None or not alone or lines[using[-1]][0] != depth:
            continue
        found = [
            (d, re.sub(rf"^{name} \. ", f"{written[1]} . ", t) if n in using else t) for n, (d, t) in enumerate(lines)
        ]
        first = [(depth, f"{written[1]} . clear ( )")] if written[2] == "update" else []
        return _without_lists([*found[:place], *first, *found[place + 1 : using[-1]], *found[using[-1] + 1 :]])
    return lines


def _copying_at_once(lines: list[Line]) -> list[Line]:
    """One spelling for each way to copy a collection: in a loop, by a function, at once."""
    found: list[Line] = []
    place = 0
    while place < len(lines):
        depth, text = lines[place]
        each = _LOOP_OVER.fullmatch(text)
        within = inside(lines, place)
        place += 1
        added = _ADD.fullmatch(within[0]) if each is not None and len(within) == 1 else None
        if each is not None and added is not None and added[2] == each[1]:
            text, place = f"{added[1]} . addAll ( {each[2]} )", place + 1
        elif (over := _FOR_EACH.fullmatch(text)) is not None:
            text = f"{over[2]} . addAll ( {over[1]} )"
        added = _ADD_ALL.fullmatch(text)
        if added is not None and found and found[-1] == (depth, f"{added[1]} . clear ( )"):
            found[-1] = (depth, f"{added[1]} . update ( {added[2]} )")
        else:
            found.append((depth, text))
    return found
