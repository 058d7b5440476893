"""Really starts planned jobs from savepoints, on a cluster inside of the planner's JVM.

Nothing of the repository runs: sources emit nothing, sinks and functions are stand-ins. A savepoint is that of another
planned job, whose state has no entries, or one of a real job. Flink checks ids, maximum parallelism and serializers.
"""

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from checker.errors import CheckerError
from checker.extract.sql.planner.child_process import run_child
from checker.extract.sql.planner.planning import Jars, PlannerTask
from checker.model.findings import Rehearsal, Start
from checker.model.nested import Json, gathered

_OF_THIS_RUN = re.compile(r" file:/\S*/savepoint-[\w-]+|@[0-9a-f]+\b")
"""What Flink's messages name and every run names otherwise: paths and identities of objects."""


@dataclass(frozen=True, slots=True)
class PlaceOfJob:
    """One job of a script: its number among ``PlannedScript.jobs``."""

    task: PlannerTask
    job: int


def rehearse(
    wanted: Mapping[str, tuple[PlaceOfJob, PlaceOfJob]], jars: Jars, *, memory_mb: int = 1024
) -> dict[str, Rehearsal]:
    """By the same names: what Flink does when the second job starts from a savepoint of the first."""
    with tempfile.TemporaryDirectory(prefix="savepoint-checker-rehearsal-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folders = {name: str(folder / f"savepoint-of-{place}") for place, name in enumerate(wanted)}
        stages = [_scripts({name: pair[side] for name, pair in wanted.items()}, folders, side) for side in (0, 1)]
        versions = [{task.flink for task, _ in stage} for stage in stages]
        if versions[0] == versions[1] and len(versions[0]) == 1:  # one JVM for both
            stages = [[*stages[0], *stages[1]]]
        answers: dict[tuple[int, str], Json] = {}
        for stage in stages:
            answers |= _answers(stage, jars, folder, memory_mb)
    return {name: _rehearsal(answers.get((0, name), {}), answers.get((1, name), {})) for name in wanted}


def start_from(
    savepoint: Path, wanted: Mapping[str, PlaceOfJob], jars: Jars, *, memory_mb: int = 1024
) -> dict[str, Rehearsal]:
    """By the same names: what Flink does when each job starts from a real job's savepoint, a folder on this machine."""
    with tempfile.TemporaryDirectory(prefix="savepoint-checker-rehearsal-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folders = {name: str(folder / f"savepoint-for-{place}") for place, name in enumerate(wanted)}
        scripts = _scripts(wanted, folders, 1, given=str(savepoint))
        answers = _answers(scripts, jars, folder, memory_mb)
    return {name: started(answers.get((1, name), {})) for name in wanted}


def _scripts(
    places: Mapping[str, PlaceOfJob], folders: Mapping[str, str], side: int, given: str | None = None
) -> list[tuple[PlannerTask, Json]]:
    """Each script once, with the jobs of it that are wanted: their number → the folder of the savepoint."""
    found: dict[str, tuple[PlannerTask, Json]] = {}
    for name, place in places.items():
        start = {"rehearsed": {}, "names": {}, "start": side == 1, "given": given, "states": False}
        _, script = found.setdefault(place.task.key, (place.task, {**place.task.request(), **start}))
        script["rehearsed"][str(place.job)] = folders[name]
        script["names"][str(place.job)] = name
    return list(found.values())


def _answers(
    scripts: list[tuple[PlannerTask, Json]], jars: Jars, folder: Path, memory_mb: int
) -> dict[tuple[int, str], Json]:
    """(side, name) → what the child says of the job."""
    found: dict[tuple[int, str], Json] = {}
    for version, left in sorted(gathered((task.flink, script) for task, script in scripts).items()):
        try:
            known = jars(version)
        except CheckerError as error:
            found |= {(int(s["start"]), name): {"failure": str(error)} for s in left for name in s["names"].values()}
            continue
        while left:  # one that takes its child down stops no other
            run = run_child(left, version, known, Path(tempfile.mkdtemp(dir=folder)), memory_mb=memory_mb)
            reached = len(left) if run.end is not None else len(run.scripts) + 1
            for place, script in enumerate(left[:reached]):
                jobs = run.scripts[place]["jobs"] if place < len(run.scripts) else []
                why = run.why() if place >= len(run.scripts) else "it was not planned"
                for job, name in script["names"].items():
                    rehearsal = jobs[int(job)].get("rehearsal") if int(job) < len(jobs) else None
                    found[int(script["start"]), name] = rehearsal or {"failure": why}
            left = left[reached:]
    return found


def _rehearsal(base: Json, head: Json) -> Rehearsal:
    return without_savepoint(base) or started(head)


def without_savepoint(base: Json) -> Rehearsal | None:
    """What there is to say where the base's job left no savepoint, None where it did."""
    if "path" in base:
        return None
    why = f"the base's job took no savepoint: {base.get('failure', 'it was not planned')}"
    return Rehearsal(start=Start.NOT_TRIED, message=why)


def started(head: Json) -> Rehearsal:
    """What Flink did when the head's job was to start."""
    if head.get("started"):
        return Rehearsal(start=Start.STARTED)
    if "refused" not in head:
        return Rehearsal(start=Start.NOT_TRIED, message=str(head.get("failure", "the head was not planned")))
    return Rehearsal(
        start=Start.REFUSED if head["refused"] else Start.FAILED, message=_OF_THIS_RUN.sub("", head["failure"])
    )
