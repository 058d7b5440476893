"""uids for a whole job, with the pins that keep the state it has."""

from dataclasses import replace

from checker.compare import compare_pipelines
from checker.flink import translate
from checker.flink.versions import SinkShape, semantics_of
from checker.model.findings import OperatorSide
from checker.model.stream_graph import NodeKey, Role, StreamNode
from checker.model.topology import Kind, Transformation
from checker.model.translation import Translation
from checker.repair.plan import broken
from checker.repair.repairs import (
    SINK_HASHES,
    Edit,
    Field,
    Names,
    Repair,
    edited,
    fluent,
    is_inner,
    spelling_of,
)

_REASON = "a uid of its own; the pin finds the state that lies under the id it had"


def plan_uids(head: Translation, base: Translation | None = None) -> tuple[Repair, ...]:
    """A uid for every operator that has none, and pins for those with state: verified, or not offered.

    The state is what ``base`` left; without a base it is what the head itself leaves when it runs as it is. A head
    that Flink refuses, or whose ids are not certain, gets no pins and so no uids.
    """
    planner = _Planner(head, base or head)
    return planner.run()


class _Planner:
    def __init__(self, head: Translation, base: Translation) -> None:
        self.head, self.base = head, base
        self.names = Names(head.topology)
        self.spelling = spelling_of(head.topology)
        self.declared = {t.id: t for t in head.topology.operators()}
        compared = compare_pipelines("", base, head)
        self.base_of = {
            row.head.key: row.base.id for row in compared.operators if row.head is not None and row.base is not None
        }
        self.before = {row.base.key for row in compared.operators if row.base is not None and broken(row)}

    def run(self) -> tuple[Repair, ...]:
        if self.head.refusal is not None or self.base.refusal is not None or self.head.stream_graph is None:
            return ()
        nodes: dict[str, list[StreamNode]] = {}
        for node in self.head.stream_graph.nodes:
            if self._without_uid(node):
                nodes.setdefault(node.declared.id, []).append(node)
        planned = [self._propose(group) for group in nodes.values()]
        return tuple(self._verified(planned))

    def _without_uid(self, node: StreamNode) -> bool:
        inner = node.role in (Role.PRE_WRITE, Role.PRE_COMMIT, Role.POST_COMMIT)
        made = node.declared.id in self.declared and node.kind is not Kind.UNKNOWN
        return made and not inner and node.declared.uid is None

    def _propose(self, nodes: list[StreamNode]) -> Repair:
        node, declared = nodes[0], nodes[0].declared
        side = self._side(node)
        problem = self._problem(nodes)
        if problem is not None:
            return Repair(head=side, reason=problem)
        edits = [Edit(declared.id, Field.UID, self.names.give(declared, self._behind(declared)))]
        for operator in nodes:
            old = self.base_of.get(operator.key)
            if operator.stateful is not False and old is not None:
                field = SINK_HASHES[operator.role] if declared.kind is Kind.SINK else Field.UID_HASH
                edits.append(Edit(declared.id, field, old))
        return Repair(
            head=side,
            edits=tuple(edits),
            text=fluent(edits, self.spelling),
            reason=_REASON if len(edits) > 1 else "a uid of its own; it has no state to keep",
        )

    def _problem(self, nodes: list[StreamNode]) -> str | None:
        """Why these operators of one declaration get no uid now."""
        if is_inner(self.head.topology, nodes[0].declared):
            return "the call that makes it gives another operator, which takes the uid"
        for node in nodes:
            if node.key not in self.base_of or node.stateful is False:
                continue
            if node.has_coordinator:
                return (
                    "it is a source that has read splits already: a pin does not find its enumerator's state, and "
                    "every split would be read again. Set the uid when the job starts from scratch"
                )
            if self.base_of[node.key] is None:
                return "its id could not be computed, so its state can't be pinned"
            if node.declared.uid_hash is not None:
                return "it is pinned already: take a savepoint first, then remove the pin"
            if node.declared.kind is Kind.SINK:
                version = semantics_of(self.head.topology.flink)
                if version.sink_shape is not SinkShape.EXPANDED:
                    return "sinks of this Flink version can't be pinned: set the uid with an upgrade to 1.15 or newer"
        return None

    def _behind(self, declared: Transformation) -> Transformation | None:
        """The operator that this one reads."""
        current = self.declared.get(declared.inputs[0]) if declared.inputs else None
        while current is not None and current.kind.virtual and current.inputs:
            current = self.declared.get(current.inputs[0])
        return current

    def _side(self, node: StreamNode) -> OperatorSide:
        generated = self.head.identities[node.number].generated
        return replace(OperatorSide.of_declaration(node.declared), id=generated)

    def _verified(self, planned: list[Repair]) -> list[Repair]:
        """Take proposals back, the last first, until the state of every operator comes through."""
        offered = [r for r in planned if r.offered]
        while offered:
            lost = self._lost(offered)
            if not lost:
                break
            guilty = [r for r in offered if r.head is not None and r.head.key in lost] or offered[-1:]
            offered = [r for r in offered if r not in guilty]
        kept = {id(r) for r in offered}
        return [r if not r.offered or id(r) in kept else _refused(r) for r in planned]

    def _lost(self, repairs: list[Repair]) -> set[NodeKey]:
        """Declarations whose state does not come through the edits although it does without them."""
        topology = edited(self.head.topology, [e for r in repairs for e in r.edits])
        repaired = translate(topology, self.head.topology.flink)
        if repaired.refusal is not None:
            return {repairs[-1].head.key} if repairs[-1].head is not None else set()
        rows = compare_pipelines("", self.base, repaired).operators
        return {
            row.base.key.handle
            for row in rows
            if row.base is not None and broken(row) and row.base.key not in self.before
        }


def _refused(repair: Repair) -> Repair:
    return Repair(head=repair.head, reason="with a uid here, state would be lost: the pins could not be verified")
