"""Repairs of random edit scripts all verify, and nothing that was whole is broken by them."""

import random

import pytest

from checker.compare import compare_pipelines
from checker.extract.documents.fields import topology_of
from checker.flink import translate
from checker.model.findings import RestorePath, Verdict
from checker.model.stream_graph import NodeKey
from checker.model.translation import Translation
from checker.repair import Field, edited, edits_of, plan_repairs, plan_uids
from checker.repair.plan import broken
from checker.rules.base import Revision, RuleContext
from checker.rules.check import max_parallelism_changed
from tests.compare.edit_scripts import stateful_document
from tests.compare.test_edit_scripts import accepted
from tests.rules.examples import EXAMPLES, load


def repaired(base: Translation, head: Translation) -> tuple[set[NodeKey], set[NodeKey], set[NodeKey]]:
    """Operators that are broken, those that have no repair, and those still broken after all repairs."""
    comparison = compare_pipelines("p", base, head)
    repairs = plan_repairs(base, head, comparison)
    after = translate(edited(head.topology, edits_of(repairs)))
    rows = compare_pipelines("p", base, after).operators
    return (
        {r.base.key for r in comparison.operators if r.base is not None and broken(r)},
        {r.base.key for r in repairs if r.base is not None and not r.offered},
        {r.base.key for r in rows if r.base is not None and broken(r)},
    )


@pytest.mark.parametrize("edits", [1, 2, 3])
def test_what_is_offered_restores_and_what_is_not_has_a_reason(edits: int) -> None:
    total = 0
    for base, head, made in accepted(100 + edits, 150, edits):
        asked, without, left = repaired(base, head)
        assert without <= asked
        assert left == without, made
        total += len(asked)
        for key in without:
            gone = str(key.handle) not in {n.declared.id for n in head.node_by_key.values()}
            assert gone or base.node_by_key[key].has_coordinator, (key, made)
    assert total > 100


def test_one_insertion_into_a_long_job_without_uids() -> None:
    chain: list[dict[str, object]] = [{"id": "s", "kind": "source"}]
    for number in range(300):
        chain.append({"id": f"o{number}", "kind": "operator", "inputs": [chain[-1]["id"]], "stateful": number % 2 == 0})
    chain.append({"id": "k", "kind": "legacy-sink", "inputs": [chain[-1]["id"]]})
    inserted = [
        *chain[:5],
        {"id": "new", "kind": "operator", "inputs": ["o3"]},
        {**chain[5], "inputs": ["new"]},
        *chain[6:],
    ]
    base, head = (translate(topology_of({"topology": 1, "name": "p", "transformations": t})) for t in (chain, inserted))
    asked, without, left = repaired(base, head)
    assert len(asked) > 100
    assert not without
    assert not left


@pytest.mark.parametrize(("parallelism", "settable"), [(1, False), (2, True)])
def test_no_call_is_taken_out_where_flink_itself_may_set_the_max_parallelism(parallelism: int, settable: bool) -> None:
    source = {"id": "s", "kind": "legacy-source", "uid": "s", "stateful": True, "parallelism": parallelism}
    sink = {"id": "k", "kind": "legacy-sink", "inputs": ["s"], "parallelism": 3}
    sides = [[source, sink], [{**source, "max_parallelism": 1 if parallelism == 1 else 256}, sink]]
    base, head = (translate(topology_of({"topology": 1, "name": "p", "transformations": t})) for t in sides)
    comparison = compare_pipelines("p", base, head)
    offered = [edit for repair in plan_repairs(base, head, comparison) for edit in repair.edits if repair.offered]
    assert [edit.field for edit in offered] == ([Field.MAX_PARALLELISM] if settable else [])
    context = RuleContext(
        pipeline="p",
        base=Revision(translation=base, failure=None),
        head=Revision(translation=head, failure=None),
        comparison=comparison,
    )
    advice = [hit.repair or "" for hit in max_parallelism_changed.find.find(context)]
    assert len(advice) == 1
    assert (".setMaxParallelism(" in advice[0]) is settable


@pytest.mark.parametrize(
    ("example", "field"),
    [
        ("uid-renamed", Field.UID),
        ("uid-removed", Field.UID),
        ("uid-added-without-pin", Field.UID_HASH),
        ("stateful-id-changed", Field.UID_HASH),
        ("pinned-hash-broken", Field.UID_HASH),
        ("state-misassigned", Field.UID_HASH),
        ("max-parallelism-changed", Field.MAX_PARALLELISM),
        ("uid-not-deterministic", Field.UID),
    ],
)
def test_the_smallest_edit_is_chosen(example: str, field: Field) -> None:
    pair = load(EXAMPLES / example)
    assert pair.base is not None
    assert pair.head is not None
    repairs = plan_repairs(pair.base, pair.head, compare_pipelines("orders", pair.base, pair.head))
    assert all(r.offered and r.edits and r.edits[0].field is field for r in repairs)


@pytest.mark.parametrize("example", ["stateful-operator-removed", "value-type-changed"])
def test_where_nothing_helps_it_says_so(example: str) -> None:
    pair = load(EXAMPLES / example)
    assert pair.base is not None
    assert pair.head is not None
    repairs = plan_repairs(pair.base, pair.head, compare_pipelines("orders", pair.base, pair.head))
    assert repairs
    assert all(not r.offered and r.reason and not r.edits for r in repairs)


def test_a_pinned_source_gets_its_old_shape_back_or_a_snippet() -> None:
    pair = load(EXAMPLES / "coordinator-state-lost")
    assert pair.base is not None
    assert pair.head is not None
    repairs = plan_repairs(pair.base, pair.head, compare_pipelines("orders", pair.base, pair.head))
    assert [{e.field for e in r.edits} for r in repairs] == [{Field.UID}]


def test_nothing_is_advised_for_operators_of_a_job_that_flink_refuses() -> None:
    """Which of them are there is not known: their state must not be declared as dropped."""
    chain = [{"id": "s", "kind": "source", "uid": "s"}, {"id": "o", "kind": "operator", "inputs": ["s"], "uid": "o"}]
    base, head = (
        translate(topology_of({"topology": 1, "name": "p", "transformations": [chain[0], {**chain[1], "uid": uid}]}))
        for uid in ("o", "s")
    )
    assert head.refusal is not None
    assert plan_repairs(base, head, compare_pipelines("p", base, head)) == ()


def test_with_uids_for_whole_jobs_all_is_mended_that_other_edits_lost() -> None:
    mended = 0
    for base, head, made in accepted(300, 100, 2):
        asked, without, left = repaired(base, head)
        after = translate(edited(head.topology, edits_of(plan_uids(head, base))))
        assert after.refusal is None
        rows = compare_pipelines("p", base, after).operators
        assert {r.base.key for r in rows if r.base is not None and broken(r)} <= left, made
        mended += len(asked - without)
    assert mended > 50


def test_uids_for_whole_jobs_keep_all_state() -> None:
    rng = random.Random(17)
    offered = 0
    for number in range(150):
        base = translate(topology_of(stateful_document(rng, number)))
        if base.refusal is not None:
            continue
        repairs = plan_uids(base)
        after = translate(edited(base.topology, edits_of(repairs)))
        assert after.refusal is None
        uids = [t.uid for t in after.topology.transformations if t.uid is not None and not t.kind.virtual]
        assert len(set(uids)) == len(uids)
        for row in compare_pipelines("p", base, after).operators:
            assert row.verdict(RestorePath.SAVEPOINT) in (Verdict.RESTORES, Verdict.STATELESS)
        offered += sum(r.offered for r in repairs)
    assert offered > 200
