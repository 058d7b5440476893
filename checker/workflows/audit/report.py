"""The report of an audit as a canonical document, from what an engine gathered. Equal inputs give equal bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checker import __version__
from checker.model.nested import Json
from checker.model.pipelines import ExtractorKind
from checker.workflows.audit.collecting import UNREADABLE, Collected
from checker.workflows.audit.planning import AuditedRepository, Point
from checker.workflows.running_programs import lacks

FORMAT = "savepoint-checker/audit"
VERSION = 1
_COUNTED = ("changed", "broke", "unreadable", "undecided", "moved")
MOST_LINES = 200
"""Pipelines that the timeline shows; those that broke most come first."""


def audit_document(
    repositories: Sequence[AuditedRepository],
    collected: Collected,
    *,
    reused: int,
    computed: int,
    notes: Sequence[str] = (),
) -> Json:
    """The whole report."""
    repaired = {(r["repository"], r["pipeline"], r["step"]): r["repairs"] for r in collected.repairs}
    mended = {(r["repository"], r["pipeline"], r["repairs"]) for r in collected.repairs}
    places = {a.name: a for a in repositories}
    heads = {(a.name, s.id): s.head for a in repositories for s in a.steps} if repaired else {}
    changes = []
    for row in collected.changes:
        unit = (row["repository"], row["pipeline"], row["step"])
        broken = heads.get((row["repository"], repaired.get(unit, "")))
        changes.append(_change(row, places[row["repository"]], broken, repaired_later=unit in mended))
    lines = sorted(
        collected.lines, key=lambda r: (-r["broke"], -r["moved"], r["repository"], r["series"], r["pipeline"])
    )
    return {
        "format": FORMAT,
        "version": VERSION,
        "tool": {"name": "savepoint-checker", "version": __version__},
        **_counted(lines, [a.failure for a in repositories], len(repaired)),
        "steps": {"computed": computed, "reused": reused},
        "repositories": [_repository(a) for a in repositories],
        "changes": changes,
        "changes_not_listed": sum(line["listed"] for line in lines) - len(changes),
        "pipelines": [dict(line) for line in lines],
        "timeline": list(_timeline(repositories, lines, changes, collected.churn)),
        "notes": [*notes, *(note for a in repositories for note in _notes_on(a))],
    }


def _notes_on(audited: AuditedRepository) -> list[str]:
    """What a check with --allow-exec would run, and an audit does not."""
    names = [e.name for e in audited.settings.pipelines if e.extract is ExtractorKind.AUTO and lacks(e) is None]
    if not names or not audited.steps:
        return []
    return [
        f"{audited.name}: {', '.join(names)} could be run, but a history is not built: only source is read; "
        "'check --allow-exec' runs what two revisions build"
    ]


def _counted(lines: Sequence[Json], failures: Sequence[str | None], repaired: int) -> Json:
    """The verdict, and the counts behind it. ``failures`` say of each repository why it can't be audited."""
    counts = {name: sum(line[name] for line in lines) for name in _COUNTED}
    failed = sum(map(bool, failures))
    undecided = failed or counts["unreadable"] or counts["undecided"]
    return {
        "verdict": "broke" if counts["broke"] else "undecided" if undecided else "kept",
        "counts": {
            "repositories": len(failures),
            "unreadable_repositories": failed,
            "pipelines": len({(line["repository"], line["pipeline"]) for line in lines}),
            "units": sum(line["steps"] for line in lines),
            **counts,
            "repaired": repaired,
        },
    }


def _repository(audited: AuditedRepository) -> Json:
    series: dict[str, int] = {}
    for step in audited.steps:
        series[step.series] = series.get(step.series, 0) + 1
    return {"name": audited.name, "revisions": series, "failure": audited.failure}


def _point(point: Point | None) -> Json | None:
    if point is None:
        return None
    return {"commit": point.commit, "label": point.label, "time": point.time, "subject": point.subject,
            "conditions": point.conditions.label}  # fmt: skip


def _change(row: Json, audited: AuditedRepository, broken: Point | None, *, repaired_later: bool) -> Json:
    step = audited.steps[row["place"]]
    return {
        **{n: row[n] for n in ("repository", "series", "pipeline", "errors", "warnings", "moved", "undecided")},
        "status": "unreadable" if row["status"] in UNREADABLE else row["status"],
        "lost": list(row["lost"]),
        "cause": row["cause"],
        "place": row["place"],
        "base": _point(step.base),
        "head": _point(step.head),
        "repairs": _point(broken),
        "repaired_later": repaired_later,
    }


def _timeline(
    repositories: Sequence[AuditedRepository], lines: Sequence[Json], changes: Sequence[Json], churn: Sequence[Json]
) -> Iterator[Json]:
    cells: dict[tuple[str, str, str], list[Json]] = {}
    for change in changes:
        status = "repaired" if change["repairs"] else change["status"]
        cells.setdefault((change["repository"], change["series"], change["pipeline"]), []).append(
            {"place": change["place"], "status": status, "moved": change["moved"]}
        )
    for audited in repositories:
        for series in dict.fromkeys(step.series for step in audited.steps):
            steps = [(place, s) for place, s in enumerate(audited.steps) if s.series == series]
            bars = {row["place"]: row for row in churn if row["repository"] == audited.name}
            shown = [r for r in lines if (r["repository"], r["series"]) == (audited.name, series) and r["listed"]]
            yield {
                "repository": audited.name,
                "series": series,
                "steps": [
                    {
                        "place": place,
                        "label": step.head.label,
                        "subject": step.head.subject,
                        **{n: bars[place][n] if place in bars else 0 for n in ("changed", "broke", "moved")},
                    }
                    for place, step in steps
                ],
                "pipelines": [
                    {"name": r["pipeline"], "cells": cells.get((audited.name, series, r["pipeline"]), [])}
                    for r in shown[:MOST_LINES]
                ],
                "not_shown": max(0, len(shown) - MOST_LINES),
            }
