"""Reports don't contradict themselves; every report on the pairs in ``tests/data`` is asked the same."""

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.edits.pairs import checked, pairs
from tests.report.contradictions import contradictions
from tests.rules.examples import INCIDENTS, examples

EXAMPLES = sorted(e.folder for e in (*examples(), *examples(INCIDENTS)))
RENAMED = pairs("contract")["state-name-constant"]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return checked(*RENAMED.sides(), tmp_path_factory.mktemp("renamed") / "repo")


def wrong(report: dict[str, Any]) -> dict[str, Any]:
    """The pipeline with errors."""
    found: dict[str, Any] = next(p for p in report["pipelines"] if p["findings"])
    return found


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_reports_on_the_examples_of_rules_hold_none(folder: Path, tmp_path: Path) -> None:
    base, head = ({}, {})
    for path in folder.iterdir():
        side, _, name = path.name.partition(".")
        if name == "topology.yaml" or path.suffix == ".toml":
            for files, others in ((base, "head"), (head, "base")):
                files |= (
                    {}
                    if side == others
                    else {f"orders.{name}" if side in ("base", "head") else path.name: path.read_bytes()}
                )
    checked(base, head, tmp_path / "repo")


def test_numbers_that_differ_from_what_is_listed_are_some(report: dict[str, Any]) -> None:
    for part in ("findings", "operators"):
        changed = copy.deepcopy(report)
        (first, *_) = changed["counts"][part]
        changed["counts"][part][first] += 1
        assert any("counted" in why for why in contradictions(changed))


def test_a_status_above_errors_is_one(report: dict[str, Any]) -> None:
    changed = copy.deepcopy(report)
    wrong(changed)["status"] = "unchanged"
    changed["verdict"] = "passes"
    for row in wrong(changed)["operators"]:
        row["verdicts"] = [verdict | {"verdict": "restores"} for verdict in row["verdicts"]]
    found = "\n".join(contradictions(changed))
    assert "'unchanged' above errors" in found
    assert "restores, and an error speaks of it" in found


def test_an_account_without_a_cause_is_one(report: dict[str, Any]) -> None:
    changed = copy.deepcopy(report)
    for edit in wrong(changed)["account"]["edits"]:
        edit |= {"explanation": "without-effect", "why": "body"}
    assert any("no edit counts" in why for why in contradictions(changed))


def test_what_is_decided_is_not_undecided_too(report: dict[str, Any]) -> None:
    changed = copy.deepcopy(report)
    first = wrong(changed)["findings"][0]
    wrong(changed)["findings"].append(first | {"rule": "undecided"})
    assert any("undecided beside" in why for why in contradictions(changed))
    wrong(changed)["findings"][-1] = first | {"rule": "edit-not-understood"}
    for edit in wrong(changed)["account"]["edits"]:
        edit |= {"explanation": "not-understood", "head": first["location"]}
    assert any("not understood" in why for why in contradictions(changed))


def test_an_edit_of_a_settings_file_of_lombok_counts_where_it_decides(tmp_path: Path) -> None:
    checked(*pairs("types", prefixed=True)["written-state: lombok-final"].sides(), tmp_path / "repo")
