"""States of one operator that trade the fields they are kept in: each restores, and is read as the other one was."""

from __future__ import annotations

from dataclasses import dataclass

from checker.compare.fit.states import type_changes
from checker.compare.fit.types import Fit
from checker.model.declared_state import StateDescriptor
from checker.model.topology import Transformation
from checker.model.unknowns import Unknown


@dataclass(frozen=True, slots=True)
class Traded:
    """A state before and after, and the one that was kept where the head keeps it."""

    before: StateDescriptor
    after: StateDescriptor
    kept_there: StateDescriptor


def traded_states(base: Transformation, head: Transformation) -> tuple[Traded, ...]:
    """The states that the head keeps in the field of another one of the base's.

    A field that is merely renamed is none of the head's: only where the field of before still keeps a state, the code
    that works on it meets another one.
    """
    if isinstance(base.state, Unknown) or isinstance(head.state, Unknown):
        return ()
    after = {state.name: state for state in head.state if isinstance(state.name, str)}
    places = {state.kept_in: state for state in base.state}
    still_used = {state.kept_in for state in head.state} - {None}
    found = []
    for old in base.state:
        new = after.get(old.name) if isinstance(old.name, str) else None
        there = places.get(new.kept_in) if new is not None and new.kept_in is not None else None
        if new is None or there is None or old.kept_in not in still_used:
            continue
        if there.name != old.name and new.kept_in != old.kept_in and _alike(old, there):
            found.append(Traded(old, new, there))
    return tuple(found)


def _alike(state: StateDescriptor, kept_there: StateDescriptor) -> bool:
    """Whether code that works on one state can work on the other: else it fails, and no wrong value is read."""
    fits = (change.fit.fit is Fit.SAME for change in type_changes(state, kept_there))
    return state.kind == kept_there.kind and all(fits)
