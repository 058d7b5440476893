"""What the reader says of a program, held against what PyFlink built of it under each command line."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from checker.compare import compare_pipelines
from checker.errors import ExtractionError, GraphTooLargeError
from checker.extract import python
from checker.flink import translate
from checker.model.findings import Verdict
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Topology
from checker.model.translation import Translation
from checker.report.ids import ids_document

EXACT, UNDECIDED, WRONG = "exact", "undecided", "wrong"
UNCHANGED, LOST = "unchanged", "lost"
_LOSSES = (Verdict.FAILS, Verdict.DROPPED, Verdict.STARTS_EMPTY, Verdict.MISASSIGNED)
NODE = ("name", "uid", "uid_hash", "slot_sharing_group", "chaining")
NUMBERS = ("parallelism", "max_parallelism")
VERTEX = ("id", "name", "parallelism", "max_parallelism")
FLINK = "1.20.5"
PARALLELISM = 4


@dataclass(frozen=True)
class Judgement:
    """How one reading of a program compares; ``vector`` is None where the reader was given no arguments."""

    vector: tuple[str, ...] | None
    outcome: str
    why: str = ""


def judged(files: dict[str, str], vectors: Sequence[Sequence[str]], runs: Sequence[Any]) -> Iterator[Judgement]:
    """The program read with each command line, and once without any."""
    for vector, run in zip(vectors, runs, strict=True):
        outcome, why = _known(read(files, vector), run)
        yield Judgement(tuple(vector), outcome, why)
    outcome, why = _any(read(files, None), runs)
    yield Judgement(None, outcome, why)


def read(files: dict[str, str], vector: Sequence[str] | None) -> Topology | str:
    """The first job of ``job.py``; why there is none."""
    entry = PipelineEntry(
        name="job", extract=ExtractorKind.PYTHON, file="job.py", flink=FLINK, parallelism=PARALLELISM,
        args=tuple(vector or ()), discovered=vector is None,
    )  # fmt: skip
    try:
        return python.extract(MemoryFiles({path: text.encode() for path, text in files.items()}), entry)
    except ExtractionError as error:
        return str(error)


def _known(topology: Topology | str, run: Any) -> tuple[str, str]:
    if isinstance(topology, str):
        return (WRONG, f"no job was found: {topology}") if run["jobs"] else (EXACT, "")
    translation = translate(topology)
    if not translation.certain:
        return UNDECIDED, "; ".join(dict.fromkeys(undecided.unknown.reason for undecided in translation.undecided))
    if not run["jobs"]:
        if translation.refusal is not None:
            return EXACT, "refused"
        return WRONG, f"a job was found where the program ends with {run['end']}"
    return (EXACT, "") if shown(translation) == _recorded(run["jobs"][0]) else (WRONG, "another graph")


def _any(topology: Topology | str, runs: Sequence[Any]) -> tuple[str, str]:
    jobs = [_recorded(run["jobs"][0]) for run in runs if run["jobs"]]
    if isinstance(topology, str):
        return (WRONG, f"no job was found: {topology}") if jobs else (EXACT, "")
    try:
        translations = [translate(shape) for shape in _shapes(topology)]
    except GraphTooLargeError as error:
        return UNDECIDED, str(error)
    unclear = [undecided.unknown.reason for translation in translations for undecided in translation.undecided]
    if unclear or not all(translation.certain for translation in translations):
        return UNDECIDED, "; ".join(dict.fromkeys(unclear))
    possible = [shown(translation) for translation in translations]
    if all(any(_agree(shape, job) for shape in possible) for job in jobs):
        return EXACT, f"{len(possible)} shapes"
    return WRONG, "a graph that is none of the shapes"


def _agree(read: Any, built: Any) -> bool:
    """Equal but for what the reader leaves open, as a parallelism that no id depends on."""
    if isinstance(read, dict):
        return "unknown" in read
    if isinstance(read, (list, tuple)) and isinstance(built, (list, tuple)):
        return len(read) == len(built) and all(map(_agree, read, built))
    return bool(read == built)


def _shapes(topology: Topology) -> list[Topology]:
    return [
        replace(topology, transformations=variant.transformations, variants=(), variants_unknown=None)
        for variant in topology.variants
    ] or [topology]


def shown(translation: Translation) -> Any:
    """Nodes, edges and ids as they are compared. Numbers come last, so that open ones do not decide the order."""
    if translation.refusal is not None:
        return "refused"
    document = json.loads(json.dumps(ids_document(translation)))
    return (
        _rows(document),
        [
            [*(vertex[name] for name in VERTEX), [op["generated"] for op in vertex["operators"]]]
            for vertex in document["vertices"]
        ],
    )


def _recorded(job: Any) -> Any:
    if job["refused"]:
        return "refused"
    return (
        _rows(job),
        [[*_vertex(vertex), list(vertex["operators"])] for vertex in job["vertices"]],
    )


def _rows(document: Any) -> list[list[Any]]:
    rows = (
        [*(repr(node[name]) for name in NODE), repr(_edges(document, node)), *(node[name] for name in NUMBERS)]
        for node in document["nodes"]
    )
    return sorted(rows, key=repr)


def _vertex(vertex: Any) -> list[Any]:
    return [vertex[name] for name in VERTEX]


def _edges(job: Any, node: Any) -> list[tuple[Any, ...]]:
    nodes = job["nodes"]
    return sorted(
        (
            nodes[edge["to"]]["name"],
            edge["type"],
            edge["partitioner"],
            edge["tag"] or "",
            edge["chainable"],
        )
        for edge in node["out"]
    )


def compared(base: dict[str, str], head: dict[str, str], vector: Sequence[str] | None) -> str:
    """What comparing two programs says: unchanged, lost or undecided. One that Flink refuses has no state to lose."""
    before, after = read(base, vector), read(head, vector)
    if isinstance(before, str) or isinstance(after, str):
        return UNCHANGED if isinstance(before, str) else LOST
    programs = translate(before), translate(after)
    if programs[0].refusal is not None:
        return UNCHANGED
    if programs[1].refusal is not None:
        return LOST
    comparison = compare_pipelines("job", *programs)
    rows = [row for row in comparison.operators if row.base is not None and row.verdicts]
    verdicts = [row.verdicts[0].verdict for row in rows]
    left = any(change.base is not None and change.head is None for row in rows for change in row.state_changes)
    if left or any(verdict in _LOSSES for verdict in verdicts):
        return LOST
    return UNDECIDED if comparison.undecided or Verdict.UNDECIDED in verdicts else UNCHANGED
