"""Questions of a platform team to the datasets of its audits; each answer is a table."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from checker import __version__
from checker.model.nested import Json, gathered
from checker.report.wording import day, listed
from checker.workflows.audit.datasets import Datasets
from checker.workflows.audit.judging import repairs
from checker.workflows.audit.report import AS_BEFORE, UNREADABLE, partition_of, rows_of

_MOST_NAMES = 5
FORMAT = "savepoint-checker/answer"
VERSION = 1
_COUNTED = ("changed", "broke", "undecided", "unreadable")
_STEP = ("repository", "pipeline", "commit", "time", "status")
_AUDITED = ("repository", "step", "commit", "time", "conditions", "previous_commit")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the columns of its answer, and what makes its rows of one pipeline's rows of a dataset."""

    title: str
    columns: tuple[str, ...]
    dataset: str
    read: tuple[str, ...]
    answer: Callable[[list[Json]], Iterator[Json]]
    total: Callable[[Iterable[Json]], list[Json]] = list
    """What the rows of all pipelines come to."""
    what_if: bool = False
    """Whether it is about revisions under other conditions, instead of about the history as it was."""
    newest: bool = False
    """Whether it is about the newest revision of each repository, instead of about all."""


@dataclass(frozen=True, slots=True)
class _Steps:
    """Ids of the steps that count, out of several audits of the same revisions."""

    counting: frozenset[str]
    newest: frozenset[str]
    """Those to the newest revision of each repository, under each of the conditions that were asked about."""
    unreadable: tuple[str, ...]
    """Pipelines that could not be read in the newest revision as it is."""


def ask(data: Datasets, name: str) -> Json:
    """The answer to a question by its name, of what this version of the tool wrote. Raises KeyError."""
    question = QUESTIONS[name]
    steps = _steps_of(data)
    rows = (row for line in _lines(data, question, steps) for row in question.answer(line))
    found = question.total(rows)
    notes = list(data.notes)
    if question.newest and not question.what_if and steps.unreadable:
        names = listed(steps.unreadable, _MOST_NAMES)
        notes.append(f"nothing is known of pipelines that could not be read in the newest revision: {names}")
    return {
        "format": FORMAT,
        "version": VERSION,
        "tool": {"name": "savepoint-checker", "version": __version__},
        "question": name,
        "title": question.title,
        "columns": list(question.columns),
        "rows": [[row[column] for column in question.columns] for row in found],
        "notes": notes,
    }


def _steps_of(data: Datasets) -> _Steps:
    """Of several steps to one revision the shortest counts (a range has shorter ones than tags, and one at which a
    history begins has no length), and of equal ones the one that was kept last: by another version of this tool, or
    under another configuration.
    """
    audited = rows_of(data.folder, "topologies", data.files["topologies"], ("pipeline", "status", *_AUDITED))
    steps = audited.group_by(list(_AUDITED), use_threads=False).aggregate([]).to_pylist()
    times = {(step["repository"], step["commit"]): step["time"] for step in steps}

    def since(step: Json) -> int:
        return int(times.get((step["repository"], step["previous_commit"]), -1))

    counting: dict[tuple[str, ...], Json] = {}
    for step in steps:
        key = step["repository"], step["commit"], step["conditions"]
        if key not in counting or since(step) >= since(counting[key]):
            counting[key] = step
    history = [step for step in counting.values() if not step["conditions"]]
    passed = {(step["repository"], step["previous_commit"]) for step in history}
    newest: dict[tuple[str, ...], Json] = {}
    for step in sorted(counting.values(), key=lambda step: step["time"]):
        if step["conditions"] or (step["repository"], step["commit"]) not in passed:
            newest[step["repository"], step["conditions"]] = step
    last = [step["step"] for step in newest.values()]
    as_it_is = pa.array([step["step"] for step in newest.values() if not step["conditions"]], pa.string())
    unread = pc.and_(pc.is_in(audited["step"], as_it_is), pc.is_in(audited["status"], pa.array(UNREADABLE)))
    names = sorted({f"{row['repository']}: {row['pipeline']}" for row in audited.filter(unread).to_pylist()})
    return _Steps(frozenset(step["step"] for step in counting.values()), frozenset(last), tuple(names))


def _lines(data: Datasets, question: Question, steps: _Steps) -> Iterator[list[Json]]:
    """The rows of each pipeline that count, oldest first."""
    groups = gathered((partition_of(path), path) for path in data.files[question.dataset])
    wanted = steps.newest if question.newest else steps.counting
    for key in sorted(groups):
        table = rows_of(data.folder, question.dataset, groups[key], ("step", "conditions", *question.read))
        rows = table.sort_by("time").to_pylist()
        yield [row for row in rows if row["step"] in wanted and bool(row["conditions"]) == question.what_if]


def _without_uid(line: list[Json]) -> Iterator[Json]:
    there = (row for row in line if row["key"] is not None)
    yield from (row for row in there if row["stateful"] and not row["uid"] and not row["uid_hash"])


def _breaks(line: list[Json]) -> Iterator[Json]:
    steps = {row["step"]: row for row in line}
    repaired = {found["repairs"]: steps[found["step"]] for found in repairs(line, lambda row: row["topology"])}
    for row in line:
        if row["status"] == "broke":
            mended = repaired.get(row["step"])
            yield {
                **row,
                "when": day(row["time"]),
                "lost": ", ".join(row["lost"]),
                "repaired by": mended and mended["commit"],
                "repaired on": mended and day(mended["time"]),
            }


def _under_conditions(line: list[Json]) -> Iterator[Json]:
    """What the newest revision that was asked about comes to, once for each question."""
    for row in sorted(line, key=lambda row: row["conditions"]):
        outcome = _OUTCOMES.get(row["status"], "keeps its state")
        yield {**row, "what if": row["conditions"], "then": outcome, "lost": ", ".join(row["lost"])}


_OUTCOMES = {
    "broke": "loses state",
    "undecided": "undecided",
    "unreadable": "could not be read",
    "still-unreadable": "could not be read",
    "refused": "refused by Flink as before",
}
_ORDER = (*dict.fromkeys(_OUTCOMES.values()), "keeps its state")


def _by_month(rows: Iterable[Json]) -> list[Json]:
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        month = day(row["time"])[:7]
        counts = found.setdefault(month, {"month": month, "units": 0, **dict.fromkeys(_COUNTED, 0), "moved ids": 0})
        counts["units"] += 1
        counts["moved ids"] += row["moved"]
        unreadable = row["status"] in UNREADABLE
        counts["unreadable"] += unreadable
        counts["changed"] += not unreadable and row["status"] not in AS_BEFORE
        for status in ("broke", "undecided"):
            counts[status] += row["status"] == status
    return [found[month] for month in sorted(found)]


QUESTIONS: Mapping[str, Question] = {
    "without-uid": Question(
        "Stateful operators without a uid, as of each repository's newest revision",
        ("repository", "pipeline", "name", "id", "file", "line"),
        "operators",
        ("repository", "pipeline", "time", "key", "name", "uid", "uid_hash", "id", "stateful", "file", "line"),
        _without_uid,
        newest=True,
    ),
    "breaks": Question(
        "Commits that broke state, and those that repaired it",
        ("repository", "pipeline", "when", "commit", "lost", "cause", "repaired by", "repaired on"),
        "topologies",
        (*_STEP, "key", "extractor", "topology", "failure", "severities", "ids", "lost", "lost_ids", "cause"),
        _breaks,
    ),
    "upgrades": Question(
        "Whether each pipeline keeps its state under the conditions of 'audit --what-if'",
        ("what if", "repository", "pipeline", "then", "lost", "cause"),
        "topologies",
        (*_STEP, "lost", "cause"),
        _under_conditions,
        lambda rows: sorted(rows, key=lambda row: (row["what if"], _ORDER.index(row["then"]))),
        what_if=True,
        newest=True,
    ),
    "trend": Question(
        "What became of state, month by month",
        ("month", "units", *_COUNTED, "moved ids"),
        "topologies",
        (*_STEP, "moved"),
        iter,
        _by_month,
    ),
}
