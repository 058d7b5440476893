"""Operators find their counterpart whatever the document calls them, and never one that they are not."""

import copy
import random
import tomllib
from importlib.resources import files

from checker.compare import compare_pipelines
from checker.compare.revisions.likeness import DEFAULT_NAMES, shifting_handles
from checker.compare.revisions.programs import programs_of
from checker.extract import datastream
from checker.extract.documents.fields import topology_of
from checker.flink import translate
from checker.model.comparison import MatchBasis
from checker.model.translation import Translation
from tests.compare.edit_scripts import PHYSICAL, edited, named, stateful_document
from tests.conformance.random_documents import Document


def renumbered(document: Document) -> tuple[Document, dict[str, str]]:
    """The document with handles by place, and what each was called before."""
    changed = copy.deepcopy(document)
    new = {t["id"]: f"n{place}" for place, t in enumerate(changed["transformations"])}
    for t in changed["transformations"]:
        t["id"] = new[t["id"]]
        if "inputs" in t:
            t["inputs"] = [new[i] for i in t["inputs"]]
    return changed, {after: before for before, after in new.items()}


def test_names_are_enough_where_handles_are_only_numbers() -> None:
    rng = random.Random(11)
    moved = compared = 0
    for number in range(200):
        document = stateful_document(rng, number)
        for t in document["transformations"]:
            if t["kind"] in PHYSICAL:
                t["name"] = f"operator {t['id']}"
        changed, made = edited(rng, document, 1)
        base_document, before = renumbered(document)
        head_document, after = renumbered(changed)
        base, head = translate(topology_of(base_document)), translate(topology_of(head_document))
        if base.refusal is not None or head.refusal is not None:
            continue
        compared += 1
        for row in compare_pipelines("p", base, head).operators:
            if row.base is not None and row.head is not None:
                assert before[row.base.key.declaration] == after[row.head.key.declaration]
            if row.id_changed:
                assert row.cause is not None
                handles = before if row.cause.kind == "operator-removed" else after
                operator = None if row.cause.operator is None else handles[row.cause.operator]
                assert named(made, row.cause.kind, operator), (row.cause, made)
                moved += 1
    assert compared > 100
    assert moved > 200


def job(*transformations: Document) -> Translation:
    sink = {"id": "end", "kind": "legacy-sink", "inputs": [transformations[-1]["id"]]}
    source = {"id": "source", "kind": "source", "uid": "source"}
    return translate(topology_of({"topology": 1, "name": "p", "transformations": [source, *transformations, sink]}))


def process(handle: str, after: str, function: str | None = None, **fields: object) -> Document:
    state = [{"name": f"state of {function}", "kind": "value"}] if function else []
    return {
        "id": handle, "kind": "operator", "inputs": [after], "operator": "process", "keyed": True, "state": state,
        **({"function": function} if function else {}), **fields,
    }  # fmt: skip


def pairs(base: Translation, head: Translation) -> dict[str, tuple[str | None, MatchBasis]]:
    rows = compare_pipelines("p", base, head).operators
    return {str(r.base.key): (str(r.head.key) if r.head else None, r.match.basis) for r in rows if r.base is not None}


def test_the_same_uid_wins_over_another_handle() -> None:
    found = pairs(job(process("a", "source", uid="u")), job(process("b", "source", uid="u")))
    assert found["a"] == ("b", MatchBasis.UID)


def test_uids_that_were_swapped_are_seen_by_the_functions() -> None:
    base = job(process("a", "source", "Count", uid="x"), process("b", "a", "Dedup", uid="y"))
    head = job(process("a", "source", "Count", uid="y"), process("b", "a", "Dedup", uid="x"))
    found = pairs(base, head)
    assert (found["a"][0], found["b"][0]) == ("a", "b")


def test_a_pin_says_who_an_operator_was() -> None:
    base = job(process("a", "source", "Count"))
    known = base.identities[1].generated
    found = pairs(base, job(process("z", "source", "Total", uid="total", uid_hash=known)))
    assert found["a"] == ("z", MatchBasis.ID)


def test_another_function_and_name_in_the_place_of_one_is_not_the_same() -> None:
    base = job(process("a", "source", "Count", name="Count"))
    head = job(process("z", "source", "Dedup", name="Dedup", operator="reduce"))
    assert pairs(base, head)["a"] == (None, MatchBasis.NONE)


def test_a_renamed_class_in_the_same_place_is_the_same() -> None:
    base = job(process("a", "source", "Count", name="Count"))
    head = job(process("a", "source", "Counter", name="Count"))
    assert pairs(base, head)["a"][0] == "a"


def test_numbers_in_order_shift_only_when_one_side_has_more() -> None:
    program = programs_of(job(process("n1", "source"), process("n2", "n1")))[0]
    more = programs_of(job(process("n1", "source"), process("n2", "n1"), process("n3", "n2")))[0]
    assert shifting_handles(program, program) == frozenset()
    assert shifting_handles(program, more) == {"n1", "n2", "n3"}


def test_names_that_flink_makes_up_are_known_as_such() -> None:
    calls = tomllib.loads((files(datastream) / "datastream_api.toml").read_text("utf-8"))
    rows = [row for rows in calls["calls"].values() for row in rows.values()]
    names = {row["name"] for row in rows if "name" in row}
    assert names
    assert names <= DEFAULT_NAMES
