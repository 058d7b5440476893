"""Tables without their connectors: sources and sinks of the shape that the connector would give them.

``ConnectorSpec`` records (see ``connectors.toml``) say what that shape is. The sources emit nothing and the sinks keep
nothing, so that a planned job can run for a moment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from checker.extract.sql.planner.jvm import array_list, has_class, java, proxy, stand_in
from checker.extract.sql.scripts.templates import is_open

Spec = Mapping[str, Any]
"""One connector as the request carries it: the fields of ``ConnectorSpec``."""

_SOURCES = "table.connector.source"
_ENDS = ("source", "sink")
_SINKS = "table.connector.sink"


@dataclass(slots=True)
class Tables:
    """What the planner asked for: the connector of every source and sink object that it was given."""

    connectors: Mapping[str, Spec]
    idle_folder: str
    batch: bool = False
    """Whether jobs end by themselves, which wants sources that do."""
    catalog_types: dict[str, str] = field(default_factory=dict)
    """Catalog → the type it was created with, which is the connector of tables that name none."""
    plan_abilities: dict[str, list[str]] = field(default_factory=dict)
    """Table → the abilities that a compiled plan uses of its source or sink."""
    plan_metadata: dict[str, list[str]] = field(default_factory=dict)
    """Table → the metadata that a compiled plan writes, in its order."""
    unknown: dict[str, str] = field(default_factory=dict)
    """Table → the connector that no spec describes."""
    used: dict[str, dict[str, str]] = field(default_factory=dict)
    """Table → its options."""

    def factory(self) -> Any:
        """The factory of every table."""
        return proxy(
            ["table.factories.DynamicTableSourceFactory", "table.factories.DynamicTableSinkFactory"], _Factory(self)
        )

    def module(self) -> Any:
        """A module that makes every table whose catalog has no factory."""
        return proxy(["table.module.Module"], _Module(self.factory()))

    def spec_of(self, context: Any) -> tuple[str, Spec, dict[str, str]]:
        """The connector of a table, what is known of it, and the table's options."""
        identifier = context.getObjectIdentifier()
        options = {str(e.getKey()): str(e.getValue()) for e in context.getCatalogTable().getOptions().entrySet()}
        catalog = self.catalog_types.get(str(identifier.getCatalogName()))
        name = options.get("connector") or options.get("type") or catalog or ""
        table = str(identifier.asSummaryString())
        self.used[table] = options
        spec = self.connectors.get(name)
        if spec is None:
            self.unknown[table] = name
            spec = {}
        if table in self.plan_abilities:
            used = self.plan_abilities[table]
            spec = {**spec, **{f"{end}_abilities": [*spec.get(f"{end}_abilities", ()), *used] for end in _ENDS}}
        if table in self.plan_metadata:
            spec = {**spec, "written_metadata": self.plan_metadata[table]}
        return name, spec, options


class _Module:
    """``Module``: tables only. The names of its methods are Java's."""

    def __init__(self, factory: Any) -> None:
        self._factory = java("java.util.Optional").of(factory)

    def listFunctions(self, *_: Any) -> Any:
        return java("java.util.HashSet")()

    def getFunctionDefinition(self, _name: Any) -> Any:
        return java("java.util.Optional").empty()

    def getTableSourceFactory(self) -> Any:
        return self._factory

    def getTableSinkFactory(self) -> Any:
        return self._factory


class _Factory:
    """Both factories of tables. The names of its methods are Java's."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def factoryIdentifier(self) -> Any:
        return "stand-in"

    def requiredOptions(self) -> Any:
        return java("java.util.HashSet")()

    def optionalOptions(self) -> Any:
        return java("java.util.HashSet")()

    def forwardOptions(self) -> Any:
        return java("java.util.HashSet")()

    def createDynamicTableSource(self, context: Any) -> Any:
        name, spec, options = self._tables.spec_of(context)
        if spec.get("real_source"):
            real = _real("DynamicTableSourceFactory", name, context)
            return real.createDynamicTableSource(_with_options(context, _closed(options)))
        tables = self._tables
        planned = frozenset(tables.plan_abilities)
        return source(Source(spec, options, context, tables.idle_folder, tables.batch, planned))

    def createDynamicTableSink(self, context: Any) -> Any:
        name, spec, options = self._tables.spec_of(context)
        if spec.get("real_sink"):
            found = _real("DynamicTableSinkFactory", name, context)
            return found.createDynamicTableSink(
                _with_options(context, {**_closed(options), **spec.get("real_options", {})})
            )
        if spec.get("sink") == "opaque":  # it writes with operators that no spec describes
            self._tables.unknown[str(context.getObjectIdentifier().asSummaryString())] = name
        return sink(Sink(spec, options, context))


def _real(kind: str, name: str, context: Any) -> Any:
    utility = java("table.factories.FactoryUtil")
    return utility.discoverFactory(context.getClassLoader(), java(f"table.factories.{kind}").class_, name)


def _closed(options: Mapping[str, str]) -> dict[str, str]:
    """Options with a place of a template that nobody filled, to be left out."""
    return {f"{name}*": "" for name, value in options.items() if is_open(value)}


def _with_options(context: Any, replaced: Mapping[str, str]) -> Any:
    if not replaced:
        return context
    table = context.getCatalogTable()
    options = java("java.util.HashMap")(table.getOptions())
    for name, value in replaced.items():
        if name.endswith("*"):
            for key in [k for k in options.keySet() if str(k).startswith(name[:-1])]:
                options.remove(key)
        else:
            options.put(name, value)
    changed = table.copy(options)

    class _Context:
        def getCatalogTable(self) -> Any:
            return changed

        def __getattr__(self, called: str) -> Any:
            return getattr(context, called)

    return proxy(["table.factories.DynamicTableFactory$Context"], _Context())


def _mode(name: str) -> Any:
    modes = java("table.connector.ChangelogMode")
    kinds = {"insert": modes.insertOnly, "upsert": modes.upsert, "all": modes.all}
    if name == "no-update-before":
        kind = java("types.RowKind")
        builder = modes.newBuilder()
        for one in (kind.INSERT, kind.UPDATE_AFTER, kind.DELETE):
            builder.addContainedKind(one)
        return builder.build()
    return kinds[name]()


def _by_option(spec: Spec, key: str, options: Mapping[str, str], default: str) -> str:
    """A value of a spec that an option of the table may decide: ``{option, values, default}`` or plain."""
    value = spec.get(key, default)
    if isinstance(value, str):
        return value
    for name in value["options"]:
        given = options.get(name)
        if given is not None and given.lower() in value["values"]:
            return str(value["values"][given.lower()])
    return str(value.get("default", default))


class _Lookup:
    """Both providers of lookups. The names of its methods are Java's."""

    def createLookupFunction(self) -> Any:
        return java("checker.NoRows")()

    def createAsyncLookupFunction(self) -> Any:
        return java("checker.NoRowsAsync")()


@dataclass
class Source:
    """A table that is read. The names of its methods are Java's."""

    spec: Spec
    options: Mapping[str, str]
    context: Any
    folder: str
    bounded: bool = False
    planned: frozenset[str] = frozenset()
    """Tables of a compiled plan: what it pushed into a source stays there."""
    watermark: Any = None
    produced: Any = None

    def getChangelogMode(self) -> Any:
        return _mode(_by_option(self.spec, "source_mode", self.options, "insert"))

    def getScanRuntimeProvider(self, context: Any) -> Any:
        shape = _by_option(self.spec, "source", self.options, "source")
        if shape == "legacy" and not self.bounded:
            legacy = "legacy.table.connector.source"  # from 2.0 on
            prefix = legacy if has_class(f"{legacy}.SourceFunctionProvider") else _SOURCES
            return java(f"{prefix}.SourceFunctionProvider").of(_legacy_source(), False)
        idle = idle_source(self.folder, bounded=self.bounded)
        if shape == "data-stream" and not self.bounded:
            strategy = self.watermark or java("api.common.eventtime.WatermarkStrategy").noWatermarks()
            table = self.context.getObjectIdentifier().asSummaryString()
            return java("checker.StreamScan")(idle, strategy, table, self.spec.get("source_uid"))
        return java(f"{_SOURCES}.SourceProvider").of(idle)

    def getLookupRuntimeProvider(self, context: Any) -> Any:
        kind = self.spec.get("lookup")
        if self.options.get("lookup.async") == "true":
            kind = "async"
        names = {"sync": ["Lookup"], "async": ["AsyncLookup"]}.get(str(kind), ["Lookup", "AsyncLookup"])
        return proxy([f"{_SOURCES}.lookup.{name}FunctionProvider" for name in names], _Lookup())

    def listReadableMetadata(self) -> Any:
        return _metadata(self.context, self.spec.get("metadata", ()))

    def applyReadableMetadata(self, keys: Any, produced: Any) -> None:
        self.produced = produced

    def supportsMetadataProjection(self) -> bool:
        return True

    def supportsNestedProjection(self) -> bool:
        return False

    def applyProjection(self, fields: Any, produced: Any = None) -> None:
        self.produced = produced

    def applyWatermark(self, strategy: Any) -> None:
        self.watermark = strategy

    def applySourceWatermark(self) -> None:
        self.watermark = None

    def applyLimit(self, limit: Any) -> None:
        pass

    def applyFilters(self, filters: Any) -> Any:
        result = java(f"{_SOURCES}.abilities.SupportsFilterPushDown$Result")
        taken = str(self.context.getObjectIdentifier().asSummaryString()) in self.planned
        return result.of(filters, array_list([])) if taken else result.of(array_list([]), filters)

    def applyAggregates(self, *_: Any) -> bool:
        return True

    def listPartitions(self) -> Any:
        return java("java.util.Optional").empty()

    def applyPartitions(self, partitions: Any) -> None:
        pass

    def copy(self) -> Any:
        return source(replace(self))

    def asSummaryString(self) -> Any:
        return "stand-in"

    def equals(self, other: Any) -> bool:
        return False

    def hashCode(self) -> int:
        return id(self) & 0x7FFFFFFF

    def toString(self) -> Any:
        return "stand-in"


def source(instance: Source) -> Any:
    """The object for the planner, with the abilities of the connector."""
    interfaces = [f"{_SOURCES}.ScanTableSource"]
    if instance.spec.get("lookup"):
        interfaces.append(f"{_SOURCES}.LookupTableSource")
    abilities = list(instance.spec.get("source_abilities", ()))
    if _metadata(instance.context, ()).size():
        abilities.append("ReadingMetadata")
    for ability in dict.fromkeys(abilities):
        name = f"{_SOURCES}.abilities.Supports{ability}"
        if has_class(name):
            interfaces.append(name)
    return proxy(interfaces, instance)


def _metadata(context: Any, order: Sequence[str]) -> Any:
    """What the table's own metadata columns ask for, with their types: in the connector's order where it is known."""
    asked = {}
    for column in context.getCatalogTable().getResolvedSchema().getColumns():
        if str(column.getClass().getSimpleName()) == "MetadataColumn":
            asked[str(column.getMetadataKey().orElse(column.getName()))] = column.getDataType()
    found = java("java.util.LinkedHashMap")()
    for key in (*(key for key in order if key in asked), *(key for key in asked if key not in order)):
        found.put(key, asked[key])
    return found


def idle_source(folder: str, *, bounded: bool = False) -> Any:
    """A source of Flink's own that emits nothing: files of a folder that stays empty."""
    path = java("core.fs.Path")(folder)
    reader = java("connector.file.src.reader.TextLineInputFormat")()
    day = java("java.time.Duration").ofDays(1)
    builder = java("connector.file.src.FileSource").forRecordStreamFormat(reader, path)
    return builder.build() if bounded else builder.monitorContinuously(day).build()


def _legacy_source() -> Any:
    """A source function of Flink's own that emits nothing: it waits a day before it tries to connect again."""
    package = "streaming.api.functions.source"
    name = f"{package}.SocketTextStreamFunction"
    if not has_class(name):
        name = f"{package}.legacy.SocketTextStreamFunction"
    return java(name)("localhost", 1, "\n", -1, 86_400_000)


@dataclass
class Sink:
    """A table that is written. The names of its methods are Java's."""

    spec: Spec
    options: Mapping[str, str]
    context: Any

    def getChangelogMode(self, requested: Any) -> Any:
        mode = _by_option(self.spec, "sink_mode", self.options, "any")
        if mode == "by-key":
            mode = "no-update-before" if self._has_key() else "insert"
        return requested if mode == "any" else _mode(mode)

    def _has_key(self) -> bool:
        return bool(self.context.getCatalogTable().getResolvedSchema().getPrimaryKey().isPresent())

    def getSinkRuntimeProvider(self, context: Any) -> Any:
        shape = _by_option(self.spec, "sink", self.options, "sink-v2")
        parallelism = self.options.get("sink.parallelism")
        arguments = [] if parallelism is None else [java("java.lang.Integer").valueOf(int(parallelism))]
        if shape == "legacy":
            legacy = f"{_SINKS}.legacy"  # from 2.0 on
            prefix = legacy if has_class(f"{legacy}.SinkFunctionProvider") else _SINKS
            return java(f"{prefix}.SinkFunctionProvider").of(_legacy_sink(), *arguments)
        if shape == "committing":
            return java(f"{_SINKS}.SinkV2Provider").of(stateful_sink(committer=True), *arguments)
        if shape == "stateful":
            return java(f"{_SINKS}.SinkV2Provider").of(stateful_sink(committer=False), *arguments)
        discarding = java("streaming.api.functions.sink.v2.DiscardingSink")()
        return java(f"{_SINKS}.SinkV2Provider").of(discarding, *arguments)

    def listWritableMetadata(self) -> Any:
        return _metadata(self.context, self.spec.get("written_metadata", ()))

    def applyWritableMetadata(self, keys: Any, consumed: Any) -> None:
        pass

    def applyStaticPartition(self, partition: Any) -> None:
        pass

    def requiresPartitionGrouping(self, grouping: Any) -> bool:
        return False

    def applyOverwrite(self, overwrite: Any) -> None:
        pass

    def listAlgorithms(self) -> Any:
        kinds = java("table.catalog.TableDistribution$Kind")
        return java("java.util.HashSet")(array_list(kinds.values()))

    def requiresBucketCount(self) -> bool:
        return False

    def applyTargetColumns(self, columns: Any) -> bool:
        return True

    def copy(self) -> Any:
        return sink(Sink(self.spec, self.options, self.context))

    def asSummaryString(self) -> Any:
        return "stand-in"

    def equals(self, other: Any) -> bool:
        return False

    def hashCode(self) -> int:
        return id(self) & 0x7FFFFFFF

    def toString(self) -> Any:
        return "stand-in"


def sink(instance: Sink) -> Any:
    """The object for the planner, with the abilities of the connector."""
    abilities = ["Overwrite", "Partitioning", "Bucketing", *instance.spec.get("sink_abilities", ())]
    if _metadata(instance.context, ()).size():
        abilities.append("WritingMetadata")
    names = [f"{_SINKS}.abilities.Supports{ability}" for ability in dict.fromkeys(abilities)]
    return proxy([f"{_SINKS}.DynamicTableSink", *(name for name in names if has_class(name))], instance)


def _legacy_sink() -> Any:
    package = "streaming.api.functions.sink"
    name = f"{package}.DiscardingSink"
    return java(name if has_class(name) else f"{package}.legacy.DiscardingSink")()


def stateful_sink(*, committer: bool) -> Any:
    """A sink with writer state, and with a committer, which keeps nothing."""
    package = "api.connector.sink2"
    version = java("java.lang.Integer").valueOf(1)
    serializer = stand_in({"getVersion": version}, "core.io.SimpleVersionedSerializer")
    empty = java("java.util.ArrayList")()
    stateful = (f"{package}.StatefulSinkWriter", f"{package}.StatefulSink$StatefulSinkWriter")
    committing = (f"{package}.CommittingSinkWriter", f"{package}.TwoPhaseCommittingSink$PrecommittingSinkWriter")
    interfaces = [next(name for name in names if has_class(name)) for names in (stateful, committing)]
    writer = stand_in({"snapshotState": empty, "prepareCommit": empty}, *interfaces)
    answers = {
        "createWriter": writer,
        "restoreWriter": writer,
        "createCommitter": stand_in({}, f"{package}.Committer"),
        "getCommittableSerializer": serializer,
        "getWriterStateSerializer": serializer,
    }
    new = has_class(f"{package}.SupportsCommitter")
    abilities = ["SupportsWriterState" if new else "StatefulSink"]
    if committer:
        abilities.append("SupportsCommitter" if new else "TwoPhaseCommittingSink")
    return stand_in(answers, f"{package}.Sink", *(f"{package}.{ability}" for ability in abilities))
