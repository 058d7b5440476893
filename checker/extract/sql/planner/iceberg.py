"""The operators that Iceberg's sink puts behind an ``INSERT``: partition by key or not, writer, committer, a last sink.

Source: ``IcebergTableSink`` and ``FlinkSink`` of Iceberg 0.14 to 1.10. What decides is what the script says of the
table: rows are partitioned by its primary key, whatever its distribution mode is; without one by its partitions, where
``write.distribution-mode`` is ``hash``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from checker.extract.runtime.capture.jvm import java
from checker.extract.sql.planner.shapes import has_key, of_session
from checker.extract.sql.planner.written import Behind, Kept, Step, Written, provider

_MODES = ("distribution-mode", "write.distribution-mode")
_LATER_SINKS = ("table.exec.iceberg.use-v2-sink", "use-dynamic-iceberg-sink")
"""Options that choose a sink of another topology."""


def written(context: Any, options: Mapping[str, str]) -> Written:
    """The operators of a table's sink, none where they are not known."""
    if any(options.get(name, of_session(context, name)).lower() not in ("", "false") for name in _LATER_SINKS):
        return Written(None, "Iceberg's later sinks are not described")
    parallelism = options.get("write-parallelism")
    if parallelism is not None and not parallelism.isdigit():  # an unfilled place of a template
        return Written(None, "'write-parallelism' is not known")
    keyed = has_key(context)
    if _mode(options) not in ("none", "hash") and not keyed:
        return Written(None, f"'{_MODES[1]}' = '{_mode(options)}' is not described")
    by_partition = _mode(options) == "hash" and bool(context.getCatalogTable().getPartitionKeys().size())
    types = java("api.common.typeinfo.Types")
    by_checkpoint = java("table.runtime.typeutils.SortedMapTypeInfo")(
        types.LONG, types.PRIMITIVE_ARRAY(types.BYTE), java("java.util.Comparator").naturalOrder()
    )
    writer = Step(
        name="IcebergStreamWriter",
        behind=Behind.KEY if keyed or by_partition else Behind.FORWARD,
        parallelism=None if parallelism is None else int(parallelism),
    )
    lists = (Kept("iceberg-flink-job-id", types.STRING), Kept("iceberg-files-committer-state", by_checkpoint))
    committer = Step(name="IcebergFilesCommitter", single=True, keeps=lists)
    table = str(context.getObjectIdentifier().asSummaryString())
    return Written(provider([writer, committer], f"IcebergSink {table}", single=True), None)


def _mode(options: Mapping[str, str]) -> str:
    return next((options[name].lower() for name in _MODES if name in options), "none")
