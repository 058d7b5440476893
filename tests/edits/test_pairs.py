"""Edits of small programs: what loses state or may lose it is said, and nothing is said of what keeps it.

The folders of ``tests/data/pairs`` below are called after what an edit is about. The ``result`` of a row is ``loss``
where some error is right, of whatever rule, and ``safe`` where no error and no warning is. Where the rules are the
promise, ``rules`` has those of all errors and warnings instead, by pipeline if there are several; ``says`` is what a
message has to match. A row that is ``not yet`` right is expected to fail.
"""

from __future__ import annotations

import re

import pytest

from tests.edits.pairs import pairs
from tests.judging import judged
from tests.not_yet import cases

KINDS = ("graph", "keys", "states", "types")
CASES = {f"{kind}/{name}": pair for kind in KINDS for name, pair in pairs(kind, prefixed=True).items()}
NOT_YET = {name for name, pair in CASES.items() if "not yet" in pair.row}


@pytest.mark.parametrize("name", cases(CASES, NOT_YET))
def test_an_edit_of_a_small_program(name: str) -> None:
    row, pipelines = CASES[name].row, judged(*CASES[name].sides())
    findings = {p["name"]: [f for f in p["findings"] if f["severity"] in ("error", "warning")] for p in pipelines}
    rules = {pipeline: {f["rule"] for f in found} for pipeline, found in findings.items() if found}
    if row.get("result") == "loss":
        assert "error" in {f["severity"] for found in findings.values() for f in found}
    elif isinstance(expected := row.get("rules", []), dict):
        assert rules == {pipeline: set(found) for pipeline, found in expected.items()}
    else:
        assert set().union(*rules.values()) == set(expected)
    if "says" in row:
        assert any(re.search(row["says"], f["message"]) for found in findings.values() for f in found)
