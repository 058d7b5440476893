"""Which operator of a candidate most likely is the one that left a state which nobody claims."""

import json
from collections.abc import Sequence

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
        if len(alike) == 1 and alike[0] is operator and likeness < 1 and not (state.name and operator.name):
            likeness += 0.3
            kind = "source" if operator.coordinator else "operator"
            evidence.append(f"the only {kind} of the candidate that gets no state")
        if likeness >= THRESHOLD and (best is None or likeness > best.likeness):
            best = Counterpart(
                id=operator.generated,
                name=operator.name or operator.uid or str(operator.generated),
                likeness=round(min(likeness, 1.0), 2),
                evidence=tuple(evidence),
                edit=_edit(state, operator),
                location=operator.location,
            )
    return best


_SINK_PARTS = {
    "Writer": "setWriterUidHash",
    "Committer": "setCommitterUidHash",
    "Global Committer": "setGlobalCommitterUidHash",
}
"""How an operator that Flink makes of a sink is called, and the call that gives it an id."""
_DOCUMENTS = (".yaml", ".yml", ".json")


def _edit(state: OperatorState, operator: CandidateOperator) -> str | None:
    """What to write at the operator so that it takes all of the state; None where nothing in the code says that."""
    file = operator.location.file if operator.location else ""
    part = _SINK_PARTS.get((operator.name or "").rpartition(": ")[2])
    known = state.uid if state.uid and operator_id(state.uid) == state.operator_id else _uid_of(state, operator)
    if known and part is None:
        uid = json.dumps(known, ensure_ascii=False)
        return f"uid: {uid}" if file.endswith(_DOCUMENTS) else f".uid({uid})"
    if file.endswith((*_DOCUMENTS, ".sql")) or state.has_coordinator_state:
        return None
    if part is not None:
        return f'sinkTo(sink, CustomSinkOperatorUidHashes.builder().{part}("{state.operator_id}").build())'
    return f'.{"set_uid_hash" if file.endswith(".py") else "setUidHash"}("{state.operator_id}")'


def _uid_of(state: OperatorState, operator: CandidateOperator) -> str | None:
    """What the operator is called, if that as a uid gives the state's id."""
    words = (operator.uid, operator.name, *operator.hints)
    return next((word for word in words if word and operator_id(word) == state.operator_id), None)


def _likeness(state: OperatorState, operator: CandidateOperator) -> tuple[float, list[str]]:
    uid = _uid_of(state, operator)
    if uid is not None:
        return 1.0, [f"uid({uid!r}) gives exactly this id"]
    if operator.coordinator != state.has_coordinator_state:
        return 0.0, []
    named = bool(state.name) and state.name == operator.name
    stored = {m.name for m in state.headers.states} if state.headers else set()
    stored |= {s.name for s in state.operator_states}
    shared = sorted(stored & {s.name for s in operator.states or () if isinstance(s.name, str)})
    evidence = [f"both are called {state.name!r}"] if named else []
    evidence += [f"both have the state {', '.join(shared)}"] if shared else []
    return (0.6 if named else 0.0) + (0.5 if shared else 0.0), evidence
