"""The operators that sinks of lake formats put behind an ``INSERT``: Iceberg's and Paimon's."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from checker.extract.runtime.capture.jvm import java
from checker.extract.sql.planner.jvm import flink_minor
from checker.extract.sql.planner.sinks import Behind, Kept, Step, Written, provider
from checker.extract.sql.planner.sources import has_key, of_session
from checker.extract.sql.scripts.reading import PAIMON

_MODES = ("distribution-mode", "write.distribution-mode")
_LATER_SINKS = ("table.exec.iceberg.use-v2-sink", "use-dynamic-iceberg-sink")
"""Options that choose a sink of another topology."""


def _by_iceberg(context: Any, options: Mapping[str, str]) -> Written:
    """Partition by key or not, writer, committer, a last sink; nothing where they are not known.

    Source: ``IcebergTableSink`` and ``FlinkSink`` of Iceberg 0.14 to 1.10. What decides is what the script says of the
    table: rows are partitioned by its primary key, whatever its distribution mode is; without one by its partitions,
    where ``write.distribution-mode`` is ``hash``.
    """
    if any(options.get(name, of_session(context, name)).lower() not in ("", "false") for name in _LATER_SINKS):
        return Written(None, "Iceberg's later sinks are not described")
    parallelism = options.get("write-parallelism")
    if parallelism is not None and not parallelism.isdigit():  # an unfilled place of a template
        return Written(None, "cannot tell 'write-parallelism'")
    keyed = has_key(context)
    distribution = next((options[name].lower() for name in _MODES if name in options), "none")
    if distribution not in ("none", "hash") and not keyed:
        return Written(None, f"'{_MODES[1]}' = '{distribution}' is not described")
    by_partition = distribution == "hash" and bool(context.getCatalogTable().getPartitionKeys().size())
    types = java("api.common.typeinfo.Types")
    by_checkpoint = java("table.runtime.typeutils.SortedMapTypeInfo")(
        types.LONG, types.PRIMITIVE_ARRAY(types.BYTE), java("java.util.Comparator").naturalOrder()
    )
    writer = Step(
        name="IcebergStreamWriter",
        behind="key" if keyed or by_partition else "forward",
        parallelism=None if parallelism is None else int(parallelism),
    )
    lists = (Kept("iceberg-flink-job-id", types.STRING), Kept("iceberg-files-committer-state", by_checkpoint))
    committer = Step(name="IcebergFilesCommitter", single=True, keeps=lists)
    table = str(context.getObjectIdentifier().asSummaryString())
    return Written(provider([writer, committer], f"IcebergSink {table}", single=True), None)


_MORE_OF_PAIMON = frozenset(
    {"precommit-compact", "changelog.precommit-compact", "local-merge-buffer-size", "sink.savepoint.auto-tag",
     "sink.writer-coordinator.enabled", "sink.coordinator-commit.enabled", "log.system", "partition.sink-strategy",
     "partition.idle-time-to-done", "partition.idle-time-to-report-statistic", "data-evolution.enabled",
     "clustering.incremental"}
)  # fmt: skip
"""Options that add operators or states, which are not described."""
_BY_RELEASE = f"releases of Paimon before 1.1 are not described; values can name another ('{PAIMON}' = '1.2')"


def left_open_by_paimon(context: Any, options: Mapping[str, str]) -> str | None:
    """Why the operators are not known that a table is read by, None where they are."""
    more = next((key for key in ("consumer-id", "source.operator-uid.suffix", "log.system") if key in options), None)
    if more is not None:
        return f"the operators that a table of Paimon is read by with '{more}' are not described"
    return None if _is_described(context) else _BY_RELEASE


def _by_paimon(context: Any, options: Mapping[str, str]) -> Written:
    """A map of rows, buckets, writer, committer, a last sink; where they are not all known, those that are, and why.

    Source: ``FlinkSinkBuilder``, ``FlinkSink``, ``AppendTableSink`` and ``DynamicBucketSink`` of Paimon 1.1 to 2.0.
    What decides is the table's definition.
    """
    if not _is_described(context):
        return Written(None, _BY_RELEASE)
    table = str(context.getObjectIdentifier().getObjectName())
    steps = _Steps(context.getCatalogTable(), options, table)
    found = steps.found()
    if isinstance(found, str):
        return Written(provider([Step(name="Map")], table, single=False), found)
    return Written(provider([Step(name="Map"), *found, steps.committer()], f"end {table}", single=True), None)


class _Steps:
    """The operators between the map and the committer."""

    def __init__(self, catalog_table: Any, options: Mapping[str, str], table: str) -> None:
        self._options = options
        self._table = table
        key = catalog_table.getResolvedSchema().getPrimaryKey()
        self._key = {str(column) for column in key.get().getColumns()} if key.isPresent() else set()
        self._partitions = {str(column) for column in catalog_table.getPartitionKeys()}

    def found(self) -> list[Step] | str:
        """The operators, or why they are not known."""
        more = next((key for key in self._options if key in _MORE_OF_PAIMON), None)
        if more is not None:
            return f"with '{more}' they are not described"
        bucket = self._options.get("bucket") or "-1"
        if not bucket.lstrip("-").isdigit() or not self._options.get("sink.parallelism", "1").isdigit():
            return "cannot tell its parallelism or buckets"
        if int(bucket) > 0:
            return self._fixed(int(bucket))
        if int(bucket) < -1 or (self._key and not self._partitions <= self._key):
            return "tables with postponed buckets or keys across partitions are not described"
        return self._dynamic() if self._key else self._without_buckets()

    def _fixed(self, buckets: int) -> list[Step]:
        parallelism = self._parallelism("sink.parallelism")
        if buckets == 1 and parallelism is None and not self._partitions:
            parallelism = 1
        return [self._writer("partitioner", parallelism)]

    def _dynamic(self) -> list[Step]:
        parallelism = self._parallelism("sink.parallelism")
        assigners = self._parallelism("dynamic-bucket.assigner-parallelism") or parallelism
        assigner = Step(
            name="dynamic-bucket-assigner",
            behind="partitioner",
            parallelism=assigners,
            uid=self._uid("dynamic-bucket-assigner"),
            keeps=(_user(),),
        )
        return [assigner, self._writer("partitioner", parallelism)]

    def _without_buckets(self) -> list[Step]:
        parallelism = self._parallelism("sink.parallelism")
        writer = Step(name=f"Writer : {self._table}", chains="ALWAYS", parallelism=parallelism,
                      uid=self._uid("Writer"), keeps=())  # fmt: skip
        if self._options.get("write-only", "false").lower() == "true":
            return [writer]
        coordinator = Step(name=f"Compact Coordinator: {self._table}", chains="HEAD", single=True, keeps=())
        worker = Step(name=f"Compact Worker: {self._table}", chains="HEAD", keeps=())
        return [writer, coordinator, worker]

    def _writer(self, behind: Behind, parallelism: int | None) -> Step:
        types = java("api.common.typeinfo.Types")
        text, binary = types.STRING, types.PRIMITIVE_ARRAY(types.BYTE)
        written_state = types.TUPLE(text, text, binary, types.INT, binary)
        return Step(
            name=f"Writer : {self._table}",
            behind=behind,
            chains="ALWAYS",
            parallelism=parallelism,
            uid=self._uid("Writer"),
            keeps=(_user(), Kept("paimon_store_sink_write_state", written_state, union=True)),
        )

    def committer(self) -> Step:
        """The last of Paimon's own operators."""
        chained = self._options.get("sink.committer-operator-chaining", "true").lower() == "true"
        types = java("api.common.typeinfo.Types")
        return Step(
            name=f"Global Committer : {self._table}",
            chains="ALWAYS" if chained else "HEAD",
            single=True,
            uid=self._uid("Global Committer"),
            keeps=(_user(), Kept("streaming_committer_raw_states", types.PRIMITIVE_ARRAY(types.BYTE))),
        )

    def _parallelism(self, option: str) -> int | None:
        given = self._options.get(option)
        return int(given) if given is not None and given.isdigit() else None

    def _uid(self, operator: str) -> str | None:
        suffix = self._options.get("sink.operator-uid.suffix")
        return None if suffix is None else f"{operator}_{self._table}_{suffix}"


def _user() -> Kept:
    return Kept("commit_user_state", java("api.common.typeinfo.Types").STRING, union=True)


def _is_described(context: Any) -> bool:
    """Whether the release of Paimon is 1.1 or newer, and Flink's one on which those run."""
    given = re.match(r"(\d+)\.(\d+)", of_session(context, PAIMON))
    return given is not None and (int(given[1]), int(given[2])) >= (1, 1) and flink_minor() >= (1, 18)


WRITTEN: Mapping[str, Callable[[Any, Mapping[str, str]], Written]] = {"iceberg": _by_iceberg, "paimon": _by_paimon}
"""What makes the operators of a sink, by what ``connectors.toml`` calls it."""
