"""Compiled SQL plans (``COMPILE PLAN``) read as documents: their operators and the uids that Flink gives them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from checker.errors import DocumentError, ExtractionError, PipelineMissingError, RevisionError
from checker.extract.asking.consulted import ask, plain, remembered
from checker.extract.asking.content_facts import Fact, Facts
from checker.extract.sql.scripts.discovery import discover_scripts
from checker.extract.sql.scripts.reading import is_script
from checker.model.flink_releases import minor_of
from checker.model.nested import gathered
from checker.model.pipelines import Discovery, ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Kind, PartitionerKind, Topology, Transformation
from checker.model.unknowns import Cause, Location, Unknown

_FORMATS = (((1, 16), "<id>_<transformation>"), ((1, 15), "<id>_<type>_<version>_<transformation>"))
"""The default of ``table.exec.uid.format`` from each version on, newest first."""
_FORMAT_KEY = "table.exec.uid.format"

VIRTUAL = frozenset({"exchange", "union"})
BY_POSITION = frozenset({"match", "interval-join", "python-calc", "python-correlate"})
"""Nodes that may become several operators beside the one that is named."""


@dataclass(frozen=True, slots=True)
class NodeKind:
    """``transformation`` is the last part of the uid."""

    transformation: str
    stateful: bool | Unknown
    kind: Kind = Kind.OPERATOR


_CONNECTOR = Unknown("the connector decides whether there is state", Cause.CONNECTOR)


def _same(*names: str, stateful: bool) -> dict[str, NodeKind]:
    return {name: NodeKind(name, stateful) for name in names}


NODES: dict[str, NodeKind] = {
    "table-source-scan": NodeKind("source", _CONNECTOR, Kind.SOURCE),
    "sink": NodeKind("sink", _CONNECTOR, Kind.SINK),
    **_same("calc", "watermark-assigner", "expand", "correlate", "drop-update-before", "mini-batch-assigner",
            "local-group-aggregate", "local-window-aggregate", stateful=False),
    **_same("group-aggregate", "global-group-aggregate", "incremental-group-aggregate", "join", "temporal-join",
            "interval-join", "rank", "deduplicate", "window-aggregate", "global-window-aggregate", "window-join",
            "window-rank", "window-deduplicate", "over-aggregate", "changelog-normalize", "match", "limit",
            "sort-limit", "temporal-sort", "group-window-aggregate", "group-table-aggregate", stateful=True),
    "lookup-join": NodeKind("lookup-join", Unknown("a lookup join may keep what it looked up", Cause.EXTERNAL)),
    "window-table-function": NodeKind("window", Unknown("a window function of its own may hold state", Cause.EXTERNAL)),
}  # fmt: skip
"""Type of a node without ``stream-exec-`` and its version → what it is."""


def uid_of(node: dict[str, Any], transformation: str, name: str, version: str, flink: str) -> str | Unknown:
    """The uid that Flink gives the operator: the plan's own format, else the default of ``flink``."""
    configuration = node.get("configuration")
    given = configuration.get(_FORMAT_KEY) if isinstance(configuration, dict) else None
    default = next((pattern for since, pattern in _FORMATS if minor_of(flink) >= since), _FORMATS[-1][1])
    pattern = given if isinstance(given, str) else default
    values = {"id": str(node["id"]), "type": name, "version": version, "transformation": transformation}
    unknown = [key for key in re.findall(r"<(\w+)>", pattern) if key not in values]
    if unknown:
        return Unknown(f"the uid format '{pattern}' names <{unknown[0]}>, which is not known", Cause.UNSUPPORTED)
    return re.sub(r"<(\w+)>", lambda match: values[match[1]], pattern)


_TYPE = re.compile(r"(?P<name>[a-z0-9-]+)_(?P<version>\d+)")
_PARTITIONERS = {
    "HASH": PartitionerKind.HASH,
    "BROADCAST": PartitionerKind.BROADCAST,
    "SINGLETON": PartitionerKind.GLOBAL,
    "FORWARD": PartitionerKind.FORWARD,
}
_NOT_READ = "the planner adds operators of its own around this one"
_CHAINS = Unknown("which operators of a plan are chained is decided when it is run", Cause.EXTERNAL)

Node = dict[str, Any]


def discover(files: SourceFiles) -> Discovery:
    """Every script and every compiled plan of the revision. A broken plan is a note, not a stop."""
    entries = [
        PipelineEntry(name=name, extract=ExtractorKind.SQL, file=path, files=tuple(paths), tables_of=tuple(others))
        for name, path, paths, others in remembered("scripts of SQL", files, _scripts)
    ]
    notes: list[Note] = []
    json_files = (path for path in ask(files, "ending", ".json") if not path.endswith(".topology.json"))
    for path, (plan,) in _PLANS.of(plain(files), json_files, absent=(_BROKEN,)).items():
        if not plan:
            continue
        try:
            if plan == _BROKEN:
                _plan(files.read(path), path)
        except (DocumentError, RevisionError) as error:
            notes.append(Note(message=str(error), location=Location(path, 1)))
            continue
        name = path.rpartition("/")[2].removesuffix(".json")
        entries.append(PipelineEntry(name=name, extract=ExtractorKind.SQL, file=path))
    return Discovery(entries=tuple(sorted(entries, key=lambda e: (e.name, e.file or ""))), notes=tuple(notes))


def extract(files: SourceFiles, entry: PipelineEntry) -> Topology:
    """The operators of one plan. What the planner adds beside them is one unknown; ids that come from uids hold.

    Raises DocumentError for a file that is not a plan, PipelineMissingError where there is none.
    """
    if is_script(entry):
        raise ExtractionError("a script is planned by Flink's planner, before any engine starts")
    if entry.file is None:
        raise ExtractionError(f'pipeline \'{entry.name}\': extract = "sql" needs file = "PLAN.json"')
    try:
        data = files.read(entry.file)
    except KeyError:
        raise PipelineMissingError(f"pipeline '{entry.name}': the revision has no file '{entry.file}'") from None
    plan = _plan(data, entry.file)
    version = entry.flink or str(plan["flinkVersion"])
    return Topology(
        name=entry.name,
        transformations=tuple(_Reader(plan, entry.file, version).all()),
        flink=version,
        parallelism=entry.parallelism or 1,
        max_parallelism=entry.max_parallelism,
        chaining=_CHAINS,
        location=Location(entry.file, 1),
        extractor="sql",
        files=(entry.file,),
    )


def _scripts(files: SourceFiles) -> list[list[Any]]:
    return [[e.name, e.file, list(e.files), list(e.tables_of)] for e in discover_scripts(files).entries]


_BROKEN = 2


def _look(data: bytes) -> Fact:
    """1 for a compiled plan, 2 for a file that only looks like one."""
    if b'"flinkVersion"' not in data or b'"edges"' not in data:
        return (0,)
    try:
        _plan(data, "")
    except DocumentError:
        return (_BROKEN,)
    return (1,)


_PLANS = Facts("compiled plans", _look)


def _plan(data: bytes, path: str) -> Node:
    """The plan, checked as far as it is read."""
    try:
        plan = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"{path}: no JSON: {error}") from None
    if not isinstance(plan, dict) or not isinstance(plan.get("flinkVersion"), str):
        raise DocumentError(f"{path}: no compiled plan: 'flinkVersion' is missing")
    for field, keys in (("nodes", {"id": int, "type": str}), ("edges", {"source": int, "target": int})):
        entries = plan.get(field)
        if not isinstance(entries, list):
            raise DocumentError(f"{path}: {field}: must be a list")
        for place, entry in enumerate(entries):
            for key, kind in keys.items():
                if (
                    not isinstance(entry, dict)
                    or not isinstance(entry.get(key), kind)
                    or isinstance(entry.get(key), bool)
                ):
                    raise DocumentError(f"{path}: {field}[{place}].{key}: must be {kind.__name__}")
    ids = {node["id"] for node in plan["nodes"]}
    if len(ids) != len(plan["nodes"]):
        raise DocumentError(f"{path}: nodes: two have the same id")
    for place, edge in enumerate(plan["edges"]):
        for end in ("source", "target"):
            if edge[end] not in ids:
                raise DocumentError(f"{path}: edges[{place}].{end}: there is no node {edge[end]}")
    return plan


class _Reader:
    """Nodes in the plan's order, which has inputs first."""

    def __init__(self, plan: Node, path: str, flink: str) -> None:
        self.nodes: list[Node] = plan["nodes"]
        self.path = path
        self.flink = flink
        self.inputs = gathered((edge["target"], edge["source"]) for edge in plan["edges"])

    def all(self) -> list[Transformation]:
        """One transformation per node, and an unknown for each that is more than one operator."""
        declared: dict[int, str] = {}
        found: list[Transformation] = []
        waiting = list(self.nodes)
        while waiting:
            ready = [n for n in waiting if all(i in declared for i in self.inputs.get(n["id"], ()))]
            if not ready:
                raise DocumentError(f"{self.path}: edges: the nodes form a cycle")
            for node in ready:
                made = self._read(node, tuple(declared[i] for i in self.inputs.get(node["id"], ())))
                declared[node["id"]] = made[0].id
                found.extend(made)
            waiting = [n for n in waiting if n["id"] not in declared]
        return found

    def _read(self, node: Node, inputs: tuple[str, ...]) -> list[Transformation]:
        match = _TYPE.fullmatch(node["type"])
        name = match["name"] if match else str(node["type"])
        short = name.removeprefix("stream-exec-").removeprefix("batch-exec-")
        handle = f"{node['id']} {short}"
        at = Location(self.path, 1)
        if short in VIRTUAL and inputs:
            if short == "union":
                return [Transformation(id=handle, kind=Kind.UNION, inputs=inputs)]
            return [
                Transformation(id=handle, kind=Kind.PARTITION, inputs=inputs, partitioner=_partitioner(node))
            ]  # fmt: skip
        known = NODES.get(short)
        if known is None or match is None:
            reason = f"'{node['type']}' is not a kind of node that is known"
            return [
                Transformation(
                    id=handle, kind=Kind.UNKNOWN, inputs=inputs, unknown=Unknown(reason, Cause.UNSUPPORTED, None, at)
                )
            ]  # fmt: skip
        uid = uid_of(node, known.transformation, match["name"], match["version"], self.flink)
        physical = Transformation(
            id=handle,
            kind=known.kind,
            inputs=() if known.kind is Kind.SOURCE else inputs,
            name=_name(node, short),
            uid=uid,
            stateful=True if node.get("state") else known.stateful,
            operator="sql-" + short,
            committer=Unknown("whether the sink has a committer, its connector decides", Cause.CONNECTOR)
            if known.kind is Kind.SINK
            else False,
            location=at,
        )
        if short not in BY_POSITION:
            return [physical]
        more = Unknown(f"{short}: {_NOT_READ}", Cause.EXTERNAL, None, at)
        return [physical, Transformation(id=f"around {handle}", kind=Kind.UNKNOWN, inputs=inputs, unknown=more)]


def _partitioner(node: Node) -> PartitionerKind | Unknown:
    properties = node.get("inputProperties")
    first = properties[0] if isinstance(properties, list) and properties else {}
    wanted: Any = first.get("requiredDistribution") if isinstance(first, Mapping) else None
    kind = wanted.get("type") if isinstance(wanted, Mapping) else None
    return _PARTITIONERS.get(str(kind)) or Unknown(f"a distribution '{kind}' that is not known", Cause.UNSUPPORTED)


def _name(node: Node, short: str) -> str:
    """What the planner calls the operator: the head of its description and the node's id."""
    head = str(node.get("description", short)).partition("(")[0]
    for field in ("scanTableSource", "dynamicTableSink"):
        content = node.get(field)
        table = content.get("table") if isinstance(content, Mapping) else None
        identifier = table.get("identifier") if isinstance(table, Mapping) else None
        if isinstance(identifier, str):
            head = identifier.replace("`", "").rpartition(".")[2]
    return f"{head}[{node['id']}]"
