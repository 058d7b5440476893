"""Edits after which a member of an object in state is no longer read or written, overwritten, or taken for another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations
from typing import Final

from checker.model.used_states import FOLD, READ, WRITE, PlaceUse

_PARTS: Final = re.compile(r"\.\w+|\[[^\]]*\]")
_NUMBERED: Final = re.compile(r"\[\d")
_NONE: Final = PlaceUse()
Places = Mapping[str, PlaceUse]


def forgets_members(base: Places, head: Places) -> bool:
    """Whether something that the base keeps in objects is lost by the code of the head."""
    new = [path for path, use in head.items() if use.made - base.get(path, _NONE).made]
    for path, use in base.items():
        if not path:
            continue
        now = head.get(path, _NONE).uses
        if READ in use.uses and not any(READ in head[place].uses for place in head if _related(path, place)):
            return True
        elsewhere = {u for place in new if place != path and _related(path, place) for u in head[place].uses}
        if WRITE in use.uses and WRITE not in now | elsewhere:
            return True
        if FOLD in use.uses and WRITE in now and FOLD not in now | elsewhere:
            return True
    return _exchanged(base, head)


def _exchanged(base: Places, head: Places) -> bool:
    """Whether two members of one object are used, or made, as the other one was."""
    for pair in combinations(sorted(base.keys() | head.keys()), 2):
        if _siblings(*pair):
            before, after = ([side.get(path, _NONE) for path in pair] for side in (base, head))
            for was, now in (
                ([use.goes for use in before], [use.goes for use in after]),
                ([use.made for use in before], [use.made for use in after]),
            ):
                if was[0] != was[1] and was == now[::-1]:
                    return True
    return False


def _siblings(first: str, second: str) -> bool:
    parts = [_PARTS.findall(path) for path in (first, second)]
    if not all(parts) or parts[0][:-1] != parts[1][:-1]:
        return False
    last = [each[-1] for each in parts]
    return last[0][0] == last[1][0] and "[]" not in last


def _related(first: str, second: str) -> bool:
    """Whether two places may be the same, or one lies in the other: parts of named tuples have numbers, too."""
    parts = zip(_PARTS.findall(first), _PARTS.findall(second), strict=False)
    return all(a == b or ("[]" in (a, b) if a[0] == b[0] else _NUMBERED.search(a + b)) for a, b in parts)
