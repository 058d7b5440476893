"""Suppressions that matched nothing although the pipelines they name were compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from checker.model.pipelines import Note
from checker.report.check.document import Json
from checker.workflows.check.records import CheckPlan

_TELLING = frozenset({"changed", "added", "removed", "refused"})
"""Statuses of pipelines in which something could have been found. An unchanged one has no news to silence."""
_MOST = 6


def unused_suppressions(plan: CheckPlan, pipelines: Sequence[Json]) -> tuple[Note, ...]:
    """One note that names them; none where only some of the pipelines were judged."""
    if plan.partial:
        return ()
    unused = [*_of_policy(plan, pipelines), *_comments(pipelines)]
    if not unused:
        return ()
    more = f" and {len(unused) - _MOST} more" if len(unused) > _MOST else ""
    return (Note(message=f"silenced nothing in this comparison: {', '.join(unused[:_MOST])}{more}"),)


def _of_policy(plan: CheckPlan, pipelines: Sequence[Json]) -> Iterator[str]:
    matched = {source for pipeline in pipelines for source in pipeline["suppressions"]["matched"]}
    for suppression in plan.policy.suppressions:
        meant = [p for p in pipelines if suppression.pipeline is None or fnmatchcase(p["name"], suppression.pipeline)]
        if suppression.source not in matched and _tells(meant, suppression.pipeline is not None):
            yield f"{suppression.source} ({suppression.rule})"
    for entry in plan.policy.baseline:
        meant = [p for p in pipelines if p["name"] == entry.pipeline]
        if entry.source not in matched and _tells(meant, True):
            yield f"{entry.source} ({entry.rule})"


def _tells(meant: Sequence[Json], by_name: bool) -> bool:
    """Whether the pipelines meant were compared, or are named and not there at all."""
    statuses = {pipeline["status"] for pipeline in meant}
    return bool(statuses & _TELLING) and "unreadable" not in statuses if meant else by_name


def _comments(pipelines: Sequence[Json]) -> Iterator[str]:
    """Comments that no pipeline out of their file has a finding for, where all of these were compared."""
    matched = {source for pipeline in pipelines for source in pipeline["suppressions"]["matched"]}
    holding: dict[str, list[Json]] = {}
    for pipeline in pipelines:
        for source in pipeline["suppressions"]["idle_comments"]:
            holding.setdefault(source, []).append(pipeline)
    for source, meant in sorted(holding.items()):
        if source not in matched and _tells(meant, False):
            yield source
