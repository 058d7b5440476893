"""The release gate: pipelines of a revision as candidates, compared with savepoints."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from checker.compare.restore.judgement import judge_all, unreadable
from checker.compare.restore.matching import assign, candidate_of
from checker.compare.revisions.mapping import MappingEntry
from checker.errors import CheckerError, SavepointError, UsageError
from checker.extract.runtime.execution import Execution
from checker.flink import translate
from checker.model.findings import RestorePath, Severity
from checker.model.nested import Json
from checker.model.pipelines import Extracted
from checker.model.restore import LOSSES, Attempt, CandidateJob
from checker.model.savepoint import Savepoint
from checker.model.secrets import masked
from checker.report.gate.document import attempt_document, gate_document, provenance_document, unreadable_document
from checker.revisions import Repository
from checker.savepoint.places import PathMapping
from checker.savepoint.reader import read_savepoint
from checker.settings import Overrides, read_settings
from checker.workflows.check.policy import mapping_of
from checker.workflows.reading_revisions import conditions, how_read, read_pipelines


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSavepoint:
    """A savepoint to judge by. ``pipeline`` None = whichever candidate explains its operator ids best."""

    path: str
    pipeline: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """How to read and what decides. ``fail_on`` None = never fail; ``allow_uncompared``: pass what was not compared."""

    path: RestorePath = RestorePath.SAVEPOINT
    allow_non_restored_state: bool = False
    mappings: tuple[PathMapping, ...] = ()
    fail_on: Severity | None = Severity.ERROR
    allow_uncompared: bool = False


def candidate_of_read(
    extracted: Extracted, *, flink: str | None = None, state_backend: str | None = None
) -> CandidateJob:
    """One pipeline of a revision as a candidate; what can't be read is a candidate with its ``failure``."""
    name = extracted.entry.name
    if extracted.topology is None:
        return CandidateJob(name=name, flink=flink, failure=extracted.failure_and_place)
    try:
        translation = translate(extracted.topology, flink)
    except CheckerError as error:
        return CandidateJob(name=name, flink=flink, failure=str(error))
    candidate = candidate_of(translation, flink=flink, state_backend=state_backend)
    return replace(candidate, name=name)


@dataclass(frozen=True, kw_only=True)
class ReadCandidates:
    """The pipelines of a revision as candidates, and which revision it was."""

    jobs: list[CandidateJob]
    origin: dict[str, object]
    declared: tuple[MappingEntry, ...] = ()
    """What the mapping file says."""
    allow_non_restored_state: bool = False
    """Whether the manifests of all of them say so."""


def revision_candidates(
    repo: Path,
    head: str,
    pipelines: Sequence[str],
    overrides: Overrides,
    execution: Execution,
    state_backend: str | None = None,
) -> ReadCandidates:
    """The pipelines of a revision as candidates. Raises UsageError when there are none."""
    repository = Repository(repo)
    revision = repository.revision(head)
    settings = read_settings(revision.files).overridden(overrides)
    execution = replace(execution, jars_root=repository.top)
    candidates, reading, allowed = [], [], []
    for extracted in read_pipelines(revision, settings, tuple(pipelines), execution):
        candidates.append(candidate_of_read(extracted, flink=overrides.flink, state_backend=state_backend))
        start = extracted.entry.deployment
        allowed.append(start is not None and start.allow_non_restored_state is True)
        read_for = conditions(extracted)
        reading.append(f"{extracted.entry.name}: {how_read(extracted)}{f'; {read_for}' if read_for else ''}")
    origin: dict[str, object] = {"revision": revision.label, "commit": revision.commit, "reading": reading}
    declared = mapping_of(revision, settings)
    return ReadCandidates(jobs=candidates, origin=origin, declared=declared, allow_non_restored_state=all(allowed))


def run_gate(
    savepoints: Sequence[NamedSavepoint],
    candidates: Sequence[CandidateJob],
    options: GateOptions | None = None,
    *,
    candidate: Json,
    command: str,
    declared: Sequence[MappingEntry] = (),
) -> Json:
    """The answer of ``gate`` as its canonical document.

    ``candidate`` says where the candidates came from (revision, or file) and ``command`` how to ask again. A savepoint
    that can't be read is an attempt that fails and carries its ``error``. ``declared`` is what the mapping file gives
    up: losing it is no error. Raises UsageError when a savepoint can't be paired with a candidate.
    """
    options = options or GateOptions()
    judged = [judge_savepoint(named, candidates, options) for named in savepoints]
    attempts = [_given_up(attempt_document(attempt), declared) for found, _ in judged for attempt in found]
    return gate_document(
        attempts,
        savepoints=[provenance for _, provenance in judged],
        candidate=candidate,
        way=(options.path, options.allow_non_restored_state),
        command=command,
        fail_on=options.fail_on,
        allow_uncompared=options.allow_uncompared,
    )


def _given_up(attempt: Json, declared: Sequence[MappingEntry]) -> Json:
    """The attempt, with the loss of state that the mapping file declares as dropped as a note that says why."""
    rows = {row["operator_id"]: row for row in attempt["operators"]}
    dropped = [entry for entry in declared if entry.new is None and entry.concerns(attempt["pipeline"])]

    def accepted(warning: Json) -> Json:
        row = rows.get(warning["operator"])
        if warning["rule"] not in LOSSES or row is None:
            return warning
        names = (row["uid"], row["name"], row["operator_id"])
        entry = next((e for e in dropped if e.old in names and e.state in (None, warning["state"])), None)
        if entry is None:
            return warning
        message = f"{warning['message']} Declared as dropped in {entry.source}: {entry.reason}"
        return {**warning, "severity": Severity.INFO.value, "message": message, "declared": entry.source}

    return {**attempt, "warnings": [accepted(warning) for warning in attempt["warnings"]]}


def judge_savepoint(
    named: NamedSavepoint, candidates: Sequence[CandidateJob], options: GateOptions
) -> tuple[tuple[Attempt, ...], Json]:
    """All attempts from one savepoint, and which savepoint it was."""
    try:
        savepoint = read_savepoint(named.path, mappings=options.mappings)
    except SavepointError as error:
        jobs = [c for c in candidates if named.pipeline in (None, c.name)]
        attempts = tuple(a for job in jobs for a in unreadable(masked(named.path), job, str(error)))
        return attempts, unreadable_document(masked(named.path), str(error))
    return judge_all(savepoint, paired(savepoint, named, candidates)), provenance_document(savepoint)


def paired(savepoint: Savepoint, named: NamedSavepoint, candidates: Sequence[CandidateJob]) -> CandidateJob:
    """The candidate that a savepoint is for: the one named, the only one, or the one that claims most of its ids.

    Raises UsageError when none is named and the ids do not single one out.
    """
    jobs = [c for c in candidates if named.pipeline in (None, c.name)]
    names = ", ".join(c.name for c in candidates)
    if not jobs:
        raise UsageError(f"no pipeline {named.pipeline!r} for {masked(named.path)}; there are: {names or 'none'}.")
    if len(jobs) == 1:
        return jobs[0]
    claimed = sorted(((len(assign(savepoint, job).taken), job) for job in jobs), key=lambda c: -c[0])
    if claimed[0][0] == claimed[1][0]:
        raise UsageError(
            f"{masked(named.path)} fits no single pipeline. Say which one it is of: --savepoint PIPELINE=PATH, or "
            f"narrow with --pipeline; there are: {names}."
        )
    return claimed[0][1]
