"""Topology → StreamGraph, as ``StreamGraphGenerator`` and ``StreamGraph`` do it in streaming mode.

Works on topologies without alternatives: an Unknown that is still in one (a uid, a name) leaves the shape of
the graph alone. Node ids follow Flink's counter in relative order, which is all that hashing looks at.
"""

import re

from checker.errors import GraphTooLargeError
from checker.flink import sinks
from checker.flink.building import GraphUnderConstruction, Ids
from checker.flink.versions import RefusedError, Semantics, SinkShape
from checker.model.stream_graph import NodeKey, StreamGraph
from checker.model.topology import Kind, Topology, Transformation
from checker.model.translation import RefusalKind

MAX_CONNECTIONS = 100_000
"""Inputs of all transformations together, each counted once per node that it stands for. A union passes on every node
of its inputs, so ``d = d.union(d)`` doubles them each time."""
_UID_HASH = re.compile(r"[0-9a-fA-F]{32}")


class _Walk:
    """Translates registered transformations in order, inputs first, each once."""

    def __init__(self, topology: Topology, semantics: Semantics) -> None:
        self.topology = topology
        self.semantics = semantics
        self.graph = GraphUnderConstruction(topology, semantics)
        self.declared = {t.id: t for t in topology.transformations}
        self.flink_id = {t.id: place for place, t in enumerate(topology.transformations, start=1)}
        self._done: dict[str, Ids] = {}
        self._sources: list[int] = []
        self._connections = 0

    def build(self) -> StreamGraph:
        for transformation in self.topology.transformations:
            self._check_declaration(transformation)
        registered = [
            t for t in self.topology.transformations
            if t.kind in (Kind.OPERATOR, Kind.SINK, Kind.LEGACY_SINK, Kind.UNKNOWN)
        ]  # fmt: skip
        if not registered:
            raise RefusedError(RefusalKind.NO_OPERATORS, "No operators defined in streaming topology. Cannot execute.")
        for transformation in registered:
            self._transform(transformation.id)
        return self.graph.frozen(self._sources)

    def _check_declaration(self, transformation: Transformation) -> None:
        """What the DataStream API refuses at the call itself."""
        uid_hash = transformation.uid_hash
        if transformation.kind is Kind.SINK and uid_hash is not None:
            message = (
                "Cannot set a custom UID hash on a non-legacy sink"
                if self.semantics.sink_shape is SinkShape.EXPANDED
                else "Setting a UidHash is not supported for SinkTransformation."
            )
            raise RefusedError(RefusalKind.UID_HASH_ON_SINK, message, NodeKey(transformation.id))
        if isinstance(uid_hash, str) and not _UID_HASH.fullmatch(uid_hash):
            raise RefusedError(
                RefusalKind.MALFORMED_UID_HASH,
                f"Node hash must be a 32 character String that describes a hex code. Found: {uid_hash}",
                NodeKey(transformation.id),
            )

    def _transform(self, root: str) -> None:
        """Translate a transformation and, before it, its inputs in order; each once."""
        stack = [root]
        while stack:
            current = stack[-1]
            if current in self._done:
                stack.pop()
                continue
            declared = self.declared[current]
            missing = [i for i in declared.inputs if i not in self._done]
            if missing:
                stack.append(missing[0])
                continue
            self._translate(declared)
            stack.pop()

    def _translate(self, declared: Transformation) -> None:
        inputs = tuple([self._done[input_] for input_ in declared.inputs])
        stream = tuple([node for ids in inputs for node in ids])
        self._connections += len(stream)
        if self._connections > MAX_CONNECTIONS:
            raise GraphTooLargeError(
                f"{self.topology.name}: at {declared.display_name} the stream graph has more than {MAX_CONNECTIONS} "
                "connections: it is not computed. Unite a stream with itself fewer times"
            )
        flink_id, made = self.flink_id[declared.id], Ids()
        if declared.kind is Kind.SINK:
            sinks.expand(self.graph, declared, stream)
        elif declared.kind.virtual:
            made = self.graph.translate_virtual(declared, stream)
        else:
            made = self.graph.add_operator(declared, declared, NodeKey(declared.id), inputs, flink_id)
            if declared.kind.source or (declared.kind is Kind.UNKNOWN and not declared.inputs):
                self._sources.append(flink_id)
        self._done[declared.id] = made


def build_stream_graph(topology: Topology, semantics: Semantics) -> StreamGraph:
    """The stream graph of a topology.

    Raises RefusedError where Flink would refuse the program, GraphTooLargeError beyond ``MAX_CONNECTIONS``.
    """
    return _Walk(topology, semantics).build()
