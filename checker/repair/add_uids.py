"""uids for a whole job, with the pins that keep the state it has."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from checker.compare import compare_pipelines
from checker.flink import translate
from checker.model.findings import OperatorSide
from checker.model.stream_graph import Role, StreamNode
from checker.model.topology import Kind
from checker.model.translation import Translation
from checker.repair.plan import broken, plan_repairs
from checker.repair.repairs import Edit, Field, Names, Repair, edited, fluent, is_inner, spelling_of

_WITH_PIN = "a uid of its own; the pin finds the state that lies under the id it had"
_STATELESS = "a uid of its own; it has no state to keep"
_INNER = "the call that makes it gives another operator, which takes the uid"
_SOURCE = (
    "it is a source that has read splits already: a pin does not find its enumerator's state, and every split would be "
    "read again. Set the uid when the job starts from scratch"
)
_LOST = "with a uid here, state would be lost"


def plan_uids(head: Translation, base: Translation | None = None) -> tuple[Repair, ...]:
    """A uid for every operator that has none, and pins for those with state: verified, or not offered.

    The state is what ``base`` left; without a base it is what the head itself leaves when it runs as it is. A head
    that Flink refuses, or whose ids are not certain, gets no pins and so no uids.
    """
    left = base or head
    if head.refusal is not None or left.refusal is not None or head.stream_graph is None:
        return ()
    known = {t.id for t in head.topology.operators()}
    nodes = {n.declared.id: n for n in reversed(head.stream_graph.nodes) if n.declared.id in known and _without_uid(n)}
    wanted = {handle: node.declared for handle, node in reversed(nodes.items())}
    refused = {handle: _INNER for handle, declared in wanted.items() if is_inner(head.topology, declared)}
    names = Names(head.topology)
    uids = {
        handle: Edit(handle, Field.UID, names.give(declared))
        for handle, declared in wanted.items()
        if handle not in refused
    }
    pins = _pinned(head, left, uids, refused)
    found = []
    for handle, declared in wanted.items():
        side = replace(OperatorSide.of_declaration(declared), id=head.identities[nodes[handle].number].generated)
        edits = () if handle in refused else (uids[handle], *(pin for pin in pins if pin.transformation == handle))
        reason = refused.get(handle) or (_WITH_PIN if len(edits) > 1 else _STATELESS)
        text = fluent(edits, spelling_of(head.topology)) if edits else None
        found.append(Repair(head=side, edits=edits, text=text, reason=reason))
    return tuple(found)


def _pinned(head: Translation, base: Translation, uids: dict[str, Edit], refused: dict[str, str]) -> list[Edit]:
    """The pins with which all state comes through the uids; those with which it does not are refused, with the reason.

    What the base's state loses without them is lost by another edit.
    """
    lost_before = {r.base.key for r in compare_pipelines("", base, head).operators if r.base is not None and broken(r)}
    while uids.keys() - refused.keys():
        given = [uid for handle, uid in uids.items() if handle not in refused]
        named = translate(edited(head.topology, given), head.topology.flink)
        if named.refusal is not None:
            refused[given[-1].transformation] = f"{_LOST}: {named.refusal.message}"
            continue
        repairs = [
            repair
            for repair in plan_repairs(base, named, compare_pipelines("", base, named))
            if repair.base is not None and repair.base.key not in lost_before
        ]
        guilty = dict(_guilty(repairs, uids.keys() - refused.keys()))
        pins = [edit for repair in repairs for edit in repair.edits]
        own = all(pin.transformation in uids.keys() - refused.keys() for pin in pins)
        if not guilty and own and all(repair.offered for repair in repairs):
            return list(dict.fromkeys(pins))
        refused.update(guilty or {given[-1].transformation: _LOST})
    return []


def _guilty(repairs: Iterable[Repair], named: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The operators that can't keep their state with a uid, and why."""
    for repair in repairs:
        for edit in repair.edits:
            if edit.field is Field.UID and edit.value is None and edit.transformation in named:
                yield edit.transformation, _SOURCE
        handle = None if repair.head is None else repair.head.key.declaration
        if not repair.offered and handle is not None and handle in named:
            yield handle, f"{_LOST}: {repair.reason}"


def _without_uid(node: StreamNode) -> bool:
    inner = node.role in (Role.PRE_WRITE, Role.PRE_COMMIT, Role.POST_COMMIT)
    return not inner and node.kind is not Kind.UNKNOWN and node.declared.uid is None
