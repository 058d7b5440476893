"""Silencing by the configuration: always with a reason, until a day, never more than was meant."""

import tomllib
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.model.findings import Finding, OperatorSide, Severity, Suppression
from checker.model.sources import MemoryFiles
from checker.model.stream_graph import NodeKey
from checker.model.unknowns import Location
from checker.rules.suppressions import (
    apply_suppressions,
    own_suppression,
)
from checker.settings import read_settings

TODAY = date(2026, 6, 1)
FILE = "src/Job.java"


def side(key: str, uid: str | None = None, line: int = 10) -> OperatorSide:
    return OperatorSide(key=NodeKey(key), name=key.title(), id="0" * 32, uid=uid, location=Location(FILE, line, 5))


def finding(*followers: OperatorSide, head: OperatorSide | None = None) -> Finding:
    first = head or side("count")
    return Finding(
        rule="uid-missing",
        severity=Severity.WARNING,
        pipeline="orders",
        message="no uid",
        operator_key=str(first.key),
        head=first,
        followers=followers,
        location=first.location,
    )


def suppress(**changes: object) -> Suppression:
    return replace(Suppression(rule="uid-missing", reason="known", source="config"), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("operators", [(), ("count",), ("Count",), ("co*",), ("other", "count")])
def test_silenced_by_configuration(operators: tuple[str, ...]) -> None:
    kept, silenced = apply_suppressions([finding()], [suppress(operators=operators)], TODAY)
    assert not kept
    assert (silenced[0].reason, silenced[0].source) == ("known", "config")


@pytest.mark.parametrize("changes", [{"rule": "uid-renamed"}, {"operators": ("other",)}, {"pipeline": "payments"}])
def test_another_finding_is_left_alone(changes: dict[str, str]) -> None:
    assert apply_suppressions([finding()], [suppress(**changes)], TODAY) == ((finding(),), ())


def test_expired_comes_back_and_says_so() -> None:
    suppression = suppress(expires=date(2026, 5, 31))
    kept, silenced = apply_suppressions([finding()], [suppression], TODAY)
    assert not silenced
    assert [e.name for e in kept[0].evidence] == ["suppression expired"]
    assert apply_suppressions([finding()], [suppression], date(2026, 5, 31))[0] == ()


def test_a_group_is_silenced_only_as_a_whole() -> None:
    group = finding(side("dedup"), side("debug-tap"))
    kept, silenced = apply_suppressions([group], [suppress(operators=("debug-*",))], TODAY)
    assert [str(f.key) for f in kept[0].followers] == ["dedup"]
    assert [s.finding.operator_key for s in silenced] == ["debug-tap"]
    kept, _ = apply_suppressions([group], [suppress(operators=("count",))], TODAY)
    assert kept[0].head == group.head
    assert not apply_suppressions([group], [suppress(operators=(o,)) for o in ("count", "dedup", "debug-*")], TODAY)[0]


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@given(name=NAMES, pipeline=NAMES, uid=st.none() | NAMES)
def test_the_printed_text_silences_its_own_finding(name: str, pipeline: str, uid: str | None) -> None:
    hidden = replace(finding(side("other"), head=side(name, uid)), pipeline=pipeline)
    text = own_suppression(hidden).replace('reason = ""', 'reason = "because"')
    assert all(t["rule"] == "uid-missing" for t in tomllib.loads(text)["suppress"])
    settings = read_settings(MemoryFiles({"savepoint-checker.toml": text.encode()}))
    assert apply_suppressions([hidden], settings.suppressions, TODAY)[0] == ()
