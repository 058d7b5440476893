"""Records in flight in an unaligned checkpoint: lost where two tasks become one, read as others where inputs trade."""

from collections.abc import Iterator, Mapping

from checker.model.deployments import RESOURCES
from checker.model.findings import Evidence, Hit, Severity
from checker.model.nested import gathered
from checker.model.stream_graph import NodeKey, StreamEdge
from checker.model.translation import Translation
from checker.rules.base import Category, Hits, RuleContext, rule, title_of

_UNALIGNED = ("execution.checkpointing.unaligned", "execution.checkpointing.unaligned.enabled")
_REPAIR = "make this change with a savepoint, which holds no data in flight"


@rule("An exchange changes where data may be in flight", Severity.INFO, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """One hit per exchange that was there and is chained now, and per operator whose inputs are in another order."""
    base, head = context.base.translation, context.head.translation
    if not context.comparable or base is None or head is None:
        return
    if context.start.own_format is False or not _may_be_in_flight(context, base):  # False: a canonical savepoint
        return
    pairs = {row.base.key: row.head.key for row in context.pairs if row.base is not None and row.head is not None}
    yield from _merged(context, base, head, pairs)
    before, after = _inputs(base), _inputs(head)
    for target, sources in before.items():
        now = after.get(pairs.get(target, target), [])
        was = [pairs.get(source, source) for source in sources]
        if was != now and sorted(was) == sorted(now):
            side = context.head.side(head.node_by_key[pairs.get(target, target)])
            yield Hit(
                message=f"the inputs of {title_of(side)} changed their order: a start from an unaligned checkpoint "
                "gives in-flight records to the wrong input without an error",
                head=side,
                evidence=(Evidence("inputs", *(", ".join(head.node_by_key[k].name for k in s) for s in (was, now))),),
                repair=_REPAIR,
            )


def _may_be_in_flight(context: RuleContext, base: Translation) -> bool:
    """Whether the base's checkpoints may be unaligned: they are not unless its program or its deployment says so."""
    asked, deployment = base.topology.unaligned, context.base.deployment
    if asked is None and deployment is not None and deployment.kind in RESOURCES:
        given = dict(deployment.configuration)
        return any(given.get(key, "false") != "false" or key in deployment.filled_later for key in _UNALIGNED)
    return asked is not False


def _edges(side: Translation, *, chained: bool) -> Iterator[tuple[NodeKey, NodeKey, StreamEdge]]:
    """The edges inside of chains, or those over an exchange, with what they lead from and to."""
    graph = side.stream_graph
    for edge in () if graph is None else graph.edges:
        if graph is not None and side.decisions[edge.number].chained is chained:
            yield graph.nodes[edge.source].key, graph.nodes[edge.target].key, edge


def _inputs(side: Translation) -> Mapping[NodeKey, list[NodeKey]]:
    """What each operator reads over an exchange, in the order of its input gates."""
    return gathered((target, source) for source, target, _ in _edges(side, chained=False))


def _merged(context: RuleContext, base: Translation, head: Translation, pairs: Mapping[NodeKey, NodeKey]) -> Hits:
    together = {(source, target) for source, target, _ in _edges(head, chained=True)}
    for source, target, edge in _edges(base, chained=False):
        new = (pairs.get(source), pairs.get(target))
        if new not in together:
            continue
        before, after = (head.node_by_key[key] for key in new if key is not None)
        side = context.head.side(after)
        yield Hit(
            message=f"{title_of(side)} is now chained to '{before.name}': from an unaligned checkpoint, records in "
            "flight between the two are lost without an error, or the restore is refused",
            base=context.base.side(base.node_by_key[target]),
            head=side,
            evidence=(Evidence("exchange", edge.partitioner.name, "chained"),),
            repair=_REPAIR,
        )
