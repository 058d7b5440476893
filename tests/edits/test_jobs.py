"""Edits of realistic jobs: what loses state is no silent pass, what keeps it is silent."""

import pytest

from tests.edits.pairs import pairs
from tests.judging import judged

CASES = pairs("jobs", prefixed=True)


def named(result: str) -> list[str]:
    return [name for name, case in CASES.items() if case.row["result"] == result]


def found(name: str) -> set[tuple[str, str]]:
    """Severity and rule of all that is found after an edit."""
    return {(f["severity"], f["rule"]) for pipeline in judged(*CASES[name].sides()) for f in pipeline["findings"]}


@pytest.mark.parametrize("name", named("loss"))
def test_a_loss_is_no_silent_pass(name: str) -> None:
    assert "error" in {severity for severity, _ in found(name)}


@pytest.mark.parametrize("name", named("earlier"))
def test_values_that_expire_earlier_are_a_warning(name: str) -> None:
    assert found(name) == {("warning", "state-expires-earlier")}


@pytest.mark.parametrize("name", named("safe"))
def test_what_keeps_the_state_is_silent(name: str) -> None:
    assert not {rule for severity, rule in found(name) if severity in ("error", "warning")}
