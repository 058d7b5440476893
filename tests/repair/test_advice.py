"""Repairs in the words of the program: its language or its document, and uids that people would give."""

from pathlib import Path

import pytest

from checker.cli import run
from checker.model.topology import Kind, Transformation
from checker.repair.repairs import Edit, Field, Spelling, fluent, readable_name, respelled
from tests.scratch import Scratch

SINK = """topology: 1
name: orders
flink: "1.20"
parallelism: 2
transformations:
  - {id: src, kind: source, uid: src}
{inserted}  - {{id: key, kind: partition, inputs: [{source}], partitioner: hash}}
  - id: count
    kind: operator
    inputs: [key]
    keyed: true
    operator: keyed-process
    state: [{{name: n, kind: value}}]
  - {{id: out, kind: sink, inputs: [count], committer: true, state: [{{name: w, kind: list}}]}}
""".replace("{id: src, kind: source, uid: src}", "{{id: src, kind: source, uid: src}}")


def test_a_document_is_repaired_in_its_own_terms_at_its_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.write("job.topology.yaml", SINK.format(inserted="", source="src"))
    scratch.commit("a job")
    filtered = "  - {id: new, kind: operator, inputs: [src], operator: filter}\n"
    scratch.write("job.topology.yaml", SINK.format(inserted=filtered, source="new"))
    scratch.commit("a filter")
    assert run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--base", "HEAD^"]) == 1
    out = capsys.readouterr().out
    assert "at job.topology.yaml:9\n" in out
    assert 'count: uid_hash: "' in out
    assert "setUidHash" not in out
    (pins,) = [line for line in out.splitlines() if "uid_hashes" in line]
    assert pins.strip().startswith('out: Writer, out: Committer: uid_hashes: {writer: "')
    assert ', committer: "' in pins


def test_one_call_in_each_language() -> None:
    edits = (Edit("o", Field.UID, "a"), Edit("o", Field.UID_HASH, "0f"), Edit("o", Field.MAX_PARALLELISM, None))
    assert fluent(edits) == '.uid("a") .setUidHash("0f") remove .setMaxParallelism(...)'
    assert fluent(edits, Spelling.PYTHON) == '.uid("a") .set_uid_hash("0f") remove .set_max_parallelism(...)'
    assert fluent(edits, Spelling.DOCUMENT) == 'uid: "a", uid_hash: "0f", remove max_parallelism'
    advice = 'pin it: .setUidHash("0f"), with .setMaxParallelism(128)'
    assert respelled(advice, Spelling.JAVA) == advice
    assert respelled(advice, Spelling.PYTHON) == 'pin it: .set_uid_hash("0f"), with .set_max_parallelism(128)'
    assert respelled(advice, Spelling.DOCUMENT) == 'pin it: uid_hash: "0f", with max_parallelism: 128'


@pytest.mark.parametrize(
    ("handle", "name", "function", "wanted"),
    [
        ("main/big:filter", "only long lines", "a.Job$$Lambda", "only-long-lines"),
        ("main/counted:process", "KeyedProcess", "a.Job$Count", "count"),
        ("main/trimmed:map", "Map", "a.Job$$Lambda", "trimmed-map"),
        ("main/flatMap #2", "Flat Map", "a.Job$$Lambda", "flat-map"),
        ("main/filter", "Filter", "a.Job$1", "filter"),
        ("main/map", "Map", "<lambda>", "map"),
        ("main/sinkTo", "Sink: Unnamed", "org.a.KafkaSink", "kafka-sink"),
    ],
)
def test_uids_are_names_that_people_would_give(handle: str, name: str, function: str, wanted: str) -> None:
    operator = Transformation(id=handle, kind=Kind.OPERATOR, inputs=("s",), name=name, function=function)
    assert readable_name(operator) == wanted
