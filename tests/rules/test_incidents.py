"""Every incident of the table has an example that its rule catches, or says why no rule can."""

import pytest

from checker.rules import all_rules
from tests.rules.examples import INCIDENTS, Example, examples, shown

ALL = examples(INCIDENTS)
ROWS = [
    [cell.strip() for cell in line.strip("|\n").split("|")]
    for line in (INCIDENTS / "README.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and "http" in line
]


def test_the_table_lists_all_incidents() -> None:
    assert len(ROWS) == 24
    assert [row[0] for row in ROWS if row[0] != "-"] == [e.name for e in ALL]
    slugs = {r.slug for r in all_rules()}
    for folder, _, rule in ROWS:
        assert (rule in slugs) if folder != "-" else (rule not in slugs and len(rule) > 30)


@pytest.mark.parametrize("example", ALL, ids=lambda e: e.name)
def test_the_incident_is_caught(example: Example) -> None:
    rule = next(row[2] for row in ROWS if row[0] == example.name)
    found = example.findings()
    assert rule in {f.rule for f in found}
    assert [shown(f) for f in found] == example.expected
