"""What code does with the members and entries of objects that lie in state: each is a place of its own.

Where it is in doubt what an object is, all places that it may be made of count as changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from checker.extract.python.reached.states.values import Value, Way, is_place, place, state_and_path
from checker.model.used_states import FOLD, READ, WRITE, PlaceUse


class KeptObjects:
    """The places that code of one function came by."""

    def __init__(self) -> None:
        self._places: dict[str, PlaceUse] = {}

    def of(self, states: set[str]) -> Mapping[str, PlaceUse]:
        """The places in what some states keep, by their paths."""
        found: dict[str, PlaceUse] = {}
        for name, use in self._places.items():
            state, path = state_and_path(name)
            if state in states:
                known = found.setdefault(path, PlaceUse())
                known.uses |= use.uses
                known.goes |= use.goes
                known.made |= use.made
        return found

    def read(self, made_of: frozenset[str]) -> None:
        """Something is done with a value."""
        for name in filter(is_place, made_of):
            self._at(name).uses.add(READ)

    def goes(self, value: Value, into: str) -> None:
        """A value comes to some part of an expression or a statement."""
        for name in value.places:
            self._at(name).goes.add(into)

    def set(self, of: Value, path: str, value: Value, text: str, way: Way) -> Way:
        """A member or an entry of an object is set; ``text`` says what to."""
        found = [f"{name}{path}" for name in of.places]
        for name in found:
            folds = any(_within(made, name) or _within(name, made) for made in filter(is_place, value.made_of))
            self._at(name).uses |= {WRITE, FOLD} if folds else {WRITE}
            self._at(name).made.add(f"{text} {sorted(way.tests)}")
        if len(found) == 1 and not path.endswith("[]"):
            way = way.holding(found[0], value.made_of)
        if not found and not of.objects:
            self.changed(of, text)
        return way

    def changed(self, value: Value, by: str) -> None:
        """Code that is not followed changes an object in place, or may do so; or another object replaces it."""
        for name in value.places or filter(is_place, value.made_of):
            self._at(name).uses |= {WRITE, FOLD}
            self._at(name).made.add(by)

    def replaced(self, state: str, value: Value, by: str) -> None:
        """A value is written to a state, which may be another object than the one that lay there."""
        if place(state) not in value.places:
            self.changed(Value(places=frozenset({place(state)})), by)

    def clear(self) -> None:
        """Forget all."""
        self._places.clear()

    def _at(self, name: str) -> PlaceUse:
        return self._places.setdefault(name, PlaceUse())


def _within(name: str, whole: str) -> bool:
    """Whether a place is another one, or lies in it."""
    return name == whole or (name.startswith(whole) and (whole[-1] == "\0" or name[len(whole)] in ".["))
