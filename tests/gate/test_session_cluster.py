"""``gate`` with savepoints of a real session cluster, whose own answer to each candidate is the judge.

The same cluster restores what ``savepoint rewrite`` makes of a savepoint in the story of ``examples/late-uid``.
"""

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from typer.testing import CliRunner

from checker.cli import run
from checker.commands.app import app
from checker.flink.operator_ids import operator_id
from checker.savepoint.reader import read_savepoint
from tests.flinks import jars_of
from tests.gate.session_cluster import SessionCluster, started
from tests.savepoint.test_rewriting_on_flink import values
from tests.scratch import Scratch

pytestmark = [pytest.mark.flink, pytest.mark.timeout(600)]

SOURCE = Path(__file__).parent / "java" / "shop" / "Totals.java"
PARALLELISM = 3
CHANGES = {
    "same": ("", ""),
    "renamed uid": ('.uid("total")', '.uid("sum")'),
    "map without uid": ('.map(Totals::slowly).uid("slow")', ".map(Totals::slowly)"),
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionCluster]:
    with started(jars_of("2.3.0"), tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def job(cluster: SessionCluster) -> Iterator[str]:
    running = cluster.run(SOURCE, "shop.Totals", parallelism=PARALLELISM)
    assert cluster.state(running) == "RUNNING"
    yield running
    cluster.cancel(running)


def candidate(folder: Path, change: str) -> tuple[Path, Path]:
    """A repository with the program after a change, and its source."""
    before, after = CHANGES[change]
    text = SOURCE.read_text()
    assert before in text
    repository = Scratch(folder)
    path = "src/main/java/shop/Totals.java"
    repository.commit(**{path: text.replace(before, after) if before else text})
    return folder, folder / path


def gate(*arguments: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(app, ["gate", "--format", "json", *arguments])
    assert done.stdout, repr(done.exception)
    return done.exit_code, json.loads(done.stdout)


@pytest.mark.parametrize("change", CHANGES)
def test_what_the_gate_says_the_cluster_does(cluster: SessionCluster, job: str, tmp_path: Path, change: str) -> None:
    repository, source = candidate(tmp_path / "repository", change)
    savepoint = cluster.savepoint(job)
    code, report = gate("--savepoint", savepoint, "--repo", str(repository), "--parallelism", str(PARALLELISM))
    restored = starts(cluster, source, savepoint)
    assert (code, report["verdict"]) == ((0, "restores") if restored else (1, "fails")), report["attempts"]
    assert restored is (change != "renamed uid")


def starts(cluster: SessionCluster, source: Path, savepoint: str) -> bool:
    """Whether the cluster itself starts the candidate from a savepoint."""
    try:
        tried = cluster.run(source, "shop.Totals", parallelism=PARALLELISM, savepointPath=savepoint)
    except HTTPError as refused:
        if "Cannot map checkpoint/savepoint state" not in refused.read().decode():
            raise
        return False
    restored = cluster.state(tried) == "RUNNING"
    if restored:
        cluster.cancel(tried)
    return restored


LATE = Path(__file__).parents[2] / "examples" / "late-uid"


def test_the_rewritten_savepoint_of_before_is_restored(cluster: SessionCluster, tmp_path: Path) -> None:
    first, late = (
        LATE / step / "src/main/java/com/acme/totals/TotalsJob.java" for step in ("1-first-release", "2-uids-too-late")
    )
    main = "com.acme.totals.TotalsJob"
    running = cluster.run(first, main, parallelism=2)
    savepoint = cluster.savepoint(running)
    cluster.cancel(running)
    with pytest.raises(HTTPError):
        cluster.run(late, main, parallelism=2, savepointPath=savepoint)
    operators = read_savepoint(savepoint).operators
    (numbers,) = (o.operator_id for o in operators if o.has_coordinator_state)
    (keyed,) = (o.operator_id for o in operators if o.keyed_kinds)
    rewritten = str(tmp_path / "rewritten")
    moves = [f"--move={numbers}=numbers", f"--move={keyed}=totals"]
    assert run(["savepoint", "rewrite", savepoint, *moves, "--out", rewritten]) == 0
    running = cluster.run(late, main, parallelism=2, savepointPath=rewritten)
    assert cluster.state(running) == "RUNNING"
    after = cluster.savepoint(running)
    cluster.cancel(running)
    before, got = totals(savepoint), totals(after)
    assert before.keys() == got.keys() == set(range(10))
    assert all(got[digit] >= before[digit] for digit in before)
    assert {operator_id("numbers"), operator_id("totals")} < {o.operator_id for o in read_savepoint(after).operators}


def totals(savepoint: str) -> dict[int, int]:
    """The totals by last digit, out of the one operator with keyed state."""
    entries = [entry for operator in values(savepoint).values() for entry in operator["keyed"]]
    by_key = {key: value for name, key, value in entries if name == "total"}
    return {struct.unpack(">q", key[1:9])[0]: struct.unpack(">q", value)[0] for key, value in by_key.items()}
