"""Edits of realistic jobs: what loses state is no silent pass, what keeps it is silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.edits.pairs import checked, findings, pairs

CASES = pairs("jobs", prefixed=True)


def named(result: str) -> list[str]:
    return [name for name, case in CASES.items() if case.row["result"] == result]


def found(folder: Path, name: str) -> set[tuple[str, str]]:
    """Severity and rule of all that is found after an edit."""
    return {(f["severity"], f["rule"]) for f in findings(checked(*CASES[name].sides(), folder))}


@pytest.mark.parametrize("name", named("loss"))
def test_a_loss_is_no_silent_pass(tmp_path: Path, name: str) -> None:
    assert "error" in {severity for severity, _ in found(tmp_path / "repo", name)}


@pytest.mark.parametrize("name", named("earlier"))
def test_values_that_expire_earlier_are_a_warning(tmp_path: Path, name: str) -> None:
    assert found(tmp_path / "repo", name) == {("warning", "state-expires-earlier")}


@pytest.mark.parametrize("name", named("safe"))
def test_what_keeps_the_state_is_silent(tmp_path: Path, name: str) -> None:
    assert not {rule for severity, rule in found(tmp_path / "repo", name) if severity in ("error", "warning")}
