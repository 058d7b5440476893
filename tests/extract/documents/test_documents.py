"""Topology documents: the schema and the reader agree, errors name the place, writing and reading are inverse."""

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import checker.extract.documents
from checker.errors import DocumentError
from checker.extract.documents.fields import topology_document, topology_of
from checker.extract.documents.reader import iterate_documents
from checker.extract.documents.values import BadFieldError
from checker.model.sources import MemoryFiles

DATA = Path(__file__).parent.parent.parent / "data" / "truth" / "documents.jsonl.gz"
SCHEMA = json.loads((Path(checker.__file__).parent / "schemas" / "topology.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
DOCUMENTS = [json.loads(line) for line in gzip.decompress(DATA.read_bytes()).splitlines()[::5]]

RICH: dict[str, Any] = {
    "topology": 1,
    "name": "rich",
    "flink": "1.20",
    "parallelism": {"unknown": "nobody said", "settled_by": "--parallelism", "cause": "argument"},
    "transformations": [
        {"id": "s", "kind": "source", "uid": "s", "location": {"file": "A.java", "line": 3}},
        {"id": "k", "kind": "partition", "inputs": ["s"], "partitioner": "hash"},
        {
            "id": "p",
            "kind": "operator",
            "inputs": ["k"],
            "keyed": True,
            "operator": "keyed-process",
            "state": [{"name": "seen", "kind": "value", "value_type": "Boolean", "ttl": False}],
            "uid": {"unknown": "UUID.randomUUID()", "cause": "non-deterministic"},
        },
        {"id": "o", "kind": "side-output", "inputs": ["p"], "tag": "late"},
        {"id": "x", "kind": {"unknown": "built elsewhere"}, "inputs": ["o"]},
        {
            "id": "w",
            "kind": "sink",
            "inputs": ["p"],
            "committer": {"unknown": "connector"},
            "uid_hashes": {"writer": "0" * 32},
            "pre_commit": [{"id": "c", "kind": "operator", "inputs": ["@"]}],
        },
    ],
}


def test_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("document", [*DOCUMENTS[::2], RICH], ids=lambda d: d["name"])
def test_schema_takes_what_the_reader_takes(document: dict[str, Any]) -> None:
    VALIDATOR.validate(document)
    topology_of(document)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        found.extend(_places(child, (*path, key)))
    return found


JUNK = st.sampled_from([None, True, 0, -1, 1.5, "", "nonsense", [], {}, ["a"], {"unknown": "why"}, {"a": 1}, 10**9])


@given(st.sampled_from([*DOCUMENTS[::5], RICH]), st.data())
def test_schema_refuses_what_the_reader_refuses(document: dict[str, Any], data: st.DataObject) -> None:
    """One place replaced by junk, removed, or given a stray neighbour: both say no, or both say yes.

    Only what a schema can't say (who is declared before whom) may differ, and then the reader is stricter.
    """
    broken = copy.deepcopy(document)
    path = data.draw(st.sampled_from(_places(broken)))
    parent = broken
    for step in path[:-1]:
        parent = parent[step]
    action = data.draw(st.sampled_from(["replace", "remove", "stray"]))
    if action == "replace":
        parent[path[-1]] = data.draw(JUNK)
    elif action == "remove":
        del parent[path[-1]]
    elif isinstance(parent, dict):
        parent["stray"] = 1
    by_schema = VALIDATOR.is_valid(broken)
    try:
        topology_of(broken)
        by_reader = True
    except BadFieldError as error:
        by_reader = "declared" in error.message or "sink; nothing" in error.message
    assert by_schema == by_reader, (path, action)


@pytest.mark.parametrize("document", [*DOCUMENTS[::2], RICH], ids=lambda d: d["name"])
def test_writing_and_reading_are_inverse(document: dict[str, Any]) -> None:
    topology = topology_of(document)
    assert topology_of(json.loads(json.dumps(topology_document(topology)))) == topology


def test_ids_that_stand_once_in_a_file_have_their_lines() -> None:
    documents = [
        {"topology": 1, "name": n, "transformations": [{"id": i, "kind": "source"} for i in ("s", n)]} for n in "ab"
    ]
    text = json.dumps(documents, indent=1)
    files = MemoryFiles({"all.topology.json": text.encode()})
    for entry in checker.extract.documents.discover(files).entries:
        shared, own = checker.extract.documents.extract(files, entry).transformations
        assert shared.location is None
        assert own.location is not None
        assert f'"id": "{entry.name}"' in text.splitlines()[own.location.line - 1]


def test_yaml_json_and_jsonl_say_the_same() -> None:
    line = json.dumps(RICH)
    expected = list(iterate_documents(line, "a.topology.json"))
    assert list(iterate_documents(yaml.safe_dump(RICH), "a.topology.yaml")) == expected
    assert list(iterate_documents(line + "\n\n", "a.topology.jsonl")) == expected


@pytest.mark.parametrize(
    ("text", "path", "says"),
    [
        ("topology: 1\nname: a\ntransformations:\n  - id: s\n    kind: sauce\n", "a.yaml", "a.yaml: field "
         "transformations[0].kind: must be one of source"),
        ("topology: 1\nname: 7\ntransformations: []\n", "a.yaml", "a.yaml: field name: must be text"),
        ("topology: 1\nname: a\nname: b\n", "a.yaml", "a.yaml:3:1: not YAML: the key 'name' stands twice"),
        ('{"topology": 1, "name": "a"}', "a.json", "a.json: field transformations: is required"),
        ('{"topology": 1, "name": "a", "topology": 1}', "a.json", "a.json: the key 'topology' stands twice"),
        ('{"topology": 1\n"name"', "a.json", "a.json:2:1: not JSON"),
        ('\n{"topology": 2, "name": "a"}', "a.jsonl", "a.jsonl:2: field topology: must be 1, not 2"),
        ("- 1\n", "a.yaml", "a.yaml: a topology document is a mapping, not a list"),
        ("[" * 100_000, "a.json", "a.json: nested too deeply"),
        ("a: &a [*a]\n", "a.yaml", "a.yaml"),
        ('{"topology": 1, "name": "a", "transformations": [{"id": "m", "kind": "operator", "inputs": ["s"]}]}',
         "a.json", "field transformations[0].inputs[0]: 's' is declared nowhere"),
    ],
)  # fmt: skip
def test_errors_name_the_place(text: str, path: str, says: str) -> None:
    with pytest.raises(DocumentError) as raised:
        list(iterate_documents(text, path))
    assert says in str(raised.value)
