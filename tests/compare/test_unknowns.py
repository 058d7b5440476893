"""Unknowns: what holds in every possible program is certain, the rest is undecided with what decides it."""

from typing import Any

import pytest

from checker.compare import compare_pipelines
from checker.compare.fit.unknowns import explained
from checker.extract.documents.fields import topology_of
from checker.extract.unfollowed.unread_code import of_one_program
from checker.flink import translate
from checker.model.comparison import Comparison
from checker.model.findings import Verdict
from checker.model.translation import Translation
from checker.model.unknowns import Unknown

Fields = dict[str, Any]
DEPLOYED = {
    "unknown": "the deployment passes it",
    "derived_from": "the deployment",
    "cause": "argument",
    "settled_by": "--parallelism N",
}
RESTORES, FAILS, UNDECIDED, STATELESS = Verdict.RESTORES, Verdict.FAILS, Verdict.UNDECIDED, Verdict.STATELESS


def job(*transformations: Fields, **settings: Any) -> Translation:
    return translate(topology_of({"topology": 1, "name": "p", **settings, "transformations": list(transformations)}))


def source(**fields: Any) -> Fields:
    return {"id": "src", "kind": "source", "uid": "src", **fields}


def operator(handle: str, after: str, **fields: Any) -> Fields:
    return {"id": handle, "kind": "operator", "inputs": [after], "operator": "map", "stateful": True, **fields}


def end(after: str) -> Fields:
    return {"id": "end", "kind": "legacy-sink", "inputs": [after]}


def verdict(comparison: Comparison, key: str) -> Verdict:
    return next(r for r in comparison.operators if r.base is not None and str(r.base.key) == key).verdicts[0].verdict


def unknown(why: str, **fields: Any) -> Fields:
    return {"unknown": why, "derived_from": why, **fields}


def test_an_unknown_parallelism_that_changes_nothing_is_silent() -> None:
    def shape(name: str) -> Translation:
        fixed = operator("a", "src", parallelism=4, name=name)
        return job(source(), fixed, operator("b", "a"), end("b"), parallelism=DEPLOYED)

    found = compare_pipelines("p", shape("A"), shape("renamed"))
    assert {v.verdict for r in found.operators for v in r.verdicts} <= {RESTORES, STATELESS}
    assert not found.undecided


def test_a_change_that_matters_under_some_parallelism_is_undecided_and_says_what_settles_it() -> None:
    base = job(source(), operator("a", "src"), operator("b", "a"), end("b"), parallelism=DEPLOYED)
    head = job(source(), operator("a", "src"), operator("b", "a", parallelism=4), end("b"), parallelism=DEPLOYED)
    found = compare_pipelines("p", base, head)
    assert verdict(found, "a") is UNDECIDED
    assert [u.settled_by for u in found.undecided] == ["--parallelism N"]
    assert verdict(found, "src") is RESTORES


def test_a_loss_under_every_parallelism_is_certain() -> None:
    base = job(source(), operator("a", "src", uid="a"), end("a"), parallelism=DEPLOYED)
    head = job(source(), operator("a", "src", uid="b"), end("a"), parallelism=DEPLOYED)
    assert verdict(compare_pipelines("p", base, head), "a") is FAILS


@pytest.mark.parametrize("line", [1, 7])
def test_one_unknown_uid_on_both_sides_is_one_uid(line: int) -> None:
    def shape(at: int, *more: Fields) -> Translation:
        uid = unknown("nobody gave --uid", cause="argument", location={"file": "J.java", "line": at})
        return job(source(), operator("a", "src", uid=uid), *more, end(more[-1]["id"] if more else "a"))

    assert verdict(compare_pipelines("p", shape(1), shape(line)), "a") is RESTORES
    grown = compare_pipelines("p", shape(1), shape(line, operator("b", "a", uid="b")))
    assert verdict(grown, "a") is RESTORES


def test_what_rests_on_an_unknown_uid_is_compared_by_its_ingredients() -> None:
    def shape(*between: Fields) -> Translation:
        uid = unknown("nobody gave --uid", cause="argument")
        last = between[-1]["id"] if between else "a"
        return job(source(), operator("a", "src", uid=uid), *between, operator("c", last), end("c"))

    assert verdict(compare_pipelines("p", shape(), shape()), "c") is RESTORES
    pushed = compare_pipelines("p", shape(), shape(operator("b", "a", stateful=False, parallelism=7)))
    assert verdict(pushed, "c") in (FAILS, Verdict.MISASSIGNED)
    assert verdict(pushed, "a") is RESTORES


def test_another_unknown_uid_is_undecided() -> None:
    base = job(source(), operator("a", "src", uid="a"), end("a"))
    head = job(source(), operator("a", "src", uid=unknown("made by a library")), end("a"))
    found = compare_pipelines("p", base, head)
    assert verdict(found, "a") is UNDECIDED
    assert [u.reason for u in found.undecided] == ["made by a library"]
    options = unknown("one of two", options=["x", "y"])
    head = job(source(), operator("a", "src", uid=options), end("a"))
    assert verdict(compare_pipelines("p", base, head), "a") is FAILS


def test_an_unknown_uid_that_was_there_before_can_not_be_the_renamed_one() -> None:
    uid = unknown("nobody gave --uid", cause="argument")
    base = job(source(), operator("a", "src", uid="a"), operator("b", "a", uid=uid), end("b"))
    head = job(source(), operator("a", "src", uid="z"), operator("b", "a", uid=uid), end("b"))
    assert verdict(compare_pipelines("p", base, head), "a") is FAILS


def test_a_uid_of_every_run_never_restores_not_even_itself() -> None:
    uid = unknown("UUID.randomUUID()", cause="non-deterministic")
    job_of_uid = job(source(), operator("a", "src", uid=uid), end("a"))
    assert verdict(compare_pipelines("p", job_of_uid, job_of_uid), "a") is FAILS


def test_unknown_state_is_undecided_only_when_nobody_claims_it() -> None:
    open_state = {"stateful": unknown("a class outside of the repository")}
    base = job(source(), operator("a", "src", **open_state), end("a"))
    assert verdict(compare_pipelines("p", base, base), "a") is RESTORES
    head = job(source(), operator("a", "src", uid="a", **open_state), end("a"))
    assert verdict(compare_pipelines("p", base, head), "a") is UNDECIDED


def hole(why: str = "a loop over tables") -> Fields:
    return {"id": "hole", "kind": "unknown", "inputs": ["src"], "unknown": unknown(why)}


def test_operators_that_nobody_could_read() -> None:
    base = job(source(), hole(), operator("a", "src", uid="a"), operator("b", "a"), end("b"))
    same = compare_pipelines("p", base, base)
    assert {v.verdict for r in same.operators for v in r.verdicts} <= {RESTORES, STATELESS}
    assert not same.undecided
    head = job(source(), hole(), operator("a", "src", uid="a"), operator("b", "a"), operator("c", "b"), end("c"))
    found = compare_pipelines("p", base, head)
    assert verdict(found, "a") is RESTORES
    assert verdict(found, "b") is UNDECIDED
    assert "a loop over tables" in {u.reason for u in found.undecided}


def test_a_uid_may_have_moved_into_a_new_gap_but_not_into_one_that_was_there() -> None:
    base = job(source(), operator("a", "src", uid="a"), operator("b", "a", uid="b"), end("b"))
    head = job(source(), hole(), operator("b", "src", uid="b"), end("b"))
    assert verdict(compare_pipelines("p", base, head), "a") is UNDECIDED
    base = job(source(), hole(), operator("a", "src", uid="a"), operator("b", "a", uid="b"), end("b"))
    assert verdict(compare_pipelines("p", base, head), "a") is FAILS


def test_too_many_programs_leave_positions_open_and_uids_certain() -> None:
    def shape(name: str, uid: str) -> Translation:
        chain = [source()]
        for number in range(9):
            why = unknown(f"argument {number}", cause="argument")
            chain.append(operator(f"o{number}", str(chain[-1]["id"]), parallelism=why, name=name))
        chain.append(operator("pinned", "o8", uid=uid))
        return job(*chain, end("pinned"))

    same = compare_pipelines("p", shape("A", "u"), shape("B", "u"))
    assert {v.verdict for r in same.operators for v in r.verdicts} <= {RESTORES, STATELESS}
    found = compare_pipelines("p", shape("A", "u"), shape("A", "v"))
    assert verdict(found, "pinned") is FAILS
    assert verdict(found, "o3") is UNDECIDED


def test_an_unknown_max_parallelism_on_one_side_is_undecided() -> None:
    keyed = {"uid": "a", "chaining": "head"}
    base = job(source(), operator("a", "src", **keyed, max_parallelism=64), end("a"))
    head = job(source(), operator("a", "src", **keyed, max_parallelism=unknown("configured")), end("a"))
    assert verdict(compare_pipelines("p", base, head), "a") is UNDECIDED
    assert verdict(compare_pipelines("p", head, head), "a") is RESTORES


def test_variants_are_followed_together() -> None:
    def shape(extra: str) -> Translation:
        plain = [source(), operator("a", "src"), end("a")]
        debug = [source(), operator("tap", "src", stateful=False, name=extra), operator("a", "tap"), end("a")]
        document = {
            "topology": 1, "name": "p", "transformations": plain,
            "variants": [
                {"when": "debug off", "transformations": plain},
                {"when": "debug on", "transformations": debug},
            ],
            "variants_unknown": unknown("--debug", cause="argument", settled_by="--arg debug=VALUE"),
        }  # fmt: skip
        return translate(topology_of(document))

    found = compare_pipelines("p", shape("tap"), shape("renamed tap"))
    assert {v.verdict for r in found.operators for v in r.verdicts} <= {RESTORES, STATELESS}


def test_a_value_under_which_flink_refuses_the_head_is_not_passed_over() -> None:
    last = operator("b", "move", uid="b", parallelism=4)

    def shape(partitioner: str) -> Translation:
        move = {"id": "move", "kind": "partition", "inputs": ["a"], "partitioner": partitioner}
        return job(source(), operator("a", "src", uid="a"), move, last, end("b"), parallelism=DEPLOYED)

    assert verdict(compare_pipelines("p", shape("rebalance"), shape("rescale")), "a") is RESTORES
    found = compare_pipelines("p", shape("rebalance"), shape("forward"))
    (row,) = [r for r in found.operators if r.base is not None and str(r.base.key) == "a"]
    assert row.verdicts[0].verdict is UNDECIDED
    assert row.verdicts[0].reason.startswith("fails or restores")
    assert [u.settled_by for u in found.undecided] == ["--parallelism N"]


def test_sides_that_never_agree_are_compared_all_the_same() -> None:
    base = job(source(), operator("a", "src", uid=unknown("which one is open", options=["x", "y"])), end("a"))
    head = job(source(), operator("a", "src", uid=unknown("which one is open", options=["z"])), end("a"))
    assert verdict(compare_pipelines("p", base, head), "a") in (FAILS, UNDECIDED)


def test_what_one_shape_of_the_program_loses_is_undecided_and_says_what_decides_on_the_shape() -> None:
    def shapes(keeps: str) -> Translation:
        kept = [source(), operator("a", "src", meaning={"computes": "Rank", "keeps": ["x"]}), end("a")]
        without = [source(), operator("a", "src", meaning={"computes": "Rank", "keeps": [keeps]}), end("a")]
        variants = [{"when": "args", "transformations": kept}, {"when": "no args", "transformations": without}]
        decides = {
            "unknown": "no value is given for the program's arguments",
            "cause": "argument",
            "settled_by": "args",
        }
        return job(*kept, variants=variants, variants_unknown=decides)

    found = compare_pipelines("p", shapes("y"), shapes("z"))
    assert verdict(found, "a") is UNDECIDED
    assert [u.settled_by for r in found.operators for u in r.undecided] == ["args"]


@pytest.mark.parametrize(("asked", "expected"), [("plan 1", RESTORES), ("plan 2", UNDECIDED)])
def test_states_of_a_plan_that_were_not_read_are_the_same_for_the_same_question(asked: str, expected: Verdict) -> None:
    def planned(question: str) -> Translation:
        state = {"unknown": "the file does not exist", "cause": "external", "derived_from": question}
        return job(source(), operator("a", "src", uid="a", meaning="COUNT(x)", state=state), end("a"))

    assert verdict(compare_pipelines("p", planned("plan 1"), planned(asked)), "a") is expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [("code 1", "code 2", RESTORES), ("args[0]", 'args[0] + "x"', UNDECIDED)],
)
def test_what_unread_code_makes_is_one_value_where_no_edit_changes_the_program(
    before: str, after: str, expected: Verdict
) -> None:
    def read(made_of: str) -> Translation:
        uid = {"unknown": "it was not followed", "cause": "other", "derived_from": made_of}
        steps = [source(), operator("a", "src", uid=uid), end("a")]
        document = {"topology": 1, "name": "p", "transformations": steps}
        return translate(of_one_program(topology_of(document)))

    assert verdict(compare_pipelines("p", read(before), read(after)), "a") is expected


def test_a_reason_that_is_a_sentence_goes_on_as_a_sentence() -> None:
    before, after = (Unknown("it can't be planned.", derived_from=made) for made in ("a", "b"))
    assert explained(before, after).reason == "it can't be planned, and the expression changed from a to b"
