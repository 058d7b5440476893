"""Rules about parallelism and max parallelism, of operators and of the vertices that run them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checker.model.comparison import OperatorComparison
from checker.model.findings import Evidence, OperatorSide, Severity
from checker.model.gathered import gathered
from checker.model.job_graph import JobVertex
from checker.model.stream_graph import NodeKey, StreamNode
from checker.model.translation import Question
from checker.model.unknowns import Unknown
from checker.rules.base import (
    Category,
    Hit,
    Revision,
    RuleContext,
    kept_pairs,
    revision_rule,
    rule,
    title_of,
    titles_of,
)


def vertex_of(revision: Revision, node: StreamNode) -> JobVertex | None:
    """The vertex that runs a node; None where its max parallelism is not known, or what it reads from."""
    translation = revision.translation
    if translation is None or translation.job_graph is None or translation.stream_graph is None:
        return None
    number = translation.job_graph.vertex_of.get(node.number)
    if number is None:  # no source leads to it
        return None
    vertex = translation.job_graph.vertices[number]
    head = translation.stream_graph.nodes[vertex.head].declared
    values = (head.max_parallelism, translation.topology.max_parallelism if head.max_parallelism is None else None)
    return None if any(isinstance(v, Unknown) for v in values) else vertex


@dataclass(frozen=True, slots=True)
class Placed:
    """An operator whose counterpart takes its state, and the vertices that run the two."""

    row: OperatorComparison
    base_node: StreamNode
    before: JobVertex
    after: JobVertex


def placed(context: RuleContext) -> Iterator[Placed]:
    """Every such operator, by the place of its vertex in the head."""
    for row, _, base, head in kept_pairs(context):
        before, after = vertex_of(context.base, base), vertex_of(context.head, head)
        if before is not None and after is not None:
            yield Placed(row, base, before, after)


def by_vertex(context: RuleContext) -> Iterator[list[Placed]]:
    """The same, one list per vertex of the head."""
    found = gathered((placement.after.head, placement) for placement in placed(context))
    yield from found.values()


@revision_rule("Generated ids depend on the parallelism of the deployment", Severity.WARNING, Category.PARALLELISM)
def ids_depend_on_parallelism(revision: Revision) -> Iterable[Hit]:
    """Nobody said with which parallelism the job runs, and the ids of operators with state depend on it.

    One hit per pipeline: the operators with state and without a uid that move.
    """
    translation = revision.translation
    for undecided in translation.undecided if translation is not None else ():
        nodes = [revision.nodes[key] for key in undecided.nodes if key in revision.nodes]
        sides: list[OperatorSide] = [revision.side(n) for n in nodes if n.stateful is True and n.uid is None]
        if undecided.question != Question("parallelism") or not sides:
            continue
        names = titles_of(sides)
        yield Hit(
            message=f"the ids of {names} depend on the parallelism of the deployment: another -p moves them",
            operator_key="parallelism",
            head=sides[0],
            followers=tuple(sides[1:]),
            evidence=(Evidence("parallelism", after=undecided.unknown.reason),),
            repair="set uids, or say in the configuration which parallelism the deployment passes",
        )


_SET_BACK = "set it to what the state was written with: .setMaxParallelism({})"
_SET_BY_FLINK = (
    "take out the call that sets it to 1; where it is Flink's own (readFile, forceNonParallel), nothing sets it back"
)


@rule("The max parallelism of state changed", Severity.ERROR, Category.PARALLELISM)
def max_parallelism_changed(context: RuleContext) -> Iterable[Hit]:
    """The head configures another max parallelism than the one the state was written with.

    One hit per vertex: Flink also refuses it for operators without state.
    """
    for group in by_vertex(context):
        concerned = [
            p for p in group if p.after.configured_max_parallelism not in (None, p.before.effective_max_parallelism)
        ]
        if not concerned:
            continue
        first = concerned[0]
        base, head = first.row.base, first.row.head
        assert base is not None
        assert head is not None
        before, after = first.before.effective_max_parallelism, first.after.max_parallelism
        derived = first.before.configured_max_parallelism is None
        how = f", the default for parallelism {first.before.parallelism}" if derived else ""
        yield Hit(
            message=f"the max parallelism of {title_of(head)} changed from {before} to {after}: Flink refuses the "
            "restore, with or without --allowNonRestoredState",
            base=base,
            head=head,
            followers=tuple(p.row.head for p in concerned[1:] if p.row.head is not None),
            evidence=(Evidence("max parallelism", f"{before}{how}", str(after)),),
            repair=_SET_BY_FLINK if _is_kept_at_one(context, first.after) else _SET_BACK.format(before),
        )


def _is_kept_at_one(context: RuleContext, vertex: JobVertex) -> bool:
    translation = context.head.translation
    graph = None if translation is None else translation.stream_graph
    return graph is not None and graph.nodes[vertex.head].declared.kept_at_one


@rule("The default max parallelism changes with the parallelism", Severity.WARNING, Category.PARALLELISM)
def max_parallelism_derived(context: RuleContext) -> Iterable[Hit]:
    """Max parallelism was never set, and the default derived from the parallelism is another one now.

    One hit per vertex with state.
    """
    for group in by_vertex(context):
        concerned = [p for p in group if p.row.stateful is not False and p.before.configured_max_parallelism is None]
        if not concerned or concerned[0].after.configured_max_parallelism is not None or concerned[0].row.head is None:
            continue
        first, head = concerned[0], concerned[0].row.head
        before, after = first.before.effective_max_parallelism, first.after.effective_max_parallelism
        if before == after or first.after.parallelism > before:
            continue
        yield Hit(
            message=f"{title_of(head)} never sets its max parallelism: its state keeps {before}, a fresh start would "
            f"get {after}, and neither can be configured later for both",
            base=first.row.base,
            head=head,
            followers=tuple(p.row.head for p in concerned[1:] if p.row.head is not None),
            evidence=(
                Evidence("parallelism", str(first.before.parallelism), str(first.after.parallelism)),
                Evidence("default max parallelism", str(before), str(after)),
            ),
            repair=f"set it once and for all to what the state has: .setMaxParallelism({before})",
        )


@rule("Parallelism above max parallelism", Severity.ERROR, Category.PARALLELISM)
def parallelism_above_max(context: RuleContext) -> Iterable[Hit]:
    """More subtasks than there are key groups: Flink refuses to run or to restore the job.

    One hit per vertex: above its own maximum (if the base was not already), or above that of its state.
    """
    known = {head for head, _ in _above_own(context.base)}
    own = [(head, vertex) for head, vertex in _above_own(context.head) if head not in known]
    for key, vertex in own:
        side = context.head.side(context.head.nodes[key])
        yield Hit(
            message=f"{title_of(side)} runs with parallelism {vertex.parallelism}, more than its max parallelism "
            f"{vertex.max_parallelism}: Flink refuses to start the job",
            head=side,
            evidence=(
                Evidence("parallelism", after=str(vertex.parallelism)),
                Evidence("max parallelism", after=str(vertex.max_parallelism)),
            ),
            repair=f"set the parallelism to {vertex.max_parallelism} or less",
        )
    for group in by_vertex(context):
        first = next((p for p in group if p.after.parallelism > p.before.effective_max_parallelism), None)
        if first is None or first.after.configured_max_parallelism is not None or first.row.head is None:
            continue
        limit = first.before.effective_max_parallelism
        yield Hit(
            message=f"{title_of(first.row.head)} runs with parallelism {first.after.parallelism}, but its state was "
            f"written with max parallelism {limit}: Flink refuses the restore",
            base=first.row.base,
            head=first.row.head,
            evidence=(
                Evidence("parallelism", str(first.before.parallelism), str(first.after.parallelism)),
                Evidence("max parallelism of the state", before=str(limit)),
            ),
            repair=f"set the parallelism to {limit} or less; more needs the state rewritten (State Processor API)",
        )


def _above_own(revision: Revision) -> list[tuple[NodeKey, JobVertex]]:
    found: dict[NodeKey, JobVertex] = {}
    graph = revision.translation.stream_graph if revision.translation is not None else None
    for node in revision.nodes.values():
        vertex = vertex_of(revision, node)
        if graph is None or vertex is None or vertex.configured_max_parallelism is None:
            continue
        if vertex.parallelism > vertex.max_parallelism:
            found.setdefault(graph.nodes[vertex.head].key, vertex)
    return list(found.items())


@revision_rule("Chained operators disagree on max parallelism", Severity.WARNING, Category.PARALLELISM)
def vertex_max_parallelism_disagrees(revision: Revision) -> Iterable[Hit]:
    """A max parallelism set on a chained operator: only that of the head of the chain counts.

    One hit per chained operator with state and a value of its own.
    """
    graph = revision.translation.stream_graph if revision.translation is not None else None
    for node in revision.nodes.values():
        own = node.declared.max_parallelism
        vertex = vertex_of(revision, node)
        if graph is None or vertex is None or own is None or isinstance(own, Unknown) or node.stateful is False:
            continue
        if vertex.head == node.number or own == vertex.max_parallelism:
            continue
        side, head = revision.side(node), graph.nodes[vertex.head]
        value = str(vertex.max_parallelism) if vertex.max_parallelism > 0 else "unset"
        yield Hit(
            message=f"{title_of(side)} sets max parallelism {own}, but it runs in the chain of '{head.name}', whose "
            f"value ({value}) is the one that counts",
            head=side,
            evidence=(
                Evidence("own max parallelism", after=str(own)),
                Evidence("max parallelism of the chain", after=value),
            ),
            repair="set one value for all operators of the chain, or break the chain before this one",
        )


@rule("States of different max parallelism meet in one vertex", Severity.ERROR, Category.PARALLELISM)
def vertex_max_parallelism_mixed(context: RuleContext) -> Iterable[Hit]:
    """A chain joins operators whose states were written with different max parallelism.

    One hit per vertex with keyed state and no max parallelism configured.
    """
    for group in by_vertex(context):
        written = sorted({p.before.effective_max_parallelism for p in group})
        keyed = [p for p in group if p.base_node.declared.keyed and p.row.stateful is not False]
        configured = group[0].after.configured_max_parallelism
        if len(written) < 2 or configured is not None or not keyed or keyed[0].row.head is None:
            continue
        values = " and ".join(str(v) for v in written)
        yield Hit(
            message=f"the chain '{group[0].after.name}' joins states written with max parallelism {values}: which of "
            "them it takes is left to chance, and keyed state of the others is read with wrong key groups",
            base=keyed[0].row.base,
            head=keyed[0].row.head,
            followers=tuple(p.row.head for p in group if p is not keyed[0] and p.row.head is not None),
            evidence=tuple(
                Evidence("written with", p.base_node.name, str(p.before.effective_max_parallelism)) for p in group
            ),
            repair="keep the operators in tasks of their own, for instance with startNewChain()",
        )
