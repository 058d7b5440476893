"""uids for a whole job, with the pins that keep the state it has."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from checker.compare import compare_pipelines
from checker.compare.revisions.mapping import MappingEntry
from checker.flink import translate
from checker.model.findings import OperatorSide
from checker.model.stream_graph import Role, StreamNode
from checker.model.topology import Kind
from checker.model.translation import Translation
from checker.repair.plan import broken, plan_repairs
from checker.repair.repairs import Edit, Field, Names, Repair, edited, edits_of, fluent, is_inner, spelling_of

_WITH_PIN = "a uid of its own; the pin finds the state that lies under the id it had"
_STATELESS = "a uid of its own; it has no state to keep"
_INNER = "the call that makes it gives another operator, which takes the uid"
_SOURCE = (
    "it is a source that has read splits already: a pin does not find its enumerator's state, and every split would be "
    "read again. Set the uid when the job starts from scratch"
)
_LOST = "with a uid here, state would be lost"


def plan_uids(
    head: Translation, base: Translation | None = None, mapping: Sequence[MappingEntry] = ()
) -> tuple[Repair, ...]:
    """A uid for every operator that has none, and pins for those with state: verified, or not offered.

    What another edit lost is mended as ``plan_repairs`` does it. The state is what ``base`` left; without a base it is
    what the head itself leaves when it runs as it is. A head that Flink refuses, or whose ids are not certain, gets no
    pins and so no uids.
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
    repairs = _pinned(head, left, uids, refused, mapping)
    pins = [e for e in edits_of(repairs) if e.field is not Field.MAX_PARALLELISM]
    of_state = {r.head.key.declaration: r.reason for r in repairs if r.head is not None}
    found = []
    for handle, declared in wanted.items():
        side = replace(OperatorSide.of_declaration(declared), id=head.identities[nodes[handle].number].generated)
        own = [e for e in pins if e.transformation == handle]
        as_it_was = any(e.field is Field.UID for e in own)
        edits = () if handle in refused else tuple(own) if as_it_was else (uids[handle], *own)
        unpinned = f"a uid of its own; {of_state[handle]}" if handle in of_state else _STATELESS
        reason = refused.get(handle) or (_WITH_PIN if len(edits) > 1 else unpinned)
        text = fluent(edits, spelling_of(head.topology)) if edits else None
        found.append(Repair(head=side, edits=edits, text=text, reason=reason))
    shown = set(edits_of(found))
    return (*found, *(repair for repair in repairs if not shown.issuperset(repair.edits)))


def _pinned(
    head: Translation,
    base: Translation,
    uids: dict[str, Edit],
    refused: dict[str, str],
    mapping: Sequence[MappingEntry],
) -> tuple[Repair, ...]:
    """The repairs with which all state comes through the uids; uids with which it does not are refused, with a reason.

    What the base's state loses without them is lost by another edit: it refuses no uid.
    """
    rows = compare_pipelines("", base, head, mapping).operators
    lost_before = {r.base.key for r in rows if r.base is not None and broken(r)}
    while True:
        given = [uid for handle, uid in uids.items() if handle not in refused]
        named = translate(edited(head.topology, given), head.topology.flink)
        if named.refusal is not None:
            refused[given[-1].transformation] = f"{_LOST}: {named.refusal.message}"
            continue
        planned = plan_repairs(base, named, compare_pipelines("", base, named, mapping), mapping)
        repairs = [r for r in planned if r.base is not None and r.base.key not in lost_before]
        mended = (r for r in planned if r.offered)
        guilty = dict(_guilty((*repairs, *mended), uids.keys() - refused.keys()))
        own = all(pin.transformation in uids.keys() - refused.keys() for pin in edits_of(repairs))
        if not guilty and own and all(repair.offered for repair in repairs):
            return planned
        refused.update(guilty or {given[-1].transformation: _LOST})


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
