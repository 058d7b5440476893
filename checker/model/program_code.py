"""The code that a pipeline's program can reach, as an account of edits needs it: declarations and their statements."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from checker.model.nested import gathered
from checker.model.unknowns import Location

Key = tuple[str, str]
"""A declaration: qualified name of its class, and its own name with the types of its parameters."""


class Part(StrEnum):
    """What a declaration is."""

    HEADER = "header"
    """A class' own line: modifiers, annotations, type parameters, super types, a record's components."""
    FIELD = "field"
    CONSTANT = "constant"
    """The constants of an enum."""
    METHOD = "method"
    INITIALIZER = "initializer"
    MODULE = "module"
    """Statements of a script outside of all functions."""


class Role(StrEnum):
    """What the class of a declaration is to Flink, as far as its supertypes show."""

    FUNCTION = "function"
    """A class that Flink calls: only in the job graph, its fields never lie in state."""
    SERIALIZER = "serializer"
    """It decides how state is written: serializers, type information, their factories and snapshots."""
    KEY_SELECTOR = "key-selector"
    TRANSACTIONS = "transactions"
    """A two-phase commit sink: its transactions lie in state."""
    DATA = "data"


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """A field, a method, a class' header."""

    key: Key
    part: Part
    location: Location
    written: Callable[[], str] = field(repr=False, compare=False)
    """Reads ``tokens`` on demand: most declarations are never asked for them."""
    names: frozenset[str]
    """Identifiers that it mentions."""
    strings: frozenset[str] = frozenset()
    """Texts that it mentions."""
    static: bool = False
    accessor: bool = False
    """A getter, setter or constructor: what decides whether its class is a POJO."""
    identity: bool = False
    """``hashCode``, ``equals`` or ``compareTo``."""
    private: bool = False
    """A method that only code of its file can call."""
    pickled: Pickled | None = None
    """For what declares a script's class: what decides whether Python unpickles an old object of it."""

    @cached_property
    def tokens(self) -> str:
        """Its code without comments and layout, imported names in full: only ever compared as a whole."""
        return self.written()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pickled:
    """How Python pickles objects of a class."""

    written_as: str
    """Bases, decorators, slots, the order of a named tuple, own methods that pickle: nothing of that may differ."""
    attributes: frozenset[str] = frozenset()
    """What it declares or ``__init__`` sets, members of an enum with their values: an old pickle has them all."""
    required: frozenset[str] = frozenset()
    """Declared fields without a default."""

    def unpickles(self, old: Pickled) -> bool:
        """Whether an object that was pickled when the class was another one still is one."""
        same = self.written_as == old.written_as
        return same and old.attributes <= self.attributes and self.required <= old.attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement without the statements inside of it."""

    code: str
    """Its code, local variables numbered: only ever compared as a whole."""
    location: Location
    end_line: int
    names: frozenset[str]
    qualified: frozenset[str]
    """Names of imported things in full."""
    executed: bool
    """It was followed while the graph was built."""
    gap: bool
    """It calls something that was not followed."""
    looks_up: bool
    """It looks for code by name (reflection, service loaders)."""
    deferred: bool
    """It stands in a lambda or a class inside of the declaration."""
    logs: bool
    in_key: bool = False
    """It stands inside of an argument that chooses keys."""
    touches_state: bool = False
    """It mentions what Flink's API has for registering state."""
    builds_graph: bool = False
    """It mentions what Flink's API has for building graphs."""
    key_names: frozenset[str] = frozenset()
    """Identifiers in the arguments of its calls that choose keys (``keyBy``)."""
    given: frozenset[str] = frozenset()
    """What it gives to calls that may choose keys, change the type of elements, or run: lambdas, objects, types."""
    settings: bool = False
    """It configures by which serializers state is written."""
    registers: tuple[int, ...] = ()
    """Lines on which it makes descriptors of state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """A declaration looked at closely."""

    normal: str
    """Its code with local variables numbered: equal where only they were renamed."""
    statements: tuple[Statement, ...]

    @property
    def executed(self) -> bool:
        """Whether any of its code was followed."""
        return any(s.executed and not s.deferred for s in self.statements)


class ReachedCode(ABC):
    """The code that programs can reach in one revision, whatever each of them follows of it."""

    state_names: frozenset[str]
    """Names of Flink's API that code mentions where it registers state."""
    key_calls: frozenset[str]
    """Calls whose arguments choose keys."""

    @property
    @abstractmethod
    def declarations(self) -> Mapping[Key, Declaration]:
        """Everything that can be reached."""

    @cached_property
    def owners(self) -> frozenset[str]:
        """Qualified names of all classes that it can reach, and of scripts."""
        return frozenset(self.by_owner)

    @cached_property
    def by_owner(self) -> Mapping[str, Sequence[Key]]:
        """The declarations of each class, in order."""
        return gathered((key[0], key) for key in self.declarations)

    @cached_property
    def names(self) -> frozenset[str]:
        """All identifiers that it mentions."""
        return frozenset().union(*(d.names for d in self.declarations.values()))

    @property
    @abstractmethod
    def deciding(self) -> frozenset[Key]:
        """Declarations that by the names they mention build a graph, register state, choose keys or set serializers."""

    def named(self, simple: str) -> Sequence[str]:
        """The classes with a simple name."""
        return self._by_simple_name.get(simple, ())

    @cached_property
    def _by_simple_name(self) -> Mapping[str, list[str]]:
        return gathered((simple_name(owner), owner) for owner in self.by_owner)

    @cached_property
    def below(self) -> Mapping[str, Sequence[str]]:
        """The classes below each class, by its simple name."""
        return gathered(
            (name, owner) for owner in sorted(self.owners) for name in self.ancestors(owner) - {simple_name(owner)}
        )

    def imported(self, words: AbstractSet[str]) -> Iterator[str]:
        """The full names, of what is imported or is written so, whose last part is among some words."""
        for declaration in self.declarations.values():
            if not declaration.names.isdisjoint(words):
                yield from (name for name in _IN_FULL.findall(declaration.tokens) if simple_name(name) in words)

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[Key]]:
        """The declarations by each name that they declare, without parameters."""
        return gathered((name, key) for key in self.declarations for name in method_name(key).split(","))

    @abstractmethod
    def unfollowed_detail(self, key: Key) -> Detail:
        """A declaration looked at closely, as it is where a program follows none of it. Raises KeyError."""

    @abstractmethod
    def role(self, owner: str) -> Role:
        """What a class is to Flink."""

    @abstractmethod
    def ancestors(self, owner: str) -> frozenset[str]:
        """Simple names of a class' super types, its own name included."""


class ProgramCode(ABC):
    """The code of one pipeline at one revision: what it reaches, with what was followed of it."""

    def __init__(self, reached: ReachedCode) -> None:
        self.reached = reached
        self._details: dict[Key, Detail] = {}

    @cached_property
    @abstractmethod
    def followed(self) -> tuple[Statement, ...]:
        """The statements that were followed."""

    @cached_property
    @abstractmethod
    def unfollowed(self) -> tuple[Statement, ...]:
        """The statements that call something that was not followed."""

    @cached_property
    def executed_names(self) -> frozenset[str]:
        """Identifiers in statements that were followed."""
        return frozenset(name for s in self.followed for name in s.names)

    @cached_property
    def gaps(self) -> frozenset[str]:
        """Identifiers in statements that call something that was not followed."""
        return frozenset(name for s in self.unfollowed for name in s.names)

    @property
    @abstractmethod
    def executed(self) -> frozenset[Key]:
        """The declarations of which anything was followed while the graph was built."""

    @cached_property
    def libraries(self) -> frozenset[str]:
        """Qualified names in statements that call something that was not followed."""
        return frozenset(name for s in self.unfollowed for name in s.qualified)

    def has_class(self, owner: str) -> bool:
        """Whether the revision has a class, though the program may not reach it."""
        return owner in self.reached.owners

    def detail(self, key: Key) -> Detail:
        """A declaration looked at closely. Raises KeyError."""
        found = self._details.get(key)
        if found is None:
            found = self._details[key] = self.looked_at(key)
        return found

    @abstractmethod
    def looked_at(self, key: Key) -> Detail:
        """The same, looked at anew."""


_IN_FULL = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+")


def simple_name(name: str) -> str:
    """``Key`` of ``com.acme.Orders$Key``."""
    return name.rstrip(".$").replace("$", ".").rpartition(".")[2]


def method_name(key: Key) -> str:
    """The name of a declaration without the types of its parameters."""
    return key[1].partition("(")[0]
