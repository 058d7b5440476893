"""Uids that move along a list: by what an operator is named, made with and fed by, it is another one."""

import pytest

from checker.compare import compare_pipelines
from checker.extract.documents.fields import topology_of
from checker.flink import translate
from checker.model.findings import Verdict

Entry = tuple[str, str]
"""The uid of an operator, and the entry of the list that it is for."""


def job(*entries: Entry, named: bool = True, between: int = 0) -> list[dict[str, object]]:
    """A source and a stateful function for each entry of a list, with nameless steps between them."""
    made: list[dict[str, object]] = []
    for uid, entry in entries:
        made.append({"id": f"s{uid}", "kind": "source", "uid": f"source {entry}", "name": f"source {entry}"})
        for step in range(between):
            made.append({"id": f"m{step}{uid}", "kind": "operator", "inputs": [made[-1]["id"]], "function": "a.Parse"})
        count = {"id": f"f{uid}", "kind": "operator", "inputs": [made[-1]["id"]], "function": "a.Count", "uid": uid}
        made.append({**count, "stateful": True, **({"name": f"count {entry}"} if named else {})})
    return made


def verdicts(base: list[dict[str, object]], head: list[dict[str, object]]) -> dict[object, Verdict]:
    """What becomes of each stateful operator of the base, by its uid."""
    sides = (translate(topology_of({"topology": 1, "name": "p", "transformations": side})) for side in (base, head))
    compared = compare_pipelines("p", *sides)
    return {
        operator.base.uid: operator.verdicts[0].verdict
        for operator in compared.operators
        if operator.base is not None and str(operator.base.uid).startswith("u")
    }


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("between", [0, 2])
def test_an_entry_in_front_hands_state_on(named: bool, between: int) -> None:
    before = job(("u0", "north"), ("u1", "south"), named=named, between=between)
    after = job(("u0", "east"), ("u1", "north"), ("u2", "south"), named=named, between=between)
    assert set(verdicts(before, after).values()) == {Verdict.MISASSIGNED}


def test_an_entry_at_the_end_leaves_all_as_they_are() -> None:
    found = verdicts(job(("u0", "north")), job(("u0", "north"), ("u1", "south")))
    assert found == {"u0": Verdict.RESTORES}


def test_a_name_alone_makes_no_other_operator() -> None:
    before, after = job(("u0", "north"), ("u1", "south")), job(("u0", "north"), ("u1", "south"))
    after[1]["name"], after[3]["name"] = after[3]["name"], after[1]["name"]
    assert set(verdicts(before, after).values()) == {Verdict.RESTORES}


def test_a_step_of_the_same_function_in_front_is_no_list() -> None:
    before = job(("u0", "north"), named=False)
    new = {"id": "new", "kind": "operator", "inputs": ["su0"], "function": "a.Count", "uid": "v", "stateful": True}
    after = [before[0], new, {**before[1], "inputs": ["new"]}]
    assert verdicts(before, after) == {"u0": Verdict.RESTORES}


def test_a_new_branch_beside_a_step_that_was_put_in_front_is_no_list() -> None:
    before = job(("u0", "north"), named=False)
    step = {"id": "step", "kind": "operator", "inputs": ["su0"], "function": "a.Parse"}
    branch = {
        "id": "branch",
        "kind": "operator",
        "inputs": ["su0"],
        "function": "a.Count",
        "uid": "v",
        "stateful": True,
    }
    after = [before[0], step, {**before[1], "inputs": ["step"]}, branch]
    assert verdicts(before, after) == {"u0": Verdict.RESTORES}
