"""Tables without their connectors: the factories that the planner asks for sources and sinks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from checker.extract.runtime.capture.jvm import always, has_class, java, proxy
from checker.extract.sql.connectors import OpenTable, Part
from checker.extract.sql.planner.functions import ASYNCHRONOUS, Functions, ModelProvider
from checker.extract.sql.planner.lakes import WRITTEN, left_open_by_paimon
from checker.extract.sql.planner.sinks import Sink, sink
from checker.extract.sql.planner.sources import Source, Spec, by_option, source, unknown_format
from checker.extract.sql.programs import UNKNOWN_PART
from checker.extract.sql.scripts.templates import is_open

_ENDS = ("source", "sink")
_COMMIT = "sink.partition-commit.policy.kind"
_CREDENTIAL = re.compile(r"(?i)user|password|secret|token|(?:access|private|api)[-._]?key|credential")
_TABLE_DEFAULT = "table-default."
"""How options of a catalog begin that are its tables' where they do not say otherwise."""
_ABILITIES = {"ProjectPushDown": "ProjectionPushDown"}
"""How plans call abilities whose interfaces have another name."""


@dataclass(slots=True)
class Tables:
    """What the planner asked for: the connector of every source and sink object that it was given."""

    connectors: Mapping[str, Spec]
    idle_folder: str
    functions: Functions
    batch: bool = False
    """Whether jobs end by themselves, which wants sources that do."""
    catalog_types: dict[str, str] = field(default_factory=dict)
    """Catalog → the type it was created with, which is the connector of tables that name none."""
    catalog_options: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Catalog → all options that it was created with."""
    plan_abilities: dict[str, list[str]] = field(default_factory=dict)
    """Table → the abilities that a compiled plan uses of its source or sink."""
    plan_metadata: dict[str, list[str]] = field(default_factory=dict)
    """Table → the metadata that a compiled plan writes, in its order."""
    unknown: set[OpenTable] = field(default_factory=set)
    """The tables whose operators are not known."""
    used: dict[str, dict[str, str]] = field(default_factory=dict)
    """Table → its options."""
    columns: dict[str, list[str]] = field(default_factory=dict)
    """Table → the columns that it reads or writes, without those that are computed."""

    def factory(self) -> Any:
        """The factory of every table."""
        kinds = ("DynamicTableSource", "DynamicTableSink", "ModelProvider")
        names = (f"table.factories.{kind}Factory" for kind in kinds)
        return proxy([name for name in names if has_class(name)], _Factory(self))

    def module(self) -> Any:
        """A module that makes every table whose catalog has no factory."""
        return proxy(["table.module.Module"], _Module(self.factory()))

    def take_plan(self, plan: Mapping[str, Any]) -> list[str]:
        """Note what a compiled plan uses of its sources and sinks; the catalogs that it names."""
        catalogs = []
        for node in plan.get("nodes", ()):
            for part in ("scanTableSource", "dynamicTableSink", "temporalTable"):
                inner = node.get(part) or {}
                inner = inner.get("lookupTableSource", inner)
                identifier = inner.get("table", {}).get("identifier")
                if not isinstance(identifier, str):
                    continue
                table = identifier.replace("`", "")
                abilities = inner.get("abilities") or ()
                used = [_ABILITIES.get(a["type"], a["type"]) for a in abilities]
                self.plan_abilities.setdefault(table, []).extend(used)
                for ability in abilities:
                    if ability["type"] == "WritingMetadata":
                        self.plan_metadata[table] = ability["metadataKeys"]
                catalogs.append(table.partition(".")[0])
        return catalogs

    def leave_open(self, context: Any, connector: str, part: Part, why: str) -> None:
        """Note that operators of a table are not known."""
        identifier = context.getObjectIdentifier()
        table = context.getCatalogModel() if hasattr(context, "getCatalogModel") else context.getCatalogTable()
        options = {str(e.getKey()): str(e.getValue()) for e in table.getOptions().entrySet()}
        given = {**self.catalog_options.get(str(identifier.getCatalogName()), {}), **options}
        decides = sorted((key, value) for key, value in given.items() if not _CREDENTIAL.search(key))
        columns = (
            f"{table.getResolvedSchema()} {table.getPartitionKeys()}" if hasattr(table, "getPartitionKeys") else ""
        )
        definition = f"{columns} {decides}"
        self.unknown.add(OpenTable(str(identifier.asSummaryString()), part, why, f"{connector} {definition}"))

    def spec_of(self, context: Any) -> tuple[str, Spec, dict[str, str]]:
        """The connector of a table, what is known of it, and the table's options."""
        identifier = context.getObjectIdentifier()
        options = {str(e.getKey()): str(e.getValue()) for e in context.getCatalogTable().getOptions().entrySet()}
        catalog = self.catalog_types.get(str(identifier.getCatalogName()))
        name = options.get("connector") or options.get("type") or catalog or ""
        table = str(identifier.asSummaryString())
        self.used[table] = options
        of_catalog = self.catalog_options.get(str(identifier.getCatalogName()), {})
        defaults = {k.removeprefix(_TABLE_DEFAULT): v for k, v in of_catalog.items() if k.startswith(_TABLE_DEFAULT)}
        options = {**defaults, **options}
        columns = context.getCatalogTable().getResolvedSchema().getColumns()
        self.columns[table] = [str(c.getName()) for c in columns if c.isPersisted() or c.isPhysical()]
        why = _not_known(identifier.getObjectName(), name, self.connectors.get(name), options)
        spec = self.connectors.get(name, {"lookup": "both"})  # what a statement asks of it, it can
        if why is not None:
            self.leave_open(context, name, Part.ALL, why)
            spec = {**spec, "sink_mode": "any"}
        if table in self.plan_abilities:
            used = self.plan_abilities[table]
            spec = {**spec, **{f"{end}_abilities": [*spec.get(f"{end}_abilities", ()), *used] for end in _ENDS}}
        if table in self.plan_metadata:
            spec = {**spec, "written_metadata": self.plan_metadata[table]}
        return name, spec, options


class _Module:
    """``Module``: tables only. The names of its methods are Java's."""

    def __init__(self, factory: Any) -> None:
        optional = java("java.util.Optional")
        self.listFunctions = always(java("java.util.HashSet")())
        self.getFunctionDefinition = always(optional.empty())
        self.getTableSourceFactory = self.getTableSinkFactory = always(optional.of(factory))


class _Factory:
    """Both factories of tables. The names of its methods are Java's."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    factoryIdentifier = always("stand-in")

    def requiredOptions(self) -> Any:
        return java("java.util.HashSet")()

    optionalOptions = forwardOptions = requiredOptions

    def createDynamicTableSource(self, context: Any) -> Any:
        name, spec, options = self._tables.spec_of(context)
        if spec.get("real_source"):
            real = _real("DynamicTableSourceFactory", name, context)
            return real.createDynamicTableSource(_with_options(context, {**_closed(options), **_of_one(options)}))
        tables = self._tables
        shape = by_option(spec, "source", options, "source")
        if shape == "opaque":
            tables.leave_open(context, name, Part.SOURCE, _not_described(context, name, Part.SOURCE))
        elif shape == "paimon":
            why = left_open_by_paimon(context, options)
            if why is not None:
                tables.leave_open(context, name, Part.SOURCE, why)
        planned = frozenset(tables.plan_abilities)
        return source(Source(spec, options, context, tables.idle_folder, tables.batch, planned))

    def createModelProvider(self, context: Any) -> Any:
        given = str(context.getCatalogModel().getOptions().get("provider"))
        if given not in ASYNCHRONOUS:
            model = context.getObjectIdentifier().getObjectName()
            why = f"unknown provider '{given}' of model {model}: cannot tell its operators"
            self._tables.leave_open(context, given, Part.ALL, why)
        return proxy(["table.ml.AsyncPredictRuntimeProvider"], ModelProvider(self._tables.functions))

    def createDynamicTableSink(self, context: Any) -> Any:
        name, spec, options = self._tables.spec_of(context)
        if spec.get("real_sink"):
            named = spec["real_sink"] if isinstance(spec["real_sink"], str) else name
            found = _real("DynamicTableSinkFactory", named, context)
            taken = tuple(spec.get("real_sink_options", ("",)))
            left_out = {f"{key}*": "" for key in options if not key.startswith(taken)}
            replaced = dict(spec.get("real_options", {}))
            if options.get("format") in spec.get("real_formats", ()):
                del replaced["format"]
            if named == "filesystem":
                replaced |= {"path": self._tables.idle_folder}
                if _COMMIT in options:  # what commits partitions anywhere is the same operator
                    replaced[_COMMIT] = "success-file"
            changed = {**left_out, **_closed(options), **replaced}
            return found.createDynamicTableSink(_with_options(context, changed))
        if spec.get("sink") == "opaque":
            self._tables.leave_open(context, name, Part.SINK, _not_described(context, name, Part.SINK))
        if spec.get("sink") not in WRITTEN:
            return sink(Sink(spec, options, context))
        made = WRITTEN[spec["sink"]](context, options)
        if made.open is not None:
            why = f"{_not_described(context, name, Part.SINK)}: {made.open}"
            self._tables.leave_open(context, name, Part.SINK, why)
        return sink(Sink(spec, options, context, made.provider))


def _not_known(table: Any, connector: str, spec: Spec | None, options: Mapping[str, str]) -> str | None:
    """Why the operators of a table are not known at all, None where they are."""
    places = [key for key in options if is_open(key)]
    if places:
        return f"no value is given for {', '.join(places)}, which may be any options of table {table}"
    if spec is None and not connector:
        return f"table {table} names no connector: the catalog that keeps it decides which operators it has"
    if spec is None:
        return f"unknown connector '{connector}' of table {table}: cannot tell its operators"
    unread = unknown_format(spec, options)
    if unread is None:
        return None
    shown = "" if is_open(unread) or unread.startswith(UNKNOWN_PART) else f" '{unread}'"
    return f"unknown format{shown} of table {table}: cannot tell which changes its rows are"


def _not_described(context: Any, connector: str, end: Part) -> str:
    table = context.getObjectIdentifier().getObjectName()
    return f"cannot tell all operators that the {end} of '{connector}' makes for table {table}"


def _real(kind: str, name: str, context: Any) -> Any:
    utility = java("table.factories.FactoryUtil")
    return utility.discoverFactory(context.getClassLoader(), java(f"table.factories.{kind}").class_, name)


def _closed(options: Mapping[str, str]) -> dict[str, str]:
    """Options with an unfilled place of a template, to be left out."""
    return {f"{name}*": "" for name, value in options.items() if is_open(value)}


def _of_one(options: Mapping[str, str]) -> dict[str, str]:
    """Sequences of generated rows that end where they start: a source keeps all numbers that it has not emitted."""
    sequences = [
        key.removesuffix("kind")
        for key, value in options.items()
        if re.fullmatch(r"fields\..*\.kind", key) and value == "sequence"
    ]
    return {f"{field}end": options[f"{field}start"] for field in sequences if f"{field}start" in options}


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
