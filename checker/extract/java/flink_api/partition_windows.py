"""``fullWindowPartition()`` of 1.20 and newer: operators over the whole of a finished partition."""

from __future__ import annotations

from collections.abc import Callable

from checker.extract.java.flink_api import drafts, function_facts, operators, table
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Value
from checker.model.topology import ChainingStrategy, Kind

Handler = Callable[[Run, StreamValue, Call], Value | None]


def _full(run: Run, stream: StreamValue, call: Call) -> Value:
    return StreamValue("PartitionWindowedStream", stream.env, stream.draft, (stream,))


_NAMES = {"mapPartition": "MapPartition", "reduce": "PartitionReduce", "aggregate": "PartitionAggregate",
          "sortPartition": "SortPartition"}  # fmt: skip
_KEYED_NAMES = {"mapPartition": "MapPartition", "sortPartition": "KeyedSortPartition"}


def _terminal(method: str) -> Handler:
    def handler(run: Run, stream: StreamValue, call: Call) -> Value:
        source = stream.parts[0]
        keyed = table.is_a(source.type, "KeyedStream")
        function = run.soften(call.arguments[0]) if call.arguments else None
        shown = function_facts.class_name(run, function) if function is not None else None
        if keyed and method in ("reduce", "aggregate"):
            return operators.operator(
                run, source, None, call.site, name="GlobalWindows", operator="window", window="GlobalWindows",
                keyed=True, stateful=True, output_at_end=True, function=shown,
            )  # fmt: skip
        if method == "mapPartition":
            chaining: ChainingStrategy | None = ChainingStrategy.NEVER
        else:
            chaining = run.api.operator_objects
        parallelism = source.draft.parallelism if source.draft is not None and not keyed else source.env.parallelism
        draft = drafts.make(
            run, source.env, Kind.OPERATOR, call.site, inputs=operators.inputs_of(source), keyed=keyed,
            name=(_KEYED_NAMES if keyed else _NAMES)[method], operator="partition-window", chaining=chaining,
            parallelism=parallelism, output_at_end=True, function=shown,
        )  # fmt: skip
        return StreamValue("SingleOutputStreamOperator", source.env, draft)

    return handler


HANDLERS: dict[tuple[str, str], Handler] = {
    ("DataStream", "fullWindowPartition"): _full,
    **{("PartitionWindowedStream", method): _terminal(method) for method in _NAMES},
}
