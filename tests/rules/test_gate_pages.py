"""Whatever ``gate`` reports has a page, and a slug means one thing in both commands."""

from __future__ import annotations

from importlib.resources import files

import pytest

from checker.cli import run
from checker.errors import UsageError
from checker.model.restore import RestoreRule, WarningRule
from checker.rules import all_rules, rule_page
from checker.rules.registry import SHARED, gate_rules

SLUGS = [rule.slug for rule in gate_rules()]


def test_every_refusal_and_every_silent_effect_is_a_rule() -> None:
    assert {*RestoreRule, *WarningRule} == set(SLUGS)
    assert len(SLUGS) == len(set(SLUGS))


def test_a_slug_names_one_thing() -> None:
    assert {r.slug for r in all_rules()} & set(SLUGS) == SHARED


def test_no_page_is_left_over() -> None:
    pages = {p.name.removesuffix(".md") for p in files("checker.rules.gate").iterdir() if p.name.endswith(".md")}
    assert pages == {slug.replace("-", "_") for slug in SLUGS if slug not in SHARED}


@pytest.mark.parametrize("slug", [s for s in SLUGS if s not in SHARED])
def test_pages_are_complete(slug: str) -> None:
    page = rule_page(slug)
    assert page.startswith(f"# {slug}\n\n")
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings[:3] == ["## What it sees", "## What Flink does", "## Repair"]


def test_explain_knows_both(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "state-orphaned"]) == 0
    assert "has no reader" in capsys.readouterr().out
    assert run(["explain", "parallelism-above-max"]) == 0
    with pytest.raises(UsageError, match="did you mean 'state-orphaned'"):
        rule_page("state-orphan")
