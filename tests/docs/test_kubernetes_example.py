"""The manifest that blocks an upgrade: what it runs is there."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from typer.testing import CliRunner

from checker.commands.app import app

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
