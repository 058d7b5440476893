"""A PyFlink job uses a package that another project of the repository keeps below ``src``, and installs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

JOB = """from shared.flink import environment, uid
from pyflink.common import Types
def main():
    env = environment()
    numbers = env.from_collection([1, 2], type_info=Types.INT()).uid("numbers")
    numbers.key_by(lambda x: x, key_type=Types.INT()).reduce(lambda a, b: a).uid(uid("kept")).print().uid("out")
    env.execute()
if __name__ == "__main__":
    main()
"""
SHARED = """from pyflink.datastream import StreamExecutionEnvironment
def environment():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_max_parallelism(128)
    return env
def uid(name):
    return "v1-" + name
"""
FILES = {
    "requirements.txt": "apache-flink==1.20.0\n",
    "apps/job/main.py": JOB,
    "apps/lib/src/shared/__init__.py": "",
    "apps/lib/src/shared/flink.py": SHARED,
}


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("128", "64", "max-parallelism-changed"),
        ('"v1-"', '"v2-"', "uid-renamed"),
        ("    return env\n", "    # nothing else\n    return env\n", None),
    ],
)
def test_its_edits_are_edits_of_the_job(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], twice: bool, before: str, after: str, rule: str | None
) -> None:
    scratch = Scratch(tmp_path / "repo")
    copy = {path.replace("apps/lib", "apps/other"): text for path, text in FILES.items() if "apps/lib" in path}
    scratch.commit(**{**FILES, **(copy if twice else {})})
    scratch.commit(**{"apps/lib/src/shared/flink.py": SHARED.replace(before, after)})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    found = {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"}
    if twice and rule is not None:
        assert found & {"undecided", "edit-not-understood"}
    else:
        assert found == ({rule} if rule else set())
