"""Starts and settings that are written down in unusual places: edits that matter count, and others are silent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch
from tests.workflows.deployed import PINNED, manifest

FIELDS = manifest(args="[]").replace("job: {", "job:\n    parallelism: 2\n    upgradeMode: savepoint\n    args: [a]\n#")


@pytest.mark.parametrize(
    ("old", "new", "rule", "line"),
    [
        ("upgradeMode: savepoint", "upgradeMode: stateless", "deployment-starts-empty", 9),
    ],
)
def test_a_finding_stands_at_the_key(
    old: str, new: str, rule: str, line: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = FIELDS.partition("#")[0] + "    jarURI: local:///jobs.jar\n    entryClass: Job\n"
    repository = Scratch(tmp_path / "r")
    repository.commit(**PINNED, **{"o.yaml": text})
    repository.commit(**{"o.yaml": text.replace(old, new)})
    run(["check", "--repo", str(tmp_path / "r"), "--base", "HEAD~1", "--engine", "in-process", "--format", "json"])
    findings = [f for p in json.loads(capsys.readouterr().out)["pipelines"] for f in p["findings"]]
    assert [f["location"]["line"] for f in findings if f["rule"] == rule] == [line]
