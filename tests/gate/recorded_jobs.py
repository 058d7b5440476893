"""Job graphs as Flink wrote them while the snapshots were recorded, as candidates."""

from collections.abc import Mapping
from typing import Any

from checker.extract.documents.fields import state_of
from checker.model.restore import CandidateInput, CandidateJob, CandidateOperator, CandidateVertex
from checker.model.translation import OperatorId, Pattern


def recorded_job(
    graph: Mapping[str, Any], name: str = "job", *, flink: str | None = None, state_backend: str | None = None
) -> CandidateJob:
    nodes = {node["operator_id"]: node for key in ("stream_nodes", "nodes") for node in graph.get(key, ())}
    vertices = tuple(_vertex(vertex, nodes) for vertex in graph["vertices"])
    return CandidateJob(
        name=name,
        vertices=vertices,
        flink=flink or graph.get("flink"),
        state_backend=state_backend,
    )


def _vertex(vertex: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]]) -> CandidateVertex:
    coordinators = vertex.get("coordinators") or []
    operators = [_operator(operator, nodes, coordinators) for operator in vertex["operators"]]
    if len(operators) > 1 and operators[0].generated == vertex["id"] != operators[-1].generated:
        operators.reverse()
    there = {operator.generated for operator in operators}
    maximum = vertex.get("max_parallelism_configured", vertex.get("max_parallelism"))
    return CandidateVertex(
        id=OperatorId(vertex["id"]),
        name=vertex["name"],
        parallelism=vertex["parallelism"],
        max_parallelism=None if maximum == -1 else maximum,
        operators=tuple(operators),
        chained_sources=tuple(
            CandidateOperator(generated=OperatorId(c), coordinator=True) for c in coordinators if c not in there
        ),
        inputs=tuple(
            CandidateInput(source=OperatorId(edge.get("from") or edge["source"]), pattern=Pattern(edge["pattern"]))
            for edge in vertex.get("inputs") or ()
        ),
    )


def _operator(
    operator: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]], coordinators: list[str]
) -> CandidateOperator:
    generated = operator.get("generated") or operator["operator_id"]
    user = operator.get("user") or operator.get("user_defined_operator_id")
    known = {**nodes.get(generated, {}), **operator}
    states = operator.get("states")
    return CandidateOperator(
        generated=OperatorId(generated),
        user=None if user is None else OperatorId(user),
        name=known.get("name"),
        uid=known.get("uid"),
        coordinator=generated in coordinators,
        states=None if states is None else tuple(state_of(state, ("states",)) for state in states),
        key_type=known.get("key_type"),
    )
