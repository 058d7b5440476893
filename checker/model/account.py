"""The account of a change: every edit that a pipeline's program can reach, and what explains it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from checker.model.unknowns import Location


class Explanation(StrEnum):
    """What became of an edit."""

    COMPARED = "compared"
    """It is part of what was compared: operators, ids, states, types, keys. Their findings say what it does."""
    WITHOUT_EFFECT = "without-effect"
    """It has no effect on restored state, for a reason that is stated."""
    NOT_UNDERSTOOD = "not-understood"
    """Not known: the pipeline is undecided."""


class Why(StrEnum):
    """The reason of an explanation. Rules react to it, people read the sentence."""

    FOLLOWED = "followed"
    STATE_READ = "state-read"
    CLASS_READ = "class-read"
    RESOURCE_READ = "resource-read"
    READ_AS_A_WHOLE = "read-as-a-whole"
    VERSION_READ = "version-read"
    KEY_READ = "key-read"
    NOT_TAKEN = "not-taken"
    NOT_CALLED = "not-called"
    RENAMED_LOCAL = "renamed-local"
    MOVED = "moved"
    NEW_CLASS = "new-class"
    LOGS = "logs"
    PROCESSES_RECORDS = "processes-records"
    IN_NO_STATE = "in-no-state"
    ALL_KNOWN = "all-known"
    FIELD_OF_FUNCTION = "field-of-function"
    STATIC_FIELD = "static-field"
    BUILD_ONLY = "build-only"
    UNRELATED_DEPENDENCY = "unrelated-dependency"
    UNRELATED_KEY = "unrelated-key"
    LOGGING_CONFIGURATION = "logging-configuration"
    CALL_NOT_FOLLOWED = "call-not-followed"
    GRAPH_NOT_FOLLOWED = "graph-not-followed"
    STATE_NOT_READ = "state-not-read"
    KEY_NOT_READ = "key-not-read"
    SERIALIZER = "serializer"
    MAY_LIE_IN_STATE = "may-lie-in-state"
    RESOURCE_NOT_READ = "resource-not-read"
    SCHEMA = "schema"
    DEPENDENCY = "dependency"
    CONFIGURATION = "configuration"
    UNREADABLE = "unreadable"
    PIPELINE_UNREADABLE = "pipeline-unreadable"


class Thing(StrEnum):
    """What was edited."""

    DECLARATION = "declaration"
    STATEMENT = "statement"
    RESOURCE = "resource"
    SCHEMA = "schema"
    BUILD = "build"
    CONFIGURATION = "configuration"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One edit with its explanation. A place is None on the side that does not have the thing."""

    thing: Thing
    name: str
    """What was edited: ``com.acme.Dedup.open``, a dependency, a key."""
    base: Location | None
    head: Location | None
    explanation: Explanation
    why: Why
    reason: str
    """A clause that completes "not understood: …" and the like."""
    settled_by: str | None = None

    @property
    def location(self) -> Location | None:
        """Where to look first."""
        return self.head or self.base


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildUse:
    """What edits of build files are judged by: with it, others are explained where nothing else changed."""

    folders: frozenset[str]
    """Folders of the code that the program can reach, each with a slash at its end."""
    libraries: frozenset[str]
    """Qualified names in code that was not followed, except for those of the program's own classes."""
    connectors: frozenset[str]
    """The families of connectors that it uses, in small letters."""
    elements_read: bool
    polymorphic: bool
    versions_read: bool
    all_known: bool
    one_program: bool
    """Whether it makes no difference that an edit leaves the program the same: nothing in it is open otherwise."""


_SAME_PROGRAM = frozenset({Why.LOGS, Why.BUILD_ONLY, Why.LOGGING_CONFIGURATION, Why.RENAMED_LOCAL})


def same_program(reasons: Iterable[str]) -> bool:
    """Whether edits that are explained by such reasons change nothing that a program computes."""
    return all(reason in _SAME_PROGRAM for reason in reasons)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmet:
    """Arguments and variables that the head's program asks for anew, and can't do without."""

    names: tuple[str, ...]
    reason: str
    """How a start without them ends."""
    location: Location | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """All edits that one pipeline can reach."""

    edits: tuple[Edit, ...] = ()
    builds: BuildUse | None = None
    """None where more than these edits depends on build files."""
    unmet: Unmet | None = None

    @property
    def not_understood(self) -> tuple[Edit, ...]:
        """The edits that leave the pipeline undecided."""
        return tuple(e for e in self.edits if e.explanation is Explanation.NOT_UNDERSTOOD)

    @property
    def without_effect(self) -> bool:
        """No edit that the pipeline can reach has an effect on restored state."""
        return all(e.explanation is Explanation.WITHOUT_EFFECT for e in self.edits)

    @property
    def leaves_program(self) -> bool:
        """Both revisions hold one program: no edit that it can reach changes anything that it computes."""
        return same_program(e.why for e in self.edits)

    def count(self, explanation: Explanation) -> int:
        """How many edits have an explanation."""
        return sum(e.explanation is explanation for e in self.edits)
