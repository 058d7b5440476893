"""Scripts read from source give the jobs, nodes and ids that real PyFlink was seen to build from them."""

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
from tests.extract.python.record_pyflink import DATA, PARALLELISM, programs

VERSIONS = ("1.20.5", "2.3.0")
ARGUMENTS = json.loads((DATA / "programs" / "arguments.json").read_text(encoding="utf-8"))
REFUSED = {"colliding_uids"}
"""Scripts that Flink refuses, here and there."""
ONLY_IN = {"text_files": "1.20.5"}
"""Scripts with calls that the other PyFlink does not have."""
UNDECIDED = {("collected", "2.3.0"): "Flink makes the uid of a collecting sink of a counter"}
NODE = ("name", "uid", "uid_hash", "parallelism", "max_parallelism", "slot_sharing_group", "chaining")
VERTEX = ("id", "name", "parallelism", "max_parallelism")


def recorded(version: str) -> dict[str, dict[str, Any]]:
    with gzip.open(DATA / f"pyflink-{version}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {record["script"]: record for record in map(json.loads, lines)}


TRUTH = {version: recorded(version) for version in VERSIONS}
JOBS = [
    pytest.param(version, script, place, id=f"{script}-{place}-{version}")
    for version in VERSIONS
    for script, record in TRUTH[version].items()
    for place in range(len(record["jobs"]))
]


def files_of(path: Path) -> tuple[MemoryFiles, str]:
    """The script alone, or its whole folder; and its path in there."""
    if path.parent.parent.name != "programs":
        return MemoryFiles({path.name: path.read_bytes()}), path.name
    paths = [p for p in path.parent.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return MemoryFiles({p.relative_to(path.parent).as_posix(): p.read_bytes() for p in paths}), path.name


def entry_of(script: str, main: str, version: str, place: int) -> PipelineEntry:
    return PipelineEntry(
        name=script, extract=ExtractorKind.PYTHON, file=main, flink=version, index=place, parallelism=PARALLELISM,
        args=tuple(ARGUMENTS.get(script, ())),
    )  # fmt: skip


def edges_of(nodes: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted(
        (
            node["name"],
            nodes[edge["to"]]["name"],
            edge["type"],
            edge["partitioner"],
            edge["tag"] or "",
            edge["chainable"],
        )
        for node in nodes
        for edge in node["out"]
    )


def comparable(job: dict[str, Any]) -> dict[str, Any]:
    """A job whose collecting sink has no uid and no id: what is compared where those can't be told."""
    nodes = [{**node, "uid": None} if "collect" in node["name"] else node for node in job["nodes"]]
    vertices = [vertex for vertex in job["vertices"] if "collect" not in vertex["name"]]
    return {"nodes": nodes, "vertices": vertices}


def fields(items: list[dict[str, Any]], names: tuple[str, ...]) -> list[list[Any]]:
    return sorted(([item[name] for name in names] for item in items), key=json.dumps)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_script_has_a_record_and_ran_to_its_end(version: str) -> None:
    assert sorted(TRUTH[version]) == sorted(programs())
    missing = {script for script, only in ONLY_IN.items() if only != version}
    assert {script for script, record in TRUTH[version].items() if record["end"] is not None} == REFUSED | missing
    assert len(programs()) >= 37


@pytest.mark.parametrize(("version", "script", "place"), JOBS)
def test_nodes_and_ids_are_pyflinks(version: str, script: str, place: int) -> None:
    files, main = files_of(programs()[script])
    truth = TRUTH[version][script]["jobs"][place]
    translation = translate(python.extract(files, entry_of(script, main, version, place)))
    if truth["refused"]:
        assert translation.refusal is not None
        return
    assert translation.refusal is None
    ours = ids_document(translation)
    if (script, version) in UNDECIDED:
        assert {undecided.unknown.reason for undecided in translation.undecided} == {UNDECIDED[script, version]}
        ours, truth = comparable(ours), comparable(truth)
    else:
        assert translation.certain
    assert [[v[f] for f in VERTEX] + [o["generated"] for o in v["operators"]] for v in ours["vertices"]] == [
        [v[f] for f in VERTEX] + v["operators"] for v in truth["vertices"]
    ]
    assert fields(ours["nodes"], NODE) == fields(truth["nodes"], NODE)
    assert edges_of(ours["nodes"]) == edges_of(truth["nodes"])


@pytest.mark.parametrize("script", sorted(programs()))
def test_discovery_finds_every_job_of_a_script(script: str) -> None:
    files, main = files_of(programs()[script])
    expected = max(len(TRUTH[version][script]["jobs"]) for version in VERSIONS)
    entries = [entry for entry in python.discover(files).entries if entry.file == main]
    assert [entry.index for entry in entries] == list(range(expected))
    stem = main.removesuffix(".py")
    assert [entry.name for entry in entries] == [stem, *(f"{stem} #{n}" for n in range(2, expected + 1))]
