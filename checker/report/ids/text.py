"""``ids`` for people: one line per operator, chains drawn as Flink runs them."""

from __future__ import annotations

from checker.model.gathered import gathered
from checker.model.operator_ids import Basis
from checker.model.translation import Translation
from checker.model.unknowns import Unknown


def ids_text(translation: Translation) -> str:
    """The pipeline's vertices from the sources, each with its operators head first."""
    name = translation.topology.name
    if translation.refusal is not None:
        return f"{name}: Flink refuses this program: {translation.refusal.message}\n"
    graph, job_graph = translation.stream_graph, translation.job_graph
    assert graph is not None
    assert job_graph is not None
    lines = [f"{name}  (Flink {translation.topology.flink or 'newest'})"]
    open_nodes = translation.open_parallelism
    for vertex in job_graph.vertices:
        open_ = bool(open_nodes) and graph.nodes[vertex.head].key in open_nodes
        width = f"parallelism {'not known' if open_ else vertex.parallelism}"
        lines.append(f"  vertex {translation.identities[vertex.head].generated or 'undecided':<32}  {width}")
        for number in reversed((*vertex.operators, *vertex.chained_sources)):
            node, identity = graph.nodes[number], translation.identities[number]
            if identity.ingredients.basis is Basis.UID:
                origin = "uid ?" if isinstance(node.uid, Unknown) else f"uid {node.uid!r}"
            else:
                position = identity.ingredients.position
                chained = len(identity.ingredients.chained_outputs)
                origin = f"generated: position {'?' if position is None else position}, {chained} chained outputs"
            user = f", uid hash {identity.user}" if identity.user else ""
            lines.append(f"    {identity.generated or 'undecided':<32}  {node.name}  [{origin}{user}]")
    for text, found in gathered((_undecided(u.unknown), u.nodes) for u in translation.undecided).items():
        lines.append(f"  undecided: {text}")
        if all(found):
            lines.append(f"    concerns {', '.join(str(node) for nodes in found for node in nodes)}")
    return "\n".join(lines) + "\n"


def _undecided(unknown: Unknown) -> str:
    """Why something is not known, where, and what would settle it."""
    place = f" ({unknown.location})" if unknown.location else ""
    settled = f"; settle it with {unknown.settled_by}" if unknown.settled_by else ""
    return f"{unknown.reason}{place}{settled}"
