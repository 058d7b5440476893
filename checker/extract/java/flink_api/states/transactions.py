"""What ``TwoPhaseCommitSinkFunction`` keeps: pending transactions and a context, by serializers handed to ``super``."""

from __future__ import annotations

from dataclasses import replace

from checker.extract.java.flink_api.states.types import TypeReader, Written, joined
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Instance
from checker.extract.java.state.java_types import lineage, of_class
from checker.model.declared_state import StateDescriptor
from checker.model.unknowns import Maybe, Unknown

SINK = "TwoPhaseCommitSinkFunction"


def with_transactions(run: Run, sink: Instance, state: StateDescriptor) -> StateDescriptor:
    """The sink's state with the types of its transactions and of its context."""
    reader = TypeReader(run, {})
    parts = [reader.of(value) for value in sink.base.arguments[:2]] if sink.base is not None else []
    types = lineage(run.index, of_class(sink.decl))
    spelled = next((ancestor for ancestor in types if ancestor.simple == SINK), None)
    named = [Written(), Written()]
    if spelled is not None and len(spelled.arguments) == 3:
        named = [reader.of_type(argument) for argument in spelled.arguments[1:]]
    return replace(
        state,
        value_type=f"Transaction<{', '.join(part.type or '?' for part in named)}>",
        serializer=_serializer(parts),
        classes=joined(*(part.classes for part in (*named, *parts))),
    )


def _serializer(parts: list[Written]) -> Maybe[str] | None:
    for part in parts:
        if isinstance(part.serializer, Unknown):
            return part.serializer
    return ", ".join(str(part.serializer or part.type) for part in parts) or None
