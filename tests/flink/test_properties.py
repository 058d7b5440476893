"""What always holds of ids, whatever the program."""

import itertools
import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.errors import GraphTooLargeError
from checker.extract.documents.fields import topology_of
from checker.flink import translate
from checker.flink.operator_ids import fold, local_hash, operator_id
from checker.model.translation import Basis, Translation
from checker.model.unknowns import Unknown
from tests.conformance.random_documents import random_document

VERSIONS = st.sampled_from(["1.13", "1.14", "1.16", "1.20", "2.3"])


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    rng = random.Random(draw(st.integers(0, 2**32)))
    return random_document(rng, 0, size=draw(st.integers(2, 16)))


def ids(translation: Translation) -> list[str | None]:
    return [i.generated for i in translation.identities]


def test_vectors() -> None:
    expected = {
        (0, 0): "bc764cd8ddf7a0cff126f51c16239658", (0, 1): "cbc357ccb763df2852fee8c4fc7d55f2",
        (0, 2): "e3dfc0d7e9ecd8a43f85f0b68ebf3b80", (0, 3): "d618a97df21bbd4bb61c79cdeca965b4",
        (1, 0): "feca28aff5a3958840bee985ee7de4d3", (1, 1): "6cdc5bb954874d922eaee11a8e7b5dd5",
        (2, 0): "605b35e407e90cda15ad084365733fdd", (2, 1): "2963852293169ba90d9d1e7d6308db5c",
        (3, 0): "3ba1d27b7fde4848a86e865c6c402dfa",
    }  # fmt: skip
    assert {key: local_hash(*key).hex() for key in expected} == expected
    assert fold(local_hash(1, 0), local_hash(0, 1)).hex() == "7df19f87deec5680128845fd9a6ca18d"


@pytest.mark.parametrize(
    ("uid", "expected"),
    [
        ("u", "18ee88c14cc4b81e796fad3220cd8db9"),
        ("a", "897859f6655555855a890e51483ab5e6"),
        ("mid", "347a906558d1590437248f894b727772"),
        ("Sink Committer: u", "51359b147e808e18022ff33141851e9e"),
        ("Sink u Global Committer", "dd07367a515c761f84aab6d925c740bd"),
        ("Sink Global Committer: u", "1c43dbcdeadf768a1da5a1f3b1589d4d"),
        ("héllo-中😀", "8d367186d4aeca9482bf057f4cf0461e"),
        ("héllo-中\ud83d\ude00", "8d367186d4aeca9482bf057f4cf0461e"),
        ("x\ud83dy", "01544f241a7618d49c291b03c86bd075"),
        ("x?y", "01544f241a7618d49c291b03c86bd075"),
        ("", "0" * 32),
    ],
)
def test_uid_vectors(uid: str, expected: str) -> None:
    assert operator_id(uid) == expected


def test_chain_of_four() -> None:
    document = {
        "topology": 1,
        "name": "chain",
        "transformations": [
            {"id": "s", "kind": "source"},
            {"id": "a", "kind": "operator", "inputs": ["s"]},
            {"id": "b", "kind": "operator", "inputs": ["a"]},
            {"id": "k", "kind": "legacy-sink", "inputs": ["b"]},
        ],
    }
    assert ids(translate(topology_of(document))) == [
        "cbc357ccb763df2852fee8c4fc7d55f2",
        "570f707193e0fe32f4d86d067aba243b",
        "ba40499bacce995f15693b1735928377",
        "3d05135cf7d8f1375d8f655ba9d20255",
    ]


@given(documents(), VERSIONS)
def test_handles_and_names_move_no_id(document: dict[str, Any], version: str) -> None:
    before = translate(topology_of(document), version)
    renamed = json.loads(json.dumps(document))
    for transformation in renamed["transformations"]:
        transformation["id"] = "renamed " + transformation["id"]
        transformation["inputs"] = ["renamed " + i for i in transformation.get("inputs", [])]
        transformation["name"] = "another name"
        if transformation["kind"] in ("partition", "union", "side-output"):
            del transformation["name"]
    after = translate(topology_of(renamed), version)
    assert ids(before) == ids(after)
    assert (before.refusal and before.refusal.kind) == (after.refusal and after.refusal.kind)


@given(documents(), VERSIONS, st.integers(0, 30))
def test_a_uid_is_immune_to_what_surrounds_it(document: dict[str, Any], version: str, place: int) -> None:
    """Another operator put anywhere: every uid keeps its id."""
    before = translate(topology_of(document), version)
    edited = json.loads(json.dumps(document))
    transformations = edited["transformations"]
    streams = [t for t in transformations if t["kind"] in ("source", "legacy-source", "operator")]
    target = streams[place % len(streams)]
    inserted = {"id": "inserted", "kind": "operator", "inputs": [target["id"]]}
    transformations.insert(transformations.index(target) + 1, inserted)
    after = translate(topology_of(edited), version)
    if before.refusal or after.refusal:
        return
    kept = after.node_by_key
    for identity in before.identities:
        node = before.stream_graph.nodes[identity.node] if before.stream_graph else None
        if node is not None and identity.ingredients.basis is Basis.UID:
            assert after.identities[kept[node.key].number].generated == identity.generated


def test_ids_do_not_depend_on_the_hash_seed(tmp_path: Any) -> None:
    path = tmp_path / "d.jsonl"
    lines = [json.dumps(random_document(random.Random(seed), seed, size=20)) for seed in range(40)]
    path.write_text("\n".join(lines))
    answers = {
        subprocess.run(
            [sys.executable, "-m", "checker.cli", "ids", str(path), "--format", "json", "--explain"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(answers) == 1


CONCRETE: dict[str, list[Any]] = {
    "parallelism": [1, 2, 3, 7, 11],
    "chaining": ["always", "never", "head"],
    "slot_sharing_group": ["default", "a", "zzz"],
    "committer": [True, False],
    "partitioner": ["forward", "rebalance", "hash"],
}


@given(documents(), VERSIONS, st.data())
def test_what_is_certain_holds_for_every_value_of_an_unknown(
    document: dict[str, Any], version: str, data: st.DataObject
) -> None:
    """Hide up to two values; an id still called certain is the id under every value that could stand there."""
    hidden = json.loads(json.dumps(document))
    places: list[tuple[int | None, str]] = [(None, "parallelism")]
    for number, transformation in enumerate(hidden["transformations"]):
        kind = transformation["kind"]
        if kind == "partition":
            places.append((number, "partitioner"))
        elif kind not in ("union", "side-output"):
            places.extend((number, field) for field in ("parallelism", "chaining", "slot_sharing_group"))
            if kind == "sink":
                places.append((number, "committer"))
    chosen = data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=2, unique=True))
    for number, field in chosen:
        (hidden if number is None else hidden["transformations"][number])[field] = {"unknown": "hidden"}
    open_answer = translate(topology_of(hidden), version)
    certain = {
        open_answer.stream_graph.nodes[i.node].key: i.generated
        for i in open_answer.identities
        if open_answer.stream_graph and i.generated is not None
    }
    for _ in range(3):
        concrete = json.loads(json.dumps(hidden))
        for number, field in chosen:
            value = data.draw(st.sampled_from(CONCRETE[field]))
            (concrete if number is None else concrete["transformations"][number])[field] = value
        answer = translate(topology_of(concrete), version)
        if answer.refusal is not None or open_answer.refusal is not None:
            continue
        by_key = answer.node_by_key
        for key, generated in certain.items():
            if key in by_key:
                assert answer.identities[by_key[key].number].generated == generated, (key, chosen)


@given(documents(), VERSIONS, st.integers(0, 30))
def test_unreadable_operators_leave_uids_certain(document: dict[str, Any], version: str, place: int) -> None:
    hidden = json.loads(json.dumps(document))
    streams = [t for t in hidden["transformations"] if t["kind"] in ("source", "legacy-source", "operator")]
    target = streams[place % len(streams)]
    hole = {"id": "hole", "kind": "unknown", "inputs": [target["id"]], "unknown": "built elsewhere"}
    hidden["transformations"].insert(hidden["transformations"].index(target) + 1, hole)
    answer = translate(topology_of(hidden), version)
    if answer.refusal is not None:
        return
    assert answer.stream_graph is not None
    assert any(u.unknown.reason == "built elsewhere" for u in answer.undecided)
    for identity in answer.identities:
        node = answer.stream_graph.nodes[identity.node]
        if isinstance(node.uid, str):
            assert identity.generated == operator_id(node.uid)
        elif node.declared.id == target["id"] and node.uid is None:
            assert identity.generated is None  # one of its outputs may or may not chain


def united_with_itself(times: int) -> dict[str, Any]:
    unions = [{"id": f"s{n + 1}", "kind": "union", "inputs": [f"s{n}", f"s{n}"]} for n in range(times)]
    return {
        "topology": 1,
        "name": "united",
        "transformations": [
            {"id": "s0", "kind": "source"},
            *unions,
            {"id": "out", "kind": "legacy-sink", "inputs": [f"s{times}"]},
        ],
    }


def test_a_stream_united_with_itself_over_and_over_is_refused_at_once() -> None:
    """Flink makes an edge for each of the 2^n ways; so do we, up to a bound."""
    graph = translate(topology_of(united_with_itself(4))).stream_graph
    assert graph is not None
    assert len(graph.edges) == 16
    for times in (18, 60, 2000):
        with pytest.raises(GraphTooLargeError, match="more than 100000 connections"):
            translate(topology_of(united_with_itself(times)))


def test_a_refused_shape_says_nothing_of_the_shapes_that_are_not_seen() -> None:
    source = {"id": "s", "kind": "source"}
    hole = {"id": "?", "kind": "unknown", "unknown": {"unknown": "how often a loop runs"}}
    sinks = [{"id": name, "kind": "legacy-sink", "uid": "twice", "inputs": ["s"]} for name in ("a", "b")]
    seen = topology_of({"topology": 1, "name": "one", "transformations": [hole, source, *sinks]})
    with pytest.raises(GraphTooLargeError, match="Hash collision"):
        translate(replace(seen, variants_unknown=Unknown("how often a loop runs")))
    assert translate(seen).refusal is not None


def test_too_many_possible_programs_of_which_one_is_refused_are_no_graph() -> None:
    names = ["s", *(f"m{n}" for n in range(8))]
    chain = [
        {"id": after, "kind": "operator", "inputs": [before], "parallelism": {"unknown": f"argument {after}"}}
        for before, after in itertools.pairwise(names)
    ]
    sinks = [{"id": name, "kind": "legacy-sink", "uid": "twice", "inputs": ["m7"]} for name in ("a", "b")]
    document = {"topology": 1, "name": "many", "transformations": [{"id": "s", "kind": "source"}, *chain, *sinks]}
    with pytest.raises(GraphTooLargeError, match="Hash collision"):
        translate(topology_of(document))
