"""Whether keyed state is found again: by the type of the keys, and by the part of the elements that is the key."""

from __future__ import annotations

import re

from checker.compare.fit.serializers import serializer_fit
from checker.compare.fit.states import Releases, fit_of_declared
from checker.compare.fit.types import SAME, Fit, TypeFit
from checker.compare.fit.unknowns import not_comparable
from checker.model.topology import Transformation


def key_fit(base: Transformation, head: Transformation, releases: Releases) -> TypeFit:
    """Whether keyed state can be found again under the head's key type."""
    if base.key_serializer is not None and head.key_serializer is not None:
        return serializer_fit(base.key_serializer, head.key_serializer)
    if not base.keyed or not head.keyed:
        known = isinstance(base.key_type, str) and isinstance(head.key_type, str)
        if not known:
            return SAME
    return fit_of_declared(base.key_type, base.key_classes, head.key_type, head.key_classes, migrates=False,
                           newer_kryo=releases.newer_kryo)  # fmt: skip


_PART = re.compile(r"[.\w()]+")
"""A key that is a plain part of an element: getters and fields only."""


def key_part_fit(base: Transformation, head: Transformation) -> TypeFit:
    """Whether the elements have the keys that they had: other plain parts are others, other code may be.

    ``.id`` and ``.id == null ? "" : .id``, or ``.name`` and ``.name.trim()``, agree for most elements.
    """
    before, after = base.key, head.key
    if isinstance(before, str) and isinstance(after, str):
        if before == after or before == _without_new_constants(before, after):
            return SAME
        why = f"the key was {before} and is {after} now"
        plain = _PART.fullmatch(before) or _PART.fullmatch(after)
        if plain and not _made_of(before, after) and not _made_of(after, before):
            return TypeFit(Fit.INCOMPATIBLE, why)
        return TypeFit(Fit.OPEN, f"{why}: whether the two agree is not decided")
    if before is None or after is None or not_comparable(before, after) is None:
        return SAME
    why = "the code that gives the keys changed: whether elements have their old keys is not decided"
    return TypeFit(Fit.OPEN, why)


_ENUM = re.compile(r"enum ([\w.]+)\(([^()]*)\)")
"""The constants of an enumeration that a key is made of, with their values."""


def _without_new_constants(before: str, after: str) -> str:
    """A key as if its enumerations had the constants of before, where these are all there with their values."""
    was = dict(_ENUM.findall(before))
    for name, constants in _ENUM.findall(after):
        if set(was.get(name, "").split(", ")) <= set(constants.split(", ")):
            after = after.replace(f"enum {name}({constants})", f"enum {name}({was[name]})")
    return after


def _made_of(key: str, part: str) -> bool:
    """Whether a key is computed from a part, as ``.name.trim()`` and ``("" + .name)`` are, and may agree with it."""
    if part == "element" and key.startswith("."):
        return True
    return re.search(rf"(?<![\w)]){re.escape(part)}(?![\w(])", key) is not None
