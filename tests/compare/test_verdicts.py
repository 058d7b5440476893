"""Flink's restore rules on small jobs: each case was seen on a real cluster (section numbers of the recorded rules)."""

from typing import Any

import pytest

from checker.compare import compare_pipelines
from checker.extract.documents.fields import topology_of
from checker.flink import translate
from checker.flink.operator_ids import operator_id
from checker.model.comparison import Comparison, OperatorComparison
from checker.model.findings import Verdict
from checker.model.translation import Translation
from checker.repair import plan_repairs

RESTORES, FAILS, DROPPED = Verdict.RESTORES, Verdict.FAILS, Verdict.DROPPED
EMPTY, WRONG, UNDECIDED, STATELESS = Verdict.STARTS_EMPTY, Verdict.MISASSIGNED, Verdict.UNDECIDED, Verdict.STATELESS
Fields = dict[str, Any]


def job(*operators: Fields, **settings: Any) -> Translation:
    """A source without uid, one behind another the operators given, and a sink."""
    chain: list[Fields] = [{"id": "src", "kind": "source", **settings.pop("source", {})}]
    for operator in operators:
        chain.append({"kind": "operator", "inputs": [chain[-1]["id"]], "stateful": True, **operator})
    chain.append({"id": "end", "kind": "legacy-sink", "inputs": [chain[-1]["id"]]})
    return translate(topology_of({"topology": 1, "name": "p", **settings, "transformations": chain}))


def compare(base: Translation, head: Translation) -> Comparison:
    return compare_pipelines("p", base, head)


def verdicts(comparison: Comparison, key: str) -> tuple[Verdict, ...]:
    return tuple(v.verdict for v in row(comparison, key).verdicts)


def row(comparison: Comparison, key: str) -> OperatorComparison:
    return next(r for r in comparison.operators if str((r.base or r.head).key) == key)  # type: ignore[union-attr]


T1, T2 = {"id": "t1", "uid": "t1"}, {"id": "t2", "uid": "t2"}


def test_a_renamed_uid_fails_and_is_dropped_with_the_flag() -> None:
    found = compare(job(T1), job({**T1, "uid": "other"}))
    assert verdicts(found, "t1") == (FAILS, DROPPED, FAILS)


def test_a_removed_operator_fails_and_one_without_state_only_on_the_last_state_path() -> None:
    found = compare(job(T1, T2), job(T2))
    assert verdicts(found, "t1") == (FAILS, DROPPED, FAILS)
    found = compare(job({**T1, "stateful": False}, T2), job(T2))
    assert verdicts(found, "t1") == (STATELESS, STATELESS, FAILS)


def test_a_new_operator_starts_empty() -> None:
    assert verdicts(compare(job(T1), job(T1, T2)), "t2") == (EMPTY, EMPTY, EMPTY)


def test_a_user_hash_finds_the_state_and_the_id_counts_as_claimed() -> None:
    base = job({"id": "t1"})
    found = compare(base, job({"id": "t1", "uid": "t1", "uid_hash": base.identities[1].generated}))
    assert verdicts(found, "t1") == (RESTORES, RESTORES, RESTORES)


def test_a_user_hash_is_never_written_so_it_works_once() -> None:
    base = job({"id": "t1"})
    pin = base.identities[1].generated
    middle = job({"id": "t1", "uid_hash": pin}, source={"uid": "src"})
    assert verdicts(compare(base, middle), "t1") == (RESTORES, RESTORES, RESTORES)
    last = job({"id": "new", "stateful": False}, {"id": "t1", "uid_hash": pin}, source={"uid": "src"})
    moved = job({"id": "t0"}, {"id": "t1", "uid_hash": pin}, source={"uid": "src"})
    assert verdicts(compare(middle, moved), "t1")[0] in (FAILS, WRONG)
    assert verdicts(compare(middle, last), "t1")[0] in (FAILS, WRONG)


def test_a_coordinator_is_looked_up_by_generated_id_only() -> None:
    base = job(T1)
    head = job(T1, source={"uid": "src", "uid_hash": base.identities[0].generated})
    assert verdicts(compare(base, head), "src") == (EMPTY, EMPTY, EMPTY)


def test_a_hash_that_names_a_live_operator_leaves_it_to_chance() -> None:
    found = compare(job(T1, T2), job(T1, {**T2, "uid_hash": operator_id("t1")}))
    assert verdicts(found, "t1")[0] is WRONG
    assert verdicts(found, "t2")[0] is DROPPED  # both ids count as present, and its own is not asked for


def test_two_pins_that_each_find_their_own_state_do_not_contend() -> None:
    first, second = {**T1, "function": "A"}, {**T2, "function": "B"}
    base = job(first, second)
    head = job(
        {**first, "uid": "t2", "uid_hash": operator_id("t1")}, {**second, "uid": "t1", "uid_hash": operator_id("t2")}
    )
    found = compare(base, head)
    assert verdicts(found, "t1") == (RESTORES, RESTORES, RESTORES)
    assert verdicts(found, "t2") == (RESTORES, RESTORES, RESTORES)


def test_swapped_uids_hand_each_the_state_of_the_other() -> None:
    base = job({**T1, "function": "A", "name": "A"}, {**T2, "function": "B", "name": "B"})
    head = job({**T1, "uid": "t2", "function": "A", "name": "A"}, {**T2, "uid": "t1", "function": "B", "name": "B"})
    found = compare(base, head)
    assert verdicts(found, "t1") == verdicts(found, "t2") == (WRONG, WRONG, WRONG)
    taker = row(found, "t1").claimed_by
    assert taker is not None
    assert str(taker.key) == "t2"


@pytest.mark.parametrize(
    ("value_type", "verdict"), [("Long", WRONG), ("Integer", FAILS)], ids=["equal types", "other types"]
)
def test_an_operator_that_has_the_id_of_another_one_takes_state_of_its_own_types_only(
    value_type: str, verdict: Verdict
) -> None:
    kept = {"kind": "value", "name": "n", "value_type": "Long"}
    first = {**T1, "function": "A", "name": "A", "state": [kept]}
    second = {**T2, "function": "B", "name": "B", "state": [{**kept, "value_type": value_type}]}
    found = compare(job(first, second), job({**first, "uid": "t2"}, {**second, "uid": "t1"}))
    assert verdicts(found, "t1") == (verdict, verdict, verdict)


def test_what_takes_the_id_without_keeping_state_loses_it_in_silence() -> None:
    found = compare(job({"id": "t1"}), job({"id": "f", "operator": "filter", "stateful": False}, {"id": "t1"}))
    assert verdicts(found, "t1") == (WRONG, WRONG, WRONG)


def test_a_sink_loses_writer_and_committer_together() -> None:
    def sink(uid: str) -> Translation:
        source = {"id": "s", "kind": "source", "uid": "s"}
        sink = {"id": "k", "kind": "sink", "inputs": ["s"], "uid": uid, "committer": True, "stateful": True}
        return translate(topology_of({"topology": 1, "name": "p", "transformations": [source, sink]}))

    found = compare(sink("a"), sink("b"))
    assert verdicts(found, "k#writer") == verdicts(found, "k#committer") == (FAILS, DROPPED, FAILS)
    assert row(found, "k#committer").cause is not None


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ({}, {}, RESTORES),
        ({"max_parallelism": 64}, {}, RESTORES),
        ({"max_parallelism": 64}, {"max_parallelism": 64}, RESTORES),
        ({"max_parallelism": 64}, {"max_parallelism": 128}, FAILS),
        ({}, {"max_parallelism": 128}, RESTORES),
        ({}, {"max_parallelism": 256}, FAILS),
        ({"parallelism": 86}, {"parallelism": 200}, RESTORES),
        ({"parallelism": 85}, {"parallelism": 129}, FAILS),
        ({"max_parallelism": 4}, {"parallelism": 5}, FAILS),
    ],
)
def test_max_parallelism(before: Fields, after: Fields, verdict: Verdict) -> None:
    found = compare(job({**T1, "chaining": "head", **before}), job({**T1, "chaining": "head", **after}))
    assert verdicts(found, "t1") == (verdict,) * 3


def test_max_parallelism_is_checked_for_operators_without_state_too() -> None:
    still = {**T1, "stateful": False, "chaining": "head"}
    found = compare(job({**still, "max_parallelism": 64}), job({**still, "max_parallelism": 128}))
    assert verdicts(found, "t1") == (FAILS, FAILS, FAILS)


def test_the_value_of_a_chained_operator_has_no_say() -> None:
    found = compare(job(T1, {**T2, "max_parallelism": 64}), job(T1, {**T2, "max_parallelism": 128}))
    assert verdicts(found, "t2") == (RESTORES, RESTORES, RESTORES)


def test_a_head_that_flink_refuses_restores_nothing() -> None:
    found = compare(job(T1, T2), job(T1, {**T2, "uid": "t1"}))
    assert {v.verdict for r in found.operators for v in r.verdicts} == {FAILS}


def test_pipelines_that_are_on_one_side_only() -> None:
    assert {v.verdict for r in compare_pipelines("p", None, job(T1)).operators for v in r.verdicts} == {
        EMPTY,
        STATELESS,
    }
    assert {v.verdict for r in compare_pipelines("p", job(T1), None).operators for v in r.verdicts} == {
        DROPPED,
        STATELESS,
    }
    assert compare_pipelines("p", None, None).operators == ()


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ({"kind": "value"}, {"kind": "list"}, FAILS),
        ({"kind": "operator-list"}, {"kind": "operator-union-list"}, FAILS),
        ({"kind": "operator-list"}, {"kind": "broadcast"}, EMPTY),
        ({"kind": "value", "value_type": "Long"}, {"kind": "value", "value_type": "Integer"}, FAILS),
        ({"kind": "value", "value_type": "java.lang.Long"}, {"kind": "value", "value_type": "long"}, RESTORES),
        ({"kind": "value", "value_type": "Types.LONG"}, {"kind": "value", "value_type": "Long"}, RESTORES),
        (
            {"kind": "list", "value_type": "Tuple2<String, Long>"},
            {"kind": "list", "value_type": "Tuple2<String,Integer>"},
            FAILS,
        ),
        ({"kind": "value", "value_type": "A"}, {"kind": "value", "value_type": "com.acme.Totals"}, UNDECIDED),
        ({"kind": "map", "key_type": "String"}, {"kind": "map", "key_type": "Long"}, FAILS),
        ({"kind": "value", "value_type": "Long"}, {"kind": "value"}, UNDECIDED),
    ],
)  # fmt: skip
def test_changed_states(before: Fields, after: Fields, verdict: Verdict) -> None:
    found = compare(job({**T1, "state": [{"name": "s", **before}]}), job({**T1, "state": [{"name": "s", **after}]}))
    assert verdicts(found, "t1") == (verdict,) * 3


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [("String", "Long", FAILS), ("String", "java.lang.String", RESTORES), ("Key", "OtherKey", UNDECIDED)],
)
def test_changed_keys(before: str, after: str, verdict: Verdict) -> None:
    found = compare(job({**T1, "keyed": True, "key_type": before}), job({**T1, "keyed": True, "key_type": after}))
    assert verdicts(found, "t1") == (verdict,) * 3


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("TumblingEventTimeWindows", "SlidingEventTimeWindows", RESTORES),
        ("TumblingEventTimeWindows", "SlidingProcessingTimeWindows", DROPPED),
        ("TumblingEventTimeWindows", "EventTimeSessionWindows", DROPPED),
        ("EventTimeSessionWindows", "TumblingEventTimeWindows", DROPPED),
        ("EventTimeSessionWindows", "DynamicEventTimeSessionWindows", RESTORES),
        ("TumblingEventTimeWindows", "GlobalWindows", FAILS),
        ("TumblingEventTimeWindows", "OurOwnWindows", UNDECIDED),
    ],
)
def test_windows_of_another_kind_fail_and_of_the_same_kind_restore_where_they_still_fire(
    before: str, after: str, verdict: Verdict
) -> None:
    base, head = (job({**T1, "operator": "window", "window": assigner}) for assigner in (before, after))
    assert verdicts(compare(base, head), "t1") == (verdict,) * 3


@pytest.mark.parametrize(("before", "after"), [("legacy-source", "source"), ("source", "legacy-source")])
@pytest.mark.parametrize("flink", ["1.20", "1.18"])
def test_a_replaced_source_is_the_cause_of_what_chains_behind_it(before: str, after: str, flink: str) -> None:
    asynchronous = {"id": "ask", "operator": "async-wait"}
    base = job(asynchronous, source={"kind": before}, flink="1.20")
    head = job(asynchronous, source={"kind": after}, flink=flink)
    cause = row(compare(base, head), "src").cause
    assert cause is not None
    assert "chains to a legacy source changed" in cause.text
    assert "no longer chains" not in cause.text


def test_only_a_max_parallelism_of_its_own_can_be_removed() -> None:
    keyed = {**T1, "keyed": True, "state": [{"name": "n", "kind": "value"}]}
    base, head = job(keyed, parallelism=2), job(keyed, parallelism=2, max_parallelism=64)
    repairs = plan_repairs(base, head, compare(base, head))
    assert "remove .setMaxParallelism" not in " ".join(repair.text or "" for repair in repairs)
    own = job(keyed, parallelism=2, source={"max_parallelism": 64})
    repairs = plan_repairs(base, own, compare(base, own))
    assert "remove .setMaxParallelism" in " ".join(repair.text or "" for repair in repairs)


def with_output(kind: str, reason: str = "") -> Translation:
    """A source with another output beside its chain: a sink, or code that could not be read."""
    unknown = {"unknown": reason, "derived_from": reason}
    fields = {"kind": kind, "unknown": unknown} if reason else {"kind": kind}
    source, sink = {"id": "src", "kind": "source"}, {"id": "read", "kind": "legacy-sink", "inputs": ["src"]}
    transformations = [source, sink, {"id": "more", "inputs": ["src"], **fields}]
    return translate(topology_of({"topology": 1, "name": "p", "transformations": transformations}))


def test_an_id_is_open_while_outputs_of_its_operator_could_not_be_read_on_one_side() -> None:
    read, unread, changed = with_output("legacy-sink"), with_output("unknown", "of A"), with_output("unknown", "of B")
    for base, head in ((unread, read), (read, unread), (unread, changed)):
        assert verdicts(compare(base, head), "src") == (UNDECIDED, UNDECIDED, UNDECIDED)
    assert verdicts(compare(unread, with_output("unknown", "of A")), "src") == (RESTORES, RESTORES, RESTORES)
