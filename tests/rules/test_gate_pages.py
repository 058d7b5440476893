"""Whatever ``gate`` reports has a page, and a slug means one thing in both commands."""

import re
import zipfile
from importlib.resources import files

import pytest

from checker.cli import run
from checker.errors import UsageError
from checker.extract.runtime.distribution import flink_jars
from checker.model.flink_releases import NEWEST, RELEASES
from checker.rules import all_rules, rule_page
from checker.rules.registry import SHARED, gate_rules
from tests.gate.examples import EXAMPLES, KEPT, TOTALS, Example, shown, started
from tests.gate.made import savepoint

SLUGS = [rule.slug for rule in gate_rules()]
OURS = {"files-not-checked", "undecided-id", "undecided-parallelism", "unread-pipeline"}
"""What is not known here: no class of Flink decides it."""
OLDEST = "1.18"


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
    flinks_own = [] if slug in OURS else ["## Source"]
    assert headings == ["## What it sees", "## What Flink does", "## Example", "## Repair", *flinks_own]
    assert shown(slug) in page, "python -m tests.gate.examples writes the examples into the pages"


@pytest.mark.parametrize("slug", SLUGS)
def test_an_example_is_told_by_its_rule_and_by_no_others_than_those_it_names(slug: str) -> None:
    example = EXAMPLES[slug]
    assert slug in example.rules
    assert example.reported() == example.rules


def test_every_example_is_of_a_rule() -> None:
    assert set(EXAMPLES) == set(SLUGS)


def test_a_job_that_fits_its_snapshot_is_told_nothing() -> None:
    assert Example(savepoint(TOTALS), started(KEPT), frozenset()).reported() == frozenset()


@pytest.mark.flink
@pytest.mark.parametrize("minor", [OLDEST, NEWEST])
def test_the_sources_are_in_flink(minor: str) -> None:
    named = {source for slug in SLUGS if slug not in SHARED for source in _sources(rule_page(slug))}
    members = {method.partition(".")[0]: set[bytes]() for method in named}
    for jar in flink_jars(RELEASES[minor]).glob("flink-dist-*.jar"):
        with zipfile.ZipFile(jar) as archive:
            for entry in archive.namelist():
                name = entry.rpartition("/")[2].removesuffix(".class")
                if name in members and entry.startswith("org/apache/flink/"):
                    members[name] |= set(re.findall(rb"\w+", archive.read(entry)))
    newer = {"MetadataV5Serializer"} if minor == OLDEST else set()
    assert {name for name, words in members.items() if not words} == newer
    methods = [method.split(".") for method in named if "." in method]
    assert [(owner, name) for owner, name in methods if name.encode() not in members[owner]] == []


def _sources(page: str) -> list[str]:
    return re.findall(r"`([\w.]+)`", page.partition("## Source")[2])


def test_explain_knows_both(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "state-orphaned"]) == 0
    assert "has no reader" in capsys.readouterr().out
    assert run(["explain", "parallelism-above-max"]) == 0
    with pytest.raises(UsageError, match="did you mean 'state-orphaned'"):
        rule_page("state-orphan")
