"""A planned job as a topology: the operators that Flink's planner made, with the states that Flink gave them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from checker.extract.connectors.tables import hosts
from checker.extract.runtime.capture.topologies import handles_of, topology_of
from checker.extract.sql.connectors import Part, connectors
from checker.extract.sql.planner.meaning import Lineage, named_by_connector, parse
from checker.extract.sql.planner.planning import PlannedJob, PlannedScript, WrittenStates
from checker.extract.sql.programs import UNKNOWN_PART
from checker.model.declared_state import Expiry, Meaning, StateDescriptor, StateKind
from checker.model.flink_releases import minor_of
from checker.model.nested import Json
from checker.model.topology import Kind, Topology, Transformation, constant_digest
from checker.model.unknowns import OF_TABLES, Cause, Location, Maybe, Unknown

EXTRACTOR = "sql"
PLANNED_PARALLELISM = 3
"""What a script is planned with whose deployment decides: an operator that has it is one that takes the default."""

_NODE_NUMBER = re.compile(r"\[\d+\]")
_COUNTED_UIDS = (
    "uids begin with the number of statements that the session planned before (table.exec.uid.generation = ALWAYS with "
    "<id> in table.exec.uid.format), so they change with the statements before; leave <id> out "
    "(<type>_<transformation>), execute a compiled plan, or set execution.target to the application mode that deploys "
    "it, which gives every job a session of its own"
)
_IDENTITY = ("topic", "topics", "topic-pattern", "stream", "stream.arn", "path", "table-name", "database-name",
             "schema-name", "collection", "index", "queue", "tablename", "namespace")  # fmt: skip
"""Options that say which data a table is, whatever its connector."""
_SERVERS = ("properties.bootstrap.servers", "hostname", "hosts")
"""Those that say where it is, of connectors that keep positions."""
_PLAIN = re.compile(r"[\w./:@ -]+")
_FORMATS_BY_PLACE = frozenset({"csv", "raw"})
_LEFT_OPEN = Unknown("the script leaves the default parallelism to the deployment", Cause.ARGUMENT, "--parallelism")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPlace:
    """What a topology is built from, beside the plan."""

    name: str
    flink: str
    location: Location
    files: tuple[str, ...]
    locations: Mapping[str, Location] = field(default_factory=dict)
    """Table → the insert that writes it, in a statement set of several."""
    parallelism: int | None
    """What the deployment passes, None where that is not given."""
    answer: PlannedScript
    """What the planner says of all jobs that it planned together."""
    asked: str
    """A digest of all that the planner was asked: what it leaves open is the same for the same question."""


def planned_topology(job: PlannedJob, place: JobPlace) -> Topology:
    """The topology of one planned job."""
    assert job.graph is not None
    graph = named_graph(job.graph)
    topology = topology_of(graph, name=place.name, flink=place.flink)
    handles = handles_of(graph)
    nodes = {handles[node["id"]]: node for node in graph["nodes"]}
    written = dict(job.states)
    tables = place.answer.tables
    data = {table: _identity(options) for table, options in tables.items()}
    by_place = [table for table, options in tables.items() if _knows_places(options)]
    lineage = Lineage(data, place.answer.columns, by_place, job.graph.get("time_zone"))
    meanings = {node["id"]: lineage.meaning(node) for node in job.graph["nodes"]}
    inserts = _inserts(graph, place)
    transformations = tuple(
        t if (node := nodes.get(t.id)) is None
        else _operator(t, node, written.get(node["id"]), meanings[node["id"]], job.states_failure,
                       replace(place, location=inserts[node["id"]]))
        for t in topology.transformations
    )  # fmt: skip
    left_open = place.parallelism is None and any(t.parallelism is None and not t.kind.virtual for t in transformations)
    parallelism: Maybe[int] = _LEFT_OPEN if left_open else topology.parallelism
    return replace(
        topology,
        transformations=transformations,
        parallelism=parallelism,
        unstable=(_COUNTED_UIDS,) if job.counted_uids else (),
        extractor=EXTRACTOR,
        location=place.location,
        files=place.files,
    )


def _identity(options: Mapping[str, str]) -> str:
    """What identifies the data of a table."""
    return " ".join(options[key] for key in _IDENTITY if key in options)


def _read_data(options: Mapping[str, str]) -> tuple[str, ...]:
    """What a source's positions are positions in; nothing for patterns, and where the script leaves it open."""
    data = _identity(options)
    found = data.split(";")
    return tuple(found) if all(map(_PLAIN.fullmatch, found)) and UNKNOWN_PART not in data else ()


def _knows_places(options: Mapping[str, str]) -> bool:
    """Whether the formats of a table know its columns by their place."""
    formats = {options[key] for key in ("format", "key.format", "value.format") if key in options}
    return bool(formats) and formats <= _FORMATS_BY_PLACE


def _inserts(graph: Json, place: JobPlace) -> dict[int, Location]:
    """Node → the one insert that it works for; the statement where it works for several, or where that is not known."""
    reached: dict[int, set[Location]] = {node["id"]: set() for node in graph["nodes"]}
    for node in reversed(graph["nodes"]):
        if not node["out"]:
            written = [at for table, at in place.locations.items() if _writes(node, table)]
            reached[node["id"]].add(written[0] if len(written) == 1 else place.location)
        for edge in node["in"]:
            reached[edge["from"]] |= reached[node["id"]]
    return {node: next(iter(found)) if len(found) == 1 else place.location for node, found in reached.items()}


def _writes(node: Json, table: str) -> bool:
    name = re.escape(table.rpartition(".")[2])
    return re.fullmatch(rf"(?:Sink: )?{name}(?:: .*)?", node["name"] or "") is not None


def named_graph(graph: Json) -> Json:
    """The graph without the planner's numbers in names: they change with every node that comes before."""
    return {
        **graph,
        "nodes": [{**node, "description": _described(node), "name": _name(node)} for node in graph["nodes"]],
    }


def _described(node: Json) -> str:
    """The node's description; until 1.14 that is its name."""
    return node.get("description") or (node["name"] or "").removeprefix("Source: ").removeprefix("Sink: ")


def _name(node: Json) -> str:
    """Sources by their table, as the planner calls them; from 2.1 on some keep the name that their connector gives."""
    name = _NODE_NUMBER.sub("", node["name"] or "")
    table = _table(node)
    return name if table is None else f"Source: {table.rpartition('.')[2]}"


def _table(node: Json) -> str | None:
    """The full name of the table that a source reads, None for operators."""
    if node["in"]:
        return None
    described = parse(_described(node)).attributes.get("table")
    if described is not None:
        return ".".join(part.strip() for part in described.strip("[]").split(",")[:3])
    return named_by_connector(node["name"])


def _operator(
    transformation: Transformation,
    node: Json,
    written: WrittenStates | None,
    meaning: Meaning | None,
    failure: str | None,
    place: JobPlace,
) -> Transformation:
    unknown = _unknown_node(node, place)
    if unknown is not None and (transformation.uid is not None or _looks_up(node)):  # the id does not depend on it
        return replace(transformation, state=unknown, stateful=unknown, location=place.location)
    if unknown is not None:
        return Transformation(
            id=transformation.id,
            kind=Kind.UNKNOWN,
            inputs=transformation.inputs,
            unknown=unknown,
            location=place.location,
        )
    parallelism = transformation.parallelism
    if place.parallelism is None and parallelism == PLANNED_PARALLELISM:
        parallelism = None
    if not node["in"]:
        options = place.answer.tables.get(_table(node) or "", {})
        servers = [options[key] for key in _SERVERS if key in options and UNKNOWN_PART not in options[key]]
        transformation = replace(transformation, reads=_read_data(options), reads_at=hosts(servers))
    described = parse(node.get("description") or node["name"])
    transformation = replace(
        transformation,
        parallelism=parallelism,
        meaning=meaning if node["in"] else None,
        operator=transformation.operator or f"sql {described.kind if node['in'] else 'TableSourceScan'}",
        function_values=tuple(constant_digest(*item) for item in described.attributes.items() if item[0] == "where"),
        location=place.location,
    )
    transformation = replace(transformation, function=_table(node) or transformation.computes)
    if failure is not None or (written is not None and written.problem is not None):
        why = failure or f"a state that could not be read: {written.problem if written else ''}"
        keeps = transformation.keyed or transformation.stateful is not False
        return replace(
            transformation,
            state=(unknown := Unknown(why, Cause.EXTERNAL, derived_from=f"{OF_TABLES}{place.asked} {node['id']}")),
            stateful=unknown if keeps and not transformation.keyed else keeps,
        )
    if transformation.kind in (Kind.LEGACY_SOURCE, Kind.LEGACY_SINK) and "$Proxy" in (node.get("function") or ""):
        # Flink's own functions are the real ones, or stand for those that keep nothing
        end = "sink" if node["in"] else "source"
        table = _table(node) or described.attributes.get("table", "").strip("[]")
        options = place.answer.tables.get(table, {})
        kept = connectors(minor_of(place.flink)).get(options.get("connector", ""), {}).get(f"{end}_keeps")
        if kept is not None:
            states = tuple(StateDescriptor(name=name, kind=StateKind(kind)) for name, kind in kept)
            return replace(transformation, state=states, stateful=bool(states))
        why = f"cannot tell what the connector's {end} function keeps"
        derived_from = f"{OF_TABLES}{table} {_identity(options)}"
        open_state = Unknown(why, Cause.CONNECTOR, derived_from=derived_from)
        return replace(transformation, state=open_state, stateful=True)
    if written is None:
        return replace(transformation, state=(), stateful=False)
    states = tuple(
        replace(s, value_type=node["stages"]) if s.name == "nfaStateName" else _expiring(s, node.get("retention", {}))
        for s in written.states
        if s.kind is not StateKind.COORDINATOR or transformation.kind.source
    )
    return replace(transformation, state=states, stateful=bool(written.states), key_serializer=written.key)


def _expiring(state: StateDescriptor, retentions: Mapping[str, int]) -> StateDescriptor:
    """A state with the length of its time-to-live: that of its own input where an operator has several."""
    lengths = {length for name, length in retentions.items() if name.startswith(str(state.name).partition("-")[0])}
    lengths = lengths or set(retentions.values())
    if state.ttl is not True or len(lengths) != 1:
        return state
    return replace(state, expiry=Expiry(milliseconds=lengths.pop()))


def _looks_up(node: Json) -> bool:
    """Whether an operator asks a table or a model for each row: it may keep rows that wait for an answer."""
    return (
        (node.get("description") or node["name"] or "").lstrip("[0123456789]:").startswith(("LookupJoin", "MLPredict"))
    )


def _open_table(node: Json, place: JobPlace, *parts: Part) -> Unknown | None:
    """Why a node of a table is not known, as far as the parts concern it."""
    text = f"{node.get('description') or ''} {node['name']}"
    for table in place.answer.unknown:
        short = re.escape(table.table.replace("`", "").rpartition(".")[2])
        if table.part in parts and re.search(rf"(?:, |: |^ ?|\.){short}\b", text):
            return Unknown(table.why, Cause.CONNECTOR, derived_from=f"{OF_TABLES}{table.definition}")
    return None


def _unknown_node(node: Json, place: JobPlace) -> Unknown | None:
    """Why the operators that a node stands for are not known, where they are not."""
    if not node["in"]:
        return _open_table(node, place, Part.ALL, Part.SOURCE)
    if not node["out"]:
        return _open_table(node, place, Part.ALL, Part.SINK)
    return _open_table(node, place, Part.ALL) if _looks_up(node) else None
