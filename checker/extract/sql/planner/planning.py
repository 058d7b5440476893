"""Plans scripts in a child process with bounded time, and remembers the answers.

One JVM plans all scripts of a version of Flink. An answer depends on the version, the options, the statements and what
is known of connectors; it is kept under a digest of these, so that a hook does not plan what it has planned before.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from checker.cache import kept_folder, private_folder
from checker.errors import CheckerError, LackingError
from checker.extract.asking.records_as_json import RecordsAsJson
from checker.extract.sql.connectors.tables import OpenTable, Part, connectors
from checker.extract.sql.functions.skeletons import FunctionSource
from checker.extract.sql.planner.child_process import class_path_of, run_child
from checker.extract.sql.planner.states import WrittenStates, states_in
from checker.model import savepoint
from checker.model.flink_releases import minor_of
from checker.model.nested import Json, gathered
from checker.model.savepoint import Savepoint
from checker.model.secrets import digested_values


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerTask:
    """One script, as the planner takes it. ``statements`` are those of ``scripts.reading.statements_of``."""

    key: str
    flink: str
    """A full version: the jars that plan it."""
    statements: tuple[Json, ...] = ()
    program: Json | None = None
    """Instead of statements: the calls of a program, as ``program_records.program_record`` writes them."""
    options: tuple[tuple[str, str], ...] = ()
    states: bool = True
    functions: tuple[FunctionSource, ...] = ()
    """The classes that the statements make functions of."""

    def request(self) -> Json:
        """The task as the child process takes it."""
        return {
            "statements": list(self.statements),
            "program": self.program,
            "options": dict(self.options),
            "states": self.states,
            "functions": [function.record() for function in self.functions],
        }

    @property
    def digest(self) -> str:
        """What the answer depends on."""
        parts = [_planner(), self.flink, connectors(minor_of(self.flink)), self.request()]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedJob:
    """One job of a script: its graph and the states of its nodes, or why there is none.

    ``statement`` is the place in the task's statements; ``states`` are by Flink's node id.
    """

    statement: int
    graph: Json | None = None
    states: tuple[tuple[int, WrittenStates], ...] = ()
    states_failure: str | None = None
    failure: str | None = None
    refused: bool = False
    """Whether the failure is what Flink's own validation says of the statement."""
    counted_uids: bool = False
    """Whether its uids hold numbers that go on counting while a session plans further statements."""
    parts: Json | None = None
    """Of a program: which transformations each call made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedScript:
    """What came of a script. ``failure`` says why it was not planned at all."""

    jobs: tuple[PlannedJob, ...] = ()
    failure: str | None = None
    lacking: bool = False
    """Whether that is because this machine lacks what plans it."""
    tables: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """Table → its options."""
    columns: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Table → its columns, without those that are computed."""
    unknown: tuple[OpenTable, ...] = ()
    """The tables whose operators are not known."""
    batch: bool = False
    """Whether a program's tables are planned for batch mode."""


@cache
def _planner() -> str:
    """A digest of all that makes plans here, and of the records in them: older answers are not taken over."""
    made = hashlib.sha256()
    makers, records = Path(__file__).parent, Path(savepoint.__file__).parent
    for path in sorted((*makers.rglob("*"), *records.glob("*.py"))):
        if path.suffix in (".py", ".jar"):
            made.update(path.read_bytes())
    return made.hexdigest()


ReadSavepoint = Callable[[str], Savepoint]
Jars = Callable[[str], Path]


def plan(
    tasks: Sequence[PlannerTask],
    jars: Jars,
    read_savepoint: ReadSavepoint,
    *,
    memory_mb: int = 1024,
    progress: Callable[[str], None] | None = None,
    prepare: bool = False,
) -> dict[str, PlannedScript]:
    """The answer to every task by its key. ``jars`` gives the folder of a version and may raise CheckerError.

    ``prepare`` lets a run of a version leave an archive of classes, so that later ones start faster.
    """
    answers = {task.key: kept for task in tasks if (kept := _kept(task)) is not None}
    missing = gathered((task.flink, task) for task in tasks if task.key not in answers)
    for version, wanted in sorted(missing.items()):
        try:
            folder = jars(version)
        except CheckerError as error:
            failed = PlannedScript(failure=str(error), lacking=isinstance(error, LackingError))
            answers.update({task.key: failed for task in wanted})
            continue
        if progress is not None:
            progress(f"planning {len(wanted)} SQL scripts with Flink {version}" if len(wanted) > 1
                     else f"planning a SQL script with Flink {version}")  # fmt: skip
        for task, answer in _planned(wanted, folder, read_savepoint, memory_mb, prepare):
            answers[task.key] = answer
            if answer.failure is None:
                _keep(task, answer)
    return answers


def _planned(
    tasks: Sequence[PlannerTask], jars: Path, read_savepoint: ReadSavepoint, memory_mb: int, prepare: bool
) -> Iterator[tuple[PlannerTask, PlannedScript]]:
    """One child for all of them; where one takes it down, the next child goes on behind it."""
    left = list({task.digest: task for task in tasks}.values())
    same = gathered((task.digest, task) for task in tasks)
    while left:
        done: list[PlannedScript] = []
        with tempfile.TemporaryDirectory(prefix="savepoint-checker-sql-", ignore_cleanup_errors=True) as folder:
            known = connectors(minor_of(left[0].flink))
            scripts = [task.request() for task in left]
            run = run_child(scripts, known, class_path_of(jars), Path(folder), memory_mb=memory_mb, prepare=prepare)
            done = [_answer(record, read_savepoint) for record in run.scripts]
        if not done or run.end is None:
            failed = PlannedScript(failure=run.why(), lacking=run.end is not None)
            # With no JVM or no Flink the others would end the same.
            done += [failed] * (1 if run.end is None else len(left))
        for task, answer in zip(left, done, strict=False):
            yield from ((task_, answer) for task_ in same[task.digest])
        left = left[len(done) :]


def _answer(record: Json, read_savepoint: ReadSavepoint) -> PlannedScript:
    return PlannedScript(
        jobs=tuple(_job(job, read_savepoint) for job in record["jobs"]),
        tables=tuple(
            (table, digested_values(sorted(options.items()))) for table, options in sorted(record["tables"].items())
        ),
        columns=tuple((table, tuple(columns)) for table, columns in sorted(record["columns"].items())),
        unknown=tuple(OpenTable(table, Part(part), *why) for table, part, *why in record["unknown"]),
        batch=record["batch"],
    )


def _job(record: Json, read_savepoint: ReadSavepoint) -> PlannedJob:
    if "graph" not in record:
        thrown = record["thrown"]
        refused = any(exception["class"].startswith(_REFUSES) for exception in thrown)
        own = any(exception["class"].startswith("org.apache.calcite.") for exception in thrown)
        why = f"{REFUSED}{_thrown(thrown)}" if own else _thrown(thrown)
        return PlannedJob(statement=record["statement"], failure=why, refused=refused)
    job = PlannedJob(
        statement=record["statement"],
        graph=record["graph"],
        counted_uids=record.get("counted_uids", False),
        parts=record.get("parts"),
    )
    states = record.get("states")
    if states is None:
        return job
    if "failure" in states:
        return replace(job, states_failure=states["failure"])
    try:
        savepoint = read_savepoint(states["path"].removeprefix("file:"))
    except CheckerError as error:
        return replace(job, states_failure=str(error))
    by_id = states_in(savepoint)
    nodes = {int(node): by_id[operator] for node, operator in states["ids"].items() if operator in by_id}
    return replace(job, states=tuple(sorted(nodes.items())))


REFUSED = "Flink refuses the statement: "
_REFUSES = ("org.apache.flink.table.api.", "org.apache.calcite.", "org.apache.flink.sql.parser.")
"""Packages whose exceptions say that a statement is not one that Flink takes."""
_REST = re.compile(r"\s*(?:\n\s*\n|\n\t|Was expecting).*", re.DOTALL)
"""What follows a reason: hundreds of tokens, overloads, or options of a table with their values, such as passwords."""


def _thrown(chain: Sequence[Json]) -> str:
    """The last message of a chain of exceptions that says something: Flink puts the reason there."""
    messages = [str(exception["message"]) for exception in chain if exception["message"]]
    if not messages:
        return str(chain[-1]["class"])
    return " ".join(_REST.sub("", messages[-1].strip()).split())[:500]


_KEEPING = RecordsAsJson(PlannedScript)


def _file(task: PlannerTask) -> Path:
    return kept_folder() / "plans" / f"{task.digest}.json"


def _keep(task: PlannerTask, answer: PlannedScript) -> None:
    path = _file(task)
    with contextlib.suppress(OSError):  # a cache that can't be written costs time only
        private_folder(path.parent)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(_KEEPING.document(answer)), "utf-8")
        unfinished.replace(path)


def _kept(task: PlannerTask) -> PlannedScript | None:
    try:
        found: PlannedScript = _KEEPING.made(json.loads(_file(task).read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found
