"""What becomes of each operator's state: Flink's restore rules over one program of the base and one of the head.

Sources: ``Checkpoints.loadAndValidateCheckpoint``, ``StateAssignmentOperation`` and
``StateAssignmentOperation.checkParallelismPreconditions``, 1.18 to 2.3, confirmed by restoring.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from checker.compare.fit.states import MaxParallelismFit, max_parallelism_fit
from checker.compare.fit.unknowns import explained, same_unknown
from checker.compare.revisions.handed_on import TRADED, sides_traded
from checker.compare.revisions.identities import Claimants, Identities
from checker.compare.revisions.matching import Matching
from checker.compare.revisions.states import Aspect, effects, state_changes, worst_effect
from checker.flink.versions import semantics_of
from checker.model.comparison import PathVerdict
from checker.model.findings import DISTINCT_RESTORE_PATHS, RestorePath, Verdict
from checker.model.nested import gathered
from checker.model.stream_graph import StreamNode
from checker.model.unknowns import Unknown


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdicts on one operator's state and who takes it."""

    verdicts: tuple[PathVerdict, ...]
    claimed_by: StreamNode | None = None
    """Who takes it, where somebody does."""
    undecided: tuple[Unknown, ...] = ()


Answer = tuple[Verdict, str]
"""A verdict and its reason."""


def on_paths(savepoint: Answer, last_state: Answer, allowing: Answer | None = None) -> tuple[PathVerdict, ...]:
    """The verdicts on all paths; ``allowing`` is that with ``--allowNonRestoredState`` where the flag matters."""
    answers = {
        (RestorePath.SAVEPOINT, False): savepoint,
        (RestorePath.SAVEPOINT, True): allowing or savepoint,
        (RestorePath.LAST_STATE, False): last_state,
    }
    return tuple(
        PathVerdict(path=path, allow_non_restored_state=allow, verdict=verdict, reason=reason)
        for path, allow in DISTINCT_RESTORE_PATHS
        for verdict, reason in (answers[path, allow],)
    )


def everywhere(verdict: Verdict, reason: str) -> tuple[PathVerdict, ...]:
    """One verdict on all paths."""
    return on_paths((verdict, reason), (verdict, reason))


_SERIALIZED = (Aspect.KEY, Aspect.KIND, Aspect.TYPE)
"""What Flink compares by serializer when it restores, whoever asks for the state."""
_STATELESS: Answer = (Verdict.STATELESS, "the operator keeps no state")


@dataclass(frozen=True, eq=False)
class Judge:
    """Flink's restore rules over one pair of programs whose operators are matched."""

    identities: Identities
    matching: Matching
    _claims: dict[int, Claimants] = field(default_factory=dict)

    def claims(self, base: StreamNode) -> Claimants:
        """Who takes the state of a base operator."""
        if base.number not in self._claims:
            claims = self.identities.claimants(base)
            if claims.by_user:
                own = tuple(n for n in claims.by_generated if not self._busy_elsewhere(n, base))
                claims = replace(claims, by_generated=own)
            self._claims[base.number] = claims
        return self._claims[base.number]

    def _busy_elsewhere(self, head: StreamNode, base: StreamNode) -> bool:
        """Pinned to another existing state that no other operator is pinned to: Flink gives it that one."""
        user = self.identities.head.identity(head).user
        if user is None or user == self.identities.base.identity(base).generated:
            return False
        named = self.identities.base.by_generated(user)
        return named is not None and self.identities.claimants(named).by_user == (head,)

    def judge(self, base: StreamNode) -> Outcome:
        """The verdicts on the state that a base operator left."""
        if self._unreadable_metadata is not None and base.stateful is not False:
            return Outcome(everywhere(Verdict.FAILS, self._unreadable_metadata))
        claims = self.claims(base)
        if claims.possibly and not claims.certain:
            return self._open(base, claims)
        if not claims.certain:
            return self._unclaimed(base)
        refused = self._refused_by_max_parallelism(base, claims.certain[0])
        if isinstance(refused, Unknown):
            return Outcome(everywhere(Verdict.UNDECIDED, refused.reason), claims.certain[0], (refused,))
        if refused is not None:
            return Outcome(everywhere(Verdict.FAILS, refused), claims.certain[0])
        if base.stateful is False:
            return Outcome(everywhere(*_STATELESS), claims.certain[0])
        return self._claimed(base, claims)

    @cached_property
    def _unreadable_metadata(self) -> str | None:
        """Why the head's Flink can't read any savepoint of the base's (``MetadataSerializers``)."""
        before, after = (side.translation.topology.flink for side in (self.identities.base, self.identities.head))
        if before is None or after is None:
            return None
        written, read = semantics_of(before).newest_metadata, semantics_of(after).newest_metadata
        if written is None or read is None or written <= read:
            return None
        return f"Flink {before} writes savepoints of metadata version {written}, and Flink {after} reads up to {read}"

    def judge_new(self, head: StreamNode) -> Outcome:
        """The verdicts on an operator that the base does not have."""
        takes = self.foreign_state(head)
        if takes is not None and takes.stateful is not False and head.stateful is not False:
            reason = f"takes the state of '{takes.name}', whose id it has now"
            return Outcome(everywhere(Verdict.MISASSIGNED, reason))
        if head.stateful is False:
            return Outcome(everywhere(*_STATELESS))
        return Outcome(everywhere(Verdict.STARTS_EMPTY, "the operator is new: there is no state for it"))

    def foreign_state(self, head: StreamNode) -> StreamNode | None:
        """The base operator whose state this head operator takes without being its counterpart."""
        for base in self._takers.get(head.number, ()):
            if self.matching.head_of.get(base.number) != head.number:
                return base
        return None

    @cached_property
    def _takers(self) -> dict[int, list[StreamNode]]:
        return gathered(
            (head.number, base) for base in self.identities.base.nodes for head in self.claims(base).certain
        )

    def _open(self, base: StreamNode, claims: Claimants) -> Outcome:
        reasons = tuple(dict.fromkeys(self._why_open(base, claims)))
        if base.stateful is False:
            text = f"cannot tell whether the head still has its id ({reasons[0].reason})" if reasons else "open"
            return Outcome(on_paths(_STATELESS, (Verdict.UNDECIDED, text)), undecided=reasons)
        text = "; ".join(dict.fromkeys(u.reason for u in reasons)) or "cannot tell an id"
        return Outcome(everywhere(Verdict.UNDECIDED, text), undecided=reasons)

    def _why_open(self, base: StreamNode, claims: Claimants) -> Iterator[Unknown]:
        counterpart = self.matching.head_of.get(base.number)
        if counterpart is not None:
            before, after = base.uid, self.identities.head.graph.nodes[counterpart].uid
            if isinstance(before, Unknown) and isinstance(after, Unknown) and not same_unknown(before, after):
                yield explained(before, after)
                return
        yield from self.identities.base.identity(base).reasons
        for head in claims.possibly:
            yield from self.identities.head.identity(head).reasons
            if head.declared.unknown is not None:
                yield head.declared.unknown

    def _unclaimed(self, base: StreamNode) -> Outcome:
        known = self.identities.base.identity(base).generated or "(unknown)"
        last_state = (
            Verdict.FAILS, f"there is no operator for the state {known}: this path refuses even an empty entry"
        )  # fmt: skip
        if base.stateful is False:
            return Outcome(on_paths(_STATELESS, last_state))
        if isinstance(base.stateful, Unknown):
            text = (
                f"no operator of the head has the id {known}; cannot tell whether it had state ({base.stateful.reason})"
            )
            return Outcome(on_paths((Verdict.UNDECIDED, text), last_state), undecided=(base.stateful,))
        refused = f"cannot map state for operator {known}: no operator of the head has this id"
        dropped = "with --allowNonRestoredState the restore goes ahead without this state, and it is gone"
        return Outcome(on_paths((Verdict.FAILS, refused), last_state, allowing=(Verdict.DROPPED, dropped)))

    def _claimed(self, base: StreamNode, claims: Claimants) -> Outcome:
        """A stateful (or possibly stateful) operator whose state somebody takes."""
        counterpart = self.matching.head_of.get(base.number)
        if len(claims.certain) > 1:
            names = " and ".join(f"'{n.name}'" for n in claims.certain)
            reason = f"{names} both claim this state: which of them gets it changes from run to run"
            taker = next((n for n in claims.certain if n.number != counterpart), claims.certain[0])
            return Outcome(everywhere(Verdict.MISASSIGNED, reason), taker)
        taker = claims.certain[0]
        if taker.number != counterpart and base.stateful is True:
            if taker.stateful is False:
                reason = f"its id now names '{taker.name}', which keeps no state: it is lost without a message"
                return Outcome(everywhere(Verdict.MISASSIGNED, reason), taker)
            refused = self._refused_by_type(base, taker)
            if refused is not None:
                return Outcome(everywhere(Verdict.FAILS, refused), taker)
            reason = f"its id now names '{taker.name}', which gets this state"
            return Outcome(everywhere(Verdict.MISASSIGNED, reason), taker)
        if not claims.by_user and self._prefers_another(taker, base):
            reason = f"'{taker.name}' takes the state it is pinned to instead: its own is dropped without a message"
            return Outcome(everywhere(Verdict.DROPPED, reason), taker)
        if claims.by_user and not claims.by_generated and base.has_coordinator:
            reason = (
                "the pinned hash finds the operator's state, but coordinators are looked up by generated id only: "
                "the split enumerator starts fresh and every split is read again"
            )
            return Outcome(everywhere(Verdict.STARTS_EMPTY, reason), taker)
        return self._restored(base, taker)

    def _refused_by_type(self, base: StreamNode, taker: StreamNode) -> str | None:
        """Why Flink does not give a state to an operator that is no counterpart: its key or value has another type."""
        releases = self.identities.releases
        found = effects(state_changes(base, taker, releases), base, taker, releases)
        return next((e.reason for e in found if e.verdict is Verdict.FAILS and e.aspect in _SERIALIZED), None)

    def _restored(self, base: StreamNode, taker: StreamNode) -> Outcome:
        mixed = self._mixed_max_parallelism(taker) if base.declared.keeps_keyed else None
        if mixed is not None:
            return Outcome(everywhere(Verdict.UNDECIDED, mixed), taker)
        graphs = self.identities.base.graph, self.identities.head.graph
        if sides_traded(graphs[0], base, graphs[1], taker, self.matching.head_of):
            return Outcome(everywhere(Verdict.MISASSIGNED, TRADED), taker)
        releases = self.identities.releases
        effect = worst_effect(state_changes(base, taker, releases), base, taker, releases)
        if effect is not None:
            return Outcome(everywhere(effect.verdict, effect.reason), taker)
        if base.stateful is True and taker.stateful is False:
            return Outcome(everywhere(Verdict.RESTORES, "restores, but the operator asks for none of it"), taker)
        return Outcome(everywhere(Verdict.RESTORES, "an operator of the head has its id"), taker)

    def _prefers_another(self, head: StreamNode, own: StreamNode) -> bool:
        """A pinned operator asks for the pinned id first; what is under its own id is then left behind."""
        user = self.identities.head.identity(head).user
        if user is None or user == self.identities.head.identity(head).generated:
            return False
        named = self.identities.base.by_generated(user)
        return named is not None and named.number != own.number and named.stateful is not False

    def _refused_by_max_parallelism(self, base: StreamNode, taker: StreamNode) -> str | Unknown | None:
        """``checkParallelismPreconditions``: also for operators without state."""
        before = self.identities.base.open_max_parallelism(base)
        after = self.identities.head.open_max_parallelism(taker)
        if before is not None and after is not None:
            return None if same_unknown(before, after) else explained(before, after)
        if before is not None or after is not None:
            return after or before
        recorded = self.identities.base.effective_max_parallelism(base)
        vertex = self.identities.head.vertex(taker)
        configured = vertex.configured_max_parallelism
        match max_parallelism_fit(recorded, vertex.parallelism, configured):
            case MaxParallelismFit.MISMATCH:
                return (
                    f"max parallelism mismatch: the state was written with {recorded}, the head configures {configured}"
                )
            case MaxParallelismFit.TOO_LOW:
                return (
                    f"the maximum parallelism ({recorded}) of the restored state is lower than the configured "
                    f"parallelism ({vertex.parallelism})"
                )
        return None

    def _mixed_max_parallelism(self, taker: StreamNode) -> str | None:
        """Operators of one vertex whose states were written with different maxima, and none configured."""
        head = self.identities.head
        vertex = head.vertex(taker)
        if vertex.configured_max_parallelism is not None:
            return None
        known = (head.identity(head.graph.nodes[number]).generated for number in vertex.operators)
        own = (self.identities.base.by_generated(id_) for id_ in known if id_)
        written = {self.identities.base.effective_max_parallelism(base) for base in own if base is not None}
        if len(written) < 2:
            return None
        values = " and ".join(str(v) for v in sorted(written))
        return (
            f"the task '{vertex.name}' joins states written with max parallelism {values}: which one it takes is left "
            "to chance, and keyed state of the others is read with the wrong key groups"
        )
