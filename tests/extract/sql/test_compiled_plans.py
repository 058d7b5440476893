"""Compiled plans give the uids and ids that Flink gives when it runs them; broken ones give one clear error."""

from __future__ import annotations

import contextlib
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.errors import CheckerError, DocumentError
from checker.extract import sql
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Topology
from checker.model.unknowns import Unknown

DATA = Path(__file__).parents[2] / "data" / "sql"
VERSIONS = ("1.20.5", "2.3.0")


def records(version: str) -> dict[str, dict[str, Any]]:
    with gzip.open(DATA / f"plans-{version}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {record["name"]: record for record in map(json.loads, lines)}


def read(plan: object, flink: str | None = "1.20") -> Topology:
    files = MemoryFiles({"plan.json": plan if isinstance(plan, bytes) else json.dumps(plan).encode()})
    return sql.extract(files, PipelineEntry(name="p", extract=ExtractorKind.SQL, file="plan.json", flink=flink))


@pytest.mark.parametrize("version", VERSIONS)
def test_uids_and_ids_are_those_of_the_executed_plan(version: str) -> None:
    recorded = records(version)
    assert len(recorded) == 10
    for name, record in recorded.items():
        translation = translate(read(record["plan"], version))
        assert translation.stream_graph is not None
        pairs = zip(translation.stream_graph.nodes, translation.identities, strict=True)
        ours = {node.uid: identity.generated for node, identity in pairs}
        assert ours == {operator["uid"]: operator["id"] for operator in record["operators"]}, name


@pytest.mark.parametrize("version", VERSIONS)
def test_keyed_operators_are_known_to_keep_state(version: str) -> None:
    for record in records(version).values():
        stateful = {t.uid: t.stateful for t in read(record["plan"], version).transformations}
        for operator in record["operators"]:
            if operator["keyed"]:
                assert stateful[operator["uid"]] is True


def test_which_operators_are_chained_stays_open() -> None:
    translation = translate(read(records("1.20.5")["group"]["plan"]))
    assert not translation.certain


def plan(**changes: object) -> dict[str, Any]:
    nodes = [
        {"id": 1, "type": "stream-exec-table-source-scan_1"},
        {"id": 7, "type": "stream-exec-rank_1", "configuration": {}},
    ]
    return {"flinkVersion": "1.20", "nodes": nodes, "edges": [{"source": 1, "target": 7}], **changes}


def test_the_uid_format_of_the_plan_or_of_its_version_is_used() -> None:
    assert [t.uid for t in read(plan()).transformations] == ["1_source", "7_rank"]
    old = read(plan(flinkVersion="1.15"), flink=None)
    assert old.transformations[1].uid == "7_stream-exec-rank_1_rank"
    own = plan()
    own["nodes"][1]["configuration"]["table.exec.uid.format"] = "<transformation>!<id>"
    assert read(own).transformations[1].uid == "rank!7"
    own["nodes"][1]["configuration"]["table.exec.uid.format"] = "<mystery>"
    assert isinstance(read(own).transformations[1].uid, Unknown)


def test_a_node_of_an_unknown_kind_is_an_unknown() -> None:
    changed = plan()
    changed["nodes"][1]["type"] = "stream-exec-teleport_3"
    assert read(changed).transformations[1].unknown is not None


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (b"{", "no JSON"),
        ([], "'flinkVersion' is missing"),
        (plan(nodes=3), "nodes: must be a list"),
        (plan(nodes=[{"id": "1", "type": "x"}]), r"nodes\[0\]\.id: must be int"),
        (plan(edges=[{"source": 1, "target": 9}]), r"edges\[0\]\.target: there is no node 9"),
        (plan(edges=[{"source": 1, "target": 7}, {"source": 7, "target": 1}]), "form a cycle"),
    ],
)
def test_broken_plans_name_the_place(broken: object, words: str) -> None:
    with pytest.raises(DocumentError, match=words):
        read(broken)


def test_discovery_knows_plans_from_other_json() -> None:
    good = json.dumps(plan()).encode()
    found = sql.discover(
        MemoryFiles({"a/x.json": good, "b.json": b'{"flinkVersion": 3, "edges": 1}', "c.json": b"{}", "d.txt": good})
    )
    assert [(e.name, e.file) for e in found.entries] == [("x", "a/x.json")]
    assert [note.location.file for note in found.notes if note.location] == ["b.json"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["stream-exec-sink_1", "stream-exec-union_1", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "type", "source", "target", "configuration", "description"]), inner)
    ),
    max_leaves=12,
)


@given(st.lists(json_values, max_size=4), st.lists(json_values, max_size=4))
def test_any_json_is_a_topology_or_a_clear_error(nodes: list[object], edges: list[object]) -> None:
    with contextlib.suppress(CheckerError):
        read({"flinkVersion": "1.20", "nodes": nodes, "edges": edges})
