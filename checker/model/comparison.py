"""Two revisions of one pipeline compared: what matches, what becomes of the state, and why."""

from dataclasses import dataclass
from enum import StrEnum

from checker.model.declared_state import StateDescriptor
from checker.model.findings import OperatorSide, RestorePath, Verdict
from checker.model.unknowns import Location, Unknown


class MatchBasis(StrEnum):
    """On what the claim rests that two operators are the same one."""

    ID = "id"
    """The head operator claims the base operator's id (generated, or pinned by setUidHash)."""
    UID = "uid"
    DECLARATION = "declaration"
    """The same declaration in the source: same handle."""
    LIKENESS = "likeness"
    """Kind, name, function, neighbours and place in the source together."""
    MAPPING = "mapping"
    """The committed mapping file says so."""
    NONE = "none"
    """No counterpart: added, or removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Why an operator of the base and one of the head are taken for one; none for added and removed ones."""

    basis: MatchBasis
    likeness: float = 1.0
    """0 to 1, meaningful for basis ``likeness``."""
    evidence: tuple[str, ...] = ()


class CauseKind(StrEnum):
    """The edits that move a generated id or take state away, as people speak of them."""

    OPERATOR_INSERTED = "operator-inserted"
    OPERATOR_REMOVED = "operator-removed"
    OPERATORS_REORDERED = "operators-reordered"
    REWIRED = "rewired"
    PARALLELISM_CHANGED = "parallelism-changed"
    CHAINING_CHANGED = "chaining-changed"
    PARTITIONER_CHANGED = "partitioner-changed"
    SLOT_SHARING_GROUP_CHANGED = "slot-sharing-group-changed"
    MAX_PARALLELISM_CHANGED = "max-parallelism-changed"
    UID_ADDED = "uid-added"
    UID_REMOVED = "uid-removed"
    UID_RENAMED = "uid-renamed"
    MOVED_ALONG = "moved-along"
    """One of several operators was put in or taken out whose uids are made of their places, so that they moved."""
    FLINK_VERSION = "flink-version"
    SINK_EXPANSION = "sink-expansion"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The first edit that explains why an id changed.

    ``operator`` is the handle of the declaration that was edited (in head where it exists there, else in base);
    ``path`` leads from it to the operator concerned, as operator names, both ends included.
    """

    kind: CauseKind
    operator: str | None
    operator_name: str | None
    text: str
    """A sentence: what was edited and what it did to the id."""
    root: str | None = None
    """The sentence about the edit alone, where ``text`` says that it came by way of an input."""
    path: tuple[str, ...] = ()
    location: Location | None = None

    @property
    def group(self) -> tuple[str, str]:
        """Operators with equal groups follow the same edit."""
        return (self.kind.value, self.operator or self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathVerdict:
    """What happens to one operator's state on one restore path."""

    path: RestorePath
    allow_non_restored_state: bool
    verdict: Verdict
    reason: str
    possible: tuple[Verdict, ...] = ()
    """With ``undecided``: all verdicts that there can be, where values that are not known decide between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChange:
    """One state descriptor that differs between two matched operators (None = not there).

    ``newer_kryo``: Kryo 5 of Flink 2 reads what Kryo 2 of Flink 1 wrote of it. ``on_heap``: the head keeps it on the
    heap, None where that is not known.
    """

    base: StateDescriptor | None
    head: StateDescriptor | None
    newer_kryo: bool = False
    on_heap: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorComparison:
    """One row of the table: an operator on both sides, the verdicts on its state and the cause of a change.

    For ``misassigned`` verdicts ``claimed_by`` names the head operator that takes the state instead.
    """

    base: OperatorSide | None
    head: OperatorSide | None
    match: Match
    stateful: bool | Unknown
    verdicts: tuple[PathVerdict, ...]
    id_changed: bool | None
    """None = undecided."""
    cause: Cause | None = None
    claimed_by: OperatorSide | None = None
    state_changes: tuple[StateChange, ...] = ()
    undecided: tuple[Unknown, ...] = ()

    @property
    def side(self) -> OperatorSide:
        """The operator in the head, or where it is gone in the base."""
        side = self.head or self.base
        assert side is not None, "a row is of some operator"
        return side

    def on(self, path: RestorePath, allow_non_restored_state: bool = False) -> PathVerdict:
        """The answer for one path. Raises KeyError when it was not asked for."""
        for verdict in self.verdicts:
            if verdict.path is path and verdict.allow_non_restored_state is allow_non_restored_state:
                return verdict
        raise KeyError((path, allow_non_restored_state))

    def verdict(self, path: RestorePath, allow_non_restored_state: bool = False) -> Verdict:
        """The verdict on one path. Raises KeyError when it was not asked for."""
        return self.on(path, allow_non_restored_state).verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One pipeline at two revisions. A pipeline that exists on one side only has operators on that side only."""

    pipeline: str
    operators: tuple[OperatorComparison, ...]
    base_flink: str | None = None
    head_flink: str | None = None
    undecided: tuple[Unknown, ...] = ()
    """Unknowns that keep some verdict of the pipeline open."""
    gaps: tuple[Unknown, ...] = ()
    """The unknowns that concern the pipeline as a whole: operators that could not be read."""
