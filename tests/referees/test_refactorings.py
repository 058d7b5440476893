"""Edits that keep the meaning of a program stay silent, in both directions, and leave nothing open.

Every commit has another seed, which a failure names; ``REFACTORING_SEED`` and ``REFACTORINGS`` set it and how many.
"""

import os
import random
from collections import Counter

import pytest

from tests.edits.test_edits import CASES, sides
from tests.judging import judged
from tests.referees.refactorings import REFACTORINGS, Files
from tests.seeds import seed_of

SEED = seed_of("REFACTORING_SEED")
EDITS = int(os.environ.get("REFACTORINGS") or 40)
LEFT_OUT = {"set-of-order", "custom-serializer-body"}
"""Programs whose graph differs from run to run, and one with a serializer: any edit of its code is told."""
OPEN = {("flag-default", "extracted constant")}
"""An argument's name that becomes a constant leaves the condition that asks for it undecided."""


def programs() -> list[tuple[str, Files]]:
    """The Java programs of the edited jobs."""
    found = []
    for case in CASES:
        files = {path: data.decode() for path, data in sides(case["name"])[0].items()}
        if case["name"] not in LEFT_OUT and any(path.endswith(".java") for path in files):
            found.append((case["name"], files))
    return found


def unwanted(base: Files, head: Files) -> dict[str, list[str]]:
    """Pipeline → what is said of it that ought not to be said."""
    answers = {}
    for pipeline in judged(base, head):
        wrong = [f"{f['rule']}: {f['message']}" for f in pipeline["findings"]]
        if wrong:
            answers[pipeline["name"]] = wrong
    return answers


@pytest.mark.timeout(1200)
def test_refactorings_are_silent() -> None:
    rng = random.Random(SEED)
    read = programs()
    done: Counter[str] = Counter()
    failed = []
    while done.total() < EDITS:
        name, base = rng.choice(read)
        kind = rng.choice(list(REFACTORINGS))
        head = None if (name, kind) in OPEN else REFACTORINGS[kind](base, rng)
        if head is None:
            continue
        done[kind] += 1
        pair = (base, head) if rng.random() < 0.7 else (head, base)
        answers = unwanted(*pair)
        if answers:
            failed.append((name, kind, answers))
    lines = (
        f"{name}, {kind}: {text}" for name, kind, answers in failed for texts in answers.values() for text in texts
    )
    assert not failed, "\n".join((f"seed {SEED}", *lines))
    assert len(done) > len(REFACTORINGS) // 2
