"""The library: what the commands answer, as the documents that they print with ``--format json``.

Public are the names in ``__all__``, and nothing else of this package. The ``format`` and ``version`` of a document say
how to read it, see ``docs/report-formats.md``. Every function raises ``checker.errors.CheckerError`` with one sentence
for people where the command would exit with 2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from checker.engines.choice import judge_pipelines
from checker.errors import CheckerError
from checker.extract.runtime.execution import Execution
from checker.flink import translate
from checker.model.findings import RestorePath
from checker.model.nested import Json
from checker.report.ids import ids_document, unread_document
from checker.revisions import Repository
from checker.settings import Overrides, read_settings
from checker.workflows.check.comparing_revisions import Asked, plan_check, run_check
from checker.workflows.gate.judging import GateOptions, NamedSavepoint, revision_candidates, run_gate
from checker.workflows.reading_revisions import read_pipelines

__all__ = ["CheckerError", "Given", "compare", "gate", "operator_ids"]


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
) -> Json:
    """What ``savepoint-checker check`` says of two revisions, without Spark and without running any program.

    ``base`` None is the merge base with the default branch; ``pipelines`` are globs, none for all.
    """
    asked = Asked(pipelines=tuple(pipelines), overrides=given.overrides)
    return run_check(plan_check(Path(repository), base, head, asked), judge_pipelines)


def gate(
    savepoint: str | PathLike[str],
    repository: str | PathLike[str] = ".",
    *,
    head: str = "HEAD",
    pipelines: Sequence[str] = (),
    given: Given = NOTHING_GIVEN,
    last_state: bool = False,
    allow_non_restored_state: bool = False,
) -> Json:
    """What ``savepoint-checker gate`` says of a start of a revision's pipelines from one savepoint.

    ``savepoint`` is its folder or ``_metadata`` file, local or any fsspec URL. ``last_state``: the start is a recovery
    by high availability.
    """
    read = revision_candidates(Path(repository), head, pipelines, given.overrides, Execution())
    path = RestorePath.LAST_STATE if last_state else RestorePath.SAVEPOINT
    document = run_gate(
        [NamedSavepoint(path=str(savepoint))],
        read.jobs,
        GateOptions(path=path, allow_non_restored_state=allow_non_restored_state or read.allow_non_restored_state),
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
    return document


def operator_ids(
    repository: str | PathLike[str] = ".",
    *,
    head: str = "HEAD",
    pipelines: Sequence[str] = (),
    given: Given = NOTHING_GIVEN,
) -> list[Json]:
    """What ``savepoint-checker ids --explain`` says of a revision's pipelines, one document for each."""
    revision = Repository(Path(repository)).revision(head)
    settings = read_settings(revision.files).overridden(given.overrides)
    return [
        unread_document(read.entry.name, read.failure_and_place)
        if read.topology is None
        else ids_document(translate(read.topology), explain=True)
        for read in read_pipelines(revision, settings, tuple(pipelines), Execution())
    ]
