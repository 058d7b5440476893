"""Random edit scripts: verdicts follow from the ids, causes name the edits."""

import random
from functools import cache

import pytest

from checker.compare import compare_pipelines
from checker.extract.documents.fields import topology_of
from checker.flink import translate
from checker.model.findings import Verdict
from checker.model.translation import Translation
from tests.compare.edit_scripts import Made, edited, named, stateful_document, wrong_verdict


@cache
def accepted(seed: int, count: int, edits: int) -> list[tuple[Translation, Translation, list[Made]]]:
    rng = random.Random(seed)
    found: list[tuple[Translation, Translation, list[Made]]] = []
    while len(found) < count:
        document = stateful_document(rng, len(found))
        changed, made = edited(rng, document, edits)
        base, head = translate(topology_of(document)), translate(topology_of(changed))
        if base.refusal is None and head.refusal is None:
            found.append((base, head, made))
    return found


@pytest.mark.parametrize("edits", [1, 2, 3])
def test_verdicts_are_set_arithmetic_on_ids(edits: int) -> None:
    for base, head, made in accepted(edits, 200, edits):
        head_ids = {i.generated for i in head.identities}
        for row in compare_pipelines("p", base, head).operators:
            if row.base is not None:
                problem = wrong_verdict(row, base.node_by_key[row.base.key], head_ids)
                assert problem is None, (problem, made)


@pytest.mark.parametrize(("edits", "share"), [(1, 1.0), (2, 0.98), (3, 0.97)])
def test_the_named_cause_is_the_edit(edits: int, share: float) -> None:
    right = wrong = 0
    for base, head, made in accepted(edits, 200, edits):
        for row in compare_pipelines("p", base, head).operators:
            if row.id_changed:
                assert row.cause is not None
                assert row.cause.path[-1] == row.head.name if row.head else None
                if named(made, row.cause.kind, row.cause.operator):
                    right += 1
                else:
                    wrong += 1
    assert right >= share * (right + wrong)


def test_a_revision_against_itself_restores_everything() -> None:
    for base, _, _ in accepted(9, 200, 1):
        for row in compare_pipelines("p", base, base).operators:
            assert row.base is not None
            assert row.head is not None
            assert row.base.key == row.head.key
            assert row.id_changed is False
            assert {v.verdict for v in row.verdicts} <= {Verdict.RESTORES, Verdict.STATELESS}
