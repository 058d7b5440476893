"""Every rule over every example pair; every revision against itself is silent; pages and examples are complete."""

import re
from dataclasses import replace

import pytest

from checker.errors import UsageError
from checker.model.findings import Severity
from checker.rules import all_rules, rule_named, rule_page, run_rules
from checker.rules.registry import RETIRED
from tests.rules.examples import EXAMPLES, Example, examples, shown

ALL = examples()
SLUGS = [r.slug for r in all_rules()]
HEADINGS = (
    "## What it sees",
    "## What happens in production",
    "## Example",
    "## Repair",
    "## Flink versions",
    "## Source",
)


@pytest.mark.parametrize("example", ALL, ids=lambda e: e.name)
def test_findings_are_those_recorded(example: Example) -> None:
    assert [shown(f) for f in example.findings()] == example.expected


@pytest.mark.parametrize("example", ALL, ids=lambda e: e.name)
def test_every_rule_fires_on_its_own_example(example: Example) -> None:
    assert example.name in {f.rule for f in example.findings()}


ALWAYS = {"uid-not-deterministic", "differs-between-runs", "core-disagrees-with-flink"}


@pytest.mark.parametrize("example", ALL, ids=lambda e: e.name)
def test_a_revision_against_itself_is_silent(example: Example) -> None:
    for side in (example.base, example.head):
        found = {f.rule for f in run_rules(example.context(side, side))}
        # What harms two runs of one revision, or makes every verdict doubtful, has to be said always.
        assert found <= ALWAYS


def test_every_rule_has_an_example_and_no_example_is_left_over() -> None:
    assert sorted(p.name for p in EXAMPLES.iterdir() if p.is_dir()) == SLUGS


@pytest.mark.parametrize("slug", SLUGS)
def test_pages_are_complete(slug: str) -> None:
    page = rule_page(slug)
    assert page.startswith(f"# {slug}\n")
    assert [line for line in page.splitlines() if line.startswith("## ")] == list(HEADINGS)
    for heading, body in zip(HEADINGS, re.split(r"^## .*$", page, flags=re.MULTILINE)[1:], strict=True):
        assert len(body.strip()) > 10, heading
    example = page.split("## Example")[1].split("## Repair")[0]
    assert "Before" in example
    assert "After" in example
    assert re.search(r"https?://", page.split("## Source")[1])


def test_slugs_are_unique_and_none_is_reused() -> None:
    assert len(set(SLUGS)) == len(SLUGS)
    assert not set(SLUGS) & set(RETIRED)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", slug) for slug in SLUGS)


def test_a_rule_can_be_switched_off_and_overridden() -> None:
    example = next(e for e in ALL if e.name == "uid-renamed")
    context = example.context(example.base, example.head)
    assert "uid-renamed" not in {f.rule for f in run_rules(context, {"uid-renamed": None})}
    lowered = run_rules(context, {"uid-renamed": Severity.INFO})
    assert [f.severity for f in lowered if f.rule == "uid-renamed"] == [Severity.INFO]


def test_a_removed_operator_says_what_its_deployment_makes_of_the_state() -> None:
    removed, allowing = (
        next(e for e in ALL if e.name == name) for name in ("stateful-operator-removed", "deployment-drops-state")
    )
    for deployment, outcome in ((None, "Flink refuses the savepoint"), (allowing.deployments[1], "lets Flink drop")):
        example = replace(removed, deployments=(None, deployment))
        (found,) = [f for f in example.findings() if f.rule == removed.name]
        assert found.severity is Severity.ERROR
        assert outcome in found.message


def test_an_unknown_slug_says_what_was_meant() -> None:
    with pytest.raises(UsageError, match="did you mean 'uid-renamed'"):
        rule_named("uid-rename")
