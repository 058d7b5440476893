"""Edits of small programs: what loses state or may lose it is said, and nothing is said of what keeps it.

The folders of ``tests/data/pairs`` below are called after what an edit is about. The ``result`` of a row is ``loss``
where some error is right, of whatever rule; ``kept`` where no error is, and ``safe`` where no warning is either.
Where the rules are the promise, ``rules`` has those of the errors instead, or of the warnings if there is no error:
by pipeline if the program has several. Where one edit is the cause of all, ``findings`` counts the errors and ``at``
is their place. ``says`` is what a message or its repair has to match, ``never`` what none does; ``account``
has how edits are explained. A row that is ``not yet`` right is expected to fail.
"""

import re
from pathlib import Path

import pytest

from tests.edits.pairs import checked, pairs
from tests.judging import judged
from tests.not_yet import cases

KINDS = ("deployments", "graph", "keys", "pipelines", "states", "types")
CASES = {f"{kind}/{name}": pair for kind in KINDS for name, pair in pairs(kind, prefixed=True).items()}
IN_GIT = ("deployments/", "pipelines/")
"""What has to be looked for in whole revisions."""
NOT_YET = {name for name, pair in CASES.items() if "not yet" in pair.row}


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing in it, for all pairs."""
    return tmp_path_factory.mktemp("top")


@pytest.mark.parametrize("name", cases(CASES, NOT_YET))
def test_an_edit_of_a_small_program(name: str, top: Path) -> None:
    row, sides = CASES[name].row, CASES[name].sides()
    pipelines = checked(*sides, top)["pipelines"] if name.startswith(IN_GIT) else judged(*sides)
    findings = [(pipeline["name"], finding) for pipeline in pipelines for finding in pipeline["findings"]]
    severities = {finding["severity"] for _, finding in findings}
    match row.get("result"):
        case "loss":
            assert "error" in severities
        case "kept":
            assert "error" not in severities
        case "safe":
            assert not severities & {"error", "warning"}
        case _:
            severity = "error" if "error" in severities else "warning"
            found = {(pipeline, f["rule"]) for pipeline, f in findings if f["severity"] == severity}
            by_pipeline = row["rules"] if isinstance(row["rules"], dict) else {pipelines[0]["name"]: row["rules"]}
            assert found == {(pipeline, rule) for pipeline, rules in by_pipeline.items() for rule in rules}
    if "findings" in row:
        errors = [finding["location"] for _, finding in findings if finding["severity"] == "error"]
        assert [f"{place['file']}:{place['line']}" for place in errors] == [row["at"]] * row["findings"]
    texts = [f"{finding['message']} {finding['repair']}" for _, finding in findings]
    assert "says" not in row or any(re.search(row["says"], text) for text in texts)
    assert "never" not in row or not any(re.search(row["never"], text) for text in texts)
    if "account" in row:
        edits = [edit for pipeline in pipelines for edit in pipeline["account"]["edits"]]
        assert sorted({f"{edit['explanation']}: {edit['why']}" for edit in edits}) == row["account"]


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("states/written-by-code")])
def test_what_is_not_known_is_the_same_in_equal_revisions(name: str) -> None:
    for side in CASES[name].sides():
        (pipeline,) = judged(side, side)
        assert not {f["rule"] for f in pipeline["findings"] if f["severity"] == "error"}
