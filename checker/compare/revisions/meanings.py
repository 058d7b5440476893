"""Whether operators of SQL plans compute the same."""

from __future__ import annotations

import re

from checker.model.topology import PLACE, Transformation

_COLUMN = re.compile(rf"[\w$]+{PLACE}")
"""A column's name before its place."""


def meaning_changed(base: Transformation, head: Transformation) -> bool:
    """Whether both are operators of a SQL plan that compute different things.

    Columns of rows that are kept are the same by their names or by their places: one that is renamed in its table's
    definition, or gets another place there, is none that trades places with another.
    """
    if base.meaning is None or head.meaning is None or base.computes == head.computes:
        return False
    return _COLUMN.sub(PLACE, base.meaning) != _COLUMN.sub(PLACE, head.meaning)
