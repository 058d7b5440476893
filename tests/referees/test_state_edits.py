"""Random edits of what lies in state: a real Flink restores, and the checker must have said the same."""

import os
from random import Random

import pytest

from tests.referees.restores import cluster
from tests.referees.state_edits import KINDS, Edit, random_edit
from tests.referees.state_verdicts import difference, errors, judge
from tests.seeds import seed_of

VERSION = os.environ.get("REFEREE_FLINK", "1.20.5")
SEED = seed_of("REFEREE_SEED")
ROUNDS = int(os.environ.get("REFEREE_ROUNDS", "1"))


@pytest.mark.flink
@pytest.mark.timeout(1800)
def test_flink_and_the_checker_agree() -> None:
    """One edit of each kind. ``REFEREE_SEED`` and ``REFEREE_ROUNDS`` repeat and prolong it."""
    random = Random(SEED)
    wrong: list[str] = []
    with cluster(VERSION) as asked:
        for _ in range(ROUNDS):
            for kind in KINDS:
                found = judge(random_edit(kind, random), asked, VERSION, random.choice(("hashmap", "rocksdb")))
                if found.missed or found.false_alarm:
                    rules = sorted({f.rule for f in found.errors})
                    wrong.append(f"{kind}: Flink {found.flink}, said {rules}\n{difference(found.edit)}")
    assert not wrong, f"seed {SEED}\n" + "\n".join(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_against_itself_is_silent(kind: str) -> None:
    edit = random_edit(kind, Random(SEED))
    for source in (edit.before, edit.after):
        assert not errors(Edit(kind, source, source), VERSION), f"seed {SEED}"
