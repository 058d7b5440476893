"""The code that a pipeline's program can reach, as an account of edits needs it: declarations and their statements."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final

from checker.model.gathered import gathered
from checker.model.unknowns import Location

Key = tuple[str, str]
"""A declaration: qualified name of its class, and its own name with the types of its parameters."""
STATE_FIELD: Final = re.compile(r"^[^<=(]*\b(?:Value|List|Map|Reducing|Aggregating|Broadcast)State\b")
"""How a field for a state begins."""
_STATE_CALLS: Final = frozenset(
    {"getState", "getListState", "getMapState", "getReducingState", "getAggregatingState", "getUnionListState",
     "getBroadcastState"}
)  # fmt: skip


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

    @cached_property
    def tokens(self) -> str:
        """Its text without comments and layout, imported names in full."""
        return self.written()


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement without the statements inside of it. Local variables are numbered in ``tokens``."""

    tokens: str
    location: Location
    names: frozenset[str]
    end_line: int
    executed: bool
    """It was followed while the graph was built."""
    calls: frozenset[str] = frozenset()
    """Names of the methods and functions that it calls itself, those of lambdas left out."""
    of_libraries: frozenset[str] = frozenset()
    """The calls that libraries answered whenever they were followed."""
    gap: bool = False
    """It calls something that was not followed."""
    looks_up: bool = False
    """It looks for code by name (reflection, service loaders)."""
    elements: frozenset[str] = frozenset()
    """Names that may be classes of elements: type arguments, class literals, what lambdas make."""
    place: int = -1
    """Where it begins in its file."""
    depth: int = 0
    """How many statements of its declaration are around it."""
    deferred: bool = False
    """It stands in a lambda or a class inside of the declaration."""
    keys: tuple[str, ...] = ()
    """The arguments of its calls that choose keys (``keyBy``)."""
    typed: tuple[str, ...] = ()
    """Its arguments that can change the type of elements: lambdas, objects, type information."""
    in_key: bool = False
    """It stands inside of an argument that chooses keys."""
    logs: bool = False
    touches_state: bool = False
    """It mentions what Flink's API has for registering state."""
    serializes: bool = False
    """It configures by which serializers state is written."""
    builds_graph: bool = False
    """It mentions what Flink's API has for building graphs."""
    registers: tuple[int, ...] = ()
    """Lines on which it makes descriptors of state."""
    asks_for_state: bool = False
    """It calls what registers a state."""
    guards: tuple[str, ...] = ()
    """For one that does: the conditions under which it runs, and what may end its declaration before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """A declaration looked at closely."""

    normal: str
    """Its tokens with local variables numbered: equal where only they were renamed."""
    statements: tuple[Statement, ...]
    executed: bool
    """Any of its code was followed."""


ANONYMOUS = "anonymous"
"""What the class is called of a function that has no name."""
ELEMENT = "element"
"""Stands for a plain value that is an element itself, where members of elements are named."""
WHOLE = "all members"
"""Stands for every member of an element."""
FILE = "<file>"
"""The name of a whole file that is no code, where it stands beside declarations; its path is the owner."""


class ProgramCode(ABC):
    """The code of one pipeline at one revision."""

    def __init__(self) -> None:
        self._details: dict[Key, Detail] = {}

    @property
    @abstractmethod
    def declarations(self) -> Mapping[Key, Declaration]:
        """Everything that the program can reach."""

    @cached_property
    @abstractmethod
    def followed(self) -> tuple[Statement, ...]:
        """The statements that were followed."""

    @cached_property
    @abstractmethod
    def unfollowed(self) -> tuple[Statement, ...]:
        """The statements that call something that was not followed."""

    @cached_property
    def owners(self) -> frozenset[str]:
        """Qualified names of all classes that it can reach, and of scripts."""
        return frozenset(self.by_owner)

    @cached_property
    def by_owner(self) -> Mapping[str, Sequence[Key]]:
        """The declarations of each class, in order."""
        return gathered((key[0], key) for key in self.declarations)

    def named(self, simple: str) -> Sequence[str]:
        """The classes with a simple name."""
        return self._by_simple_name.get(simple, ())

    @cached_property
    def _by_simple_name(self) -> Mapping[str, list[str]]:
        return gathered((simple_name(owner), owner) for owner in self.by_owner)

    @cached_property
    def state_holders(self) -> Mapping[str, str]:
        """The classes of objects that functions may keep states in, by their simple names: none that Flink calls."""
        data = (owner for owner in sorted(self.owners) if self.role(owner) is Role.DATA)
        return {simple_name(owner): owner for owner in data if any(map(self._keeps, self.by_owner[owner]))}

    def _keeps(self, key: Key) -> bool:
        declaration = self.declarations[key]
        of_state = declaration.part is Part.FIELD and STATE_FIELD.match(declaration.tokens) is not None
        return of_state or not declaration.names.isdisjoint(_STATE_CALLS)

    @cached_property
    def names(self) -> frozenset[str]:
        """All identifiers that it mentions."""
        return frozenset().union(*(d.names for d in self.declarations.values()))

    @cached_property
    def executed_names(self) -> frozenset[str]:
        """Identifiers in statements that were followed."""
        return frozenset(name for s in self.followed for name in s.names)

    @cached_property
    def executed_elements(self) -> frozenset[str]:
        """Names in followed statements that may be classes of elements."""
        return frozenset(name for s in self.followed for name in s.elements)

    @cached_property
    def executed_calls(self) -> frozenset[str]:
        """Names of methods and functions that followed statements call, those of libraries left out."""
        return frozenset(name for s in self.followed for name in s.calls - s.of_libraries)

    @cached_property
    def gaps(self) -> frozenset[str]:
        """Identifiers in statements that call something that was not followed."""
        return frozenset(name for s in self.unfollowed for name in s.names)

    @property
    @abstractmethod
    def libraries(self) -> frozenset[str]:
        """Qualified names in those statements."""

    @property
    @abstractmethod
    def state_code(self) -> frozenset[Key]:
        """Declarations that register state, and those that they use."""

    @property
    @abstractmethod
    def key_code(self) -> frozenset[Key]:
        """Declarations that key selectors use."""

    @property
    @abstractmethod
    def names_in_keys(self) -> frozenset[str]:
        """Names in the arguments of calls that choose keys."""

    def has_class(self, owner: str) -> bool:
        """Whether the revision has a class, though the program may not reach it."""
        return owner in self.owners

    def detail(self, key: Key) -> Detail:
        """A declaration looked at closely. Raises KeyError."""
        found = self._details.get(key)
        if found is None:
            found = self._details[key] = self.looked_at(key)
        return found

    @abstractmethod
    def looked_at(self, key: Key) -> Detail:
        """The same, looked at anew."""

    @abstractmethod
    def role(self, owner: str) -> Role:
        """What a class is to Flink."""

    @abstractmethod
    def ancestors(self, owner: str) -> frozenset[str]:
        """Simple names of a class' super types, its own name included."""


def simple_name(name: str) -> str:
    """``Key`` of ``com.acme.Orders$Key``."""
    return name.rstrip(".$").replace("$", ".").rpartition(".")[2]


def method_name(key: Key) -> str:
    """The name of a declaration without the types of its parameters."""
    return key[1].partition("(")[0]


def by_method(keys: Iterable[Key]) -> dict[str, list[Key]]:
    """Declarations by their names without parameters."""
    return gathered((method_name(key), key) for key in keys)
