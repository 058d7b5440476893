"""A restore attempt and what becomes of it: one savepoint, one candidate, one way to start it."""

from dataclasses import dataclass
from enum import StrEnum

from checker.model.declared_state import ClassShape, SerializerTree, StateDescriptor
from checker.model.findings import RestorePath, Severity, Verdict
from checker.model.translation import OperatorId, Pattern, default_max_parallelism
from checker.model.unknowns import Location


class Moment(StrEnum):
    """When a restore fails."""

    JOB_INITIALIZATION = "job-initialization"
    """On the JobManager, before anything is deployed."""
    TASK_RESTORE = "task-restore"
    """On the TaskManager, when the state backend is built."""
    STATE_REGISTRATION = "state-registration"
    """When the program asks for a state: at start, or at the first element if its code is lazy."""


class RestoreRule(StrEnum):
    """Why an attempt fails or stays undecided. Slugs are never reused."""

    UNREADABLE_METADATA = "unreadable-metadata"
    METADATA_VERSION = "metadata-version"
    REFUSED_PROGRAM = "refused-program"
    UNREAD_PIPELINE = "unread-pipeline"
    UNCLAIMED_STATE = "unclaimed-state"
    NO_OPERATOR_FOR_STATE = "no-operator-for-state"
    MAX_PARALLELISM_MISMATCH = "max-parallelism-mismatch"
    PARALLELISM_ABOVE_MAX = "parallelism-above-max"
    PARALLELISM_ABOVE_CONFIGURED_MAX = "parallelism-above-configured-max"
    MIXED_FINISHED_OPERATORS = "mixed-finished-operators"
    FINISHED_BEHIND_RUNNING = "finished-behind-running"
    PARTIALLY_FINISHED_BEHIND_RUNNING = "partially-finished-behind-running"
    CHANNEL_STATE_IN_CHAIN = "channel-state-in-chain"
    MISSING_STATE_FILE = "missing-state-file"
    STATE_BACKEND_MISMATCH = "state-backend-mismatch"
    NAME_IN_BOTH_KINDS = "name-in-both-kinds"
    KEY_SERIALIZER_CHANGED = "key-serializer-changed"
    STATE_KIND_CHANGED = "state-kind-changed"
    STATE_TYPE_CHANGED = "state-type-changed"
    STATE_TTL_CHANGED = "state-ttl-changed"
    DISTRIBUTION_MODE_CHANGED = "distribution-mode-changed"
    UNDECIDED_ID = "undecided-id"
    UNDECIDED_PARALLELISM = "undecided-parallelism"


class WarningRule(StrEnum):
    """What Flink does without a word. Slugs are never reused."""

    STATE_DROPPED = "state-dropped"
    IN_FLIGHT_DATA_LOST = "in-flight-data-lost"
    SOURCE_STARTS_OVER = "source-starts-over"
    COORDINATOR_STARTS_FRESH = "coordinator-starts-fresh"
    ID_CLAIMED_TWICE = "id-claimed-twice"
    OPERATOR_MISASSIGNED = "operator-misassigned"
    IDENTITY_NOT_VERIFIABLE = "identity-not-verifiable"
    MIXED_MAX_PARALLELISM = "mixed-max-parallelism"
    STATE_ORPHANED = "state-orphaned"
    LIST_BROADCAST_SWAPPED = "list-broadcast-swapped"
    STATE_BACKEND_NOT_COMPARED = "state-backend-not-compared"
    MASTER_STATE_IGNORED = "master-state-ignored"
    FILES_NOT_CHECKED = "files-not-checked"
    FLINK_VERSION_NOT_CHECKED = "flink-version-not-checked"


LOSSES = frozenset({WarningRule.STATE_DROPPED, WarningRule.STATE_ORPHANED})
"""Losses that a team can declare."""


@dataclass(frozen=True, slots=True)
class RestoreWarning:
    """Something the attempt does silently, or that could not be looked at. ``operator`` is the id concerned."""

    rule: WarningRule
    severity: Severity
    message: str
    operator: OperatorId | None = None
    vertex: OperatorId | None = None
    state: str | None = None
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterpart:
    """The operator of the candidate that an unclaimed state most likely belongs to, why, and the edit that says so."""

    id: OperatorId | None
    name: str
    likeness: float
    evidence: tuple[str, ...]
    edit: str | None = None
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StateOutcome:
    """What becomes of one named state: its kind as Flink stores it, and the share of the verdict it has."""

    name: str
    kind: str
    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorOutcome:
    """One row of the table: an operator of the snapshot, of the candidate, or of both.

    ``id`` is the snapshot's, else the candidate's; ``claimed_by`` the generated id of the operator that takes the
    state. ``bytes`` is everything the snapshot holds for it.
    """

    id: OperatorId | None
    name: str | None
    uid: str | None
    claimed_by: OperatorId | None
    vertex: OperatorId | None
    verdict: Verdict
    reason: str
    bytes: int = 0
    key_groups: int = 0
    parallelism: int | None = None
    new_parallelism: int | None = None
    max_parallelism: int | None = None
    new_max_parallelism: int | None = None
    in_snapshot: bool = True
    coordinator: Verdict | None = None
    states: tuple[StateOutcome, ...] = ()
    counterpart: Counterpart | None = None
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One savepoint × pipeline × restore path × allow flag, judged: it restores, fails or is undecided.

    ``rule``, ``operator``, ``vertex`` and ``message`` are what Flink would say; operator and vertex are None where it
    names none. ``moment`` says when it fails. ``also`` lists further refusals that would follow once the first is
    mended. ``open_questions`` says what the verdict does not cover because it could not be read.
    """

    savepoint: str
    pipeline: str
    path: RestorePath
    allow_non_restored_state: bool
    verdict: Verdict
    message: str
    rule: RestoreRule | None = None
    moment: Moment | None = None
    operator: OperatorId | None = None
    vertex: OperatorId | None = None
    also: tuple[str, ...] = ()
    operators: tuple[OperatorOutcome, ...] = ()
    warnings: tuple[RestoreWarning, ...] = ()
    open_questions: tuple[str, ...] = ()

    @property
    def bytes_at_stake(self) -> int:
        """Bytes of state that does not come back: failing, dropped, misassigned or undecided."""
        safe = (Verdict.RESTORES, Verdict.STATELESS, Verdict.STARTS_EMPTY)
        return sum(o.bytes for o in self.operators if o.verdict not in safe)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateOperator:
    """An operator of the job that is to be started. ``generated`` is None where it could not be computed.

    ``states`` is None when nothing is known about the states that it registers; () when it registers none.
    """

    generated: OperatorId | None
    user: OperatorId | None = None
    name: str | None = None
    uid: str | None = None
    coordinator: bool = False
    stateful: bool | None = None
    states: tuple[StateDescriptor, ...] | None = None
    key_type: str | None = None
    key_serializer: SerializerTree | None = None
    key_classes: tuple[ClassShape, ...] = ()
    hints: tuple[str, ...] = ()
    """Further words it is known by: its handle, its function."""
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateInput:
    """A job edge: the producer's vertex id and the distribution pattern."""

    source: OperatorId | None
    pattern: Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateVertex:
    """A job vertex with its operators' own records, in Flink's order, tail first.

    ``max_parallelism`` None = not configured.
    ``open`` says why parallelism, max parallelism or the chain itself are not certain.
    """

    id: OperatorId | None
    name: str
    parallelism: int
    max_parallelism: int | None
    operators: tuple[CandidateOperator, ...]
    chained_sources: tuple[CandidateOperator, ...] = ()
    inputs: tuple[CandidateInput, ...] = ()
    open: tuple[str, ...] = ()

    @property
    def head(self) -> CandidateOperator:
        """The operator that reads the vertex' inputs."""
        return self.operators[-1]

    @property
    def tail(self) -> CandidateOperator:
        """The operator that writes the vertex' outputs."""
        return self.operators[0]

    @property
    def all_operators(self) -> tuple[CandidateOperator, ...]:
        """Every operator whose state the vertex takes."""
        return (*self.operators, *self.chained_sources)

    @property
    def effective_max_parallelism(self) -> int:
        """The configured value, else the default for the parallelism."""
        return self.max_parallelism or default_max_parallelism(self.parallelism)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateJob:
    """The job graph that is to be started from a savepoint.

    ``refusal`` is Flink's reason for not building the job at all; ``failure`` why the pipeline could not be
    read.
    """

    name: str
    vertices: tuple[CandidateVertex, ...] = ()
    flink: str | None = None
    state_backend: str | None = None
    refusal: str | None = None
    failure: str | None = None
    open: tuple[str, ...] = ()
    """Why ids or chains of the pipeline are not certain."""
