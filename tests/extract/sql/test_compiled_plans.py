"""Compiled plans are known from other JSON; broken ones are notes that say what is wrong."""

import json

import pytest

from checker.extract import sql
from checker.model.sources import MemoryFiles

PLAN = {"flinkVersion": "1.20", "nodes": [{"id": 1, "type": "stream-exec-values_1"}], "edges": []}


def test_discovery_knows_plans_from_other_json() -> None:
    good = json.dumps(PLAN).encode()
    found = sql.discover(MemoryFiles({"a/x.json": good, "c.json": b"{}", "d.txt": good}))
    assert [(e.name, e.file) for e in found.entries] == [("x", "a/x.json")]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (b'{"flinkVersion": "1.20", "edges": [', "no JSON"),
        (b'{"flinkVersion": 3, "edges": 1}', "'flinkVersion' is missing"),
        (b'{"flinkVersion": "1.20", "nodes": 3, "edges": []}', "nodes: must be a list"),
    ],
)
def test_broken_plans_are_notes(broken: bytes, words: str) -> None:
    found = sql.discover(MemoryFiles({"b.json": broken}))
    (note,) = found.notes
    assert (words in note.message, note.location is not None and note.location.file, found.entries) == (
        True,
        "b.json",
        (),
    )
