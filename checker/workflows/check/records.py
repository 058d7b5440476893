"""Records that travel between the stages: one per pipeline, the same in process and in Spark rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from checker.compare.revisions.mapping import MappingEntry
from checker.extract.asking.consulted import Consulted
from checker.extract.interpreting.memory import Trace
from checker.model.account import Account
from checker.model.changed_files import ChangedText
from checker.model.deployments import Deployment
from checker.model.findings import Severity, Suppression
from checker.model.nested import Json
from checker.model.pipelines import Note, PipelineEntry, Reason
from checker.model.program_code import ProgramCode
from checker.model.sources import SourceFiles
from checker.model.topology import Kind, Topology
from checker.model.unknowns import Location
from checker.repair.advice import REPAIR_COMMAND
from checker.time_limits import ALLOWANCE, Allowance


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPipeline:
    """Stage 1's answer: a topology, or why there is none."""

    name: str
    extractor: str
    topology: Topology | None = None
    failure: str | None = None
    failure_location: Location | None = None
    refused: bool = False
    """Whether the failure is Flink's own answer, which it would give to the deployment as well."""
    lacking: bool = False
    """Whether this machine lacks what would read it, or what would plan its tables."""
    how: str | None = None
    """What exactly was run, where a program was (see ``Extracted.how``)."""
    trace: Trace | None = None
    """Which code was followed, where it was read here by following code."""
    consulted: Consulted | None = None
    """What was asked of the revision for it, where it was read while planning by following code."""
    entry: PipelineEntry | None = None
    """With which it was read while planning, where the program's code was followed, or a script has several jobs."""
    alike: tuple[str, ...] = ()
    """The files of a script that was not planned, because both revisions ask the same of Flink's planner."""
    assumed: str | None = None
    """Which release stands for that of the program, where that one is not supported."""


@dataclass(frozen=True, kw_only=True)
class SideToRead:
    """One revision and the pipelines to be read of it."""

    name: str
    """What reports call it: base or head."""
    files: SourceFiles
    entries: Sequence[PipelineEntry]
    commit: str | None = None

    def entry(self, name: str) -> PipelineEntry | None:
        """The pipeline of that name."""
        return next((e for e in self.entries if e.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a team said about changes and findings: none of it changes what Flink does.

    ``today`` decides which suppressions have expired; it is given once for a whole run, None = none has.
    """

    suppressions: tuple[Suppression, ...] = ()
    mapping: tuple[MappingEntry, ...] = ()
    today: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTask:
    """Stage 2's question: both sides of one pipeline. None = the revision does not have it."""

    name: str
    base: ReadPipeline | None
    head: ReadPipeline | None
    severities: Mapping[str, Severity | None] = field(default_factory=dict)
    policy: Policy = field(default_factory=Policy)
    reason: Reason | None = None
    deployments: tuple[Deployment | None, Deployment | None] = (None, None)
    """How an environment runs base and head, where the repository says so."""
    assumptions: tuple[str, ...] = ()
    """What is taken for granted about how it runs."""
    account: Account | None = None
    """Every edit that the pipeline can reach, None where edits are not accounted for."""
    texts: tuple[ChangedText, ...] = ()
    """The texts between quotes that were changed in the program."""
    allowance: Allowance = ALLOWANCE
    """What its account may take, and its comparison."""
    nothing_gone: bool = False
    """Whether it was found, not configured, beside every pipeline of the base: it was called nothing else before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPlan:
    """Everything a run of ``check`` needs, gathered before any engine starts."""

    base: Json
    head: Json
    """Both revisions as a report names them."""
    base_entries: tuple[PipelineEntry, ...]
    head_entries: tuple[PipelineEntry, ...]
    base_files: SourceFiles
    head_files: SourceFiles
    severities: Mapping[str, Severity | None]
    fail_on: Severity | None
    policy: Policy = field(default_factory=Policy)
    base_read: tuple[ReadPipeline, ...] = ()
    head_read: tuple[ReadPipeline, ...] = ()
    """Pipelines read while planning, because reading them takes this machine."""
    repair_command: str = REPAIR_COMMAND
    """What makes the repairs of these two revisions."""
    asked: Mapping[str, tuple[PipelineEntry | None, PipelineEntry | None]] = field(default_factory=dict)
    """Pipeline → its entries in base and head, those included that were read while planning."""
    reasons: Mapping[str, Reason] = field(default_factory=dict)
    """Pipeline → why it is read as it is, where that was chosen here."""
    """Where the configuration wants the pipelines judged."""
    partial: bool = False
    """Only some pipelines of the revisions are judged: what concerns none of them is left out."""
    notes: tuple[Note, ...] = ()
    loosened: tuple[str, ...] = ()
    repository: str | None = None
    repository_url: str | None = None

    def entries(self, name: str) -> tuple[PipelineEntry | None, PipelineEntry | None]:
        """A pipeline in base and head, as far as it is still to be read there."""
        base, head = (
            next((e for e in side if e.name == name), None) for side in (self.base_entries, self.head_entries)
        )
        return base, head

    @property
    def names(self) -> tuple[str, ...]:
        """The pipelines of either side, sorted."""
        return tuple(sorted(self._names_before | self._names_after))

    @property
    def nothing_gone(self) -> bool:
        """Whether the head has every pipeline of the base."""
        return self._names_before <= self._names_after

    @property
    def _names_before(self) -> set[str]:
        return {entry.name for entry in self.base_entries} | {read.name for read in self.base_read}

    @property
    def _names_after(self) -> set[str]:
        return {entry.name for entry in self.head_entries} | {read.name for read in self.head_read}


@dataclass(frozen=True, slots=True)
class Side:
    """One revision of a pipeline: what was asked for, what was read, and from which files."""

    entry: PipelineEntry | None
    read: ReadPipeline | None
    files: SourceFiles
    code: ProgramCode | None = None
    """All code that it reaches, where that is known already; ``files`` know what it asked of them."""
    asked: PipelineEntry | None = None
    """The entry, where it was read while planning and ``entry`` is None."""


def topology_of(read: ReadPipeline | None) -> Topology | None:
    """What was read; None where nothing was, or it could not be."""
    return None if read is None else read.topology


def main_file(topology: Topology | None) -> str:
    """The file of its main class or script; empty where that is not known."""
    return "" if topology is None or topology.location is None else topology.location.file


def has_hole(topology: Topology) -> bool:
    """Whether operators of it could not be read."""
    return any(transformation.kind is Kind.UNKNOWN for transformation in topology.transformations)
