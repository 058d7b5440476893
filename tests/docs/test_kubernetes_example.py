"""The manifest that blocks an upgrade: what it runs is there, and ends with the exit codes that its page promises."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from checker.commands.app import app
from tests.gate.test_commands import PIPELINE
from tests.gate.test_running_jobs import ANSWERS, JOB, RESOURCE, Cluster, completed
from tests.savepoint.conftest import snapshots

__all__ = ["snapshots"]
EXAMPLE = Path(__file__).parents[2] / "examples" / "kubernetes" / "pre-upgrade.yaml"


def test_the_hook_runs_the_gate_with_options_that_it_has() -> None:
    documents = list(yaml.safe_load_all(EXAMPLE.read_text()))
    (job,) = [d for d in documents if d["kind"] == "Job"]
    assert job["metadata"]["annotations"]["argocd.argoproj.io/hook"] == "PreSync"
    assert (job["spec"]["backoffLimit"], job["spec"]["template"]["spec"]["restartPolicy"]) == (0, "Never")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    script = container["args"][0]
    command = script[script.index("savepoint-checker gate") :]
    help_text = CliRunner().invoke(app, ["gate", "--help"], env={"COLUMNS": "200"}).stdout
    options = re.findall(r"--[a-z-]+", command)
    assert options
    assert [o for o in options if o not in help_text] == []


def _spec() -> dict[str, Any]:
    (job,) = [d for d in yaml.safe_load_all(EXAMPLE.read_text()) if d["kind"] == "Job"]
    return dict(job["spec"]["template"]["spec"])


def _tool(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def _released(folder: Path, topology: str) -> None:
    folder.mkdir()
    (folder / "orders.topology.yaml").write_text(topology)
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "release"], ["tag", "v2.0.0"]):
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def cluster(snapshots: Path) -> Iterator[Cluster]:
    savepoint = snapshots / "2.3.0" / "keyed" / "savepoint"
    latest = {"latest": {"completed": completed(7, external_path=str(savepoint))}, "history": []}
    answers = {
        "/config": {"flink-version": "2.3.0"},
        f"/jobs/{JOB}": {"jid": JOB, "maxParallelism": 128, "vertices": []},
    }
    started = Cluster({**ANSWERS, **answers, f"/jobs/{JOB}/checkpoints": latest})
    yield started
    started.close()


@pytest.mark.parametrize(
    ("uid", "kind", "broken", "code"),
    [
        ("kp", "Long", {}, 0),
        ("kp", "String", {}, 1),
        ("kp2", "Long", {}, 1),
        ("{unknown: read from a file}", "Long", {}, 1),
        ("kp", "Long", {"OrdersJob": "SalesJob"}, 2),
        ("kp", "Long", {"http://orders-rest:8081": "http://127.0.0.1:9"}, 2),
        ("kp", "Long", {"--deployment /workspace/running.json": "--deployment /dev/null"}, 2),
        ("kp", "Long", {"pip install": "false"}, 2),
    ],
)
def test_the_hook_ends_with_the_codes_that_are_documented(
    uid: str, kind: str, broken: dict[str, str], code: int, cluster: Cluster, tmp_path: Path
) -> None:
    spec = _spec()
    named = PIPELINE.replace("name: keyed", "name: OrdersJob").replace("UID", uid).replace("TYPE", kind)
    _released(tmp_path / "remote", named)
    resource = {**RESOURCE, "spec": {**RESOURCE["spec"], "flinkVersion": "v2_3", "flinkConfiguration": {}}}
    (tmp_path / "resource.json").write_text(json.dumps(resource))
    for name in ("apt-get", "pip"):
        _tool(tmp_path / "bin", name, "exit 0")
    _tool(tmp_path / "bin", "kubectl", f'[ "$1 $2" = "get flinkdeployment" ] && cat {tmp_path}/resource.json')
    _tool(tmp_path / "bin", "savepoint-checker", f'exec {sys.executable} -m checker.cli "$@"')
    (tmp_path / "workspace").mkdir()

    def started(words: list[str]) -> tuple[int, str]:
        for before, after in broken.items():
            words = [word.replace(before, after) for word in words]
        given = (
            ("https://git.example.com/shop/orders.git", f"file://{tmp_path}/remote"),
            ("http://orders-rest:8081", cluster.address),
            ("/workspace", f"{tmp_path}/workspace"),
        )
        for before, after in given:
            words = [word.replace(before, after) for word in words]
        environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "HOME": str(tmp_path)}
        environment["PYTHONPATH"] = str(EXAMPLE.parents[2])
        done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, timeout=120, text=True)
        return done.returncode, done.stdout + done.stderr

    revision, running = spec["initContainers"]
    assert started(["git", *revision["args"]])[0] == 0
    assert started(running["command"])[0] == 0
    (gate,) = spec["containers"]
    ended, report = started([*gate["command"], *gate["args"]])
    assert ended == code, report
