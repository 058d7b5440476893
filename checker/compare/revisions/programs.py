"""One possible program of a revision, with the look-ups that comparing needs, and which programs belong together."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias

from checker.compare.fit.unknowns import comparable, same_unknown
from checker.model.declared_state import Meaning
from checker.model.findings import OperatorSide
from checker.model.nested import FIELD_NAMES
from checker.model.stream_graph import NodeKey, StreamGraph, StreamNode
from checker.model.topology import Decided, Kind, Topology, Transformation
from checker.model.translation import Choice, Identity, JobVertex, OperatorId, Question, Translation
from checker.model.unknowns import CODE, Location, Unknown

MAX_PAIRS = 256
"""How many pairs of possible programs are compared at most."""


@dataclass(frozen=True, eq=False)
class AcceptedProgram:
    """One program that Flink accepts: its graphs by node number.

    ``open`` means that the graphs are those of one of too many programs: nothing that rests on position holds.
    """

    translation: Translation
    graph: StreamGraph
    open: bool = False

    @cached_property
    def nodes(self) -> tuple[StreamNode, ...]:
        """Nodes that stand for one operator of Flink's."""
        return tuple(n for n in self.graph.nodes if n.kind is not Kind.UNKNOWN)

    @cached_property
    def unreadable(self) -> tuple[StreamNode, ...]:
        """Nodes that stand for operators that could not be read."""
        return tuple(n for n in self.graph.nodes if n.kind is Kind.UNKNOWN)

    def identity(self, node: StreamNode) -> Identity:
        """The ids of a node."""
        return self.translation.identities[node.number]

    @cached_property
    def by_key(self) -> dict[NodeKey, StreamNode]:
        """The nodes by their key."""
        return {n.key: n for n in self.graph.nodes}

    @cached_property
    def walk(self) -> tuple[StreamNode, ...]:
        """Nodes in the order in which Flink hashes them, as far as that is known."""
        ranked = [(i.ingredients.position, i.node) for i in self.translation.identities]
        return tuple(self.graph.nodes[node] for position, node in sorted((p, n) for p, n in ranked if p is not None))

    def vertex(self, node: StreamNode) -> JobVertex:
        """The job vertex that runs a node."""
        job_graph = self.translation.job_graph
        assert job_graph is not None
        return job_graph.vertices[job_graph.vertex_of[node.number]]

    def effective_max_parallelism(self, node: StreamNode) -> int:
        """What a snapshot records for a node."""
        return self.vertex(node).effective_max_parallelism

    def open_max_parallelism(self, node: StreamNode) -> Unknown | None:
        """Why the maximum parallelism of a node's vertex is not known, None where it is."""
        declared = self.graph.nodes[self.vertex(node).head].declared.max_parallelism
        if isinstance(declared, int):
            return None
        unknown = declared if declared is not None else self.translation.topology.max_parallelism
        return unknown if isinstance(unknown, Unknown) else None

    def by_generated(self, value: OperatorId) -> StreamNode | None:
        """The node with a generated id, None when there is none."""
        number = self._generated.get(value)
        return None if number is None else self.graph.nodes[number]

    @cached_property
    def _generated(self) -> dict[OperatorId, int]:
        return {i.generated: i.node for i in self.translation.identities if i.generated is not None}

    def side(self, node: StreamNode) -> OperatorSide:
        """The node as reports name it."""
        return OperatorSide.of_node(node, self.identity(node), self.vertex(node).name)


def programs_of(translation: Translation) -> tuple[AcceptedProgram, ...]:
    """Every possible program that Flink accepts; none for a refused one."""
    too_many = not translation.alternatives and any(u.question for u in translation.undecided)
    return tuple(
        AcceptedProgram(program, program.stream_graph, open=too_many)
        for program in translation.programs
        if program.stream_graph is not None and program.job_graph is not None and program.refusal is None
    )


AnyProgram: TypeAlias = AcceptedProgram | Translation
"""One that Flink builds, or its refusal."""
Ways: TypeAlias = tuple[tuple[Decided, ...], ...]


def choices_of(program: AnyProgram) -> tuple[Choice, ...]:
    """What a program takes for each question."""
    return (program if isinstance(program, Translation) else program.translation).choices


def pairs_of(
    base: Translation, head: Translation, base_programs: Sequence[AcceptedProgram], head_programs: Sequence[AnyProgram]
) -> Iterator[tuple[AcceptedProgram, AnyProgram]]:
    """The pairs of programs that can follow each other: what both leave open for one reason has one value in both.

    A program that agrees with none of the other side is paired with all of it: the sides do not leave the same open.
    """
    tied = _tied(base, head)
    agreeing = list(_agreeing(tied, base_programs, head_programs))
    yield from agreeing
    met = {id(program) for pair in agreeing for program in pair}
    for base_program, head_program in product(base_programs, head_programs):
        if id(base_program) not in met or (id(head_program) not in met and isinstance(head_program, AcceptedProgram)):
            yield base_program, head_program


def _agreeing(
    tied: frozenset[Question], base_programs: Sequence[AcceptedProgram], head_programs: Sequence[AnyProgram]
) -> Iterator[tuple[AcceptedProgram, AnyProgram]]:
    listed = [
        {question: _values(programs, question) for question in tied} for programs in (base_programs, head_programs)
    ]

    def agree(base: Choice, head: Choice) -> bool:
        question = base.question
        if question not in tied:
            return not (base.ways and head.ways) or _can_follow(base.ways, head.ways, tied=False)
        if all(decided.condition for choice in (base, head) for way in choice.ways for decided in way) and base.ways:
            return _can_follow(base.ways, head.ways, tied=True)
        return _agree(base, head, listed[0][question], listed[1][question])

    for base_program in base_programs:
        choices = {c.question: c for c in choices_of(base_program)}
        for head_program in head_programs:
            if all(c.question not in choices or agree(choices[c.question], c) for c in choices_of(head_program)):
                yield base_program, head_program


def _can_follow(base: Ways, head: Ways, *, tied: bool) -> bool:
    """Whether a way to one shape and a way to another go alike wherever both meet a condition.

    A condition by the digest of its code says so only where shapes depend on the same conditions in both revisions.
    """

    def outcomes(way: tuple[Decided, ...]) -> dict[str, str]:
        return {d.condition: d.outcome for d in way if d.condition and (tied or CODE not in d.condition)}

    sides = [[outcomes(way) for way in ways] for ways in (base, head)]
    return any(all(b[name] == h[name] for name in b.keys() & h.keys()) for b, h in product(*sides))


def _values(programs: Sequence[AnyProgram], question: Question) -> set[str]:
    return {c.value for p in programs for c in choices_of(p) if c.question == question and not c.fresh}


def _tied(base: Translation, head: Translation) -> frozenset[Question]:
    """Questions that are open on both sides and have one answer."""
    asked = [{c.question: c.unknown for p in (*t.programs, *t.refused) for c in p.choices} for t in (base, head)]
    return frozenset(q for q in asked[0].keys() & asked[1].keys() if same_unknown(asked[0][q], asked[1][q]))


def _agree(base: Choice, head: Choice, base_values: set[str], head_values: set[str]) -> bool:
    if base.fresh and head.fresh:
        return True
    if base.fresh:
        return head.value not in base_values
    if head.fresh:
        return base.value not in head_values
    return base.value == head.value


def same_program(base: Topology, head: Topology) -> bool:
    """Whether two topologies are equal apart from where things stand in the source."""
    return bool(_compared(base) == _compared(head))


def id_shape(topology: Topology) -> object:
    """All of a topology that can move an id: without places, names of operators, functions, states."""
    return _compared(topology, _MOVES_NO_ID)


_MOVES_NO_ID = frozenset({
    "name", "function", "functions_at", "function_values", "window", "trigger", "late", "key", "key_at", "key_type",
    "key_classes", "stateful", "state", "tables",
})  # fmt: skip


def _compared(value: Any, without: AbstractSet[str] = frozenset()) -> Any:
    """A record without the places in it, nested ones included, and unknowns as what they are made of.

    ``without`` are fields of transformations, and of what these mean, that do not count.
    """
    if isinstance(value, Location):
        return None
    if isinstance(value, Unknown):
        return comparable(value)
    if isinstance(value, tuple):
        return tuple(_compared(v, without) for v in value)
    if is_dataclass(value):
        left_out = {"files", "extractor"} | (without if isinstance(value, Transformation | Meaning) else set())
        names = (name for name in FIELD_NAMES[type(value)] if name not in left_out)
        return type(value), *(_compared(getattr(value, name), without) for name in names)
    return value
