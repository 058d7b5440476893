"""Which operator becomes which in a rewritten savepoint: what is asked for, held against what the savepoint has.

Two operators are never made one, and an id that is taken is only given away together with its own operator's move.

Which operator of the revision that took a savepoint is which of the one that is to start from it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from checker.compare import compare_pipelines
from checker.compare.revisions.mapping import entries_for
from checker.errors import UsageError
from checker.flink import translate
from checker.flink.operator_ids import operator_id
from checker.model.comparison import Comparison, MatchBasis, OperatorComparison
from checker.model.savepoint import Move, OperatorState, Rewriting, Savepoint
from checker.model.stream_graph import NodeKey
from checker.model.translation import OperatorId, Translation
from checker.repair.repairs import Edit, Field, edited
from checker.savepoint.handles import MAX_KEY_GROUPS
from checker.settings import Overrides
from checker.workflows.check import comparing_revisions
from checker.workflows.repairing import translated

_ID = re.compile(r"[0-9a-fA-F]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line asks for: ``OLD=NEW``, operators, ``OPERATOR=N``; each operator by its id or its uid."""

    moves: Sequence[str] = ()
    drops: Sequence[str] = ()
    max_parallelism: Sequence[str] = ()


class _Plan:
    """What is asked for, held against what the savepoint has. Raises UsageError where it can't be done."""

    def __init__(self, savepoint: Savepoint) -> None:
        self._there = {o.operator_id: o for o in savepoint.operators}
        self.path = savepoint.path

    def rewriting(self, asked: Asked, found: Sequence[Move] = ()) -> Rewriting:
        """All of it together; ``found`` are moves that nobody had to spell."""
        moves: dict[OperatorId, Move] = {}
        for move in (*map(self._move, asked.moves), *found):
            if moves.setdefault(move.old, move).new != move.new:
                raise UsageError(f"{move.old} is to become two operators: a state has one owner")
        drops = frozenset(self._known(text, "--drop") for text in asked.drops)
        maxima: dict[OperatorId, int] = {}
        for known, maximum in map(self._maximum, asked.max_parallelism):
            if maxima.setdefault(known, maximum) != maximum:
                raise UsageError(f"--max-parallelism {known}: {maxima[known]} and {maximum} are asked for")
        clash = drops & (moves.keys() | maxima.keys())
        if clash:
            raise UsageError(f"{min(clash)} is named by --drop, and by --move or --max-parallelism: leave one out")
        self._check_targets(moves, drops)
        return Rewriting(moves=moves, drops=drops, max_parallelism=maxima)

    def _check_targets(self, moves: dict[OperatorId, Move], drops: frozenset[OperatorId]) -> None:
        targets: dict[OperatorId, Move] = {}
        for move in moves.values():
            first = targets.setdefault(move.new, move)
            if first is not move:
                raise UsageError(f"{first.old} and {move.old} are both to become {move.new}: two are never made one")
            if move.new == move.old:
                raise UsageError(f"{move.old} has that id already")
            if move.new in self._there and move.new not in moves and move.new not in drops:
                raise UsageError(
                    f"{move.new} is the id of another operator of {self.path}. Move that one away as well "
                    f"(--move {move.new}=NEW), or drop it (--drop {move.new})."
                )

    def _move(self, text: str) -> Move:
        splits = [(text[:i], text[i + 1 :]) for i, c in enumerate(text) if c == "=" and 0 < i < len(text) - 1]
        if not splits:
            raise UsageError(f"--move {text}: must be OLD=NEW, each an operator id or a uid")
        fitting = [(old, new) for old, new in splits if self._find(old) is not None]
        if len(fitting) > 1:
            raise UsageError(f"--move {text}: it can be split at more than one '=': give the old operator by its id")
        old, new = (fitting or splits)[0]
        known = self._known(old, "--move")
        if _ID.fullmatch(new):
            return Move(old=known, new=OperatorId(new.lower()))
        return Move(old=known, new=operator_id(new), uid=new)

    def _maximum(self, text: str) -> tuple[OperatorId, int]:
        name, _, number = text.rpartition("=")
        if not name or not re.fullmatch(r"[0-9]{1,5}", number):
            raise UsageError(f"--max-parallelism {text}: must be OPERATOR=N")
        known, maximum = self._known(name, "--max-parallelism"), int(number)
        state = self._there[known]
        if state.keyed_kinds or state.sizes.raw_keyed or state.key_groups:
            raise UsageError(
                f"--max-parallelism {text}: {_called(state)} has keyed state, whose key groups are made by the old "
                "number. Only the State Processor API makes new ones."
            )
        if not max(1, state.parallelism) <= maximum <= MAX_KEY_GROUPS:
            raise UsageError(
                f"--max-parallelism {text}: must be from {max(1, state.parallelism)}, its parallelism, to "
                f"{MAX_KEY_GROUPS}"
            )
        return known, maximum

    def _find(self, text: str) -> OperatorId | None:
        ids = [OperatorId(text.lower())] if _ID.fullmatch(text) else []
        return next((i for i in (*ids, operator_id(text)) if i in self._there), None)

    def _known(self, text: str, option: str) -> OperatorId:
        found = self._find(text)
        if found is None:
            raise UsageError(
                f"{option} {text}: {self.path} has no operator with that id or uid. "
                f"See what it has: savepoint-checker savepoint {self.path}"
            )
        return found


def _called(state: OperatorState) -> str:
    return state.name or state.uid or str(state.operator_id)


def in_flight(savepoint: Savepoint, rewriting: Rewriting) -> list[str]:
    """What moves with in-flight data, which Flink finds at the same place of a chain only."""
    moved = (o for o in savepoint.operators if o.operator_id in rewriting.moves)
    return [_called(o) for o in moved if o.input_state or o.output_state]


def plan_rewriting(savepoint: Savepoint, asked: Asked, found: Sequence[Move] = ()) -> Rewriting:
    """What is done to which operators. Raises UsageError where that can't be done."""
    return _Plan(savepoint).rewriting(asked, found)


def certain_successors(
    repo: Path, base: str, head: str, pipeline: str, overrides: Overrides
) -> dict[OperatorId, OperatorId]:
    """Ids of base with those that the same operators have in head. Raises UsageError where a side can't be read."""
    plan = comparing_revisions.plan_check(
        repo,
        base,
        head,
        comparing_revisions.Asked(overrides=overrides, only_source="operators are followed in the source"),
    )
    sides = []
    for entries, files, revision in (
        (plan.base_entries, plan.base_files, base),
        (plan.head_entries, plan.head_files, head),
    ):
        side = translated(entries, pipeline, files)
        if side is None or isinstance(side, str):
            raise UsageError(f"{pipeline} of {revision} can't be compared: {side or 'there is no such pipeline'}")
        sides.append(side)
    compared = compare_pipelines(pipeline, sides[0], sides[1], entries_for(plan.policy.mapping, pipeline))
    before = _ids_without_new_uids(sides[1], compared)
    return {
        OperatorId(row.base.id): OperatorId(row.head.id)
        for row in compared.operators
        if row.base is not None
        and row.head is not None
        and row.base.id
        and row.head.id
        and (_is_certain(row) or before.get(row.head.key) == row.base.id)
    }


def _is_certain(row: OperatorComparison) -> bool:
    """Whether the two are the same beyond doubt: by a name of theirs, or alike in all that is compared."""
    return row.match.basis is not MatchBasis.LIKENESS or row.match.likeness == 1


def _ids_without_new_uids(head: Translation, compared: Comparison) -> dict[NodeKey, OperatorId | None]:
    """The ids that head's operators would have if those that base has without a uid had none: that of their place."""
    new = [
        Edit(head.node_by_key[row.head.key].declared.id, Field.UID, None)
        for row in compared.operators
        if row.base is not None and row.head is not None and row.base.uid is None and row.head.uid is not None
    ]
    without = translate(edited(head.topology, new), head.topology.flink)
    if without.refusal is not None:
        return {}
    return {key: without.identities[node.number].generated for key, node in without.node_by_key.items()}
