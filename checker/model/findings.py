"""Findings, verdicts and the report they add up to: what every output format renders and nothing else.

Suppressions of findings: always with a reason, optionally until a date.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from checker.model.stream_graph import NodeKey, StreamNode
from checker.model.topology import Transformation
from checker.model.translation import Identity
from checker.model.unknowns import Location


class Severity(StrEnum):
    """How much a finding weighs. Ordered: error > warning > info."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """3 for error down to 1 for info."""
        return {"error": 3, "warning": 2, "info": 1}[self.value]


class Verdict(StrEnum):
    """What happens to one operator's state on one restore path."""

    RESTORES = "restores"
    FAILS = "fails"
    DROPPED = "dropped"
    STARTS_EMPTY = "starts-empty"
    MISASSIGNED = "misassigned"
    UNDECIDED = "undecided"
    STATELESS = "stateless"
    """No state on either side: nothing to restore."""


class RestorePath(StrEnum):
    """How the new job gets its state."""

    SAVEPOINT = "savepoint"
    LAST_STATE = "last-state"
    """A checkpoint restored by high availability: any unclaimed entry fails."""


RESTORE_PATHS = tuple((path, allow) for path in RestorePath for allow in (False, True))
"""Every way to start: from a savepoint or by high availability, without and with ``--allowNonRestoredState``."""
DISTINCT_RESTORE_PATHS = tuple(way for way in RESTORE_PATHS if way != (RestorePath.LAST_STATE, True))
"""The same, once where Flink does not look at the flag."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSide:
    """One operator at one revision, as reports name it."""

    key: NodeKey
    name: str
    id: str | None
    """The generated operator id, None when undecided."""
    uid: str | None = None
    uid_hash: str | None = None
    vertex: str | None = None
    location: Location | None = None
    uid_location: Location | None = None

    @classmethod
    def of_node(cls, node: StreamNode, identity: Identity, vertex: str | None = None) -> OperatorSide:
        """A node of a stream graph; ``vertex`` is the name of the job vertex that runs it."""
        return cls(
            key=node.key,
            name=node.name,
            id=identity.generated,
            uid=node.uid if isinstance(node.uid, str) else None,
            uid_hash=identity.user,
            vertex=vertex,
            location=node.declared.location,
            uid_location=node.declared.uid_location,
        )

    @classmethod
    def of_declaration(cls, declared: Transformation, key: NodeKey | None = None) -> OperatorSide:
        """What the program declares, where there is no node for it."""
        return cls(
            key=key or NodeKey(declared.id),
            name=declared.display_name,
            id=None,
            uid=declared.uid if isinstance(declared.uid, str) else None,
            location=declared.location,
            uid_location=declared.uid_location,
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """One fact behind a finding. ``before`` and ``after`` are as people would write them, None = absent."""

    name: str
    before: str | None = None
    after: str | None = None


def stable_key(side: OperatorSide) -> str:
    """What an operator is called in fingerprints: its uid, else its handle. Never an id or a line."""
    return f"uid:{side.uid}" if side.uid is not None else str(side.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One thing a rule saw.

    ``operator_key`` is what makes it the same finding tomorrow: a uid, a name or a handle, never a line or a
    generated id. ``followers`` are operators that moved for the same cause.
    """

    message: str
    operator_key: str = ""
    """Where not given: of the operator in the head, else in the base."""
    base: OperatorSide | None = None
    head: OperatorSide | None = None
    evidence: tuple[Evidence, ...] = ()
    followers: tuple[OperatorSide, ...] = ()
    repair: str | None = None
    """What to do about it: a sentence, or lines of source to copy."""
    location: Location | None = None
    at_most: Severity | None = None
    """The highest severity that it can have, whatever the rule's own severity."""

    @property
    def side(self) -> OperatorSide | None:
        """The operator that it is about, in the head where it is there."""
        return self.head or self.base

    @property
    def sides(self) -> tuple[OperatorSide, ...]:
        """Every operator that it speaks of, its own first."""
        return (*filter(None, (self.side,)), *self.followers)

    def __post_init__(self) -> None:
        if not self.operator_key and self.side is not None:
            object.__setattr__(self, "operator_key", stable_key(self.side))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Hit):
    """A hit with what rules must not decide: the severity that applies, the rule's slug and the pipeline."""

    rule: str
    severity: Severity
    pipeline: str

    @property
    def fingerprint(self) -> str:
        """12 hex digits of rule, pipeline and operator key: survives moved lines and reworded messages."""
        text = "\0".join((self.rule, self.pipeline, self.operator_key))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """A finding that the configuration silenced, and why."""

    finding: Finding
    reason: str
    source: str
    expires: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """One ``[[suppress]]`` of the configuration. ``rule``, ``operators`` and ``pipeline`` are globs; none = any.

    ``expires`` is the last day on which it holds. ``source`` says where it is written.
    """

    rule: str
    reason: str
    source: str
    operators: tuple[str, ...] = ()
    pipeline: str | None = None
    expires: date | None = None
