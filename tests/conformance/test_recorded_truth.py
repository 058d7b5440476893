"""Every recorded document: what ``ids`` prints is what real Flink built, or refused, in every field."""

import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from checker.commands.app import app

DATA = Path(__file__).parent.parent / "data" / "truth"
REFUSED = {
    "uid-hash-on-sink": "UnsupportedOperationException",
    "forward-parallelism": "UnsupportedOperationException",
    "missing-uid": "IllegalStateException",
    "no-operators": "IllegalStateException",
    "hash-collision": "IllegalArgumentException",
}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("truth") / "documents.jsonl"
    path.write_bytes(gzip.decompress((DATA / "documents.jsonl.gz").read_bytes()))
    return path


@pytest.mark.parametrize("version", ["1.16.3", "1.20.5", "2.3.0"])
def test_ids_equal_what_flink_recorded(version: str, documents: Path) -> None:
    result = CliRunner().invoke(app, ["ids", str(documents), "--flink", version, "--format", "json"])
    assert result.exit_code == 0
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    with gzip.open(DATA / f"flink-{version}.jsonl.gz", "rt") as lines:
        truths = [json.loads(line) for line in lines]
    assert len(answers) == len(truths) == 283
    for ours, flinks in zip(answers, truths, strict=True):
        if "error" in flinks or "error" in ours:
            assert REFUSED[ours["error"]] == flinks["error"], ours
            if ours["error"] != "forward-parallelism":  # that message holds Flink's static node ids
                assert ours["message"] == flinks["message"]
            continue
        for vertex in ours["vertices"]:
            vertex.pop("coordinators", None)
        assert ours == flinks
