"""What is known at one point of a script's function: what its variables are made of, and what its states hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from checker.extract.python.reached.bindings import FunctionNode

_NO_NAMES: frozenset[str] = frozenset()
_WITHIN: Final = "\0"
_DEEPEST: Final = 5
"""How many members deep the places inside of objects are told apart."""


def place(state: str, path: str = "") -> str:
    """The name of a place inside of what a state keeps: ``path`` are members and entries, as code writes them."""
    return f"{state}{_WITHIN}{path}"


def state_and_path(name: str) -> tuple[str, str]:
    """A place's state, and where it is in what that keeps."""
    state, _, path = name.partition(_WITHIN)
    return state, path


def is_place(name: str) -> bool:
    """Whether a name is one of a place, and not of a state."""
    return _WITHIN in name


@dataclass(frozen=True, slots=True)
class Value:
    """A value, as far as it may have to do with states. A state is named by the call that asks for it."""

    depends_on: frozenset[str] = _NO_NAMES
    """The states whose contents it may depend on, and the places in these."""
    places: frozenset[str] = _NO_NAMES
    """The places that it may be. They are in ``depends_on``, too: as it stands for all that lies there."""
    states: frozenset[str] = _NO_NAMES
    """The states that it may be."""
    several: bool = False
    """It may be one of several states, or a collection of some."""
    objects: frozenset[str] = _NO_NAMES
    """The classes of the program that it may be an object of."""
    read_of: str | None = None
    """The state whose whole content it is, and nothing else."""
    function: FunctionNode | None = None
    """The local function that it is."""
    as_was: frozenset[str] = _NO_NAMES
    """The states that it can only be the content of, or of an entry, as that lay there: or else it is fresh."""
    fresh: bool = False
    """It is made of constants only."""
    context: bool = False
    """It is what Flink gives a function with a record, or comes from there: timers are registered with it."""

    def joined(self, *values: Value) -> Value:
        """What may be any of some values, or is made of them."""
        together = (self, *values)
        states = _NO_NAMES.union(*(value.states for value in together))
        old = [value.as_was for value in together if not value.fresh]
        return Value(
            depends_on=_NO_NAMES.union(*(value.depends_on for value in together)),
            places=_NO_NAMES.union(*(value.places for value in together)),
            states=states,
            several=len(states) > 1 or any(value.several for value in together),
            objects=_NO_NAMES.union(*(value.objects for value in together)),
            read_of=self.read_of if all(value.read_of == self.read_of for value in values) else None,
            function=next((value.function for value in together if value.function is not None), None),
            as_was=old[0].intersection(*old) if old else _NO_NAMES,
            fresh=not old,
            context=any(value.context for value in together),
        )

    def and_of(self, states: frozenset[str]) -> Value:
        """The same, made of some states as well."""
        return self if states <= self.depends_on else replace(self, depends_on=self.depends_on | states)

    def inside(self) -> Value:
        """An element of it, or a collection that it is an element of."""
        if not (self.states or self.read_of or self.as_was or self.fresh or self.places or self.several):
            return self
        return replace(self, several=bool(self.states), read_of=None, as_was=_NO_NAMES, fresh=False, places=_NO_NAMES)

    def part(self, path: str, way: Way) -> Value:
        """A member or an element of it, as it is at some point."""
        found = self.inside()
        if found is self:
            return found
        deeper = frozenset(f"{name}{path}" for name in self.places if _depth(name) < _DEEPEST)
        if not deeper:
            return found
        made = _NO_NAMES.union(*(way.content(name) for name in deeper))
        return replace(found, depends_on=(self.depends_on - self.places) | made, places=deeper)

    @property
    def told_by(self) -> frozenset[str]:
        """What it is made of where only is looked at whether it is there."""
        return self.depends_on - self.places


def _depth(name: str) -> int:
    path = state_and_path(name)[1]
    return path.count(".") + path.count("[")


NOTHING = Value()
FRESH = Value(fresh=True)


@dataclass(frozen=True, slots=True)
class Way:
    """A point that code may come to."""

    variables: Mapping[str, Value] = field(default_factory=dict)
    contents: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What each state holds: the states of the beginning that this is made of. Itself, where none is named."""
    under: frozenset[str] = _NO_NAMES
    """The states that decide whether code comes here."""
    tests: frozenset[str] = _NO_NAMES
    """The conditions that do."""

    def content(self, state: str) -> frozenset[str]:
        """What a state holds."""
        return self.contents.get(state, frozenset({state}))

    def holding(self, state: str, content: frozenset[str]) -> Way:
        """The same with another content of a state."""
        return replace(self, contents={**self.contents, state: content})

    def setting(self, name: str, value: Value) -> Way:
        """The same with another value of a variable."""
        return replace(self, variables={**self.variables, name: value})

    def deciding(self, states: frozenset[str], *tests: str) -> Way:
        """The same under conditions that depend on some states."""
        return replace(self, under=self.under | states, tests=self.tests.union(tests))

    def decided_as(self, way: Way) -> Way:
        """The same under the conditions of another point."""
        return replace(self, under=way.under, tests=way.tests)


ANY: Final = ""
"""Stands for every attribute of an object."""


@dataclass
class Attributes:
    """What the objects of the program's classes have, at any time. The class that Flink calls is the empty text."""

    asked: Mapping[tuple[str, str], frozenset[str]]
    """The states that code asks for and gives to an attribute, for attributes that nothing is seen to be given to."""
    _values: dict[tuple[str, str], Value] = field(default_factory=dict)

    def give(self, owner: str, name: str, value: Value) -> None:
        """Note that an attribute may have a value."""
        value = replace(value, read_of=None)
        known = self._values.get((owner, name))
        self._values[owner, name] = value if known is None else known.joined(value)

    def value(self, owner: str, name: str) -> Value:
        """What an attribute may have."""
        states = self.asked.get((owner, name), _NO_NAMES)
        asked = Value(states=states, several=len(states) > 1)
        return self._values.get((owner, name), asked).joined(self._values.get((owner, ANY), NOTHING))

    def any_of(self, owner: str) -> Value:
        """What any attribute of an object may have."""
        names = {name for of_class, name in (*self.asked, *self._values) if of_class == owner}
        return NOTHING.joined(*(self.value(owner, name) for name in names))


def merged(*ways: Way | None) -> Way | None:
    """Where several ways meet; None where none leads on."""
    there = [way for way in ways if way is not None]
    if len(there) < 2:
        return there[0] if there else None
    names = {name for way in there for name in way.variables}
    states = {state for way in there for state in way.contents}
    return Way(
        {n: _either([way.variables[n] for way in there if n in way.variables]) for n in names},
        {state: _NO_NAMES.union(*(way.content(state) for way in there)) for state in states},
        _NO_NAMES.union(*(way.under for way in there)),
        _NO_NAMES.union(*(way.tests for way in there)),
    )


def _either(values: list[Value]) -> Value:
    first = values[0]
    return first if all(value == first for value in values) else first.joined(*values[1:])
