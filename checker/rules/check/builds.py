"""Rules about what Flink itself says of the program: it refuses it, or computes or restores something else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from checker.flink.versions import Semantics, SinkShape, semantics_of
from checker.model.findings import Evidence, OperatorSide, RestorePath, Severity, Verdict
from checker.model.flink_releases import SUPPORTED
from checker.model.rehearsal import Start
from checker.model.topology import Kind, Transformation
from checker.model.translation import RefusalKind
from checker.rules.base import Category, Hit, Revision, Rule, RuleContext, revision_rule, rule, title_of


def _refusal_hits(revision: Revision, kinds: set[RefusalKind]) -> Iterable[Hit]:
    """A hit for the refusal of a revision, if it is of one of the kinds. At most one: Flink stops at the first."""
    if revision.refused and revision.failure is not None and RefusalKind.INVALID in kinds:
        yield Hit(
            message=f"Flink refuses to build this job: {revision.failure}",
            operator_key=f"{RefusalKind.INVALID.value} program",
            location=revision.failure_location,
        )
    translation = revision.translation
    if translation is None or translation.refusal is None or translation.refusal.kind not in kinds:
        return
    refusal = translation.refusal
    declared = {t.id: t for t in translation.topology.operators()}
    sides = tuple(
        OperatorSide.of_declaration(declared[key.declaration], key)
        for key in refusal.operators
        if key.declaration in declared
    )
    first = sides[-1] if sides else None
    yield Hit(
        message=f"Flink refuses to build this job: {refusal.message}",
        operator_key=" ".join((refusal.kind.value, *sorted(map(str, refusal.operators)))),
        head=first,
        followers=tuple(s for s in sides if s is not first),
        evidence=(Evidence("refused", after=refusal.message),),
        location=(first.uid_location or first.location) if first is not None else None,
    )


def _refusal_rule(slug: str, title: str, kinds: set[RefusalKind], repair: str | None = None) -> Rule:
    """The rule that reports Flink's refusal, if it is of one of these kinds."""

    def find(revision: Revision) -> Iterable[Hit]:
        return (replace(hit, repair=repair) for hit in _refusal_hits(revision, kinds))

    find.__name__ = slug
    return revision_rule(title, Severity.ERROR, Category.BUILD)(find)


REFUSALS = (
    _refusal_rule(
        "job_refused",
        "Flink refuses to build the job",
        {RefusalKind.FORWARD_PARALLELISM, RefusalKind.MISSING_UID, RefusalKind.NO_OPERATORS, RefusalKind.INVALID},
    ),
    _refusal_rule(
        "hash_collision",
        "Two operators have the same id",
        {RefusalKind.HASH_COLLISION},
        "give one of them another uid: the one that never ran, or else the one without state",
    ),
    _refusal_rule(
        "malformed_uid_hash",
        "A pinned hash that is not a hash",
        {RefusalKind.MALFORMED_UID_HASH},
        "setUidHash takes the 32 hex digits of an operator id; for a readable name use uid(...)",
    ),
    _refusal_rule(
        "uid_hash_on_sink",
        "setUidHash on a Sink V2",
        {RefusalKind.UID_HASH_ON_SINK},
        "give the hashes to sinkTo: "
        'CustomSinkOperatorUidHashes.builder().setWriterUidHash("...").setCommitterUidHash("...").build()',
    ),
)


@revision_rule("A real Flink computed a different result", Severity.ERROR, Category.BUILD, always=True)
def core_disagrees_with_flink(revision: Revision) -> Iterable[Hit]:
    """A real Flink built the program and computed something other than this tool: then nothing here can be trusted.

    One hit per pipeline with everything that differs.
    """
    against = revision.translation.topology.disagreements if revision.translation is not None else ()
    if against:
        yield Hit(
            message=f"a real Flink computed something other than this tool, in {len(against)} "
            f"value{'s' if len(against) > 1 else ''}: do not rely on the verdicts of this pipeline",
            operator_key="core-disagrees",
            evidence=tuple(Evidence("disagreement", after=text) for text in against[:20]),
            repair="please report it with the topology document that 'savepoint-checker extract' prints",
        )


_STARTS = "every operator starts"
_SINKS = ("sink-writer", "sink-committer", "sink-global-committer")


def _left_out(declared: Transformation) -> bool:
    """Whether a stand-in took the place of an operator that keeps nothing: all of these of a program that was run."""
    return declared.kind.source or declared.kind is Kind.LEGACY_SINK or declared.operator in _SINKS


@rule("Flink's own start had another result", Severity.ERROR, Category.RESTORE)
def rehearsal_disagrees(context: RuleContext) -> Iterable[Hit]:
    """Flink was really asked to start the head from the base's savepoint, and did otherwise than the report says.

    One hit per pipeline. What is undecided disagrees with nothing.
    """
    rehearsal = context.rehearsal
    if rehearsal is None or rehearsal.start is Start.NOT_TRIED or not context.comparable:
        return
    verdicts = {row.verdict(RestorePath.SAVEPOINT) for row in context.comparison.operators if row.verdicts}
    if Verdict.UNDECIDED in verdicts or context.comparison.undecided:
        return
    failing = [
        row
        for row in context.comparison.operators
        if row.verdicts and row.verdict(RestorePath.SAVEPOINT) is Verdict.FAILS
    ]
    nodes = [context.base_node(row) or context.head_node(row) for row in failing]
    if failing and all(node is not None and _left_out(node.declared) for node in nodes):
        return
    if bool(failing) != (rehearsal.start is Start.STARTED):
        return
    expected = "the start fails" if failing else _STARTS
    flink = "Flink starts it" if rehearsal.start is Start.STARTED else f"Flink does not start it: {rehearsal.message}"
    yield Hit(
        message=f"the report says that {expected}, but in the rehearsal {flink}",
        operator_key="rehearsal",
        evidence=(Evidence("rehearsal", before=expected, after=flink),),
        repair="please report it with both scripts; until then trust what Flink did",
    )


@rule("The Flink version changed, with known effects on state", Severity.WARNING, Category.RESTORE)
def flink_version_changed(context: RuleContext) -> Iterable[Hit]:
    """An upgrade or downgrade of Flink whose effects on this job are known.

    At most one hit per pipeline.
    """
    if context.base.translation is None or context.head.translation is None:
        return
    before, after = context.comparison.base_flink, context.comparison.head_flink
    effects = tuple(_effects(context, semantics_of(before), semantics_of(after)))
    if before is None or after is None or not effects:
        return
    yield Hit(
        message=f"Flink changed from {before} to {after}: {effects[0]}",
        operator_key="flink",
        evidence=(Evidence("flink", before, after), *(Evidence("effect", after=e) for e in effects)),
        repair="take a canonical savepoint with the old version, and restore a copy of it with the new one first",
    )


def _effects(context: RuleContext, old: Semantics, new: Semantics) -> Iterator[str]:
    if SUPPORTED.index(new.version) < SUPPORTED.index(old.version):
        if (old.newest_metadata or 0) > (new.newest_metadata or 0) > 0:
            yield f"savepoints of {old.version} have a format that {new.version} can not read"
        else:
            yield "Flink promises nothing for restoring savepoints of a newer version"
        return
    assert context.head.translation is not None
    sinks = any(t.kind is Kind.SINK for t in context.head.translation.topology.operators())
    if sinks and old.sink_shape is not SinkShape.EXPANDED is new.sink_shape:
        yield "sinks are expanded to other operators, so ids of sinks without uid, and of what comes after them, move"
    if sinks and new.sink_writer_yields > old.sink_writer_yields:
        yield "sink writers no longer chain behind a SourceFunction, which moves the ids of operators without uid"
    if old.kryo != new.kryo:
        yield (
            f"types without a serializer of their own are written by Kryo {new.kryo} instead of {old.kryo}: "
            "their state may not restore"
        )


@rule("A chain merges where data may be in flight", Severity.INFO, Category.RESTORE)
def in_flight_data_lost(context: RuleContext) -> Iterable[Hit]:
    """Two tasks become one: records in flight between them in an unaligned checkpoint are lost or refused.

    One hit per exchange that was there and is chained now.
    """
    base, head = context.base.translation, context.head.translation
    if not context.comparable or base is None or head is None or base.stream_graph is None or head.stream_graph is None:
        return
    pairs = {row.base.key: row.head.key for row in context.pairs if row.base is not None and row.head is not None}
    chained = {
        (head.stream_graph.nodes[e.source].key, head.stream_graph.nodes[e.target].key): e
        for e in head.stream_graph.edges
        if head.decisions[e.number].chained
    }
    for edge in base.stream_graph.edges:
        source, target = base.stream_graph.nodes[edge.source], base.stream_graph.nodes[edge.target]
        new = (pairs.get(source.key, ""), pairs.get(target.key, ""))
        if base.decisions[edge.number].chained or new not in chained:
            continue
        side = context.head.side(head.node_by_key[new[1]])
        yield Hit(
            message=f"{title_of(side)} is now chained to '{head.node_by_key[new[0]].name}': from an unaligned "
            "checkpoint, records in flight between the two are lost without a message, or the restore is refused",
            base=context.base.side(target),
            head=side,
            evidence=(Evidence("exchange", edge.partitioner.value, "chained"),),
            repair="change chains with a savepoint, which holds no data in flight",
        )


@rule("The program needs a new argument", Severity.WARNING, Category.BUILD)
def argument_needed(context: RuleContext) -> Iterable[Hit]:
    """The program asks for an argument that it did not need before, and ends without it.

    One hit with all of them.
    """
    unmet = context.account.unmet if context.account is not None else None
    if unmet is None:
        return
    names = ", ".join(f"'{name}'" for name in unmet.names)
    it = "it" if len(unmet.names) == 1 else "them"
    yield Hit(
        message=f"the program now needs {names}, and whether a start gives {it} is not known: "
        f"without {it}, {unmet.reason}",
        operator_key=f"needs:{','.join(unmet.names)}",
        repair="give it where the job is started, or let the program have a default; no state is lost meanwhile",
        location=unmet.location,
    )


@rule("An entry of the mapping file names nothing", Severity.WARNING, Category.RESTORE)
def mapping_unused(context: RuleContext) -> Iterable[Hit]:
    """The mapping file names an operator that is in neither revision, or one that did not change.

    One hit per entry. An entry may stay while its old operator is gone from both sides: history is kept.
    """
    if not context.mapping or not context.comparable or not context.changed:
        return
    names = _names(context.base), _names(context.head)
    for entry in context.mapping:
        if entry.pipeline is not None and "*" in entry.pipeline:
            continue
        if entry.new is not None and entry.old in names[0] and entry.new not in names[1]:
            yield Hit(
                message=f"the mapping file maps '{entry.old}' to '{entry.new}', which is not an operator of the head",
                operator_key=f"mapping:{entry.old}",
                evidence=(Evidence("mapping", entry.old, entry.new), Evidence("written in", after=entry.source)),
                repair="name the operator by its uid, its name or its operator id",
            )


def _names(revision: Revision) -> frozenset[str]:
    found: set[str] = set()
    for node in revision.nodes.values():
        side = revision.side(node)
        found.update(n for n in (str(side.key), side.name, side.id, side.uid, node.declared.display_name) if n)
    return frozenset(found)
