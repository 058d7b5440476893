"""The finished record of a step."""

from __future__ import annotations

from checker.extract.python.flink_api.streams import Step
from checker.extract.python.interpreter.values import Class, Instance
from checker.model.declared_state import StateDescriptor
from checker.model.topology import ChainingStrategy, Transformation
from checker.model.unknowns import Unknown


def transformation(step: Step, handle: str, inputs: tuple[str, ...], iteration: str | None) -> Transformation:
    """The finished record of a step."""
    facts = step.facts
    state = _states(step) if step.python else () if facts is None else facts.state
    virtual = step.kind.virtual
    return Transformation(
        id=handle,
        kind=step.kind,
        inputs=inputs,
        name=step.name,
        uid=None if virtual else step.uid,
        uid_hash=None if virtual else step.uid_hash,
        parallelism=None if virtual else step.parallelism,
        max_parallelism=None if virtual else step.max_parallelism,
        slot_sharing_group=None if virtual else step.slot_sharing_group,
        chaining=None if virtual else step.chaining or (ChainingStrategy.ALWAYS if step.python else None),
        iteration=iteration,
        keyed=step.keyed,
        key=step.key,
        key_type=step.key_type,
        window=step.window,
        operator=step.call,
        function=_function_name(step),
        reads=step.reads,
        reads_by=step.reads_by,
        state=state,
        stateful=_stateful(step) if step.python else (facts.stateful if facts else None),
        partitioner=step.partitioner,
        tag=step.tag,
        committer=facts.committer if facts else False,
        global_committer=facts.global_committer if facts else False,
        pre_write=facts.pre_write if facts else (),
        pre_commit=facts.pre_commit if facts else (),
        post_commit=facts.post_commit if facts else (),
        unknown=step.unknown,
        location=step.location,
        uid_location=step.uid_location,
    )


def _function_name(step: Step) -> str | None:
    parts = [function for part in step.fused or (step,) for function in (part.function, part.window_function)]
    named = [
        part.of.name if isinstance(part, Instance) else part.name
        for part in parts
        if isinstance(part, Instance | Class)
    ]
    return ", ".join(named) or None


def _states(step: Step) -> tuple[StateDescriptor, ...] | Unknown:
    """The states of all functions that run in one operator."""
    found: dict[object, StateDescriptor] = {}
    for part in step.fused or (step,):
        states = part.registered if part.keyed or part.python == "broadcast" else ()
        if isinstance(states, Unknown):
            return states
        found.update(((state.name, state.kind), state) for state in (*part.states, *states))
    return tuple(found.values())


def _stateful(step: Step) -> bool | None:
    """Keyed Python operators register their timers; the others keep state only where a function asks for it."""
    parts = step.fused or (step,)
    return any(part.keyed or (part.python or "").endswith("broadcast") for part in parts)
