"""The bodies that values are written out of, and what was found on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from checker.extract.effort import Effort
from checker.extract.java.reached.wanted import Wanted
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import Node
from checker.model.program_code import Key

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
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The members that parameters are made of: they count where a parameter is read."""
