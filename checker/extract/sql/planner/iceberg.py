"""The operators that Iceberg's sink puts behind an ``INSERT``: partition by key or not, writer, committer, a last sink.

Source: ``IcebergTableSink`` and ``FlinkSink`` of Iceberg 0.14 to 1.10. What decides is what the script says of the
table: rows are partitioned by its primary key, whatever its distribution mode is; without one by its partitions, where
``write.distribution-mode`` is ``hash``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from checker.extract.sql.planner.jvm import has_class, java, proxy, stand_in
from checker.extract.sql.planner.sinks import stateless_sink

_MODES = ("distribution-mode", "write.distribution-mode")
_LATER_SINKS = ("table.exec.iceberg.use-v2-sink", "use-dynamic-iceberg-sink")
"""Options that choose a sink of another topology."""


def is_described(context: Any, options: Mapping[str, str]) -> bool:
    """Whether the operators of a table's sink are known."""
    if any(options.get(name, _of_session(context, name)).lower() not in ("", "false") for name in _LATER_SINKS):
        return False
    if not options.get("write-parallelism", "1").isdigit():  # an unfilled place of a template
        return False
    return _mode(options) in ("none", "hash") or _has_key(context)


def _of_session(context: Any, name: str) -> str:
    option = java("configuration.ConfigOptions").key(name).stringType().noDefaultValue()
    return str(context.getConfiguration().getOptional(option).orElse(""))


def _mode(options: Mapping[str, str]) -> str:
    return next((options[name].lower() for name in _MODES if name in options), "none")


def _has_key(context: Any) -> bool:
    return bool(context.getCatalogTable().getResolvedSchema().getPrimaryKey().isPresent())


def provider(context: Any, options: Mapping[str, str]) -> Any:
    """The runtime provider of a table's sink."""
    by_partition = _mode(options) == "hash" and bool(context.getCatalogTable().getPartitionKeys().size())
    keyed = _has_key(context) or by_partition
    table = str(context.getObjectIdentifier().asSummaryString())
    written = _Provider(table, keyed, options.get("write-parallelism"))
    return proxy(["table.connector.sink.DataStreamSinkProvider"], written)


@dataclass
class _Provider:
    """``DataStreamSinkProvider``. The names of its methods are Java's."""

    table: str
    keyed: bool
    parallelism: str | None

    def getParallelism(self) -> Any:
        return java("java.util.Optional").empty()

    def consumeDataStream(self, *given: Any) -> Any:
        rows = given[-1]
        types = java("api.common.typeinfo.Types")
        parallelism = rows.getParallelism() if self.parallelism is None else int(self.parallelism)
        if self.keyed:
            rows = rows.keyBy(java("api.java.functions.NullByteKeySelector")(), types.BYTE)
        writes = java("streaming.api.operators.StreamMap")(stand_in({}, "api.common.functions.MapFunction"))
        written = rows.transform("IcebergStreamWriter", types.VOID, writes).setParallelism(parallelism)
        committer = java("checker.KeepsLists")(_lists())
        committed = written.transform("IcebergFilesCommitter", types.VOID, committer)
        committed.setParallelism(1).setMaxParallelism(1)
        if has_class("streaming.api.functions.sink.DiscardingSink"):  # until 1.20
            last = committed.addSink(java("streaming.api.functions.sink.DiscardingSink")())
        else:
            last = committed.sinkTo(stateless_sink())
        return last.name(f"IcebergSink {self.table}").setParallelism(1)


def _lists() -> Any:
    """The lists that ``IcebergFilesCommitter`` keeps."""
    import jpype

    types = java("api.common.typeinfo.Types")
    descriptor = java("api.common.state.ListStateDescriptor")
    by_checkpoint = java("table.runtime.typeutils.SortedMapTypeInfo")(
        types.LONG, types.PRIMITIVE_ARRAY(types.BYTE), java("java.util.Comparator").naturalOrder()
    )
    lists = [
        descriptor("iceberg-flink-job-id", types.STRING),
        descriptor("iceberg-files-committer-state", by_checkpoint),
    ]
    return jpype.JArray(descriptor)(lists)
