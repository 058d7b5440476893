"""Assigns the parts of a judged pipeline to lines of a file. Pure: documents in, records out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checker.model.findings import Severity, Verdict
from checker.report.check.document import Json
from checker.report.presentable import one_line, short, visible
from checker.report.vocabulary import WORDS
from checker.report.wording import verdict_of


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
    comment: str | None
    """The comment that silences it at its operator, None where there is none."""


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
            comment=finding["suppression"]["comment"],
        )
        for pipeline in pipelines
        for finding in pipeline["findings"]
        if finding["location"] and finding["location"]["file"] == path
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda problem: (-problem.severity.rank, problem.line)))
