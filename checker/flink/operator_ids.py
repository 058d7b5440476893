"""StreamGraph → operator ids: ``StreamGraphHasherV2`` and ``StreamGraphUserHashHasher``.

The algorithm is the same in 1.13 to 2.3. It must never be changed: every savepoint ever taken depends on it.
"""

from collections import deque
from functools import lru_cache

import mmh3

from checker.flink.versions import RefusedError
from checker.model.stream_graph import StreamGraph, StreamNode
from checker.model.topology import Kind
from checker.model.translation import Basis, ChainDecision, Identity, Ingredients, OperatorId, RefusalKind
from checker.model.unknowns import Unknown

_UNKNOWN, _POSITION = Kind.UNKNOWN, Basis.POSITION
_EMPTY_UID = bytes(16)
_FOLD = bytes(37 * value & 0xFF for value in range(256))
"""``byte * 37`` modulo 256, as a translation table."""


def uid_hash(uid: str) -> bytes:
    """The 16 bytes Flink makes of a uid: murmur3-128 with seed 0 over its UTF-8; a lone surrogate becomes ``?``."""
    if not uid:
        return _EMPTY_UID
    try:
        data = uid.encode("utf-8")
    except UnicodeEncodeError:
        paired = uid.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        data = paired.encode("utf-8", "replace")
    return mmh3.hash_bytes(data, 0, True)


def operator_id(uid: str) -> OperatorId:
    """The operator id of a uid, as Flink prints it."""
    return OperatorId(uid_hash(uid).hex())


@lru_cache(maxsize=65536)
def local_hash(position: int, chained_outputs: int) -> bytes:
    """Hash of a node before its inputs are folded in: its position once, and once more a chained output."""
    return mmh3.hash_bytes(position.to_bytes(4, "little") * (1 + chained_outputs), 0, True)


def fold(own: bytes, upstream: bytes) -> bytes:
    """``own[j] * 37 ^ upstream[j]`` for every byte."""
    scaled = int.from_bytes(own.translate(_FOLD), "big")
    return (scaled ^ int.from_bytes(upstream, "big")).to_bytes(16, "big")


class _Hasher:
    def __init__(self, graph: StreamGraph, decisions: tuple[ChainDecision, ...]) -> None:
        self.graph = graph
        self.decisions = decisions
        self.hashes: dict[int, bytes | None] = {}
        self.ingredients: dict[int, Ingredients] = {}
        self.reasons: dict[int, tuple[Unknown, ...]] = {}
        self._taken: set[bytes] = set()
        self._obscured: tuple[Unknown, ...] = ()
        """Why positions are no longer known: the walk reached operators that could not be read."""
        self._walk()

    def _walk(self) -> None:
        """Breadth first from the sources in order; a node that misses an input comes again behind its last one."""
        remaining = deque(self.graph.sources)
        visited = set(remaining)
        while remaining:
            node = self.graph.nodes[remaining.popleft()]
            if not self._hash(node):
                visited.discard(node.number)
                continue
            for edge in self.graph.outputs_of(node):
                if edge.target not in visited:
                    visited.add(edge.target)
                    remaining.append(edge.target)

    def _hash(self, node: StreamNode) -> bool:
        if node.uid is not None and node.kind is not _UNKNOWN:
            self._hash_uid(node, node.uid)
            return True
        sources = tuple([edge.source for edge in self.graph.inputs_of(node)])
        for source in sources:
            if source not in self.hashes:
                return False
        if node.kind is _UNKNOWN:
            reason = node.declared.unknown or Unknown("operators that could not be read")
            self._obscured = _merged(self._obscured, (reason,))
            self.hashes[node.number] = None
            self.reasons[node.number] = (reason,)
            self.ingredients[node.number] = Ingredients(basis=Basis.POSITION, position=None, inputs=sources)
            return True
        self._hash_position(node, sources)
        return True

    def _hash_uid(self, node: StreamNode, uid: str | Unknown) -> None:
        self.ingredients[node.number] = Ingredients(basis=Basis.UID, position=len(self.hashes))
        if isinstance(uid, Unknown):
            self.hashes[node.number] = None
            self.reasons[node.number] = (uid,)
            return
        value = uid_hash(uid)
        if value in self._taken:
            others = [n for n, taken in self.hashes.items() if taken == value]
            raise RefusedError(
                RefusalKind.HASH_COLLISION,
                f'Hash collision on user-specified ID "{uid}". Most likely cause is a non-unique ID. Please check that '
                "all IDs specified via `uid(String)` are unique.",
                self.graph.nodes[others[0]].key,
                node.key,
            )
        self._store(node, value)

    def _hash_position(self, node: StreamNode, sources: tuple[int, ...]) -> None:
        chained: tuple[int, ...] = ()
        reasons = self._obscured
        for edge in self.graph.outputs_of(node):
            target = self.graph.nodes[edge.target]
            if not self.decisions[edge.number].reasons:
                chained += (target.number,)
            if target.kind is _UNKNOWN:
                reasons = _merged(reasons, (target.declared.unknown or Unknown("operators that could not be read"),))
        for source in sources:
            if source in self.reasons:
                reasons = _merged(reasons, self.reasons[source])
        position = None if self._obscured else len(self.hashes)
        self.ingredients[node.number] = Ingredients(
            basis=_POSITION, position=position, chained_outputs=chained, inputs=sources
        )
        if reasons:
            self.hashes[node.number] = None
            self.reasons[node.number] = reasons
            return
        value = local_hash(len(self.hashes), len(chained))
        for source in sources:
            upstream = self.hashes[source]
            if upstream is not None:
                value = fold(value, upstream)
        self._store(node, value)

    def _store(self, node: StreamNode, value: bytes) -> None:
        self.hashes[node.number] = value
        self._taken.add(value)


def _merged(left: tuple[Unknown, ...], right: tuple[Unknown, ...]) -> tuple[Unknown, ...]:
    return left + tuple(u for u in right if u not in left)


def hash_operators(graph: StreamGraph, decisions: tuple[ChainDecision, ...]) -> tuple[Identity, ...]:
    """The identity of every node, by node number. Raises RefusedError on a collision of uids.

    A node whose uid is unknown, or whose position is obscured by operators that could not be read, has no
    generated id and carries the reasons.
    """
    hasher = _Hasher(graph, decisions)
    identities = []
    for node in graph.nodes:
        value = hasher.hashes.get(node.number)
        user = node.uid_hash
        reasons = hasher.reasons.get(node.number, ())
        identities.append(
            Identity(
                node=node.number,
                generated=None if value is None else OperatorId(value.hex()),
                user=OperatorId(user.lower()) if isinstance(user, str) else None,
                ingredients=hasher.ingredients.get(node.number, Ingredients(basis=Basis.POSITION, position=None)),
                reasons=_merged(reasons, (user,)) if isinstance(user, Unknown) else reasons,
            )
        )
    return tuple(identities)
