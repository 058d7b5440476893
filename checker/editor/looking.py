"""The pipelines that a file can reach, judged as if its unsaved text were in the work tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from checker.errors import CheckerError
from checker.extract.runtime.execution import Execution
from checker.model.pipelines import ExtractorKind
from checker.report.check.document import Json
from checker.revisions import WORKTREE, Repository
from checker.workflows.check.comparing_revisions import plan_check
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.remembering import Judge
from checker.workflows.repair.writing_repairs import combined, plan_pipeline
from checker.workflows.unreached import reaching

_IN_PROCESS = Execution(fetch=False)
"""An editor runs no program and downloads nothing."""


@dataclass(slots=True)
class Editing:
    """One repository whose files are being edited. ``unsaved`` are contents by path; the base is ``HEAD``.

    The repository is kept from look to look, with what git said of the commit and the contents that were read of it.
    """

    repository: Repository
    unsaved: dict[str, bytes] = field(default_factory=dict)

    def look(self, path: str) -> tuple[Json, ...]:
        """The part of the report on every pipeline that the file can reach. Raises CheckerError."""
        plan = self._plan()
        judge = Judge(plan)
        found = (judge.judge(name).document for name in _reached(plan, path))
        return tuple(document for document in found if document is not None)

    def repairs(self, path: str) -> Mapping[str, str]:
        """New texts of files that keep all state of the pipelines that the file can reach. Raises CheckerError."""
        plan = self._plan()
        written = combined([plan_pipeline(plan, name, add_uids=False) for name in _reached(plan, path)])
        return {file: data.decode("utf-8") for file, data in written.contents(plan.head_files).items()}

    def _plan(self) -> CheckPlan:
        unsaved = dict(self.unsaved)  # the next key changes it while this look goes on
        return plan_check(self.repository, base="HEAD", head=WORKTREE, execution=_IN_PROCESS, unsaved=unsaved)


def _reached(plan: CheckPlan, path: str) -> list[str]:
    reached = reaching((path,), plan.base_files, plan.head_files)
    names = []
    for name in plan.names:
        entries = [e for side in (plan.head_entries, plan.base_entries) for e in side if e.name == name]
        if all(e.extract is ExtractorKind.JAVA and reached is not None and reached.spares(e.file) for e in entries):
            continue
        names.append(name)
    return names


def explained(error: Exception) -> str:
    """An error in a line, for an editor's message."""
    text = " ".join(str(error).split())
    return text if isinstance(error, CheckerError) else f"a defect of ours ({type(error).__name__}: {text[:200]})"
