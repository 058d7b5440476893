"""What code does with the members and entries of objects that lie in state: each is a place of its own.

Where it is in doubt what an object is, all places that it may be made of count as changed.
"""

from __future__ import annotations

import ast
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

    def read(self, depends_on: frozenset[str]) -> None:
        """Something is done with a value."""
        for name in filter(is_place, depends_on):
            self._at(name).uses.add(READ)

    def goes(self, value: Value, into: str, number: int = 0) -> None:
        """A value comes to some part of an expression or a statement."""
        for name in value.places:
            self._at(name).goes.add(f"{into} {number}")

    def set(self, of: Value, path: str, value: Value, by: ast.stmt | None, way: Way) -> Way:
        """A member or an entry of an object is set, by some assignment."""
        found = [f"{name}{path}" for name in of.places]
        for name in found:
            folds = any(_within(made, name) or _within(name, made) for made in filter(is_place, value.depends_on))
            self._at(name).uses |= {WRITE, FOLD} if folds else {WRITE}
            self._at(name).made.add(f"{_spelled(by)} {sorted(way.tests)}")
        if len(found) == 1 and not path.endswith("[]"):
            way = way.holding(found[0], value.depends_on)
        if not found and not of.objects:
            self.changed(of, by)
        return way

    def changed(self, value: Value, by: ast.AST | None) -> None:
        """Code that is not followed changes an object in place, or may do so; or another object replaces it."""
        for name in value.places or filter(is_place, value.depends_on):
            self._at(name).uses |= {WRITE, FOLD}
            self._at(name).made.add(_spelled(by))

    def replaced(self, state: str, value: Value) -> None:
        """A value is written to a state, which may be another object than the one that lay there."""
        if place(state) not in value.places:
            self.changed(Value(places=frozenset({place(state)})), None)

    def clear(self) -> None:
        """Forget all."""
        self._places.clear()

    def _at(self, name: str) -> PlaceUse:
        return self._places.setdefault(name, PlaceUse())


def _spelled(by: ast.AST | None) -> str:
    """What code gives what it sets, and how."""
    match by:
        case ast.AugAssign(op=op, value=value):
            return f"{type(op).__name__} {ast.unparse(value)}"
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return ast.unparse(value)
    return "" if by is None else ast.unparse(by)


def _within(name: str, whole: str) -> bool:
    """Whether a place is another one, or lies in it."""
    return name == whole or (name.startswith(whole) and (whole[-1] == "\0" or name[len(whole)] in ".["))
