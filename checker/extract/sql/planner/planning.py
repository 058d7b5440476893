"""Plans scripts in a child process with bounded time, and remembers the answers.

One JVM plans all scripts of a version of Flink. An answer depends on the version, the options, the statements and what
is known of connectors; it is kept under a digest of these, so that a hook does not plan what it has planned before.
"""

import contextlib
import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from checker.cache import active_cache
from checker.errors import CheckerError, LackingError
from checker.extract.asking.content_facts import RecordsAsJson
from checker.extract.sql.connectors import OpenTable, Part, connectors
from checker.extract.sql.functions import FunctionSource
from checker.extract.sql.planner.child_process import ChildRun, run_child
from checker.model.declared_state import SerializerTree, StateDescriptor, StateKind
from checker.model.flink_releases import minor_of
from checker.model.nested import Json, gathered
from checker.model.savepoint import OperatorState, Savepoint
from checker.model.secrets import digested_values
from checker.model.state_handles import BackendStateType, StateMeta

KEYED_KINDS = {
    "VALUE": StateKind.VALUE,
    "LIST": StateKind.LIST,
    "MAP": StateKind.MAP,
    "REDUCING": StateKind.REDUCING,
    "AGGREGATING": StateKind.AGGREGATING,
}
OPERATOR_KINDS = {
    "SPLIT_DISTRIBUTE": StateKind.OPERATOR_LIST,
    "UNION": StateKind.OPERATOR_UNION_LIST,
    "BROADCAST": StateKind.BROADCAST,
}


@dataclass(frozen=True, slots=True)
class WrittenStates:
    """What one operator left in a savepoint. ``problem`` says why a part of it could not be read."""

    states: tuple[StateDescriptor, ...]
    key: SerializerTree | None
    problem: str | None = None


def states_in(savepoint: Savepoint) -> dict[str, WrittenStates]:
    """Operator id → its states."""
    return {str(operator.operator_id): _written(operator) for operator in savepoint.operators}


def _written(operator: OperatorState) -> WrittenStates:
    headers = operator.headers
    states: list[StateDescriptor] = []
    if operator.sizes.coordinator:
        states.append(StateDescriptor(name="coordinator", kind=StateKind.COORDINATOR))
    if headers is None:
        return WrittenStates(tuple(states), None)
    problem = None
    if not headers.complete:
        problem = headers.problems[0] if headers.problems else "a serializer of unknown make"
    states += [_state(meta) for meta in headers.states]
    key = headers.key_serializer
    return WrittenStates(tuple(states), None if key is None else key.tree, problem)


def _state(meta: StateMeta) -> StateDescriptor:
    if meta.backend_type is BackendStateType.PRIORITY_QUEUE:
        kind = StateKind.TIMERS
    else:
        kind = KEYED_KINDS.get(meta.kind) or OPERATOR_KINDS[meta.kind]
    by_role = {role: snapshot.tree for role, snapshot in meta.serializers}
    value = by_role.get("VALUE_SERIALIZER")
    return StateDescriptor(
        name=meta.name,
        kind=kind,
        value_type=None if value is None else str(value),
        ttl=None if value is None or not kind.keyed else _expires(value),
        namespace_serializer=by_role.get("NAMESPACE_SERIALIZER"),
        user_key_serializer=by_role.get("USER_KEY_SERIALIZER"),
        value_serializer=value,
    )


def _expires(value: SerializerTree) -> bool:
    return value.name == "Ttl" or any(_expires(nested) for nested in value.nested)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerTask:
    """One script, as the planner takes it. ``statements`` are those of ``scripts.reading.statements_of``."""

    key: str
    flink: str
    """A full version: the jars that plan it."""
    statements: tuple[Json, ...] = ()
    program: Json | None = None
    """Instead of statements: the calls of a program, as ``programs.program_record`` writes them."""
    options: tuple[tuple[str, str], ...] = ()
    functions: tuple[FunctionSource, ...] = ()
    """The classes that the statements make functions of."""

    def request(self) -> Json:
        """The task as the child process takes it."""
        return {
            "statements": list(self.statements),
            "program": self.program,
            "options": dict(self.options),
            "functions": [function.record() for function in self.functions],
        }

    @property
    def digest(self) -> str:
        """What the answer depends on."""
        parts = [self.flink, connectors(minor_of(self.flink)), self.request()]
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
    tables: dict[str, dict[str, str]] = field(default_factory=dict)
    """Table → its options."""
    columns: dict[str, list[str]] = field(default_factory=dict)
    """Table → its columns, without those that are computed."""
    unknown: tuple[OpenTable, ...] = ()
    """The tables whose operators are not known."""
    batch: bool = False
    """Whether a program's tables are planned for batch mode."""


ReadSavepoint = Callable[[str], Savepoint]
Jars = Callable[[str], Path]
_MOST_LATE = 2
"""Scripts that may take too long before no further one is planned: anybody can write hundreds of them."""


def plan(
    tasks: Sequence[PlannerTask],
    jars: Jars,
    read_savepoint: ReadSavepoint,
    *,
    memory_mb: int = 1024,
    progress: Callable[[str], None] | None = None,
) -> dict[str, PlannedScript]:
    """The answer to every task by its key. ``jars`` gives the folder of a version and may raise CheckerError."""
    answers = {task.key: kept for task in tasks if (kept := _kept(task)) is not None}
    missing = gathered((task.flink, task) for task in tasks if task.key not in answers)
    late: list[ChildRun] = []
    for version, wanted in sorted(missing.items()):
        try:
            folder = jars(version)
        except CheckerError as error:
            failed = PlannedScript(failure=str(error), lacking=isinstance(error, LackingError))
            answers.update({task.key: failed for task in wanted})
            continue
        if progress is not None:
            progress(f"planning SQL with Flink {version}, scripts: {len(wanted)}")
        for task, answer in _planned(wanted, folder, read_savepoint, memory_mb, late):
            answers[task.key] = answer
            if answer.failure is None:
                _keep(task, answer)
    return answers


def _planned(
    tasks: Sequence[PlannerTask], jars: Path, read_savepoint: ReadSavepoint, memory_mb: int, late: list[ChildRun]
) -> Iterator[tuple[PlannerTask, PlannedScript]]:
    """One child for all of them; where one takes it down, the next child goes on behind it."""
    left = list({task.digest: task for task in tasks}.values())
    same = gathered((task.digest, task) for task in tasks)
    while left:
        if len(late) >= _MOST_LATE:
            failed = PlannedScript(failure=late[-1].why())
            yield from ((task_, failed) for task in left for task_ in same[task.digest])
            return
        done: list[PlannedScript] = []
        with tempfile.TemporaryDirectory(prefix="savepoint-checker-sql-", ignore_cleanup_errors=True) as folder:
            scripts = [task.request() for task in left]
            run = run_child(scripts, left[0].flink, jars, Path(folder), memory_mb=memory_mb)
            done = [_answer(record, read_savepoint) for record in run.scripts]
        if not done or run.end is None:
            failed = PlannedScript(failure=run.why(), lacking=run.end is not None)
            late += [run] * run.late
            # With no JVM or no Flink the others would end the same.
            done += [failed] * (1 if run.end is None else len(left))
        for task, answer in zip(left, done, strict=False):
            yield from ((task_, answer) for task_ in same[task.digest])
        left = left[len(done) :]


def _answer(record: Json, read_savepoint: ReadSavepoint) -> PlannedScript:
    return PlannedScript(
        jobs=tuple(_job(job, read_savepoint) for job in record["jobs"]),
        tables={table: dict(digested_values(options.items())) for table, options in record["tables"].items()},
        columns=record["columns"],
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


def _keep(task: PlannerTask, answer: PlannedScript) -> None:
    if (cache := active_cache()) is not None:
        cache.keep(f"plan {task.digest}", _KEEPING.document(answer))


def _kept(task: PlannerTask) -> PlannedScript | None:
    cache = active_cache()
    for row in [] if cache is None else cache.rows(f"plan {task.digest}"):
        with contextlib.suppress(ValueError, KeyError, TypeError):
            return _KEEPING.made(row)  # type: ignore[no-any-return]
    return None
