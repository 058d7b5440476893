"""Operators distinguished by their place in the graph: by all that they are made from and feed."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

from checker.compare.revisions.likeness import Traits
from checker.compare.revisions.programs import AcceptedProgram
from checker.model.nested import gathered
from checker.model.stream_graph import StreamNode

_NUMBERED = re.compile(r"(.*?)(?: ?#|[-_.])?(\d+)")


def labels(traits: Mapping[int, Traits]) -> dict[int, int]:
    """A hash of what each operator is by itself, without its name in the document."""
    found: dict[int, int] = {}
    for number, node_traits in traits.items():
        node = node_traits.node
        declared = node.declared
        stateful = node.stateful if isinstance(node.stateful, bool) else None
        found[number] = hash(
            (
                node.kind, node.role, declared.operator, declared.function, node_traits.given_name, declared.keyed,
                node_traits.states, stateful, node.uid if isinstance(node.uid, str) else None,
            )
        )  # fmt: skip
    return found


def upstream_of(program: AcceptedProgram, own: Mapping[int, int]) -> dict[int, int]:
    """Each operator with everything upstream of it."""
    return _folded(program, own, lambda n: [e.source for e in program.graph.inputs_of(n)])


def downstream_of(program: AcceptedProgram, own: Mapping[int, int]) -> dict[int, int]:
    """Each operator with everything downstream of it."""
    return _folded(program, own, lambda n: [e.target for e in program.graph.outputs_of(n)])


def _folded(
    program: AcceptedProgram, own: Mapping[int, int], neighbours: Callable[[StreamNode], list[int]]
) -> dict[int, int]:
    """Labels folded along the edges; an iteration's feedback edge is cut where it closes the circle."""
    folded: dict[int, int] = {}
    open_: set[int] = set()
    for start in program.graph.nodes:
        stack = [start.number]
        while stack:
            number = stack[-1]
            if number in folded:
                stack.pop()
                continue
            nearby = neighbours(program.graph.nodes[number])
            missing = [n for n in nearby if n not in folded and n not in open_]
            if missing and number not in open_:
                open_.add(number)
                stack.extend(missing)
                continue
            folded[number] = hash((own.get(number, 0), *(folded.get(n, 0) for n in nearby)))
            open_.discard(number)
            stack.pop()
    return folded


def unique_pairs(
    base: Iterable[int], head: Iterable[int], base_key: Callable[[int], Hashable], head_key: Callable[[int], Hashable]
) -> Iterator[tuple[int, int]]:
    """Pairs of numbers whose key occurs exactly once on each side."""
    base_numbers, head_numbers = _by_key(base, base_key), _by_key(head, head_key)
    for key, numbers in base_numbers.items():
        found = head_numbers.get(key, [])
        if len(numbers) == 1 and len(found) == 1:
            yield numbers[0], found[0]


def _by_key(numbers: Iterable[int], key: Callable[[int], Hashable]) -> dict[Hashable, list[int]]:
    return gathered((key(number), number) for number in numbers)


def shifting_handles(base: AcceptedProgram, head: AcceptedProgram) -> frozenset[str]:
    """Handles that are numbers in order and of which one side has more: an insertion may have renumbered them."""
    base_numbers, head_numbers = _numbering(base), _numbering(head)
    shifting: set[str] = set()
    for prefix in base_numbers.keys() & head_numbers.keys():
        before, after = base_numbers[prefix], head_numbers[prefix]
        if len(before) != len(after) and _in_order(before) and _in_order(after) and before[0][1] == after[0][1]:
            shifting.update(h for h, _ in (*before, *after))
    return frozenset(shifting)


def _numbering(program: AcceptedProgram) -> dict[str, list[tuple[str, int]]]:
    """Handles by what is left of them without their number, in the order of declaration."""
    found: dict[str, list[tuple[str, int]]] = {}
    for handle in dict.fromkeys(t.id for t in program.translation.topology.operators()):
        match = _NUMBERED.fullmatch(handle)
        prefix, number = (match[1], int(match[2])) if match else (handle, 1)
        found.setdefault(prefix, []).append((handle, number))
    return found


def _in_order(handles: list[tuple[str, int]]) -> bool:
    numbers = [n for _, n in handles]
    return numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
