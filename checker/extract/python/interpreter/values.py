"""What an expression of a script can be: a value of Python itself, something of Flink, a definition, or not known.

Values of Python (texts, numbers, collections, iterators, exceptions) are real ones, and its own functions work on them.
Everything else derives from ``Guarded``: who asks such a value for its text, length, order or elements gets an
``UnclearError`` instead of an answer about the object that stands for it here.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, TypeAlias

from checker.extract.interpreting.memory import MISSING
from checker.extract.python.interpreter.signals import UnclearError
from checker.model.unknowns import Cause, Location, Unknown

Value: TypeAlias = Any
"""A plain value, or one of the classes here or in ``streams.py``."""


class Guarded:
    """What is not a value of Python: its identity is known, everything else of it is not."""

    __slots__ = ()

    def reason(self) -> Unknown:
        """Why nothing more is known."""
        return Unknown("cannot tell what an object of the script looks like", Cause.OTHER)

    def _unclear(self, *others: Any) -> NoReturn:
        raise UnclearError(self.reason(), self)

    def __bool__(self) -> bool:
        return True

    __repr__ = __str__ = __format__ = __len__ = __iter__ = __getitem__ = __contains__ = __call__ = _unclear
    __lt__ = __le__ = __gt__ = __ge__ = __index__ = __int__ = __float__ = __reversed__ = __next__ = _unclear
    __add__ = __radd__ = __mul__ = __rmul__ = __mod__ = __rmod__ = __or__ = __ror__ = __and__ = __rand__ = _unclear
    __sub__ = __rsub__ = __xor__ = __rxor__ = __truediv__ = __floordiv__ = __pow__ = __neg__ = __abs__ = _unclear
    __setitem__ = __delitem__ = __enter__ = __exit__ = __copy__ = __deepcopy__ = __reduce_ex__ = _unclear


class Unequal(Guarded):
    """What may be equal to others in a way that is not known."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True if self is other else self._unclear()

    def __hash__(self) -> int:
        self._unclear()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Opaque(Unequal):
    """A value that is not known. Two with the same ``name`` are the same value in one run; empty = its own.

    ``derived_from`` describes how the program makes it (see ``descriptions.py``); empty where that is not known,
    None until it is asked for.
    """

    unknown: Unknown
    name: str = ""
    negated: bool = field(default=False, kw_only=True)
    """Whether it is the opposite of what ``name`` stands for."""
    derived_from: str | None = None
    parts: tuple[str | Opaque, ...] = ()
    """Of a text: the known and unknown texts that it is joined of."""
    holds: tuple[Value, ...] = ()
    """Of a file's content, or a part of it: what each of the files holds there that it may be."""
    kept_in: str = ""
    """The part of the file that this is, without what lies there."""
    name_of: Value = None
    """Of a text: the table whose name it is, which Flink makes up."""
    default: Value = None
    """Of an argument or variable: what it is where it is not given."""

    def reason(self) -> Unknown:
        """Why it is not known."""
        return self.unknown

    @property
    def symbol(self) -> str:
        """What stands for it in the name of a value that is made of it; empty without a name."""
        return f"not {self.name}" if self.negated and self.name else self.name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class External(Unequal):
    """Something imported from outside of the repository, by its dotted path, with the calls made on the way to it."""

    path: str
    arguments: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()
    called: bool = False
    before: External | None = None
    """The object that a method was called on, for builders."""

    def reason(self) -> Unknown:
        """Why nothing more is known."""
        return Unknown(f"{self.path} is not in the repository", Cause.EXTERNAL)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, External) and not (self.called or other.called):
            return self.path == other.path or (self.simple == other.simple and self._unclear())
        return self is other or (isinstance(other, Guarded) and self._unclear())

    def __hash__(self) -> int:
        return self._unclear() if self.called else hash(self.simple)

    @property
    def simple(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2]


@dataclass(slots=True)
class Scope:
    """Variables by name; reading looks outward past the bodies of classes, writing stays inside."""

    names: dict[str, Value]
    file: str
    outer: Scope | None = None
    of_class: bool = False
    comprehension: bool = False
    elsewhere: dict[str, Scope] = field(default_factory=dict)
    """Names declared ``global`` or ``nonlocal``, with the scope that they are written to."""
    stars: dict[str, External] = field(default_factory=dict)
    """Of a file: the modules from outside of the repository whose names it imports with ``*``."""

    def find(self, name: str) -> Scope | None:
        """The innermost scope that holds a name."""
        scope: Scope | None = self.elsewhere.get(name, self)
        while scope is not None and (name not in scope.names or (scope.of_class and scope is not self)):
            scope = scope.outer
        return scope

    def module(self) -> Scope:
        """The scope of the file."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope


@dataclass(slots=True, eq=False, repr=False)
class Function(Guarded):
    """A function or lambda of the repository with the variables it sees."""

    name: str
    arguments: ast.arguments
    body: list[ast.stmt]
    scope: Scope
    defaults: dict[str, Value] = field(default_factory=dict)
    bound: Value = None
    binds: str = "instance"
    """What a method is bound to: ``instance``, ``class``, ``nothing``; ``property`` is called when it is read."""
    owner: Class | None = None
    generator: bool = False


_MAKING = ("__init__", "__post_init__", "__new__", "__call__", "__enter__", "__exit__")
"""Special methods that are followed, or refused, where objects are made or used."""
_PLAIN_BASES = ("abc.", "typing.", "builtins.", "enum.")


@dataclass(slots=True, eq=False, repr=False)
class Class(Guarded):
    """A class of the repository: its bases, fields and methods."""

    name: str
    bases: tuple[Value, ...]
    node: ast.ClassDef
    members: dict[str, Value]
    scope: Scope
    fields: tuple[tuple[str, ast.expr | None], ...] | None = None
    """Fields of a dataclass with their defaults, in order; None for other classes."""
    generated: bool = False
    """A decorator or a metaclass may have added methods such as ``__lt__``."""

    def lineage(self) -> list[Value]:
        """The class and all above it, in the order in which Python looks for members (C3)."""
        pending = [base.lineage() if isinstance(base, Class) else [base] for base in self.bases] + [list(self.bases)]
        found: list[Value] = [self]
        while any(pending):
            heads = [bases[0] for bases in pending if bases]
            later = {_same_class(base) for bases in pending for base in bases[1:]}
            chosen = next((head for head in heads if _same_class(head) not in later), heads[0])
            found.append(chosen)
            pending = [[base for base in bases if _same_class(base) != _same_class(chosen)] for bases in pending]
        return found

    def ancestors(self) -> list[Class]:
        """Those of them that the repository holds."""
        return [ancestor for ancestor in self.lineage() if isinstance(ancestor, Class)]

    def foreign(self) -> Value:
        """The first base that the repository does not hold, None without one."""
        for ancestor in self.ancestors():
            for base in ancestor.bases:
                if not isinstance(base, Class):
                    return base
        return None

    def enumeration(self) -> External | None:
        """The class of ``enum`` above it; None where it is not an enumeration."""
        above = (base for ancestor in self.ancestors() for base in ancestor.bases if isinstance(base, External))
        return next((base for base in above if base.path.startswith("enum.")), None)

    def member(self, name: str) -> Value:
        """A member by name, its own or inherited; MISSING without one."""
        for ancestor in self.ancestors():
            if name in ancestor.members:
                return ancestor.members[name]
        return MISSING

    def special(self) -> list[Function]:
        """Methods that Python calls of its own accord when it looks at an object."""
        members = {name: member for above in self.ancestors() for name, member in above.members.items()}
        special = (member for name, member in members.items() if name.startswith("__") and name not in _MAKING)
        return [member for member in special if isinstance(member, Function)]

    def plain(self, *methods: str) -> bool:
        """Whether objects certainly have none of Python's special methods but those of every object."""
        bases = (base for above in self.ancestors() for base in above.bases if not isinstance(base, Class))
        known = all(isinstance(base, External) and base.path.startswith(_PLAIN_BASES) for base in bases)
        return known and not self.generated and all(self.member(method) is MISSING for method in methods)

    def constants(self) -> list[Value] | None:
        """The members of an enumeration in order, without aliases; None for other classes."""
        if self.enumeration() is None:
            return None
        constants = [member for member in self.members.values() if isinstance(member, Instance) and member.of is self]
        return list({id(constant): constant for constant in constants}.values())


def _same_class(base: Value) -> str | int:
    """What two references to one class share."""
    return base.path if isinstance(base, External) and not base.called else id(base)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Decorated(Unequal):
    """A function or class behind a decorator that is not known."""

    inner: Value
    unknown: Unknown


@dataclass(slots=True, eq=False, repr=False)
class Instance(Guarded):
    """An object of a class of the repository."""

    of: Class
    attributes: dict[str, Value] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.of.plain("__bool__", "__len__") or self._unclear()

    def __eq__(self, other: object) -> bool:
        self._must_be_itself()
        return True if self is other else NotImplemented

    def __hash__(self) -> int:
        self._must_be_itself()
        return object.__hash__(self)

    def _must_be_itself(self) -> None:
        """Raises UnclearError where the object may be equal to others."""
        fields = any(above.fields is not None for above in self.of.ancestors())
        if fields or not self.of.plain("__eq__"):
            self._unclear()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Super(Guarded):
    """``super()``: members of the classes above one."""

    this: Value
    above: tuple[Class, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bound(Unequal):
    """A method of a Flink object, of a plain value or of a modelled library object, before it is called."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Module(Guarded):
    """A module or package of the repository: its variables, and the folder of the modules below it."""

    scope: Scope | None
    folder: str


@dataclass(frozen=True, slots=True, repr=False)
class FilePath(Guarded):
    """A ``pathlib.Path``, or an opened file of the repository."""

    path: str


@dataclass(slots=True, eq=False)
class Parsed:
    """The arguments of a command line by name: ``argparse.Namespace``."""

    values: dict[str, Value]
    open: Unknown | None = None
    """Why others may be there."""


@dataclass(slots=True)
class Arguments:
    """Positional and keyword arguments of a call."""

    positional: list[Value]
    keywords: dict[str, Value]

    def get(self, place: int, name: str, default: Value = None) -> Value:
        """An argument by place or name."""
        if name in self.keywords:
            return self.keywords[name]
        return self.positional[place] if place < len(self.positional) else default

    def all(self) -> list[Value]:
        """All values, by place and by name."""
        return [*self.positional, *self.keywords.values()]


def unknown(
    reason: str, cause: Cause = Cause.OTHER, at: Location | None = None, name: str = "", settled_by: str | None = None
) -> Opaque:
    """A value that is not known, for a reason."""
    return Opaque(Unknown(reason, cause, settled_by, at), name)


def looked_up(name: Value, what: str, at: Location) -> Opaque:
    """What code of the repository is found by a name that is not known."""
    why_not = f" ({name.unknown.reason})" if isinstance(name, Opaque) else ""
    settled = name.unknown.settled_by if isinstance(name, Opaque) else None
    return Opaque(Unknown(f"{what}{why_not}", Cause.REFLECTION, settled, at), derived_from="")


def first_opaque(*values: Value) -> Opaque | None:
    """The first value that is not known."""
    return next((value for value in values if isinstance(value, Opaque)), None)


def reason_of(opaque: Opaque) -> Unknown:
    """Why a value is not known, for a record of it."""
    return replace(opaque.unknown, derived_from=opaque.derived_from or None)


def why(value: Value, otherwise: str) -> Unknown:
    """Why a value is not known."""
    return value.unknown if isinstance(value, Opaque) else Unknown(otherwise, Cause.OTHER)


_TRUE = ("pyflink.common.Types.", "pyflink.common.typeinfo.Types.", "pyflink.common.Time.", "pyflink.common.time.Time.")
"""Paths of objects that have no truth value of their own."""


def truth(value: Value) -> bool | None:
    """The truth of a value, None where it is not known."""
    if isinstance(value, Instance):
        try:
            return bool(value)
        except UnclearError:
            return None
    if not isinstance(value, Guarded):
        return bool(value)
    if isinstance(value, External) and value.path.startswith(_TRUE):
        return True
    return None if isinstance(value, Opaque | External | Bound | Decorated) else True
