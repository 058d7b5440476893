"""The allowance of a pipeline holds in Spark's tasks, too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scratch import CLEAN, Scratch

JOB = """from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
%s
env.from_collection([1, 2]).key_by(lambda x: x).reduce(lambda x, y: x + y).uid("%s").print()
env.execute("job")
"""
SLOW = "".join(f"env.from_collection([1]).map(lambda x: x).uid('u{n}').print()\n" for n in range(7_000))
"""A program of several seconds that reaches no other bound: a loop ends at its steps, maybe before a second is over."""


@pytest.mark.spark
def test_a_slow_pipeline_on_spark_leaves_the_others_their_verdict(tmp_path: Path) -> None:
    repository = Scratch(tmp_path / "repository")
    settings = 'flink = "1.20"\npipeline_seconds = 1\n'
    repository.commit(**{"savepoint-checker.toml": settings, "good.py": JOB % ("", "a"), "slow.py": JOB % ("", "a")})
    repository.commit(**{"good.py": JOB % ("", "b"), "slow.py": JOB % (SLOW, "b")})
    asked = ("check", "--base", "HEAD~1", "--engine", "spark", "--spark-master", "local[1]", "--format", "json")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "checker.cli", *asked], cwd=repository.folder, capture_output=True, text=True,
        timeout=400, check=False,
        env={**CLEAN, "PYTHONPATH": str(Path(__file__).parents[2]), "XDG_CACHE_HOME": os.fspath(tmp_path / "cache")},
    )  # fmt: skip
    assert "in process" not in done.stderr, done.stderr
    found = {pipeline["name"]: json.dumps(pipeline) for pipeline in json.loads(done.stdout)["pipelines"]}
    assert "longer than 1 s" in found["slow"]
    assert "uid-changed" in found["good"] or "state-lost" in found["good"] or "uid-renamed" in found["good"]
