"""The best candidate for a state that no operator claims: a likely owner for people to look at, never a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from checker.flink.operator_ids import operator_id
from checker.model.restore import CandidateOperator, Counterpart
from checker.model.savepoint import OperatorState

THRESHOLD = 0.3
"""Below this no candidate is named."""


def counterpart(state: OperatorState, free: Sequence[CandidateOperator]) -> Counterpart | None:
    """The most likely owner of a state among operators that get none, with what speaks for it."""
    best: Counterpart | None = None
    alike = [o for o in free if o.coordinator == state.has_coordinator_state]
    for operator in free:
        likeness, evidence = _likeness(state, operator)
        if len(alike) == 1 and alike[0] is operator and likeness < 1 and _could_be_called(state, operator):
            likeness += 0.3
            kind = "source" if operator.coordinator else "operator"
            evidence.append(f"the only {kind} of the candidate that gets no state")
        if likeness >= THRESHOLD and (best is None or likeness > best.likeness):
            best = Counterpart(
                id=operator.generated,
                name=operator.name or operator.uid or str(operator.generated),
                likeness=round(min(likeness, 1.0), 2),
                evidence=tuple(evidence),
                location=operator.location,
            )
    return best


def _could_be_called(state: OperatorState, operator: CandidateOperator) -> bool:
    return not state.name or not operator.name or _ratio(state.name, operator.name) > 0.4


def _likeness(state: OperatorState, operator: CandidateOperator) -> tuple[float, list[str]]:
    evidence: list[str] = []
    for word in dict.fromkeys((operator.uid, operator.name, *operator.hints)):
        if word and operator_id(word) == state.operator_id:
            return 1.0, [f"uid({word!r}) gives exactly this id"]
    if operator.coordinator != state.has_coordinator_state:
        return 0.0, []
    likeness = 0.1 if operator.coordinator else 0.0
    if state.name and operator.name:
        same = _ratio(state.name, operator.name)
        if same == 1:
            likeness += 0.6
            evidence.append(f"both are called {state.name!r}")
        elif same > 0.6:
            likeness += 0.5 * same
            evidence.append(f"{state.name!r} and {operator.name!r} are alike")
    if state.uid and operator.uid and _ratio(state.uid, operator.uid) > 0.6:
        likeness += 0.3 * _ratio(state.uid, operator.uid)
        evidence.append(f"uids {state.uid!r} and {operator.uid!r} are alike")
    stored = {m.name for m in state.headers.states} if state.headers else set()
    stored |= {s.name for s in state.operator_states}
    declared = {s.name for s in operator.states or () if isinstance(s.name, str)}
    shared = sorted(stored & declared)
    if shared:
        likeness += 0.5
        evidence.append(f"both have the state {', '.join(shared)}")
    return likeness, evidence


def _ratio(left: str, right: str) -> float:
    return SequenceMatcher(None, left[:200], right[:200], autojunk=False).ratio()
