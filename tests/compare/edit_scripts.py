"""Random edits of topology documents, each knowing which cause ought to be named for the ids it moves."""

import copy
import random
from collections.abc import Callable, Collection
from dataclasses import dataclass

from checker.model.comparison import CauseKind, OperatorComparison
from checker.model.findings import Verdict
from checker.model.stream_graph import StreamNode
from tests.conformance.random_documents import Document, random_document

VIRTUAL = ("partition", "union", "side-output")
PHYSICAL = ("source", "legacy-source", "operator", "sink", "legacy-sink")


@dataclass(frozen=True, slots=True)
class Made:
    """One edit that was made: which causes tell of it, and on which declarations (empty = the job itself)."""

    edit: str
    kinds: frozenset[CauseKind]
    operators: frozenset[str | None]


def stateful_document(rng: random.Random, number: int, *, size: int = 14) -> Document:
    """A random document in which about half of the operators keep state, and hashes are not pinned."""
    document = random_document(rng, number, size=size)
    for t in document["transformations"]:
        t.pop("uid_hash", None)
        if t["kind"] in PHYSICAL:
            t["stateful"] = rng.random() < 0.5
    return document


def edited(rng: random.Random, document: Document, count: int) -> tuple[Document, list[Made]]:
    """The document after ``count`` random edits, and the edits."""
    changed = copy.deepcopy(document)
    made: list[Made] = []
    for number in range(count):
        for _ in range(20):
            edit = rng.choice(EDITS)(rng, changed, number)
            if edit is not None:
                made.append(edit)
                break
    return changed, made


def _transformations(document: Document) -> list[Document]:
    found: list[Document] = document["transformations"]
    return found


def _consumers(document: Document, name: str) -> list[Document]:
    return [t for t in _transformations(document) if name in t.get("inputs", [])]


def _readers(document: Document, name: str) -> set[str]:
    """The physical operators that read a declaration, directly or through virtual ones."""
    found: set[str] = set()
    for t in _consumers(document, name):
        found |= _readers(document, t["id"]) if t["kind"] in VIRTUAL else {t["id"]}
    return found


def insert(rng: random.Random, document: Document, number: int) -> Made | None:
    """A stateless operator before a consumer."""
    places = [
        (place, t, i) for place, t in enumerate(_transformations(document)) for i in range(len(t.get("inputs", [])))
    ]
    place, consumer, which = rng.choice(places)
    name = f"new{number}"
    source = consumer["inputs"][which]
    if consumer["kind"] == "side-output":
        return None  # a tag is read from the operator that emits it
    _transformations(document).insert(
        place, {"id": name, "kind": "operator", "inputs": [source], "operator": "map", "stateful": False}
    )
    consumer["inputs"][which] = name
    return Made("insert", frozenset({CauseKind.OPERATOR_INSERTED}), frozenset({name}))


def insert_branch(rng: random.Random, document: Document, number: int) -> Made | None:
    """A new sink behind some stream, or a whole new pipeline of a source and a sink."""
    name = f"new{number}"
    streams = [(p, t) for p, t in enumerate(_transformations(document)) if t["kind"] not in ("sink", "legacy-sink")]
    if rng.random() < 0.4:
        place = rng.randint(0, len(_transformations(document)))
        _transformations(document)[place:place] = [
            {"id": f"{name}s", "kind": "source"},
            {"id": name, "kind": "legacy-sink", "inputs": [f"{name}s"]},
        ]
        return Made("insert", frozenset({CauseKind.OPERATOR_INSERTED}), frozenset({name, f"{name}s"}))
    place, stream = rng.choice(streams)
    at = rng.randint(place + 1, len(_transformations(document)))
    _transformations(document).insert(at, {"id": name, "kind": "legacy-sink", "inputs": [stream["id"]]})
    return Made("insert", frozenset({CauseKind.OPERATOR_INSERTED}), frozenset({name}))


def remove(rng: random.Random, document: Document, number: int) -> Made | None:
    """An operator out of the middle, or a sink."""
    del number
    candidates = [
        t for t in _transformations(document)
        if ((t["kind"] == "operator" and len(t["inputs"]) == 1) or t["kind"] in ("sink", "legacy-sink"))
        and not any(c["kind"] == "side-output" for c in _consumers(document, t["id"]))
    ]  # fmt: skip
    physical = [t for t in _transformations(document) if t["kind"] in ("operator", "sink", "legacy-sink")]
    if not candidates or len(physical) < 3:
        return None
    gone = rng.choice(candidates)
    for consumer in _consumers(document, gone["id"]):
        consumer["inputs"] = [gone["inputs"][0] if i == gone["id"] else i for i in consumer["inputs"]]
    _transformations(document).remove(gone)
    return Made("remove", frozenset({CauseKind.OPERATOR_REMOVED}), frozenset({gone["id"]}))


def rewire(rng: random.Random, document: Document, number: int) -> Made | None:
    """A consumer reads another stream that is declared before it."""
    del number
    place, consumer = rng.choice(list(enumerate(_transformations(document))))
    if not consumer.get("inputs") or consumer["kind"] in ("side-output", "union"):
        return None
    which = rng.randrange(len(consumer["inputs"]))
    old = consumer["inputs"][which]
    before = [
        t["id"]
        for t in _transformations(document)[:place]
        if t["kind"] not in ("sink", "legacy-sink") and t["id"] != old
    ]
    if not before:
        return None
    consumer["inputs"][which] = rng.choice(before)
    concerned = _readers(document, consumer["id"]) if consumer["kind"] in VIRTUAL else {consumer["id"]}
    kinds = {CauseKind.REWIRED, CauseKind.OPERATORS_REORDERED, CauseKind.PARTITIONER_CHANGED}
    return Made("rewire", frozenset(kinds), frozenset(concerned))


def parallelise(rng: random.Random, document: Document, number: int) -> Made | None:
    """Another parallelism for one operator, or for the job."""
    del number
    kinds = frozenset({CauseKind.PARALLELISM_CHANGED})
    if rng.random() < 0.15:
        document["parallelism"] = document["parallelism"] + rng.choice([1, 2])
        return Made("parallelise", kinds, frozenset({None}))
    t = rng.choice([t for t in _transformations(document) if t["kind"] in PHYSICAL and t["kind"] != "legacy-source"])
    t["parallelism"] = rng.choice([n for n in (1, 2, 3, 4, 8) if n != t.get("parallelism", document["parallelism"])])
    return Made("parallelise", kinds, frozenset({t["id"]}))


def rename(rng: random.Random, document: Document, number: int) -> Made | None:
    """Another name, which moves nothing, or another uid."""
    t = rng.choice([t for t in _transformations(document) if t["kind"] in PHYSICAL])
    if "uid" in t and rng.random() < 0.7:
        t["uid"] = f"renamed-{number}"
        return Made("rename", frozenset({CauseKind.UID_RENAMED}), frozenset({t["id"]}))
    t["name"] = f"Renamed {number}"
    return Made("rename", frozenset(), frozenset())


def pin(rng: random.Random, document: Document, number: int) -> Made | None:
    """A uid where there was none, or none where there was one."""
    t = rng.choice([t for t in _transformations(document) if t["kind"] in PHYSICAL])
    if "uid" in t:
        if rng.random() < 0.5:
            return None
        del t["uid"]
        return Made("unpin", frozenset({CauseKind.UID_REMOVED}), frozenset({t["id"]}))
    t["uid"] = f"pinned-{number}"
    return Made("pin", frozenset({CauseKind.UID_ADDED}), frozenset({t["id"]}))


EDITS: tuple[Callable[[random.Random, Document, int], Made | None], ...] = (
    insert, insert, insert_branch, remove, rewire, parallelise, rename, pin,
)  # fmt: skip


def named(made: list[Made], kind: CauseKind, operator: str | None) -> bool:
    """Whether a cause tells of one of the edits."""
    return any(kind in made_edit.kinds and operator in made_edit.operators for made_edit in made)


def wrong_verdict(row: OperatorComparison, base_node: StreamNode, head_ids: Collection[str | None]) -> str | None:
    """What is wrong with a row by set arithmetic on true ids, None where nothing is.

    A restore that Flink refuses because of max parallelism, or whose maxima are mixed, is not a question of ids.
    """
    assert row.base is not None
    claimed = row.base.id in head_ids
    savepoint, allowed, last_state = (v.verdict for v in row.verdicts)
    if any("max parallelism" in v.reason for v in row.verdicts):
        return None
    if not claimed and last_state is not Verdict.FAILS:
        return f"{row.base.name} is not claimed and the last-state path says {last_state}"
    if base_node.stateful:
        good = _TAKEN if claimed else {(Verdict.FAILS, Verdict.DROPPED)}
    else:
        good = {(Verdict.STATELESS, Verdict.STATELESS), (Verdict.STARTS_EMPTY, Verdict.STARTS_EMPTY)}
    if (savepoint, allowed) not in good:
        return (
            f"{row.base.name} is {'claimed' if claimed else 'not claimed'} and the verdicts are {savepoint}, {allowed}"
        )
    return None


_TAKEN = {(v, v) for v in (Verdict.RESTORES, Verdict.MISASSIGNED, Verdict.DROPPED)}
