"""The bodies that values are written out of, and what was found on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from checker.extract.effort import Effort
from checker.extract.java.reached.wanted import Wanted
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import Node
from checker.model.program_code import ELEMENT, Flow, Key
from checker.model.unknowns import Location

_POSITION: Final = re.compile(r"f?\d+")
_PASSED_ON: Final = re.compile(r"\$0|(\w+) =  \$0\.\1")
_FOLDED_ON: Final = re.compile(r"\$[01]|(\w+) =  \$[01]\.\1")
DEPTH: Final = 6
"""How deep calls are followed."""


@dataclass
class Found:
    """What was found so far on the way through one function."""

    wanted: Wanted | frozenset[str]
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    through: set[Key] = field(default_factory=set)
    fields: set[str] = field(default_factory=set)
    """Fields of the function that it reads."""
    effort: Effort = field(default_factory=Effort)
    open: frozenset[Key] = frozenset()
    """Methods that are being read, as code which makes elements for the function."""

    def flow(self, declared: Set[str], root: Key, line: int | None, at: Location | None) -> Flow:
        """What was found; ``declared`` are the names of all members and methods."""
        return Flow(
            root=root,
            line=line,
            at=at,
            fields=frozenset(self.fields),
            texts=frozenset(self.texts),
            names=frozenset(n for n in self.names if n in declared or n == ELEMENT or _POSITION.fullmatch(n)),
            through=frozenset(self.through),
        )

    def leave_out_passed_on(self, of_one_element: bool, folds: bool = False) -> None:
        """Forget the only element of a function, where it gives that as it is, and members that it takes over.

        What a function folds is of one key: it may take over either of the two.
        """
        if of_one_element or folds:
            passed_on = _FOLDED_ON if folds else _PASSED_ON
            self.texts = {text for text in self.texts if passed_on.fullmatch(text) is None}

    def leave_out_stores(self, parameters: list[str]) -> None:
        """Forget texts which only say that a wanted member is set to a parameter."""
        given = {written: written.partition(" =  ") for written in self.texts}
        self.texts.difference_update(
            written for written, (member, _, value) in given.items() if value in parameters and member in self.wanted
        )


@dataclass(frozen=True)
class Scope:
    """A body: its class, the texts that its parameters and ``this`` stand for, and what its variables are set to."""

    owner: ClassDecl
    parameters: Mapping[str, str]
    locals: Mapping[str, tuple[Node, ...]]
    depth: int = 0
    open: frozenset[str] = frozenset()
    """Local variables whose values are being written out."""
    known: Mapping[str, str] = field(default_factory=dict)
    """What some of these are set to before."""
    conditions: str = ""
    """Under which its call runs, where the body makes elements for its caller."""
    given: Mapping[str, tuple[Node, Scope]] = field(default_factory=dict)
    """The arguments that parameters stand for, with the scope of the call."""
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The members that parameters are made of: they count where a parameter is read."""

    def with_object_of(self, caller: Scope) -> Scope:
        """The same for a body that is called on the caller's own object."""
        this = {name: text for name, text in caller.parameters.items() if name == "this"}
        given = {name: argument for name, argument in caller.given.items() if name == "this"}
        return replace(self, parameters={**self.parameters, **this}, given={**self.given, **given})

    @cached_property
    def key(self) -> Hashable:
        """Equal to that of another scope only if both say the same, while both live."""
        given = (self.parameters, self.known, self.names)
        texts = tuple(tuple(sorted(of.items())) for of in given)
        return id(self.owner), id(self.locals), self.depth, self.open, self.conditions, texts


@dataclass(frozen=True, slots=True)
class _Written:
    """The text of a value, with what it depends on and the steps that it took."""

    scope: Scope
    text: str
    found: Found
    steps: int


class WrittenBefore:
    """Values that may stand for much code, written out once in each scope: variables and calls."""

    def __init__(self) -> None:
        self._known: dict[tuple[Node, Hashable], _Written] = {}

    def text_of(self, found: Found, node: Node, scope: Scope, write: Callable[[Found, Node, Scope], str]) -> str:
        """The text of a value; ``found`` notes what it depends on, and the steps as if it was written anew."""
        known = self._known.get((node, scope.key))
        if known is None:
            own, left = Found(found.wanted, effort=found.effort), found.effort.left
            known = _Written(scope, write(own, node, scope), own, left - found.effort.left)
            self._known[node, scope.key] = known
        else:
            found.effort.take(known.steps)
        found.names |= known.found.names
        found.through |= known.found.through
        found.fields |= known.found.fields
        return known.text
