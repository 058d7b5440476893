"""The answer of ``ids``: one JSON object a pipeline, with Flink's own field names and spellings, or text."""

from typing import Any

from checker.extract.documents.fields import class_documents
from checker.model.declared_state import StateDescriptor
from checker.model.nested import Json, gathered, picked
from checker.model.topology import PartitionerKind, Transformation
from checker.model.translation import Basis, Translation
from checker.model.unknowns import Unknown, settle


def ids_document(translation: Translation, *, explain: bool = False) -> Json:
    """Stream graph, chains and ids of one pipeline; ``explain`` adds what went into each id and each cut."""
    document: Json = {"name": translation.topology.name}
    if translation.refusal is not None:
        document["error"] = translation.refusal.kind.value
        document["message"] = translation.refusal.message
        return document
    document["nodes"] = _nodes(translation, explain)
    document["vertices"] = _vertices(translation)
    if translation.undecided:
        document["undecided"] = [
            {**unknown_document(u.unknown), "nodes": [str(key) for key in u.nodes]} for u in translation.undecided
        ]
    return document


def unread_document(name: str, why: str) -> Json:
    """The same of a pipeline that could not be read."""
    return {"name": name, "undecided": [{"reason": why, "nodes": []}]}


_NAMES = {kind: kind.name for kind in PartitionerKind}
_OPEN = {"unknown": "it depends on unknown values, and no id depends on it"}


def _plain(value: Any) -> Any:
    return {"unknown": value.reason} if isinstance(value, Unknown) else value


def _nodes(translation: Translation, explain: bool) -> list[Json]:
    graph = translation.stream_graph
    assert graph is not None
    nodes = []
    open_nodes, open_edges = translation.open_parallelism, translation.open_partitioners
    for node in graph.nodes:
        entry: Json = {
            "node": node.number,
            "id": node.transformation,
            "name": node.name,
            "uid": _plain(node.uid),
            "uid_hash": _plain(node.uid_hash),
            "parallelism": _OPEN if open_nodes and node.key in open_nodes else node.parallelism,
            "max_parallelism": node.max_parallelism,
            "slot_sharing_group": node.slot_sharing_group,
            "chaining": node.chaining,
            "out": [
                {
                    "to": edge.target,
                    "type": edge.type,
                    "partitioner": _OPEN
                    if open_edges and (node.key, graph.nodes[edge.target].key, edge.ordinal) in open_edges
                    else _NAMES[edge.partitioner],
                    "tag": edge.tag,
                    "chainable": not translation.decisions[edge.number].reasons,
                }
                for edge in graph.outputs_of(node)
            ],
        }
        if explain:
            entry["explained"] = _explained(translation, node.number)
        nodes.append(entry)
    return nodes


def _explained(translation: Translation, number: int) -> Json:
    graph = translation.stream_graph
    assert graph is not None
    node, identity = graph.nodes[number], translation.identities[number]
    ingredients, declared = identity.ingredients, node.declared
    return {
        "key": str(node.key),
        "role": node.role.value,
        **picked(declared, "kind", "operator", "function"),
        "stateful": _plain(node.stateful),
        "state": _plain(declared.state)
        if isinstance(declared.state, Unknown)
        else [state_document(s) for s in declared.state],
        **_key_document(declared),
        "vertex": translation.job_graph.vertex_of.get(number) if translation.job_graph else None,
        "operator_id": identity.generated,
        **picked(ingredients, "basis", "position", "chained_outputs", "inputs"),
        "not_chained": {
            str(edge.target): [reason.value for reason in translation.decisions[edge.number].reasons]
            for edge in graph.outputs_of(node)
            if not translation.decisions[edge.number].chained
        },
        **picked(declared, "location", "uid_location"),
    }


def _key_document(declared: Transformation) -> Json:
    if declared.key_type is None:
        return {}
    classes = {"key_classes": class_documents(declared.key_classes)} if declared.key_classes else {}
    return {"key_type": _plain(declared.key_type), **classes}


def state_document(state: StateDescriptor) -> Json:
    """One state descriptor; what is not known is ``{"unknown": why}``."""
    known = picked(state, "name", "kind", "key_type", "value_type", "serializer", "ttl")
    document = {key: _plain(value) for key, value in known.items()}
    return {**document, "classes": class_documents(state.classes)} if state.classes else document


def _vertices(translation: Translation) -> list[Json]:
    graph = translation.job_graph
    stream_graph = translation.stream_graph
    assert graph is not None
    assert stream_graph is not None
    inputs: list[list[Json]] = [[] for _ in graph.vertices]
    for edge in graph.edges:
        inputs[edge.target].append(
            {
                "from": translation.identities[graph.vertices[edge.source].head].generated,
                "ship": _NAMES[edge.ship],
                "pattern": edge.pattern,
            }
        )
    vertices = []
    open_nodes, identities = translation.open_parallelism, translation.identities.__getitem__
    for place, vertex in enumerate(graph.vertices):
        entry: Json = {
            "id": translation.identities[vertex.head].generated,
            "name": vertex.name,
            "parallelism": _OPEN
            if open_nodes and stream_graph.nodes[vertex.head].key in open_nodes
            else vertex.parallelism,
            "max_parallelism": vertex.max_parallelism,
            "operators": [{"generated": i.generated, "user": i.user} for i in map(identities, vertex.operators)],
            "inputs": inputs[place],
        }
        coordinators = [
            translation.identities[n].generated
            for n in (*vertex.operators, *vertex.chained_sources)
            if stream_graph.nodes[n].has_coordinator
        ]
        if coordinators:
            entry["coordinators"] = coordinators
        vertices.append(entry)
    return vertices


def unknown_document(unknown: Unknown) -> Json:
    """Why something is not known, and what would settle it."""
    return picked(unknown, "reason", "cause", "settled_by", "location")


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
        width = f"parallelism {'unknown' if open_ else vertex.parallelism}"
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
    for text, found in gathered((_open_line(u.unknown), u.nodes) for u in translation.undecided).items():
        lines.append(f"  undecided: {text}")
        if all(found):
            lines.append(f"    concerns {', '.join(str(node) for nodes in found for node in nodes)}")
    return "\n".join(lines) + "\n"


def _open_line(unknown: Unknown) -> str:
    """Why something is not known, where, and what would settle it."""
    place = f" ({unknown.location})" if unknown.location else ""
    return f"{unknown.reason}{place}{settle(unknown.settled_by)}"
