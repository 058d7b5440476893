"""Arguments and variables that a program asks for anew and can't do without: a start as before would end at once."""

from __future__ import annotations

from dataclasses import replace

from checker.extract import registry
from checker.model.account import Unmet
from checker.workflows.check.sides import Side

_MOST = 8
"""How many names are tried one by one."""


def unmet_values(base: Side, head: Side) -> Unmet | None:
    """The head's program is read once more, with what only it asks for not given: None where it comes to its job."""
    readings = (base.read, head.read)
    if head.entry is None or not all(read and read.topology and read.trace for read in readings):
        return None
    before, after = (read.trace.asked if read and read.trace else set() for read in readings)
    new = sorted(after - before)
    found = _without(head, new) if new else None
    if found is None or len(new) == 1 or len(new) > _MOST:
        return found
    single = [alone for name in new if (alone := _without(head, [name])) is not None]
    if not single:
        return found
    return replace(single[0], names=tuple(name for alone in single for name in alone.names))


def _without(head: Side, names: list[str]) -> Unmet | None:
    assert head.entry is not None
    read = registry.extract(head.files, replace(head.entry, unset=(*head.entry.unset, *names)))
    if read is None or read.topology is not None:
        return None
    return Unmet(names=tuple(names), reason=read.failure or "it ends", location=read.failure_location)
