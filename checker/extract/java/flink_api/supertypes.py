"""What stands above classes of Flink's library, as far as overloads and roles of functions need it."""

from __future__ import annotations

SUPERTYPES: dict[str, frozenset[str]] = {
    name: frozenset(above.split())
    for name, above in {
        "RichParallelSourceFunction": "ParallelSourceFunction SourceFunction RichFunction Function",
        "ParallelSourceFunction": "SourceFunction Function",
        "RichSourceFunction": "SourceFunction RichFunction AbstractRichFunction Function",
        "FromElementsFunction": "SourceFunction",
        "MultipleIdsMessageAcknowledgingSourceBase": "RichSourceFunction SourceFunction",
        "MessageAcknowledgingSourceBase": "RichSourceFunction SourceFunction",
        "RichSinkFunction": "SinkFunction RichFunction AbstractRichFunction Function",
        "TwoPhaseCommitSinkFunction": "RichSinkFunction SinkFunction RichFunction",
        "RichMapFunction": "MapFunction RichFunction AbstractRichFunction Function",
        "RichFlatMapFunction": "FlatMapFunction RichFunction AbstractRichFunction Function",
        "RichFilterFunction": "FilterFunction RichFunction AbstractRichFunction Function",
        "RichReduceFunction": "ReduceFunction RichFunction AbstractRichFunction Function",
        "RichAggregateFunction": "AggregateFunction RichFunction",
        "RichCoMapFunction": "CoMapFunction RichFunction",
        "RichCoFlatMapFunction": "CoFlatMapFunction RichFunction",
        "ProcessFunction": "AbstractRichFunction RichFunction Function",
        "KeyedProcessFunction": "AbstractRichFunction RichFunction Function",
        "CoProcessFunction": "AbstractRichFunction RichFunction Function",
        "KeyedCoProcessFunction": "AbstractRichFunction RichFunction Function",
        "BroadcastProcessFunction": "BaseBroadcastProcessFunction AbstractRichFunction RichFunction",
        "KeyedBroadcastProcessFunction": "BaseBroadcastProcessFunction AbstractRichFunction RichFunction",
        "ProcessWindowFunction": "AbstractRichFunction RichFunction",
        "ProcessAllWindowFunction": "AbstractRichFunction RichFunction",
        "RichAsyncFunction": "AsyncFunction RichFunction",
        "AbstractStreamOperator": "StreamOperator OneInputStreamOperator TwoInputStreamOperator",
        "AbstractUdfStreamOperator": "AbstractStreamOperator StreamOperator",
        "BoundedOutOfOrdernessTimestampExtractor": "AssignerWithPeriodicWatermarks TimestampAssigner",
        "AscendingTimestampExtractor": "AssignerWithPeriodicWatermarks TimestampAssigner",
    }.items()
}
"""Library class → the library types above it, as far as overloads and roles need them."""
