"""How much two operators look like the same one: every reason with its weight, for and against.

And their places in the graph, which tell them apart by all that they are made from and feed.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from checker.compare.revisions.programs import AcceptedProgram
from checker.model.nested import gathered
from checker.model.stream_graph import Role, StreamNode
from checker.model.topology import Kind
from checker.model.unknowns import Unknown

ENOUGH, ENOUGH_WITHOUT_NAME, ENOUGH_AGAINST_ODDS = 2.0, 3.5, 4.0
"""The scores from which two operators may be taken for one: with a telling reason, without, and where the program
says different things of them."""
FULL = 10.0
"""The score at and above which likeness is shown as 1."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A score and the reasons that made it."""

    score: float
    evidence: tuple[str, ...]
    telling: bool
    """A name, a function, a uid, a handle, a state or the id speaks for it, not only kind and place."""

    @property
    def share(self) -> float:
        """0 to 1."""
        return max(0.0, min(1.0, self.score / FULL))


DEFAULT_NAMES = frozenset(
    {
        "Map", "Flat Map", "Filter", "Process", "Projection", "KeyedProcess", "Keyed Reduce", "Keyed Aggregation",
        "Timestamps/Watermarks", "async wait operator", "Co-Map", "Co-Flat Map", "Co-Process", "Co-Keyed-Process",
        "Co-Process-Broadcast", "Co-Process-Broadcast-Keyed", "Interval Join", "CepOperator", "GlobalCepOperator",
        "Sequence Source", "Sequence Source (Deprecated)", "Collection Source", "Parallel Collection Source",
        "Custom Source", "Socket Stream", "Custom File Source",
        "Source", "Custom File source", "Read File Stream source", "PartitionAggregate", "PartitionReduce",
        "SortPartition", "Data stream collect sink", "Unnamed", "Sink",
        "Print to Std. Out", "Print to Std. Err", "MapPartition",
    }
)  # fmt: skip
"""Names that Flink makes up: they say what an operator does, and nothing about which one it is."""


@dataclass(frozen=True, eq=False)
class Traits:
    """The traits by which an operator is recognised."""

    node: StreamNode
    rank: float
    shifting: bool = False
    """Its handle is a number that an insertion may have changed: it speaks for nothing."""

    @cached_property
    def given_name(self) -> str | None:
        """The name that the program gave, None where Flink made one up."""
        name = self.node.declared.name
        return name if isinstance(name, str) and name not in DEFAULT_NAMES else None

    @cached_property
    def states(self) -> frozenset[str]:
        """Names of the states it registers, as far as known."""
        return frozenset(s.name for s in self.node.declared.known_states if isinstance(s.name, str))


def traits_of(program: AcceptedProgram, shifting: frozenset[str]) -> dict[int, Traits]:
    """Node number → traits. ``shifting`` are handles that tell nothing."""
    count = max(len(program.graph.nodes) - 1, 1)
    return {n.number: Traits(n, n.number / count, n.declared.id in shifting) for n in program.nodes}


_SOURCES = (Kind.SOURCE, Kind.LEGACY_SOURCE)
_STAGES = (Role.PRE_WRITE, Role.PRE_COMMIT, Role.POST_COMMIT)


def can_be_one(base: StreamNode, head: StreamNode) -> bool:
    """False for what never stands for the other: a source and a sink, a writer and its committer, a replacement."""
    if (base.kind in _SOURCES) != (head.kind in _SOURCES):
        return False
    if _replaced(base, head):
        return False
    if base.role is head.role:
        return True
    return {base.role, head.role} <= {Role.MAIN, Role.WRITER} or (base.role in _STAGES and head.role in _STAGES)


def _replaced(base: StreamNode, head: StreamNode) -> bool:
    """Another function, under another uid, that keeps nothing where the first one kept state: whatever it is called."""
    before, after = base.declared, head.declared
    functions, uids = {before.function, after.function}, {base.uid, head.uid}
    if isinstance(before.state, Unknown) or isinstance(after.state, Unknown) or None in functions:
        return False
    kept, keeps = (any(state.location is not None for state in states) for states in (before.state, after.state))
    return kept and not keeps and len(functions) == len(uids) == 2


def conflict(base: Traits, head: Traits) -> bool:
    """Something the program says of both, and says differently: not the same operator without better reasons."""
    before, after = base.node.declared, head.node.declared
    if before.function and after.function and before.function == after.function:
        return False
    differs = [
        bool(before.function and after.function),
        bool(base.given_name and head.given_name and base.given_name != head.given_name),
        bool(before.operator and after.operator and before.operator != after.operator),
        bool(base.states and head.states and not base.states & head.states),
    ]
    return sum(differs) >= 2


def likeness(base: Traits, head: Traits, *, same_id: bool, shared_neighbours: int) -> Likeness:
    """The score of a pair. ``shared_neighbours`` counts inputs and outputs already matched to each other."""
    base_declared, head_declared = base.node.declared, head.node.declared
    score = 0.0
    evidence: list[str] = []

    def weigh(before: object, after: object, equal: float, differs: float, reason: str) -> None:
        nonlocal score
        if before is None or after is None:
            return
        if before == after:
            score += equal
            evidence.append(reason)
        else:
            score -= differs

    uids = (base.node.uid, head.node.uid)
    weigh(*uids, 6.0, 1.0, "same uid")
    if not base.shifting:
        weigh(base.node.key, head.node.key, 3.0, 0.0, "same handle")
    weigh(base.given_name, head.given_name, 3.0, 1.0, "same name")
    weigh(base_declared.function, head_declared.function, 3.0, 1.5, "same function")
    weigh(base_declared.operator, head_declared.operator, 1.0, 2.0, "same kind of call")
    weigh(base.node.kind, head.node.kind, 0.5, 1.0, "same kind")
    weigh(base_declared.keyed, head_declared.keyed, 0.5, 1.0, "same keying")
    if base.states and head.states:
        shared = len(base.states & head.states) / len(base.states | head.states)
        score += 2.0 * shared if shared else -2.0
        if shared:
            evidence.append("same state names")
    if same_id:
        score += 2.5
        evidence.append("same id")
    if shared_neighbours:
        score += min(2.0, float(shared_neighbours))
        evidence.append("same neighbours")
    if base_declared.location and head_declared.location and base_declared.location.file == head_declared.location.file:
        distance = abs(base_declared.location.line - head_declared.location.line)
        score += 0.6 / (1 + distance / 5)
        evidence.append("near in the source")
    score += 0.2 * (1 - abs(base.rank - head.rank))
    return Likeness(score, tuple(evidence), telling=not _TELLING.isdisjoint(evidence))


_TELLING = frozenset({"same uid", "same handle", "same name", "same function", "same state names", "same id"})


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


def folded(
    program: AcceptedProgram, own: Mapping[int, int], neighbours: Callable[[AcceptedProgram, StreamNode], list[int]]
) -> dict[int, int]:
    """Each operator with everything before or behind it: labels folded along the edges.

    An iteration's feedback edge is cut where it closes the circle.
    """
    folded: dict[int, int] = {}
    open_: set[int] = set()
    for start in program.graph.nodes:
        stack = [start.number]
        while stack:
            number = stack[-1]
            if number in folded:
                stack.pop()
                continue
            nearby = neighbours(program, program.graph.nodes[number])
            missing = [n for n in nearby if n not in folded and n not in open_]
            if missing and number not in open_:
                open_.add(number)
                stack.extend(missing)
                continue
            folded[number] = hash((own.get(number, 0), *(folded.get(n, 0) for n in nearby)))
            open_.discard(number)
            stack.pop()
    return folded


_NUMBERED = re.compile(r"(.*?)(?: ?#|[-_.])?(\d+)")


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
    handles = [t.id for t in program.translation.topology.operators()]
    matched = zip(handles, map(_NUMBERED.fullmatch, handles), strict=True)
    return gathered((m[1], (handle, int(m[2]))) if m else (handle, (handle, 1)) for handle, m in matched)


def _in_order(handles: list[tuple[str, int]]) -> bool:
    numbers = [n for _, n in handles]
    return numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
