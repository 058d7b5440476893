"""The manifest that blocks an upgrade: what it runs is there, and ends with the exit codes that its page promises."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from checker.commands.app import app
from tests.gate.test_commands import PIPELINE
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
def cluster(snapshots: Path) -> Iterator[str]:
    """The address of a server that answers like Flink's REST API."""
    savepoint = str(snapshots / "2.3.0" / "keyed" / "savepoint")
    completed = {"trigger_timestamp": 7, "external_path": savepoint}
    older = {"trigger_timestamp": 3, "external_path": "/nowhere"}
    answers: dict[str, Any] = {
        "/jobs/overview": {"jobs": [{"jid": "a1", "state": "RUNNING"}, {"jid": "b2", "state": "CANCELED"}]},
        "/jobs/a1/checkpoints": {"latest": {"completed": completed, "savepoint": older, "restored": None}},
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path in answers else 404)
            self.end_headers()
            self.wfile.write(json.dumps(answers.get(self.path)).encode())

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("uid", "kind", "broken", "code"),
    [
        ("kp", "Long", {}, 0),
        ("kp", "String", {}, 1),
        ("kp2", "Long", {}, 1),
        ("{unknown: read from a file}", "Long", {}, 1),
        ("kp", "Long", {"OrdersJob": "SalesJob"}, 2),
        ("kp", "Long", {"http://orders-rest:8081": "http://127.0.0.1:9"}, 2),
        ("kp", "Long", {"pip install": "false"}, 2),
    ],
)
def test_the_hook_ends_with_the_codes_that_are_documented(
    uid: str, kind: str, broken: dict[str, str], code: int, cluster: str, tmp_path: Path
) -> None:
    spec = _spec()
    named = PIPELINE.replace("name: keyed", "name: OrdersJob").replace("UID", uid).replace("TYPE", kind)
    _released(tmp_path / "remote", named)
    for name in ("apt-get", "pip"):
        _tool(tmp_path / "bin", name, "exit 0")
    _tool(tmp_path / "bin", "savepoint-checker", f'exec {sys.executable} -m checker.cli "$@"')
    (tmp_path / "workspace").mkdir()

    def started(words: list[str]) -> tuple[int, str]:
        for before, after in broken.items():
            words = [word.replace(before, after) for word in words]
        given = (
            ("https://git.example.com/shop/orders.git", f"file://{tmp_path}/remote"),
            ("http://orders-rest:8081", cluster),
            ("/workspace", f"{tmp_path}/workspace"),
        )
        for before, after in given:
            words = [word.replace(before, after) for word in words]
        environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "HOME": str(tmp_path)}
        environment["PYTHONPATH"] = str(EXAMPLE.parents[2])
        done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, timeout=120, text=True)
        return done.returncode, done.stdout + done.stderr

    (revision,) = spec["initContainers"]
    assert started(["git", *revision["args"]])[0] == 0
    (gate,) = spec["containers"]
    ended, report = started([*gate["command"], *gate["args"]])
    assert ended == code, report
