"""Sources without their connector: of the shape that it would give them, emitting nothing, so that a job can run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from checker.extract.runtime.capture.jvm import always, array_list, has_class, java, proxy
from checker.extract.sql.planner.jvm import stand_in

_PACKAGE = "table.connector.source"


class _Lookup:
    """All providers of lookups. The names of its methods are Java's."""

    def createLookupFunction(self) -> Any:
        return java("checker.NoRows")()

    def createAsyncLookupFunction(self) -> Any:
        return java("checker.NoRowsAsync")()

    def createTableFunction(self) -> Any:
        return java("checker.NoRowsOfKeys")()

    def createAsyncTableFunction(self) -> Any:
        return java("checker.NoRowsOfKeysAsync")()


@dataclass
class _StreamScan:
    """A scan of one source, which has no uid yet. The names of its methods are Java's."""

    source: Any
    watermarks: Any
    table: Any

    def produceDataStream(self, environment: Any) -> Any:
        return environment.fromSource(self.source, self.watermarks, self.table)

    isBounded = always(False)


@dataclass
class Table:
    """A table that is read or written. The names of its methods are Java's."""

    spec: Spec
    options: Mapping[str, str]
    context: Any

    asSummaryString = toString = always("stand-in")
    equals = always(False)

    def hashCode(self) -> int:
        return id(self) & 0x7FFFFFFF


def with_abilities(table: Table, interfaces: Sequence[str], abilities: Sequence[str]) -> Any:
    """The object for the planner, with those of the connector's abilities that this Flink knows."""
    package = interfaces[0].rpartition(".")[0]
    names = (f"{package}.abilities.Supports{ability}" for ability in dict.fromkeys(abilities))
    return proxy([*interfaces, *filter(has_class, names)], table)


@dataclass
class Source(Table):
    """A table that is read."""

    folder: str
    bounded: bool = False
    planned: frozenset[str] = frozenset()
    """Tables of a compiled plan: what it pushed into a source stays there."""
    watermark: Any = None

    def getChangelogMode(self) -> Any:
        keyed = "keyed_source_mode" in self.spec and has_key(self.context)
        mode = by_option(self.spec, "keyed_source_mode" if keyed else "source_mode", self.options, "insert")
        return changelog_mode("insert" if self.bounded else mode)

    def getScanRuntimeProvider(self, context: Any) -> Any:
        shape = by_option(self.spec, "source", self.options, "source")
        if shape.startswith("legacy") and not self.bounded:
            legacy = "legacy.table.connector.source"  # from 2.0 on
            prefix = legacy if has_class(f"{legacy}.SourceFunctionProvider") else _PACKAGE
            return java(f"{prefix}.SourceFunctionProvider").of(legacy_source(shape), False, *self._parallelism())
        idle = idle_source(self.folder, bounded=self.bounded)
        if shape == "data-stream" and not self.bounded:
            strategy = self.watermark or java("api.common.eventtime.WatermarkStrategy").noWatermarks()
            table = self.context.getObjectIdentifier().asSummaryString()
            if not has_class("table.connector.ProviderContext"):  # until 1.14
                return proxy([f"{_PACKAGE}.DataStreamScanProvider"], _StreamScan(idle, strategy, table))
            parallelism = next(iter(self._parallelism()), None)
            return java("checker.StreamScan")(idle, strategy, table, self.spec.get("source_uid"), parallelism)
        return java(f"{_PACKAGE}.SourceProvider").of(idle, *self._parallelism())

    def _parallelism(self) -> list[Any]:
        """The parallelism that the table asks for, where this Flink lets a source have one: from 1.19 on."""
        given = self.options.get("scan.parallelism")
        provider, base = java(f"{_PACKAGE}.SourceProvider"), "table.connector.ParallelismProvider"
        if given is None or not java(base).class_.isAssignableFrom(provider.class_):
            return []
        return [java("java.lang.Integer").valueOf(int(given))]

    def getLookupRuntimeProvider(self, context: Any) -> Any:
        kind = self.spec.get("lookup")
        if self.options.get("lookup.async") == "true":
            kind = "async"
        newer = has_class(f"{_PACKAGE}.lookup.LookupFunctionProvider")  # from 1.16 on
        provider = f"{_PACKAGE}.lookup.%sLookupFunctionProvider" if newer else f"{_PACKAGE}.%sTableFunctionProvider"
        names = {"sync": [""], "async": ["Async"]}.get(str(kind), ["", "Async"])
        return proxy([provider % name for name in names], _Lookup())

    def listReadableMetadata(self) -> Any:
        return metadata(self.context, self.spec.get("metadata", ()))

    applyReadableMetadata = applyProjection = applyLimit = applyPartitions = always(None)
    supportsMetadataProjection = applyAggregates = always(True)
    supportsNestedProjection = always(False)

    def applyWatermark(self, strategy: Any) -> None:
        self.watermark = strategy

    def applySourceWatermark(self) -> None:
        self.watermark = None

    def applyFilters(self, filters: Any) -> Any:
        result = java(f"{_PACKAGE}.abilities.SupportsFilterPushDown$Result")
        taken = str(self.context.getObjectIdentifier().asSummaryString()) in self.planned
        return result.of(filters, array_list([])) if taken else result.of(array_list([]), filters)

    def listPartitions(self) -> Any:
        return java("java.util.Optional").empty()

    def copy(self) -> Any:
        return source(replace(self))


def source(instance: Source) -> Any:
    """The object for the planner."""
    interfaces = [f"{_PACKAGE}.ScanTableSource"]
    if instance.spec.get("lookup"):
        interfaces.append(f"{_PACKAGE}.LookupTableSource")
    more = ["ReadingMetadata"] if metadata(instance.context, ()).size() else []
    return with_abilities(instance, interfaces, [*instance.spec.get("source_abilities", ()), *more])


def idle_source(folder: str, *, bounded: bool = False) -> Any:
    """A source of Flink's own that emits nothing: files of a folder that stays empty."""
    path = java("core.fs.Path")(folder)
    package = "connector.file.src.reader"
    newer = f"{package}.TextLineInputFormat"  # from 1.15 on
    reader = java(newer if has_class(newer) else f"{package}.TextLineFormat")()
    day = java("java.time.Duration").ofDays(1)
    builder = java("connector.file.src.FileSource").forRecordStreamFormat(reader, path)
    return builder.build() if bounded else builder.monitorContinuously(day).build()


def legacy_source(shape: str = "legacy") -> Any:
    """A source function that emits nothing, in one task or in as many as the job has."""
    package = "streaming.api.functions.source"
    simple = "ParallelSourceFunction" if shape == "legacy-parallel" else "SourceFunction"
    name = f"{package}.legacy.{simple}"  # from 2.0 on
    return stand_in({}, name if has_class(name) else f"{package}.{simple}")


Spec = Mapping[str, Any]
"""One connector as the request carries it: the fields of ``ConnectorSpec``."""


def changelog_mode(name: str) -> Any:
    """Flink's changelog mode of that name."""
    modes = java("table.connector.ChangelogMode")
    kinds = {"insert": modes.insertOnly, "upsert": modes.upsert, "all": modes.all}
    if name == "no-update-before":
        kind = java("types.RowKind")
        builder = modes.newBuilder()
        for row_kind in (kind.INSERT, kind.UPDATE_AFTER, kind.DELETE):
            builder.addContainedKind(row_kind)
        return builder.build()
    return kinds[name]()


def by_option(spec: Spec, key: str, options: Mapping[str, str], default: str) -> str:
    """A value of a spec that an option of the table may decide: ``{option, values, default}`` or plain."""
    value = spec.get(key, default)
    if isinstance(value, str):
        return value
    for name in value["options"]:
        given = options.get(name)
        found = None if given is None else value["values"].get(given.lower(), value["values"].get("*"))
        if found is not None:
            return str(found)
    return str(value.get("default", default))


def unknown_format(spec: Spec, options: Mapping[str, str]) -> str | None:
    """The format of a table, where it decides on the changes of its rows and is none whose changes are known."""
    value = spec.get("source_mode", spec.get("sink_mode"))
    if not isinstance(value, Mapping) or not value.get("only"):
        return None
    given = next((options[name] for name in value["options"] if name in options), None)
    return None if given is None or given.lower() in value["values"] else given


def has_key(context: Any) -> bool:
    """Whether a table has a primary key."""
    return bool(context.getCatalogTable().getResolvedSchema().getPrimaryKey().isPresent())


def of_session(context: Any, name: str) -> str:
    """An option of the session, empty where it is not set."""
    option = java("configuration.ConfigOptions").key(name).stringType().noDefaultValue()
    return str(context.getConfiguration().getOptional(option).orElse(""))


def metadata(context: Any, order: Sequence[str]) -> Any:
    """What the table's own metadata columns ask for, with their types: in the connector's order where it is known."""
    asked = {}
    for column in context.getCatalogTable().getResolvedSchema().getColumns():
        if str(column.getClass().getSimpleName()) == "MetadataColumn":
            asked[str(column.getMetadataKey().orElse(column.getName()))] = column.getDataType()
    found = java("java.util.LinkedHashMap")()
    for key in (*(key for key in order if key in asked), *(key for key in asked if key not in order)):
        found.put(key, asked[key])
    return found
