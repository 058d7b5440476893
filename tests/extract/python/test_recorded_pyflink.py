"""Scripts read from source give the nodes and ids that real PyFlink was seen to build from them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from checker.extract import python
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.report.ids import ids_document

DATA = Path(__file__).parents[2] / "data" / "python"
VERSIONS = ("1.20.5", "2.3.0")
SCRIPTS = sorted(path.stem for path in (DATA / "scripts").glob("*.py"))


def recorded(version: str) -> dict[str, dict[str, Any]]:
    with gzip.open(DATA / f"pyflink-{version}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {record["script"]: record for record in map(json.loads, lines)}


def edges_of(nodes: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    return sorted(
        (node["name"], nodes[edge["to"]]["name"], edge["partitioner"], edge["tag"] or "")
        for node in nodes
        for edge in node["out"]
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_every_script_has_a_record(version: str) -> None:
    assert sorted(recorded(version)) == SCRIPTS
    assert len(SCRIPTS) >= 15


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_nodes_and_ids_are_pyflinks(script: str, version: str) -> None:
    path = f"{script}.py"
    files = MemoryFiles({path: (DATA / "scripts" / path).read_bytes()})
    entry = PipelineEntry(name=script, extract=ExtractorKind.PYTHON, file=path, flink=version)
    translation = translate(python.extract(files, entry))
    assert translation.refusal is None
    assert translation.certain
    ours = ids_document(translation)
    truth = recorded(version)[script]
    assert [(v["id"], v["name"], [o["generated"] for o in v["operators"]]) for v in ours["vertices"]] == [
        (v["id"], v["name"], v["operators"]) for v in truth["vertices"]
    ]
    fields = ("name", "uid", "parallelism", "chaining")
    expected = sorted(json.dumps([node[f] for f in fields]) for node in truth["nodes"])
    assert sorted(json.dumps([node[f] for f in fields]) for node in ours["nodes"]) == expected
    assert edges_of(ours["nodes"]) == edges_of(truth["nodes"])
