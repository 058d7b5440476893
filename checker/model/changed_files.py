"""Files that differ between two revisions, as far as they can concern a pipeline without being its code."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FileKind(StrEnum):
    """What a file is to a program."""

    CODE = "code"
    """Source in the pipeline's own language: accounted for declaration by declaration."""
    FOREIGN = "foreign"
    """Source in another language."""
    BUILD = "build"
    DEPLOYMENT = "deployment"
    """Configuration that a cluster starts the job with."""
    SCHEMA = "schema"
    """Classes are generated from it: Avro, Protobuf, Thrift."""
    SERVICE = "service"
    """``META-INF/services``."""
    LOGGING = "logging"
    RESOURCE = "resource"
    """Anything that a program may read when it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Releases of a library from ``at`` on, up to ``until``, do not read what those before ``at`` wrote."""

    at: str
    until: str | None = None
    source: str
    """Where that is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A release of a library that holds state, as far as it is known whether releases read what others wrote."""

    name: str
    release: str
    packages: tuple[str, ...] = ()
    """Where its classes are."""
    reads: str | None = None
    """Where it is written that each release reads what earlier ones wrote; None where that is not known."""
    breaks: tuple[Break, ...] = ()
    notes: str = ""
    """What to look up."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a file says: a dependency, a key with its value. ``key`` names it, ``line`` counts from 1."""

    key: str
    value: str
    line: int
    build_only: bool = False
    """Whether no program is given it: plugins and extensions of the build, dependencies of tests."""
    library: Library | None = None
    """For builds: the library that it names, where that is one that is known to hold state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """One file that is not the same in both revisions; None for the side that does not have it."""

    path: str
    kind: FileKind
    base: tuple[Entry, ...] | None
    head: tuple[Entry, ...] | None
    unreadable: str | None = None
    """Why its content could not be looked at."""
    names: frozenset[str] = frozenset()
    """Classes that it declares, for schemas."""
