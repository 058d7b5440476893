"""Values that an extractor could not determine, and places in source files."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeVar, Union


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a source file: repository-relative path with ``/``, line and column counted from 1."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Cause(StrEnum):
    """Why an extractor could not determine a value. Rules react to some of these; the reason is for people."""

    ARGUMENT = "argument"
    """A program argument or configuration key that was not given."""
    NON_DETERMINISTIC = "non-deterministic"
    """The program computes a different value in every run: UUID, clock, random, counter, identity hash code."""
    COLLECTION = "collection"
    """A loop or stream over a collection whose elements are not known from the source."""
    CONNECTOR = "connector"
    """A class outside of the repository that the connector tables don't know."""
    EXTERNAL = "external"
    """Code outside of the repository decides (a library call)."""
    REFLECTION = "reflection"
    """Code that is looked up by name when the program runs: any class of the repository can decide."""
    BRANCH = "branch"
    """A condition that can't be evaluated, with more shapes behind it than are followed."""
    SYNTAX = "syntax"
    """The source file does not parse there."""
    LIMIT = "limit"
    """A bound on depth, size or time was reached."""
    UNSUPPORTED = "unsupported"
    """Understood, but not something the tool can translate."""
    OTHER = "other"


_FILE = "savepoint-checker.toml"
_WITH = f"needs build or jars, and parallelism, under [[pipeline]] in {_FILE}"
_HANDLES = {
    "args": f"args under [[pipeline]] in {_FILE}",
    "--parallelism": f"--parallelism N, or parallelism in {_FILE}",
    "--allow-exec": f"--allow-exec ({_WITH})",
    "[[deployment]]": f"a [[deployment]] in {_FILE} that says how it is started",
}


def settle(settled_by: str | None, before: str = "; ") -> str:
    """``; settle it with …``, on a command line or, as hooks have none, in the configuration; nothing without."""
    if not settled_by:
        return ""
    values = f", or values in {_FILE}" if settled_by.startswith("--arg ") else ""
    return f"{before}settle it with {_HANDLES.get(settled_by, settled_by)}{values}"


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that an extractor could not determine. It is never guessed; everything that depends on it is undecided.

    ``reason`` is a sentence for people. ``settled_by`` names what would settle it (``--arg KEY=VALUE``, a
    configuration key). ``options`` lists all values it can have, where they are known to be few. ``derived_from`` says
    what the program computes it from, as far as that is known: two unknowns are one value only if it is equal.
    """

    reason: str
    cause: Cause = Cause.OTHER
    settled_by: str | None = None
    location: Location | None = None
    options: tuple[str | int | bool | None, ...] = ()
    derived_from: str | None = None

    @property
    def subject(self) -> str:
        """What is unknown, for ``it depends on …``."""
        return self.reason.removeprefix(_CANNOT_TELL).removeprefix(_NOT_GIVEN)

    @property
    def bounded(self) -> bool:
        """Whether all that it is made of is in ``derived_from``: no other code decides what it is."""
        return (self.derived_from or "").startswith(OF_TABLES)

    @property
    def argument(self) -> str | None:
        """The argument, or the key of the configuration, that would settle it."""
        settled = self.settled_by or ""
        return settled.removeprefix(_ARG).rpartition("=")[0] or None if settled.startswith(_ARG) else None


_CANNOT_TELL, _NOT_GIVEN = "cannot tell ", "no value is given for "
_ARG = "--arg "


def given_by(name: str) -> str:
    """``Unknown.settled_by`` of a value that an argument, or a key of the configuration, gives."""
    return f"{_ARG}{name}=VALUE"


def not_given(what: str, settled_by: str, location: Location | None = None) -> Unknown:
    """A value that only whoever starts the program can give: an argument, a variable, the parallelism."""
    return Unknown(f"{_NOT_GIVEN}{what}", Cause.ARGUMENT, settled_by, location)


CODE = "code "
"""How a digest of code begins in ``Unknown.derived_from``, where it is not an expression."""

OF_ENVIRONMENT = "the environment's "
"""How it begins for what an environment gives to all operators: one value, whatever it is made of."""

OF_TABLES = "of tables "
"""How ``Unknown.derived_from`` begins where Flink's planner makes it: all that the planner is given follows."""

BY_DEPLOYMENT, PROCESSORS = "the deployment", "the machine's processors"
"""``Unknown.derived_from`` where the deployment, or the machine that it finds, decides and not the program."""

NAMED_ANEW = "a random name of PyFlink"
"""``Unknown.derived_from`` of names that PyFlink gives states when a task starts: no edit changes these."""

T = TypeVar("T")


Maybe: TypeAlias = Union[T, Unknown]  # noqa: UP007 - a generic alias needs Union on 3.11
"""A value, or the reason why there is none."""
