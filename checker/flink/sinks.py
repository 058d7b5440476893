"""How ``sinkTo`` becomes nodes: the expansion of sinks per Flink version.

Sources: SinkTransformationTranslator (1.13 and 1.14: its own nodes; 1.15 and newer: SinkExpander), and
GlobalCommitterTransformationTranslator (1.19 and newer).
"""

from dataclasses import replace

from checker.flink.building import GraphUnderConstruction, Ids
from checker.flink.versions import RefusedError, SinkShape
from checker.model.stream_graph import NodeKey, Role
from checker.model.topology import ChainingStrategy, Kind, PartitionerKind, SinkUidHashes, Transformation
from checker.model.translation import RefusalKind
from checker.model.unknowns import Maybe, Unknown

WRITER, COMMITTER, GLOBAL_COMMITTER = "Writer", "Committer", "Global Committer"
_GLOBAL = "Sink {} Global Committer"
_OF_SINK = {WRITER: "{}", COMMITTER: "Sink Committer: {}", GLOBAL_COMMITTER: _GLOBAL}
"""The uids of the operators that Flink makes of a sink, by its uid."""


def expand(graph: GraphUnderConstruction, sink: Transformation, inputs: Ids) -> None:
    """Add the nodes of one sink behind ``inputs``. Raises RefusedError."""
    if graph.semantics.sink_shape is SinkShape.EXPANDED:
        _Expansion(graph, sink).run(inputs)
    else:
        _expand_v1(graph, sink, inputs)


def _within(text: str, uid: Maybe[str] | None) -> Maybe[str] | None:
    """What Flink calls an operator of a sink by the sink's uid, where it has one."""
    return text.format(uid) if isinstance(uid, str) else uid


def _expand_v1(graph: GraphUnderConstruction, sink: Transformation, inputs: Ids) -> None:
    """1.13 and 1.14: only the writer takes the sink's chaining strategy, the global committer has parallelism 1."""
    name = sink.display_name
    graph.check_uid(sink, name, NodeKey(sink.id))
    separate = graph.semantics.sink_shape is SinkShape.WRITER_AND_COMMITTERS
    base = replace(
        sink, kind=Kind.OPERATOR, uid_hash=None, chaining=None, committer=False, global_committer=False,
        uid_hashes=None, pre_write=(), pre_commit=(), post_commit=(),
    )  # fmt: skip
    writer = replace(
        base,
        name=f"Sink Writer: {name}" if separate else f"Sink {name}",
        chaining=sink.chaining,
        yielding=graph.semantics.sink_writer_yields,
    )
    stream = graph.add_operator(writer, sink, NodeKey(sink.id, role=Role.WRITER), (inputs,), graph.new_id())
    if separate and sink.committer is True:
        committer = replace(base, name=f"Sink Committer: {name}", uid=_within("Sink Committer: {}", sink.uid))
        stream = graph.add_operator(committer, sink, NodeKey(sink.id, role=Role.COMMITTER), (stream,), graph.new_id())
    if sink.global_committer is True:
        text = "Sink Global Committer: {}" if separate else _GLOBAL
        uid = sink.uid and _within(text, sink.uid)
        last = replace(base, name=text.format(name), uid=uid, parallelism=1, max_parallelism=1)
        graph.add_operator(last, sink, NodeKey(sink.id, role=Role.GLOBAL_COMMITTER), (stream,), graph.new_id())


class _Expansion:
    """1.15 and newer: each stage's operators take the sink's settings where they have none of their own."""

    def __init__(self, graph: GraphUnderConstruction, sink: Transformation) -> None:
        self.graph = graph
        self.sink = sink
        self.key = NodeKey(sink.id)
        self.hashes = sink.uid_hashes or SinkUidHashes()

    def run(self, inputs: Ids) -> None:
        """Pre-write, writer, pre-commit, committer, post-commit; ids are taken stage by stage."""
        sink, new_id = self.sink, self.graph.new_id
        commits = True in (sink.committer, sink.global_committer)
        self._refuse_topologies_without_committer(commits)
        pre_write = {t.id: new_id() for t in sink.pre_write}
        writer_id = new_id()
        pre_commit = {t.id: new_id() for t in sink.pre_commit} if commits else {}
        committer_id = new_id() if commits else 0
        post_commit = {t.id: new_id() for t in sink.post_commit} if commits else {}

        stream = self._stage(sink.pre_write, Role.PRE_WRITE, inputs, pre_write)
        stream = self._add_own(WRITER, Role.WRITER, stream, writer_id)
        if not commits:
            return
        stream = self._stage(sink.pre_commit, Role.PRE_COMMIT, self._forward(stream), pre_commit)
        committed = self._forward(self._add_own(COMMITTER, Role.COMMITTER, stream, committer_id))
        self._stage(sink.post_commit, Role.POST_COMMIT, committed, post_commit)
        if sink.global_committer is True:
            stream = self.graph.partitioned(committed, PartitionerKind.GLOBAL)
            self._add_own(GLOBAL_COMMITTER, Role.GLOBAL_COMMITTER, stream, new_id())

    def _refuse_topologies_without_committer(self, commits: bool) -> None:
        """From 1.19 the topologies around a committer are interfaces of their own, checked when they are expanded."""
        if commits or not self.graph.semantics.sink_topologies_need_committer:
            return
        for stage, name in ((self.sink.pre_commit, "PreCommit"), (self.sink.post_commit, "PostCommit")):
            if stage:
                raise RefusedError(
                    RefusalKind.INVALID,
                    f"Sink with Supports{name}Topology should implement SupportsCommitter",
                    self.key,
                )

    def _forward(self, stream: Ids) -> Ids:
        return self.graph.partitioned(stream, PartitionerKind.FORWARD)

    def _add_own(self, name: str, role: Role, stream: Ids, flink_id: int) -> Ids:
        """The writer or a committer: Flink's own operators, declared by the sink as a whole."""
        bare = Transformation(
            id=self.sink.id, kind=Kind.OPERATOR, inputs=("@",), name=name, location=self.sink.location,
            yielding=role is Role.WRITER,
        )  # fmt: skip
        settings = self._adjusted(bare)
        if role is Role.GLOBAL_COMMITTER:
            keeps = self.graph.semantics.global_committer_keeps_chaining
            # From 1.19 a GlobalCommitterTransform stands between, which hands on name, uid and hash only.
            settings = replace(
                settings, parallelism=1, max_parallelism=1, chaining=None if keeps else settings.chaining
            )
        return self.graph.add_operator(settings, self.sink, replace(self.key, role=role), (stream,), flink_id)

    def _stage(self, declared: tuple[Transformation, ...], role: Role, stream: Ids, flink_ids: dict[str, int]) -> Ids:
        """A topology that the sink itself adds; its last transformation is the stream it hands on."""
        done: dict[str, Ids] = {"@": stream}
        for sub in declared:
            inputs = tuple(done[i] for i in sub.inputs)
            if sub.kind.virtual:
                stream = self.graph.translate_virtual(sub, tuple(i for ids in inputs for i in ids))
            else:
                if isinstance(sub.uid, str) and sub.uid and self.sink.uid is None:
                    raise RefusedError(
                        RefusalKind.INVALID,
                        f"Sink {self.sink.display_name} requires to set a uid since its customized topology has set "
                        "uid for some operators.",
                        self.key,
                    )
                part = f"{self.key.part}/{sub.id}" if self.key.part else sub.id
                key = NodeKey(self.key.declaration, part)
                owned = replace(
                    sub,
                    id=str(key),
                    name=sub.id if sub.name is None else sub.name,
                    location=sub.location or self.sink.location,
                )
                settings = self._adjusted(owned)
                if sub.kind is Kind.SINK:
                    expand(self.graph, settings, tuple(i for ids in inputs for i in ids))
                    stream = ()
                else:
                    stream = self.graph.add_operator(
                        settings, owned, replace(key, role=role), inputs, flink_ids[sub.id]
                    )
            done[sub.id] = stream
        return stream

    def _adjusted(self, sub: Transformation) -> Transformation:
        """``SinkExpander.adjustTransformations`` for one registered sub-transformation."""
        sink = self.sink
        raw = sub.display_name
        user_hash = {
            WRITER: self.hashes.writer,
            COMMITTER: self.hashes.committer,
            GLOBAL_COMMITTER: self.hashes.global_committer,
        }.get(raw)
        return replace(
            sub,
            name=f"{sink.display_name}: {raw}",
            uid=self._uid(raw, sub.uid),
            uid_hash=user_hash if user_hash is not None else sub.uid_hash,
            slot_sharing_group=sub.slot_sharing_group if sub.slot_sharing_group is not None
            else sink.slot_sharing_group,
            parallelism=sub.parallelism if sub.parallelism is not None else sink.parallelism,
            max_parallelism=sub.max_parallelism if sub.max_parallelism is not None else sink.max_parallelism,
            chaining=sink.chaining if isinstance(sink.chaining, ChainingStrategy) else sub.chaining,
        )  # fmt: skip

    def _uid(self, raw: str, own: Maybe[str] | None) -> Maybe[str] | None:
        uid = self.sink.uid
        if uid is None:
            return own
        if raw in _OF_SINK:
            return _within(_OF_SINK[raw], uid)
        if own is None or isinstance(own, Unknown) or isinstance(uid, Unknown):
            return own if own is None or isinstance(own, Unknown) else uid
        return f"{uid}: {own}"
