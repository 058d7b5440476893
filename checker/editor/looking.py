"""What an editor shows of a file: the pipelines that it can reach, judged as if its unsaved text were on disk."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from checker.errors import CheckerError
from checker.extract.runtime.execution import Execution
from checker.model.findings import Severity, Verdict
from checker.model.nested import Json
from checker.model.pipelines import ExtractorKind
from checker.report.presentable import WORDS, one_line, short, visible
from checker.report.wording import verdict_of
from checker.revisions import WORKTREE, Repository
from checker.workflows.check.comparing_revisions import Asked, plan_check
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import pipeline_stage
from checker.workflows.repairing import combined, plan_pipeline
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
        found = (pipeline_stage(plan, name) for name in _reached(plan, path))
        return tuple(document for document in found if document is not None)

    def repairs(self, path: str) -> Mapping[str, str]:
        """New texts of files that keep all state of the pipelines that the file can reach. Raises CheckerError."""
        plan = self._plan()
        written = combined([plan_pipeline(plan, name, add_uids=False) for name in _reached(plan, path)])
        return {file: data.decode("utf-8") for file, data in written.contents(plan.head_files).items()}

    def _plan(self) -> CheckPlan:
        unsaved = dict(self.unsaved)  # the next key changes it while this look goes on
        return plan_check(self.repository, "HEAD", WORKTREE, Asked(execution=_IN_PROCESS, unsaved=unsaved))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """One operator at the line (from 1) that declares it, in the words of a line's end and of a hover."""

    line: int
    label: str
    about: str
    """Markdown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One finding at its line (from 1)."""

    line: int
    severity: Severity
    rule: str
    message: str
    pipeline: str


def hints(pipelines: Iterable[Json], path: str) -> tuple[Hint, ...]:
    """The operators that a file declares, by line; one for each pipeline that has it."""
    found = {hint: None for pipeline in pipelines for hint in _hints(pipeline, path)}
    return tuple(sorted(found, key=lambda hint: hint.line))


def _hints(pipeline: Json, path: str) -> Iterator[Hint]:
    for row in pipeline["operators"]:
        side = row["head"]
        if side is None or side["location"] is None or side["location"]["file"] != path:
            continue
        uid = f"uid '{short(visible(side['uid']), 40)}'" if side["uid"] is not None else "no uid"
        state = "" if row["stateful"] is False else " · state"
        identity = side["uid_hash"] or side["id"]
        verdict = Verdict(verdict_of(row)) if row["verdicts"] else Verdict.STATELESS
        lines = [f"**{one_line(visible(side['name']))}** in `{visible(pipeline['name'])}`", ""]
        lines.append(f"- operator id `{identity}`" if identity else "- operator id: undecided")
        if row["base"] and row["base"]["id"] != side["id"]:
            lines.append(f"- in `HEAD`: `{row['base']['id'] or 'undecided'}`")
        lines.append(f"- {uid}" if side["uid"] is not None else "- no uid: the id depends on the place in the graph")
        if row["stateful"] is not False:
            lines.append(f"- its state: {WORDS[verdict]}")
        if row["cause"]:
            lines.append(f"- why: {one_line(visible(row['cause']['text']))}")
        lines += [f"- undecided: {one_line(visible(unknown['reason']))}" for unknown in row["undecided"]]
        label = f"{uid}{state} · {identity[:8] if identity else '?'}"
        yield Hint(line=side["location"]["line"], label=label, about="\n".join(lines))


def problems(pipelines: Iterable[Json], path: str) -> tuple[Problem, ...]:
    """The findings that a file shows, the most severe first."""
    found = [
        Problem(
            line=finding["location"]["line"],
            severity=Severity(finding["severity"]),
            rule=finding["rule"],
            message=visible(finding["message"]),
            pipeline=pipeline["name"],
        )
        for pipeline in pipelines
        for finding in pipeline["findings"]
        if finding["location"] and finding["location"]["file"] == path
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda problem: (-problem.severity.rank, problem.line)))
