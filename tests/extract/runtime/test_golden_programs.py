"""The golden Java programs through our capture: Flink's own job graph, our recomputed core, and the source reader.

All programs of a version run in one child, one after the other: ``Several`` submits a job that names the next one.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from checker.extract.runtime.capture.capturing import RunnableProgram, run
from checker.extract.runtime.capture.topologies import disagreements, topology_of
from checker.flink import translate
from checker.model.declared_state import StateKind
from checker.model.nested import Json
from checker.model.stream_graph import StreamNode
from checker.model.topology import Kind
from checker.model.translation import Translation
from checker.model.unknowns import Unknown
from tests.extract.java.recorded import UNSTABLE_NAMES
from tests.extract.java.test_golden import FOLDER, LEFT_OPEN, read, recordings, sources
from tests.extract.runtime.conftest import SEVERAL, by_program
from tests.flinks import compiled, jars_of, packed

pytestmark = [pytest.mark.flink, pytest.mark.timeout(300)]

VERSIONS = ("1.20.5", "2.3.0")
PARALLELISM = 4
UNNAMED = (StateKind.TIMERS, StateKind.COORDINATOR)


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def jobs(version: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Json]:
    """Program → its captured job."""
    folder = tmp_path_factory.mktemp(f"golden-{version}")
    files = [FOLDER / path.rpartition("/")[2] for path in sources(version).paths()]
    lib = jars_of(version)
    jar = packed(compiled(folder, lib, SEVERAL, *files), folder / "golden.jar")
    args = tuple("\t".join([name, *recorded["args"]]) for name, recorded in recordings(version).items())
    captured = run(RunnableProgram(main="Several", jars=(jar,), flink_jars=lib, args=args, parallelism=PARALLELISM))
    assert captured.notes == ()
    found = by_program(captured.jobs)
    assert all(len(jobs) <= 1 for jobs in found.values())
    return {name: jobs[0] for name, jobs in found.items() if jobs}


@cache
def read_from_source(version: str, name: str) -> Translation:
    return read(version, name, PARALLELISM)


def recomputed(job: Json, name: str, version: str) -> Translation:
    return translate(topology_of(job, name=name, flink=version))


def as_recorded(job: Json) -> dict[str, Any]:
    """A captured job in the form of the recordings."""
    place = {node["id"]: number for number, node in enumerate(job["nodes"])}
    fields = ("name", "uid", "uid_hash", "parallelism", "max_parallelism", "slot_sharing_group")
    return {
        "nodes": [
            {
                "node": place[node["id"]],
                **{field: node[field] for field in fields},
                "operator_id": job["operator_ids"][str(node["id"])],
                "chaining": None if node["chaining"] is None else node["chaining"].upper().replace("-", "_"),
            }
            for node in job["nodes"]
        ],
        "edges": [
            [place[node["id"]], place[edge["to"]], edge["type"], edge["partitioner"], edge["tag"]]
            for node in job["nodes"]
            for edge in node["out"]
        ],
        "vertices": [[v["id"], v["name"], [o["generated"] for o in v["operators"]]] for v in job["vertices"]],
    }


def without_unstable_names(graph: dict[str, Any]) -> dict[str, Any]:
    """Names that hold identity hash codes, and numbers that count up through a JVM, left out."""

    def stable(name: str) -> str:
        if any(part in name for part in UNSTABLE_NAMES):
            return "..."
        return name

    return {
        "nodes": [{**node, "name": stable(node["name"])} for node in graph["nodes"]],
        "edges": graph["edges"],
        "vertices": [[id_, stable(name), operators] for id_, name, operators in graph["vertices"]],
    }


def test_every_program_was_captured(version: str, jobs: dict[str, Json]) -> None:
    assert set(jobs) == set(recordings(version))
    assert len(jobs) >= 70


def test_captures_are_what_flink_built_by_itself(version: str, jobs: dict[str, Json]) -> None:
    for name, recorded in recordings(version).items():
        wanted = {key: recorded[key] for key in ("nodes", "edges", "vertices")}
        assert without_unstable_names(as_recorded(jobs[name])) == without_unstable_names(wanted), name


def without_iterations(jobs: dict[str, Json]) -> dict[str, Json]:
    return {name: job for name, job in jobs.items() if all("factory" in node for node in job["nodes"])}


def test_our_core_recomputes_what_flink_computed(version: str, jobs: dict[str, Json]) -> None:
    for name, job in without_iterations(jobs).items():
        assert disagreements(job, recomputed(job, name, version)) == (), name


def test_the_source_reader_agrees_on_ids_wherever_it_is_certain(version: str, jobs: dict[str, Json]) -> None:
    certain = 0
    for name, job in jobs.items():
        source = read_from_source(version, name)
        ids = sorted(i.generated for i in source.identities if i.generated is not None)
        if source.certain:
            certain += 1
            assert ids == sorted(job["operator_ids"].values()), name
    assert certain == len(jobs.keys() - LEFT_OPEN)


def pairs(version: str, jobs: dict[str, Json]) -> Iterator[tuple[str, StreamNode, StreamNode]]:
    """Program, an operator as read from source, the operator with the same id as captured."""
    for name, job in sorted(without_iterations(jobs).items(), key=lambda item: item[0]):
        if name in LEFT_OPEN:
            continue
        source, captured = read_from_source(version, name), recomputed(job, name, version)
        assert source.stream_graph is not None
        assert captured.stream_graph is not None
        place = {i.generated: i.node for i in captured.identities}
        for identity in source.identities:
            if identity.generated in place:
                yield (
                    name,
                    source.stream_graph.nodes[identity.node],
                    captured.stream_graph.nodes[place[identity.generated]],
                )


def states(node: StreamNode) -> set[tuple[object, object]]:
    assert not isinstance(node.declared.state, Unknown)
    return {(s.name, s.kind) for s in node.declared.state if s.kind not in UNNAMED}


def test_every_operators_state_is_known(version: str, jobs: dict[str, Json]) -> None:
    for name, _, captured in pairs(version, jobs):
        assert not isinstance(captured.declared.state, Unknown), (name, captured.name, captured.declared.state)


def test_the_source_reader_agrees_on_state(version: str, jobs: dict[str, Json]) -> None:
    compared = named = 0
    for name, source, captured in pairs(version, jobs):
        where = (name, captured.name)
        assert isinstance(source.stateful, Unknown) or source.stateful == captured.stateful, where
        compared += 1
        expanded = source.declared.kind is Kind.SINK and not str(source.name).endswith("Writer")
        # The reader lists states of functions and of operators that it knows; none at all stands for "Flink's own".
        if not isinstance(source.declared.state, Unknown) and source.declared.state and not expanded:
            named += 1
            assert states(source) == states(captured), where
    assert compared > 320
    assert named > 30
