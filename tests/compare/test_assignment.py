"""The assignment is optimal: no other pairing weighs more."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from checker.compare.revisions.structure import best_assignment

WEIGHTS = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(1, 20).map(float), max_size=14)


def greatest(weights: dict[tuple[int, int], float]) -> float:
    return max(sum(weights.get(pair, 0.0) for pair in enumerate(rights)) for rights in permutations(range(5)))


@given(WEIGHTS)
def test_optimal_and_one_to_one(weights: dict[tuple[int, int], float]) -> None:
    pairs = best_assignment(weights)
    assert len({left for left, _ in pairs}) == len({right for _, right in pairs}) == len(pairs)
    assert sum(weights[pair] for pair in pairs) == greatest(weights)


def test_five_hundred_that_look_alike() -> None:
    size = 500
    weights = {(i, j): 10.0 - abs(i - j) for i in range(size) for j in range(max(0, i - 5), min(size, i + 6))}
    assert best_assignment(weights) == [(i, i) for i in range(size)]
