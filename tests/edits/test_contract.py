"""The contract: what ``check`` says of pairs whose effect on state is known, and of kinds of pairs that were reported.

A row of ``tests/data/pairs/{contract,cases,incidents}`` names the exit codes that are right (``exit``), rules of which
one has to be found (``must``), rules that are wrong (``never_rules``), and what the report in text says and does not.
An incident was reported in its ``thread``; its ``truth`` says where real Flink was asked.
"""

import re
from pathlib import Path

import pytest

from checker.report.formats import Report, renderer
from tests.edits.pairs import Pair, checked, findings, pairs

CONTRACT = pairs("contract")
CASES = {**pairs("cases"), **pairs("incidents", prefixed=True)}


@pytest.mark.parametrize("name", CONTRACT)
def test_the_contract(name: str, tmp_path: Path) -> None:
    assert shortfalls(CONTRACT[name], tmp_path / "repo") == []


PLANNED = [n for n, pair in CASES.items() if "sql" in n or any(path.endswith(".sql") for path in pair.sides()[0])]
OTHERS = [name for name in CASES if name not in PLANNED]


@pytest.mark.parametrize("name", OTHERS)
def test_other_kinds(name: str, tmp_path: Path) -> None:
    assert shortfalls(CASES[name], tmp_path / "repo") == []


@pytest.mark.flink
@pytest.mark.usefixtures("_one_planner")
@pytest.mark.parametrize("name", PLANNED)
def test_kinds_of_sql(name: str, tmp_path: Path) -> None:
    assert shortfalls(CASES[name], tmp_path / "repo") == []


def shortfalls(pair: Pair, folder: Path) -> list[str]:
    """In what the report on a pair is not as its row says."""
    row, document = pair.row, checked(*pair.sides(), folder)
    rules = {finding["rule"] for finding in findings(document)}
    text = renderer(Report.CHECK, "text")(document)
    if row.get("kind") == "report":
        assert all(renderer(Report.CHECK, name)(document) for name in ("markdown", "html"))
    short = {
        f"exit code: {bool(document['blocking'])}": bool(document["blocking"]) not in map(bool, row["exit"]),
        f"none of these: {sorted(rules)}": bool(row.get("must")) and not rules & set(row["must"]),
        f"one of these: {sorted(rules)}": bool(rules & set(row.get("never_rules", ()))),
        f"does not say {row.get('says')}": not re.search(row.get("says", ""), text),
        f"says {row.get('never')}": bool(re.search(row.get("never", r"\Z\A."), text)),
    }
    return [why for why, is_short in short.items() if is_short]
