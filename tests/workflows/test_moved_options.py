"""Options of clusters and builds that stand in another file now, and give the same."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch
from tests.workflows.deployed import BY_ARGUMENT

OPTIONS = "state.backend.type: rocksdb\nparallelism.default: 2\nexecution.checkpointing.interval: 10s\n"
IN_COMPOSE = "services:\n  jm:\n    command: jobmanager\n    environment:\n      FLINK_PROPERTIES: |\n" + "".join(
    f"        {option}\n" for option in OPTIONS.splitlines()
)
START = {"run.sh": "flink run -c Job jobs.jar --uid a\n"}


@pytest.mark.parametrize("start", [{}, START])
@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("docker/flink-conf.yaml", OPTIONS, 0),
        ("docker-compose.yml", IN_COMPOSE, 0),
        ("docker/flink-conf.yaml", OPTIONS.replace("rocksdb", "hashmap"), 1),
        ("docker-compose.yml", IN_COMPOSE.replace("rocksdb", "hashmap"), 1),
    ],
)
def test_options_of_a_cluster_that_another_file_gives(
    start: dict[str, str], path: str, text: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = Scratch(tmp_path)
    repository.commit(**BY_ARGUMENT, **start, **{"conf/flink-conf.yaml": OPTIONS})
    subprocess.run(["git", "-C", str(tmp_path), "rm", "-q", "conf/flink-conf.yaml"], check=True)
    repository.commit(**{path: text})
    command = ["check", "--repo", str(tmp_path), "--base", "HEAD~1", "--engine", "in-process", "--format", "json"]
    assert run(command) == code, json.loads(capsys.readouterr().out)["pipelines"]
