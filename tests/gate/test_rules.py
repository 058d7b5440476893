"""The restore rules one by one, where recordings show them only together or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.compare.restore.judgement import judge_all
from checker.model.findings import RestorePath, Verdict
from checker.model.restore import Attempt, CandidateJob, RestoreRule, WarningRule
from checker.model.savepoint import Savepoint, StateSizes
from checker.model.state_handles import StateHeaders
from checker.model.translation import Pattern, default_max_parallelism
from tests.gate.examples import serializer
from tests.gate.made import job, judge, oid, operator, savepoint, state, vertex

ALL = Pattern.ALL_TO_ALL
POINTWISE = Pattern.POINTWISE


def verdict(snapshot: Savepoint, candidate: CandidateJob, *, allow: bool = False) -> Attempt:
    return judge(snapshot, candidate, RestorePath.SAVEPOINT, allow)


def rules(attempt: Attempt) -> set[WarningRule]:
    return {w.rule for w in attempt.warnings}


def test_default_max_parallelism_is_flinks() -> None:
    expected = {1: 128, 85: 128, 86: 256, 128: 256, 170: 256, 172: 512, 30000: 32768}
    assert {p: default_max_parallelism(p) for p in expected} == expected


def test_parallelism_above_the_maximum_of_a_task_without_any_subtask_entry_is_not_looked_at() -> None:
    empty = state(1, max_parallelism=4, present=0, has_subtask_state=False, sizes=StateSizes())
    assert verdict(savepoint(empty), job(vertex(1, parallelism=5))).verdict is Verdict.RESTORES


def test_last_state_looks_at_max_parallelism_per_vertex() -> None:
    attempt = judge(savepoint(state(1)), job(vertex(1, maximum=64)), RestorePath.LAST_STATE)
    assert attempt.rule is RestoreRule.MAX_PARALLELISM_MISMATCH
    assert attempt.vertex == oid(1)
    assert "with which the latest checkpoint of the execution job vertex V1 has been taken" in attempt.message


@pytest.mark.parametrize(
    ("pattern", "upstream_finished", "rule"),
    [
        (ALL, 0b00, RestoreRule.PARTIALLY_FINISHED_BEHIND_RUNNING),
        (ALL, 0b01, RestoreRule.PARTIALLY_FINISHED_BEHIND_RUNNING),
        (POINTWISE, 0b00, RestoreRule.PARTIALLY_FINISHED_BEHIND_RUNNING),
        (POINTWISE, 0b01, None),
    ],
)
def test_partially_finished_behind(pattern: Pattern, upstream_finished: int, rule: RestoreRule | None) -> None:
    snapshot = savepoint(state(1, finished=upstream_finished), state(2, finished=0b01))
    assert verdict(snapshot, job(vertex(1), vertex(2, after=((1, pattern),)))).rule is rule


def test_several_edges_to_one_predecessor_count_as_all_to_all() -> None:
    snapshot = savepoint(state(1, finished=0b01), state(2, finished=0b01))
    candidate = job(vertex(1), vertex(2, after=((1, ALL), (1, POINTWISE))))
    assert verdict(snapshot, candidate).rule is RestoreRule.PARTIALLY_FINISHED_BEHIND_RUNNING


def test_output_at_the_tail_and_input_at_the_head_are_fine() -> None:
    snapshot = savepoint(state(1, input_state=True), state(2, output_state=True))
    attempt = verdict(snapshot, job(vertex(1, operator(2), operator(1))))
    assert attempt.verdict is Verdict.RESTORES
    assert WarningRule.IN_FLIGHT_DATA_LOST not in rules(attempt)


def test_a_uid_hash_that_names_a_live_operator_is_contested() -> None:
    attempt = verdict(savepoint(state(1), state(2)), job(vertex(1), vertex(2, operator(2, user=oid(1)))))
    assert attempt.verdict is Verdict.RESTORES
    assert WarningRule.ID_CLAIMED_TWICE in rules(attempt)
    assert next(o for o in attempt.operators if o.id == oid(1)).verdict is Verdict.UNDECIDED


def test_state_under_both_ids_of_an_operator_is_dropped_silently() -> None:
    attempt = verdict(savepoint(state(1), state(2)), job(vertex(2, operator(2, user=oid(1)))))
    assert attempt.verdict is Verdict.RESTORES
    assert WarningRule.STATE_DROPPED in rules(attempt)
    assert next(o for o in attempt.operators if o.id == oid(2)).verdict is Verdict.DROPPED


def test_undecided_ids_never_pass() -> None:
    candidate = job(vertex(1), vertex(2, operator(None)), open=("the uid is read from a file",))
    for allow in (False, True):
        attempt = verdict(savepoint(state(1), state(5)), candidate, allow=allow)
        assert attempt.verdict is Verdict.UNDECIDED
        assert attempt.rule is RestoreRule.UNDECIDED_ID
        assert "the uid is read from a file" in attempt.message


@pytest.mark.parametrize(
    ("headers", "open_"),
    [
        (StateHeaders(problems=("a file is damaged",)), "sum: a file is damaged"),
        (
            StateHeaders(key_serializer=serializer("Long")),
            "the key of sum was not compared: its new type is not certain (not given)",
        ),
    ],
)
def test_states_and_keys_that_could_not_be_compared_are_open(headers: StateHeaders, open_: str) -> None:
    attempt = verdict(savepoint(state(1, name="sum", headers=headers)), job(vertex(1, operator(1, states=()))))
    assert attempt.open_questions == (open_,)


def test_unknown_parallelism_is_undecided_unless_something_else_refuses() -> None:
    candidate = job(vertex(1, unsure=("parallelism comes from --parallelism",)))
    assert verdict(savepoint(state(1)), candidate).verdict is Verdict.UNDECIDED
    attempt = verdict(savepoint(state(1), state(5)), candidate)
    assert attempt.verdict is Verdict.FAILS
    assert attempt.rule is RestoreRule.UNCLAIMED_STATE


def test_a_renamed_uid_is_found_again_by_its_hash() -> None:
    from checker.flink.operator_ids import operator_id

    lost = state(1, operator_id=operator_id("orders"))
    candidate = job(vertex(7, operator(7, name="Orders", hints=("orders",))))
    row = verdict(savepoint(lost), candidate).operators[0]
    assert row.counterpart is not None
    assert row.counterpart.likeness == 1
    assert row.counterpart.evidence == ("uid('orders') gives exactly this id",)


ids = st.integers(1, 6)
states = st.builds(
    lambda n, finished, size, present: state(
        n, fully_finished=finished, present=0 if finished else present, has_subtask_state=not finished and size > 0
    ),
    ids, st.booleans(), st.integers(0, 9), st.integers(0, 3),
)  # fmt: skip
snapshots_made = st.lists(states, unique_by=lambda s: s.operator_id, max_size=6).map(lambda s: savepoint(*s))
jobs_made = st.lists(
    st.tuples(ids, st.sampled_from([None, 64, 128]), st.sampled_from([None, *range(1, 7)])),
    min_size=1, max_size=5, unique_by=lambda v: v[0],
).map(
    lambda vs: job(
        *(
            vertex(head, operator(head, user=None if user is None else oid(user)), maximum=maximum)
            for head, maximum, user in vs
        )
    )
)  # fmt: skip


@given(snapshots_made, jobs_made)
def test_every_state_has_one_row_and_every_attempt_a_reason(snapshot: Savepoint, candidate: CandidateJob) -> None:
    for attempt in judge_all(snapshot, candidate):
        rows = [r.id for r in attempt.operators if r.in_snapshot]
        assert rows == [s.operator_id for s in snapshot.operators]
        assert (attempt.rule is None) == (attempt.verdict is Verdict.RESTORES)
        assert attempt.message


@given(snapshots_made, jobs_made)
def test_the_flag_never_turns_a_start_into_a_refusal(snapshot: Savepoint, candidate: CandidateJob) -> None:
    plain = judge(snapshot, candidate, RestorePath.SAVEPOINT)
    allowed = judge(snapshot, candidate, RestorePath.SAVEPOINT, True)
    if plain.verdict is Verdict.RESTORES:
        assert allowed.verdict is Verdict.RESTORES
    last = [judge(snapshot, candidate, RestorePath.LAST_STATE, flag).verdict for flag in (False, True)]
    assert last[0] is last[1]
