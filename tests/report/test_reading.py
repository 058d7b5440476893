"""Every report says by which means each pipeline was read, and why."""

import json

import pytest

from checker.report.formats import Report, formats_of, renderer
from checker.report.wording import in_short, reading_in_full, reading_of
from tests.report import samples

SOURCE = "read from source (java): --allow-exec is not given; --allow-exec settles what is undecided by running it"


@pytest.mark.parametrize("name", ["text", "markdown", "html", "sarif"])
def test_of_every_pipeline(name: str) -> None:
    rendered = renderer(Report.CHECK, name)(samples.report(samples.reflective(), samples.captured()))
    flat = " ".join(rendered.replace("\\", "").replace("&#34;", '"').replace("&quot;", '"').split())
    assert SOURCE in flat
    assert 'read by real Flink 1.20.5 (build "mvn -q -DskipTests package")' in flat


@pytest.mark.parametrize("name", formats_of(Report.CHECK))
def test_every_format_says_by_what_a_finding_is_known_again(name: str) -> None:
    report = samples.example()
    rendered = renderer(Report.CHECK, name)(report)
    found = [f for p in report["pipelines"] for f in p["findings"]]
    assert found
    assert all(f["fingerprint"] in rendered for f in found)


def test_what_settles_it_is_named_only_where_something_is_undecided() -> None:
    judged = samples.reflective()
    assert judged["reading"]["settled_by"] == "--allow-exec"
    assert samples.undecided()["reading"]["settled_by"] is None, "an argument is not settled by running the program"
    assert samples.captured()["reading"] == {
        "base": 'read by real Flink 1.20.5 (build "mvn -q -DskipTests package")',
        "head": 'read by real Flink 1.20.5 (build "mvn -q -DskipTests package")',
        "why": None,
        "settled_by": None,
        "assumptions": [],
    }


def test_both_sides_where_they_differ() -> None:
    text = reading_of(samples.captured(base="1.19.3"))
    assert text == (
        'read by real Flink 1.19.3 (build "mvn -q -DskipTests package") in the base, '
        'read by real Flink 1.20.5 (build "mvn -q -DskipTests package") in the head'
    )
    added = json.loads(json.dumps(samples.captured()))
    added["reading"]["base"] = None
    assert reading_in_full(added).startswith("read by real Flink 1.20.5")


def test_pipelines_that_differ_in_what_is_assumed_are_one_line() -> None:
    def unchanged(name: str, *assumptions: str, flink: str = "1.20.1") -> dict[str, object]:
        reading = {"base": "read from source", "head": "read from source", "why": None, "settled_by": None}
        failure = {"base": None, "head": None}
        return {"name": name, "status": "unchanged", "failure": failure, "flink": {"base": "1.20.1", "head": flink},
                "reading": {**reading, "assumptions": list(assumptions)}}  # fmt: skip

    assert in_short([unchanged("a", "x of a"), unchanged("b", "x of b")]) == [
        "2 pipelines unchanged, read from source; --verbose says what is assumed of each"
    ]
    assert in_short([unchanged("a", "x"), unchanged("b", "x")]) == [
        "2 pipelines unchanged, read from source; assumed: x"
    ]
    assert in_short([unchanged("a", flink="2.1.0")]) == ["1 pipeline unchanged, Flink 1.20.1 → 2.1.0"]
