"""Stable, readable uids for operators that have none: from their names, never from their place."""

from __future__ import annotations

import re

from checker.compare.revisions.likeness import DEFAULT_NAMES
from checker.model.topology import Topology, Transformation

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOISE = re.compile(r"[^a-z0-9]+")
_PLACE = re.compile(r" ?#\d+")
_ENDINGS = ("-function", "-operator")


def slug(text: str) -> str:
    """``CountPerCustomer`` and ``Count per customer!`` are both ``count-per-customer``."""
    plain = _NOISE.sub("-", _CAMEL.sub("-", text).lower()).strip("-")
    for ending in _ENDINGS:
        plain = plain.removesuffix(ending)
    return plain


def readable_name(transformation: Transformation) -> str:
    """What an operator may be called: by the name it was given, by its function, else by what it is for.

    What it is for says its handle: the variable that holds it, and the call that makes it. A lambda says nothing.
    """
    function = (transformation.function or "").rpartition(".")[2].rpartition("$")[2]
    name = transformation.name if isinstance(transformation.name, str) else ""
    given = "" if name in DEFAULT_NAMES or name.removeprefix("Sink: ") in DEFAULT_NAMES else name
    variable, _, call = _PLACE.sub("", transformation.id.rpartition("/")[2]).rpartition(":")
    candidates = (given, function, f"{variable} {call}", transformation.operator or "", name, transformation.kind.value)
    return next((found for c in candidates if (found := slug(c)) and not _tells_nothing(found)), "operator")


def _tells_nothing(name: str) -> bool:
    return name.isdigit() or name in ("lambda", "function")


class Names:
    """Hands out uids that nothing in a topology has, nor the committers of its sinks."""

    def __init__(self, topology: Topology) -> None:
        self._taken = {t.uid for t in topology.operators() if isinstance(t.uid, str)}

    def give(self, transformation: Transformation, behind: Transformation | None = None) -> str:
        """A name for one operator; where it is taken, with what it reads in front, then with a number."""
        name = readable_name(transformation)
        if name in self._taken and behind is not None:
            name = f"{readable_name(behind)}-{name}"
        plain, number = name, 2
        while name in self._taken:
            name = f"{plain}-{number}"
            number += 1
        self._taken.add(name)
        return name
