"""When two values that nobody could read are the same value: the one rule for names, types, serializers and keys."""

from __future__ import annotations

from dataclasses import replace

from checker.model.topology import Unknown


def made_alike(before: Unknown, after: Unknown) -> bool:
    """Whether both are made of the same expression over the same code and resources.

    Where neither says what it is made of, its value comes from outside of the program: then the reason decides.
    """
    if before.made_of is not None or after.made_of is not None:
        return before.made_of == after.made_of
    return replace(before, location=None) == replace(after, location=None)
