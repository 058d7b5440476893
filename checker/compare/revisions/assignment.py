"""The pairing of two sets with the greatest total weight, among allowed pairs."""

from __future__ import annotations

from collections.abc import Mapping

_FORBIDDEN = 1e9


def best_assignment(weights: Mapping[tuple[int, int], float]) -> list[tuple[int, int]]:
    """Pairs (left, right) that maximise the sum of weights; every weight is above zero, a missing pair is forbidden.

    Ties are broken by the order of the numbers, so equal input gives equal output. Independent groups are solved
    one by one, each in cubic time of its size.
    """
    result: list[tuple[int, int]] = []
    for group in _groups(weights):
        result.extend(_solve(group))
    return sorted(result)


def _groups(weights: Mapping[tuple[int, int], float]) -> list[dict[tuple[int, int], float]]:
    """The connected parts of the graph of allowed pairs."""
    parent: dict[tuple[str, int], tuple[str, int]] = {}

    def root(node: tuple[str, int]) -> tuple[str, int]:
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for left, right in weights:
        left_root, right_root = root(("l", left)), root(("r", right))
        if left_root != right_root:
            parent[max(left_root, right_root)] = min(left_root, right_root)
    groups: dict[tuple[str, int], dict[tuple[int, int], float]] = {}
    for pair, weight in sorted(weights.items()):
        groups.setdefault(root(("l", pair[0])), {})[pair] = weight
    return list(groups.values())


def _solve(weights: dict[tuple[int, int], float]) -> list[tuple[int, int]]:
    """Shortest augmenting paths (Jonker and Volgenant) on a square of the group, padded with "unmatched"."""
    lefts = sorted({left for left, _ in weights})
    rights = sorted({right for _, right in weights})
    if len(weights) == 1:
        return list(weights)
    # Each left may also stay alone, at weight 0: a column of its own.
    columns: list[int | None] = [*rights, *([None] * len(lefts))]
    cost = [[-weights.get((left, right), -_FORBIDDEN) for right in rights] + [0.0] * len(lefts) for left in lefts]
    count, width = len(lefts), len(columns)
    potential_row, potential_column = [0.0] * (count + 1), [0.0] * (width + 1)
    matched, way = [0] * (width + 1), [0] * (width + 1)
    for row in range(1, count + 1):
        matched[0] = row
        column = 0
        least = [float("inf")] * (width + 1)
        used = [False] * (width + 1)
        while True:
            used[column] = True
            current, delta, following = matched[column], float("inf"), 0
            costs, offset = cost[current - 1], potential_row[current]
            for j in range(1, width + 1):
                if used[j]:
                    continue
                reduced = costs[j - 1] - offset - potential_column[j]
                if reduced < least[j]:
                    least[j], way[j] = reduced, column
                if least[j] < delta:
                    delta, following = least[j], j
            for j in range(width + 1):
                if used[j]:
                    potential_row[matched[j]] += delta
                    potential_column[j] -= delta
                else:
                    least[j] -= delta
            column = following
            if matched[column] == 0:
                break
        while column:
            matched[column] = matched[way[column]]
            column = way[column]
    pairs = []
    for j in range(1, width + 1):
        right = columns[j - 1]
        if matched[j] and right is not None and (lefts[matched[j] - 1], right) in weights:
            pairs.append((lefts[matched[j] - 1], right))
    return pairs
