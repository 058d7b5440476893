"""The library: what the commands answer, as typed records for programs.

Public are the names in ``__all__``, and nothing else of this package. Each answer keeps the canonical ``document``
it was made from, the same that ``--format json`` prints; its ``format`` and ``version`` say how to read it. Every
function raises ``checker.errors.CheckerError`` with one sentence for people where the command would exit with 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from checker.engines.choice import judge_pipelines
from checker.errors import CheckerError, UsageError
from checker.extract.documents.reader import read_documents
from checker.extract.runtime.execution import Execution
from checker.files_below import content_of
from checker.flink import translate
from checker.model.findings import RestorePath, Severity, Verdict
from checker.model.topology import Topology
from checker.report.wording import verdict_of
from checker.revisions import Repository
from checker.settings import Overrides, read_settings
from checker.workflows.check.comparing_revisions import Asked, plan_check, run_check
from checker.workflows.gate.candidates import Candidates, revision_candidates
from checker.workflows.gate.judging import GateOptions, NamedSavepoint, run_gate
from checker.workflows.reading_revisions import read_pipelines

__all__ = [
    "Attempt",
    "CheckReport",
    "CheckerError",
    "Finding",
    "GateReport",
    "Given",
    "Operator",
    "OperatorId",
    "Pipeline",
    "PipelineIds",
    "RestorePath",
    "Severity",
    "Verdict",
    "compare",
    "gate",
    "operator_ids",
    "operator_ids_of_document",
]

Json = dict[str, Any]
"""A canonical document, see ``docs/report-formats.md``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One operator of a compared pipeline. Names and ids are None where the revision does not have it."""

    name: str
    base_id: str | None
    head_id: str | None
    verdict: Verdict
    """What becomes of its state in a start from a savepoint."""
    last_state: Verdict
    """The same in a start from the last checkpoint (high availability)."""
    cause: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding of a rule. ``file`` and ``line`` are its place in the source, None without one."""

    rule: str
    severity: Severity
    pipeline: str
    message: str
    fingerprint: str
    repair: str | None
    file: str | None
    line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """One compared pipeline. ``status`` is a word of the report's schema: changed, unchanged, added, removed, …"""

    name: str
    status: str
    operators: tuple[Operator, ...]
    findings: tuple[Finding, ...]
    undecided: tuple[str, ...]
    """Why parts of it are not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """The answer of ``compare``. ``verdict`` is passes, fails, undecided or nothing-checked."""

    verdict: str
    blocking: int
    """Findings at or above the severity that fails."""
    pipelines: tuple[Pipeline, ...]
    document: Json

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Of all pipelines, the most severe first."""
        found = [finding for pipeline in self.pipelines for finding in pipeline.findings]
        return tuple(sorted(found, key=lambda finding: -finding.severity.rank))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One start of one pipeline from one savepoint. ``verdict`` is restores, fails or undecided."""

    savepoint: str
    pipeline: str
    path: RestorePath
    allow_non_restored_state: bool
    verdict: str
    message: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """The answer of ``gate``. ``deciding`` are the attempts of the way that was asked about, ``others`` the rest."""

    passes: bool
    verdict: str
    deciding: tuple[Attempt, ...]
    others: tuple[Attempt, ...]
    document: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorId:
    """One stream node and the id under which a savepoint keeps its state, None where that is undecided."""

    name: str
    uid: str | None
    operator_id: str | None
    location: str | None
    """``file:line`` of its declaration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineIds:
    """The operator ids of one pipeline. ``failure`` says why there are none."""

    name: str
    operators: tuple[OperatorId, ...] = ()
    failure: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a deployment gives a program, in place of what the repository says.

    ``values`` are program arguments and configuration values by name.
    """

    flink: str | None = None
    parallelism: int | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def overrides(self) -> Overrides:
        """The same, as the settings take it."""
        return Overrides(flink=self.flink, parallelism=self.parallelism, values=tuple(self.values.items()))


NOTHING_GIVEN = Given()


def compare(
    repository: str | PathLike[str] = ".",
    *,
    base: str | None = None,
    head: str = "HEAD",
    pipelines: Sequence[str] = (),
    given: Given = NOTHING_GIVEN,
) -> CheckReport:
    """What ``savepoint-checker check`` says of two revisions, without Spark and without running any program.

    ``base`` None is the merge base with the default branch; ``pipelines`` are globs, none for all.
    """
    plan = plan_check(
        Path(repository),
        base,
        head,
        Asked(pipelines=tuple(pipelines), overrides=given.overrides),
    )
    document = run_check(plan, judge_pipelines)
    return CheckReport(
        verdict=document["verdict"],
        blocking=document["blocking"],
        pipelines=tuple(_pipeline(pipeline) for pipeline in document["pipelines"]),
        document=document,
    )


def gate(
    savepoint: str | PathLike[str],
    repository: str | PathLike[str] = ".",
    *,
    head: str = "HEAD",
    pipelines: Sequence[str] = (),
    given: Given = NOTHING_GIVEN,
    path: RestorePath = RestorePath.SAVEPOINT,
    allow_non_restored_state: bool = False,
) -> GateReport:
    """What ``savepoint-checker gate`` says of a start of a revision's pipelines from one savepoint.

    ``savepoint`` is its folder or ``_metadata`` file, local or any fsspec URL.
    """
    asked = Candidates(
        head=head,
        pipelines=tuple(pipelines),
        overrides=given.overrides,
        execution=Execution(),
    )
    read = revision_candidates(Path(repository), asked)
    document = run_gate(
        [NamedSavepoint(path=str(savepoint))],
        read.jobs,
        GateOptions(path=path, allow_non_restored_state=allow_non_restored_state),
        candidate={
            **read.origin,
            "pipelines": [c.name for c in read.jobs],
            "flink": given.flink,
            "state_backend": None,
        },
        command=f"savepoint-checker gate --savepoint {savepoint} --head {head}",
    )
    unread = [taken["error"] for taken in document["savepoints"] if taken["error"]]
    if unread:
        raise CheckerError("; ".join(unread))
    attempts = [(_attempt(attempt), attempt) for attempt in document["attempts"]]
    way = (path, allow_non_restored_state)
    return GateReport(
        passes=document["passes"],
        verdict=document["verdict"],
        deciding=tuple(a for a, _ in attempts if (a.path, a.allow_non_restored_state) == way),
        others=tuple(a for a, _ in attempts if (a.path, a.allow_non_restored_state) != way),
        document=document,
    )


def operator_ids(
    repository: str | PathLike[str] = ".",
    *,
    head: str = "HEAD",
    pipelines: Sequence[str] = (),
    given: Given = NOTHING_GIVEN,
) -> tuple[PipelineIds, ...]:
    """The operator ids of a revision's pipelines, as ``savepoint-checker ids`` computes them."""
    revision = Repository(Path(repository)).revision(head)
    settings = read_settings(revision.files).overridden(given.overrides)
    answers = []
    for read in read_pipelines(revision, settings, tuple(pipelines), Execution()):
        if read.topology is None:
            answers.append(PipelineIds(name=read.entry.name, failure=read.failure_and_place))
        else:
            answers.append(_ids(read.entry.name, read.topology, None))
    return tuple(answers)


def operator_ids_of_document(file: str | PathLike[str], *, flink: str | None = None) -> tuple[PipelineIds, ...]:
    """The operator ids of a file of topology documents, see ``docs/topology-documents.md``."""
    path = Path(file)
    try:
        text = content_of(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: can't be read: {error}") from None
    return tuple(_ids(topology.name, topology, flink) for topology in read_documents(text, str(path)))


def _ids(name: str, topology: Topology, flink: str | None) -> PipelineIds:
    translation = translate(topology, flink)
    if translation.refusal is not None or translation.stream_graph is None:
        refusal = translation.refusal.message if translation.refusal else "there is no stream graph"
        return PipelineIds(name=name, failure=f"Flink refuses to build this job: {refusal}")
    operators = []
    for node in translation.stream_graph.nodes:
        identity = translation.identities[node.number]
        place = node.declared.location
        operators.append(
            OperatorId(
                name=node.name,
                uid=node.uid if isinstance(node.uid, str) else None,
                operator_id=identity.user or identity.generated,
                location=f"{place.file}:{place.line}" if place else None,
            )
        )
    return PipelineIds(name=name, operators=tuple(operators))


def _pipeline(document: Json) -> Pipeline:
    return Pipeline(
        name=document["name"],
        status=document["status"],
        operators=tuple(_operator(row) for row in document["operators"]),
        findings=tuple(_finding(finding) for finding in document["findings"]),
        undecided=tuple(unknown["reason"] for unknown in document["undecided"]),
    )


def _operator(row: Json) -> Operator:
    base, head = row["base"], row["head"]
    return Operator(
        name=(head or base)["name"],
        base_id=base["id"] if base else None,
        head_id=head["id"] if head else None,
        verdict=Verdict(verdict_of(row)),
        last_state=Verdict(verdict_of(row, RestorePath.LAST_STATE)),
        cause=row["cause"]["text"] if row["cause"] else None,
    )


def _finding(document: Json) -> Finding:
    place = document["location"] or {"file": None, "line": None}
    texts = {name: document[name] for name in ("rule", "pipeline", "message", "fingerprint", "repair")}
    return Finding(**texts, severity=Severity(document["severity"]), file=place["file"], line=place["line"])


def _attempt(document: Json) -> Attempt:
    same = ("savepoint", "pipeline", "allow_non_restored_state", "verdict", "message")
    return Attempt(**{name: document[name] for name in same}, path=RestorePath(document["path"]))
