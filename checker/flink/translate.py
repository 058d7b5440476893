"""Topology → Translation: everything Flink computes from a program, and what stays open."""

from collections.abc import Iterable
from dataclasses import replace

from checker.errors import GraphTooLargeError, UnsupportedFlinkError
from checker.flink.alternatives import OpenQuestion, one_program, open_questions, programs
from checker.flink.building import YIELDING
from checker.flink.chaining import decide_chains
from checker.flink.job_graph import build_job_graph
from checker.flink.operator_ids import hash_operators
from checker.flink.stream_graph import build_stream_graph
from checker.flink.versions import RefusedError, Semantics, semantics_of
from checker.model.flink_releases import judged_as, minor_of
from checker.model.nested import gathered
from checker.model.stream_graph import NodeKey
from checker.model.topology import Kind, Mode, Topology
from checker.model.translation import Basis, Identity, Question, Translation, Undecided
from checker.model.unknowns import Cause, Unknown

BATCH = Unknown(
    "the job runs in batch mode: batch jobs take no savepoints, so there is no state to compare", Cause.UNSUPPORTED
)


def translate(topology: Topology, flink: str | None = None) -> Translation:
    """What Flink ``flink`` (else the topology's own version, else the newest) makes of a topology.

    Never raises for what Flink would refuse (``Translation.refusal``) or for unknowns (``undecided``).
    Raises UnsupportedFlinkError for a version outside of what is supported, GraphTooLargeError for a graph
    that is too large to be computed, or one of too many possible programs that Flink refuses.
    """
    semantics = semantics_of(flink or topology.flink)
    _refuse_what_older_releases_do_otherwise(topology, flink or topology.flink)
    questions = tuple(open_questions(topology, semantics))
    if not questions:
        only = _translate_one(topology, semantics)
        if topology.variants_unknown is not None:
            _says_nothing_of_others(only)
        return _with_unknowns(only, _unlisted(topology))
    possible = programs(topology, questions)
    if possible is None:
        some = _translate_one(one_program(topology, questions), semantics)
        _says_nothing_of_others(some)
        return _too_many(replace(some, topology=topology), questions)
    translations = [replace(_translate_one(program, semantics), choices=choices) for program, choices in possible]
    accepted = [t for t in translations if t.refusal is None]
    if not accepted:
        if topology.variants_unknown is not None and not topology.variants:
            _says_nothing_of_others(translations[0])
        return replace(translations[0], topology=topology, choices=())
    merged = _merged(topology, questions, accepted)
    if len(accepted) < len(translations):
        asked = tuple(Undecided(unknown=q.unknown, nodes=(), question=q.question) for q in questions)
        refused = tuple(replace(t, undecided=asked) for t in translations if t.refusal is not None)
        merged = replace(merged, alternatives=tuple(accepted), refused=refused)
    return _with_unknowns(merged, _unlisted(topology))


def _refuse_what_older_releases_do_otherwise(topology: Topology, flink: str | None) -> None:
    """Raises UnsupportedFlinkError for a job that Flink 1.9 to 1.12 may not build as 1.13 does.

    Waiting for asynchronous calls and reading files were operators of other chains until 1.10; sinks of FLIP-143 were
    another API in 1.12; what PyFlink fused was not compared.
    """
    nearest = judged_as(flink)
    if nearest is None:
        return
    python = topology.location is not None and topology.location.file.endswith(".py")
    chained_otherwise = minor_of(flink) < (1, 11)
    for each in topology.operators():
        if python or each.kind is Kind.SINK or (chained_otherwise and each.operator in YIELDING):
            raise UnsupportedFlinkError(
                f"Flink version '{flink}' is not supported for {'PyFlink' if python else each.display_name}; "
                f'judge it by the nearest one with flink = "{nearest}" or --flink {nearest}'
            )


def _says_nothing_of_others(some: Translation) -> None:
    """Raises where Flink refuses the one program that is looked at, of several that are possible."""
    if some.refusal is not None:
        raise GraphTooLargeError(
            "unknown values allow more programs than are compared; Flink refuses the first of them: "
            f"{some.refusal.message}"
        )


def _translate_one(topology: Topology, semantics: Semantics) -> Translation:
    try:
        graph = build_stream_graph(topology, semantics)
        decisions = decide_chains(graph)
        identities = hash_operators(graph, decisions)
        job_graph = build_job_graph(graph, decisions, identities, semantics)
    except RefusedError as refused:
        return Translation(topology=topology, refusal=refused.refusal)
    return Translation(
        topology=topology, stream_graph=graph, decisions=decisions, identities=identities, job_graph=job_graph
    )


def _merged(topology: Topology, questions: tuple[OpenQuestion, ...], accepted: list[Translation]) -> Translation:
    """The first possible program, its ids kept where all programs agree, with who depends on which question."""
    first = accepted[0]
    views = [_views(t) for t in accepted]
    everything = _nodes_of(views)
    disputed = {key for key in everything if len({view.get(key) for view in views}) > 1}
    undecided = []
    for question in questions:
        moved = _moved_by(question.question, accepted, views) & disputed
        if moved:
            nodes = tuple(key for key in everything if key in moved)
            undecided.append(Undecided(unknown=question.unknown, nodes=nodes, question=question.question))
    identities = []
    unattributed = disputed - {key for question in undecided for key in question.nodes}
    if unattributed:
        nodes = tuple(key for key in everything if key in unattributed)
        undecided.extend(Undecided(unknown=q.unknown, nodes=nodes, question=q.question) for q in questions)
    if first.stream_graph is not None:
        by_key = gathered((key, open_question.unknown) for open_question in undecided for key in open_question.nodes)
        for identity in first.identities:
            key = first.stream_graph.nodes[identity.node].key
            ids = {view[key][:2] for view in views if key in view}
            everywhere = all(key in view for view in views)
            reasons = by_key.get(key, [])
            if len(ids) > 1:
                identity = _open(identity, reasons)
            elif not everywhere:
                identity = replace(identity, reasons=(*identity.reasons, *reasons))
            identities.append(identity)
    return replace(
        first,
        topology=topology,
        identities=tuple(identities),
        undecided=tuple(undecided),
        choices=(),
        alternatives=tuple(accepted) if len(accepted) > 1 else (),
    )


_View = tuple[str | None, str | None, NodeKey | None]


def _views(translation: Translation) -> dict[NodeKey, _View]:
    """Per node what must agree for it to be certain: both ids, and the vertex it runs in."""
    graph, job_graph = translation.stream_graph, translation.job_graph
    if graph is None or job_graph is None:
        return {}
    view: dict[NodeKey, _View] = {}
    for node in graph.nodes:
        identity = translation.identities[node.number]
        vertex = job_graph.vertex_of.get(node.number)  # None: no source leads to the node
        head = None if vertex is None else graph.nodes[job_graph.vertices[vertex].head].key
        view[node.key] = (identity.generated, identity.user, head)
    return view


def _moved_by(question: Question, accepted: list[Translation], views: list[dict[NodeKey, _View]]) -> set[NodeKey]:
    """Nodes that differ between two programs which differ only in the answer to this question."""
    others = [tuple(c.value for c in t.choices if c.question != question) for t in accepted]
    groups = gathered(zip(others, views, strict=True)).values()
    return {n for group in groups for n in _nodes_of(group) if len({view.get(n) for view in group}) > 1}


def _nodes_of(views: list[dict[NodeKey, _View]]) -> list[NodeKey]:
    """The nodes that any of several programs has, in order."""
    return list(dict.fromkeys(key for view in views for key in view))


def _open(identity: Identity, reasons: Iterable[Unknown]) -> Identity:
    return replace(identity, generated=None, reasons=(*identity.reasons, *reasons))


def _too_many(translation: Translation, questions: tuple[OpenQuestion, ...]) -> Translation:
    """More possible programs than are tried: every id that rests on position is open, for all questions."""
    graph = translation.stream_graph
    reasons = tuple(q.unknown for q in questions)
    asked = {q.question for q in questions}
    identities = tuple(
        _open(i, reasons) if i.ingredients.basis is Basis.POSITION or _uid_of(translation, i) in asked
        else i
        for i in translation.identities
    )  # fmt: skip
    nodes = tuple(n.key for n in graph.nodes) if graph else ()
    undecided = tuple(Undecided(unknown=q.unknown, nodes=nodes, question=q.question) for q in questions)
    return _with_unknowns(
        replace(translation, identities=identities, undecided=undecided), _unlisted(translation.topology)
    )


def _uid_of(translation: Translation, identity: Identity) -> Question:
    assert translation.stream_graph is not None
    return Question("uid", translation.stream_graph.nodes[identity.node].declared.id)


def _unlisted(topology: Topology) -> tuple[Unknown, ...]:
    """Unknowns that concern the whole pipeline and have no values to try."""
    if topology.mode is Mode.BATCH:
        return (BATCH,)
    return (topology.mode,) if isinstance(topology.mode, Unknown) else ()


def _with_unknowns(translation: Translation, whole: tuple[Unknown, ...]) -> Translation:
    """Add what hashing carried through: uids and operators that could not be read."""
    graph = translation.stream_graph
    undecided = list(translation.undecided)
    listed = {u.unknown for u in undecided}
    carried: dict[Unknown, list[NodeKey]] = {}
    if graph is not None:
        for identity in translation.identities:
            for reason in identity.reasons:
                if reason not in listed:
                    carried.setdefault(reason, []).append(graph.nodes[identity.node].key)
        for node in graph.nodes:
            # These move no id, but Flink shows or checks them.
            for shown in (node.declared.name, node.declared.max_parallelism):
                if isinstance(shown, Unknown) and shown not in listed and node.key not in carried.setdefault(shown, []):
                    carried[shown].append(node.key)
            if node.kind is Kind.UNKNOWN and node.declared.unknown is not None:
                carried.setdefault(node.declared.unknown, [node.key])
    undecided.extend(Undecided(unknown=reason, nodes=tuple(nodes)) for reason, nodes in carried.items())
    undecided.extend(Undecided(unknown=reason, nodes=()) for reason in whole)
    return replace(translation, undecided=tuple(undecided)) if undecided else translation
