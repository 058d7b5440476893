"""The story of ``examples/late-uid`` on a real Flink: uids too late, the savepoint of before rewritten and restored."""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path
from urllib.error import HTTPError

import pytest

from checker.cli import run
from checker.errors import ExtractionError
from checker.extract.runtime.distribution import flink_jars
from checker.flink.operator_ids import operator_id
from checker.savepoint.places import SnapshotPlace
from checker.savepoint.reader import read_savepoint
from tests.gate.session_cluster import started
from tests.savepoint.test_rewriting_on_flink import _entries

pytestmark = [pytest.mark.flink, pytest.mark.timeout(600)]

EXAMPLE = Path(__file__).parents[2] / "examples" / "late-uid"
MAIN = "com.acme.totals.TotalsJob"


def source(step: str) -> Path:
    return EXAMPLE / step / "src" / "main" / "java" / "com" / "acme" / "totals" / "TotalsJob.java"


def totals(savepoint: str) -> dict[int, int]:
    """The totals by last digit, out of the one operator with keyed state."""
    place = SnapshotPlace(savepoint)
    (operator,) = (o for o in read_savepoint(savepoint).operators if o.keyed_headers)
    entries = [entry for source in operator.keyed_headers for entry in _entries(place, source)]
    values = {key: value for name, key, value in entries if name == "total"}
    return {struct.unpack(">q", key[1:9])[0]: struct.unpack(">q", value)[0] for key, value in values.items()}


@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
def test_the_rewritten_savepoint_of_before_is_restored(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        jars = flink_jars(version)
        if shutil.which("javac") is None:
            raise ExtractionError("no JDK: 'javac' is not on the PATH")
    except ExtractionError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no Flink {version} to ask: {error}")
    folder = tmp_path / "cluster"
    folder.mkdir()
    with started(jars, folder) as cluster:
        job = cluster.run(source("1-first-release"), MAIN, parallelism=2)
        savepoint = cluster.savepoint(job)
        cluster.cancel(job)
        with pytest.raises(HTTPError):
            cluster.run(source("2-uids-too-late"), MAIN, parallelism=2, savepointPath=savepoint)
        repository, rewritten = tmp_path / "repository", tmp_path / "rewritten"
        shutil.copytree(folder_of_steps(tmp_path), repository)
        monkeypatch.chdir(repository)
        command = ["savepoint", "rewrite", savepoint, "--for", "v1.1.0", "--base", "v1.0.0", "--flink", version]
        assert run([*command, "--out", str(rewritten), "--write"]) == 0
        job = cluster.run(source("2-uids-too-late"), MAIN, parallelism=2, savepointPath=str(rewritten))
        assert cluster.state(job) == "RUNNING"
        after = cluster.savepoint(job)
        cluster.cancel(job)
    before, got = totals(savepoint), totals(after)
    assert before.keys() == got.keys() == set(range(10))
    assert all(got[digit] >= before[digit] for digit in before)
    assert {operator_id("numbers"), operator_id("totals")} < {o.operator_id for o in read_savepoint(after).operators}


def folder_of_steps(tmp_path: Path) -> Path:
    """The history of the example as a repository."""
    from examples.make_repository import make_repository

    made = tmp_path / "made"
    make_repository(made, "late-uid")
    return made
