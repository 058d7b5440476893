"""A StreamGraph inside the JVM as plain data: its nodes and edges, and the job graph that Flink makes of it.

Runs in the child process. Works through JPype on the classes of whichever Flink is loaded (1.13 to 2.3).
"""

from typing import Any

from checker.extract.runtime.capture import user_functions
from checker.extract.runtime.capture.held_objects import flink_types
from checker.extract.runtime.capture.jvm import java, private, user_loader
from checker.extract.runtime.capture.type_shapes import type_of_serializer
from checker.model.nested import Json


def stream_graph(pipeline: Any) -> Json:
    """Everything that matters of a submitted pipeline but its job graph."""
    class_name = str(pipeline.getClass().getName())
    if class_name != "org.apache.flink.streaming.api.graph.StreamGraph":
        return {"unsupported": class_name}
    nodes = sorted(pipeline.getStreamNodes(), key=lambda node: int(node.getId()))
    record: Json = {
        "job_name": _text(pipeline.getJobName()),
        "chaining": bool(pipeline.isChainingEnabled()),
        "batch": str(pipeline.getJobType()) == "BATCH",
        "sources": [int(i) for i in pipeline.getSourceIDs()],
        "sinks": [int(i) for i in pipeline.getSinkIDs()],
        "max_parallelism": int(pipeline.getExecutionConfig().getMaxParallelism()),
    }
    option = getattr(pipeline, "isChainingOfOperatorsWithDifferentMaxParallelismEnabled", None)
    record["chain_different_max_parallelism"] = True if option is None else bool(option())
    record["nodes"] = [_node(node) for node in nodes]
    return record


def operator_ids(pipeline: Any) -> dict[str, str]:
    """Flink's node id → generated operator id. Raises the JException with which Flink refuses the ids."""
    hasher = java("streaming.api.graph.StreamGraphHasherV2")()
    hashes = hasher.traverseStreamGraphAndGenerateHashes(pipeline)
    return {str(entry.getKey()): bytes(entry.getValue()).hex() for entry in hashes.entrySet()}


def vertices(pipeline: Any) -> list[Json]:
    """The job graph that Flink makes of a stream graph. Raises the JException with which Flink refuses it."""
    return [_vertex(v) for v in pipeline.getJobGraph().getVerticesSortedTopologicallyFromSources()]


def _node(node: Any) -> Json:
    factory = node.getOperatorFactory()
    key_serializer = node.getStateKeySerializer()
    record: Json = {
        "id": int(node.getId()),
        "name": _text(node.getOperatorName()),
        "uid": _text(node.getTransformationUID()),
        "uid_hash": _text(node.getUserHash()),
        "parallelism": int(node.getParallelism()),
        "max_parallelism": int(private(node, "maxParallelism")),
        "slot_sharing_group": _text(node.getSlotSharingGroup()),
        "chaining": None if factory is None else str(factory.getChainingStrategy()).lower().replace("_", "-"),
        "keyed": key_serializer is not None,
        "in": [{"from": int(edge.getSourceId()), "type": int(edge.getTypeNumber())} for edge in node.getInEdges()],
        "out": [_out_edge(edge) for edge in node.getOutEdges()],
    }
    if key_serializer is not None:
        record["key_type"], record["key_classes"] = type_of_serializer(key_serializer)
    if factory is not None:
        record.update(_operator(factory, keyed=key_serializer is not None))
    return record


def _out_edge(edge: Any) -> Json:
    tag = edge.getOutputTag()
    return {
        "to": int(edge.getTargetId()),
        "type": int(edge.getTypeNumber()),
        "partitioner": str(edge.getPartitioner().toString()),
        "partitioner_class": str(edge.getPartitioner().getClass().getSimpleName()),
        "tag": None if tag is None else _text(tag.getId()),
    }


def _operator(factory: Any, *, keyed: bool) -> Json:
    """What runs in a node, as far as state and chaining go."""
    operator_class = factory.getStreamOperatorClass(user_loader())
    operator = factory.getOperator() if hasattr(factory, "getOperator") else None
    record: Json = {
        "factory": str(factory.getClass().getName()),
        "operator": str(operator_class.getName()),
        "yielding": "YieldingOperatorFactory" in flink_types(factory.getClass()),
        "legacy_source": str(operator_class.getSimpleName()) != "SourceOperator",
        "function": None,
    }
    record.update(user_functions.describe(factory, operator, operator_class, keyed=keyed))
    return record


def _vertex(vertex: Any) -> Json:
    return {
        "id": str(vertex.getID()),
        "name": _text(vertex.getName()),
        "parallelism": int(vertex.getParallelism()),
        "max_parallelism": int(vertex.getMaxParallelism()),
        "operators": [
            {
                "generated": str(pair.getGeneratedOperatorID()),
                "user": _text(pair.getUserDefinedOperatorID().orElse(None)),
            }
            for pair in vertex.getOperatorIDs()
        ],
        "inputs": [
            {
                "from": str(edge.getSource().getProducer().getID()),
                "ship": str(edge.getShipStrategyName()),
                "pattern": str(edge.getDistributionPattern()),
            }
            for edge in vertex.getInputs()
        ],
    }


def _text(value: Any) -> str | None:
    """A Java string; one with unpaired surrogates, which JPype can't convert, by its chars."""
    if value is None:
        return None
    try:
        return str(value)
    except UnicodeDecodeError:
        return "".join(chr(ord(str(char))) if isinstance(char, str) else chr(int(char)) for char in value.toCharArray())
