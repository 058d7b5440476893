"""The datasets: appended safely, read only where the ledger vouches for them, computed once."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
import pyarrow.dataset as ds

from checker.cli import run
from checker.errors import UsageError
from checker.workflows.audit.datasets import DATASETS, PARTITIONS, datasets
from tests.spark.generated import history

OPERATOR = b"  - {id: o, kind: operator, inputs: [s]}\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return history(seed=7, jobs=3, commits=12).write(tmp_path / "repo")


def audit(repo: Path, data: Path, capsys: pytest.CaptureFixture[str], range_: str, *options: str) -> dict[str, Any]:
    arguments = ["--engine", "in-process", "--format", "json", "--fail-on", "never"]
    code = run([*options, "audit", "--repo", str(repo), "--range", range_, "--data", str(data), *arguments])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    report: dict[str, Any] = json.loads(printed.out)
    return report


def without(report: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in report.items() if key not in keys}


def test_the_next_run_computes_what_is_new(repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    assert audit(repo, data, capsys, "main~11..main~1")["steps"] == {"computed": 11, "reused": 0}
    again = audit(repo, data, capsys, "main~11..main")
    assert again["steps"] == {"computed": 1, "reused": 11}
    fresh = audit(repo, tmp_path / "fresh", capsys, "main~11..main")
    assert without(again, "steps") == without(fresh, "steps")
    assert audit(repo, data, capsys, "main~11..main")["steps"] == {"computed": 0, "reused": 12}


def test_only_what_changed_is_read(
    repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from checker.workflows.audit import revisions as audit_read

    read: list[str] = []
    original = audit_read.read_stage
    monkeypatch.setattr(
        audit_read, "read_stage", lambda entry, files: read.append(entry.name) or original(entry, files)
    )
    audit(repo, tmp_path / "data", capsys, "main~11..main")
    assert len(read) == 3 + 11, "three pipelines once, then one a commit"


def test_what_the_datasets_hold(repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    report = audit(repo, data, capsys, "main~11..main")
    tables = {
        name: ds.dataset(data / name, format="parquet", partitioning=ds.HivePartitioning(PARTITIONS)).to_table()
        for name in DATASETS
    }
    assert tables["topologies"].num_rows == report["counts"]["units"] == 36
    operators = tables["operators"].to_pylist()
    assert {(o["repository"], o["pipeline"]) for o in operators} == {("repo", f"job{n}") for n in range(3)}
    source = next(o for o in operators if o["uid"] == "events")
    assert source["basis"] == "uid"
    assert len(source["id"]) == 32
    positioned = next(o for o in operators if o["basis"] == "position" and o["inputs"])
    assert positioned["position"] > 0
    assert (
        sum(o["id_changed"] is True and o["previous_key"] is not None for o in operators) == report["counts"]["moved"]
    )
    assert {"rule", "fingerprint", "step"} <= set(tables["findings"].column_names)


def test_a_run_that_was_killed_leaves_nothing_that_counts(
    repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    expected = audit(repo, tmp_path / "whole", capsys, "main~11..main")
    audit(repo, data, capsys, "main~11..main~6")
    kill = (
        "import os, sys\n"
        "from checker.workflows.audit import datasets\n"
        "datasets.FilesBelow.replace = lambda *_, **__: os._exit(9)\n"
        "from checker.cli import run\n"
        "run(sys.argv[1:])\n"
    )
    arguments = [
        "audit",
        "--repo",
        str(repo),
        "--range",
        "main~11..main",
        "--data",
        str(data),
        "--engine",
        "in-process",
    ]
    done = subprocess.run([sys.executable, "-c", kill, *arguments], capture_output=True, check=False)
    assert done.returncode == 9
    before = len(list(data.glob("topologies/**/*.parquet")))
    again = audit(repo, data, capsys, "main~11..main")
    assert again["steps"] == {"computed": 6, "reused": 6}
    assert without(again, "steps", "notes") == without(expected, "steps", "notes")
    assert any("did not end well" in note for note in again["notes"])
    assert len(list(data.glob("topologies/**/*.parquet"))) == before


@pytest.mark.parametrize("damage", ["cut", "flip", "delete", "empty"])
def test_damaged_files_are_computed_again(
    damage: str, repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    expected = audit(repo, data, capsys, "main~11..main")
    victim = next(data.glob("operators/**/*.parquet"))
    content = victim.read_bytes()
    if damage == "delete":
        victim.unlink()
    else:
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]
        victim.write_bytes({"cut": content[:middle], "flip": flipped, "empty": b""}[damage])
    again = audit(repo, data, capsys, "main~11..main")
    assert again["steps"] == {"computed": 12, "reused": 0}
    assert without(again, "steps", "notes") == without(expected, "steps", "notes")
    assert any(victim.relative_to(data).as_posix() in note for note in again["notes"])
    assert audit(repo, data, capsys, "main~11..main")["steps"]["computed"] == 0


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"files": 1, "steps": {}}', '{"files": [], "steps": []}'])
def test_a_broken_ledger_entry_does_not_count(
    content: str, repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    expected = audit(repo, data, capsys, "main~3..main")
    (data / "ledger" / "000001.json").write_text(content)
    again = audit(repo, data, capsys, "main~3..main")
    assert without(again, "steps", "notes") == without(expected, "steps", "notes")
    assert again["steps"]["computed"] == 4


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with datasets(data), pytest.raises(UsageError, match="writes here"), datasets(data):
        pass
    (data / "lock").write_text("a run that was killed left its lock behind")
    with datasets(data):
        pass


def test_names_that_make_no_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.spark.generated import History

    text = 'topology: 1\nname: "{}"\ntransformations:\n  - {{id: s, kind: source}}\n'
    names = ["a/b=c%20*", "[x]{y}?", "ü" * 90, "..", "x" * 400, "123"]
    files = {f"p{n}.topology.yaml": text.format(name).encode() + OPERATOR for n, name in enumerate(names)}
    repo = History([("first", dict(files)), ("second", {"README": b"x"})]).write(tmp_path / "r e p o")
    report = audit(repo, tmp_path / "d a t a{}", capsys, "main~1..main")
    assert report["counts"]["pipelines"] == len(names)
    assert {"a/b=c%20*", "[x]{y}?", "..", "123"} < {line["pipeline"] for line in report["pipelines"]}


def test_a_folder_that_cannot_be_written(repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    arguments = ["--range", "main~1..main", "--data", str(tmp_path / "file" / "data"), "--engine", "in-process"]
    assert run(["audit", "--repo", str(repo), *arguments]) == 2
    assert "--data" in capsys.readouterr().err


def test_the_documented_question_to_the_datasets(
    repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    audit(repo, tmp_path / "audit", capsys, "main~11..main")
    page = (Path(__file__).parents[2] / "docs" / "audit.md").read_text("utf-8")
    script = page.split("```python\n")[1].split("```")[0]
    assert "pyarrow" in script
    monkeypatch.chdir(tmp_path)
    exec(compile(script, "docs/audit.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith("repo job") for line in lines)


def test_the_next_run_reads_programs_that_changed_and_no_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from checker.extract.asking import consulted
    from checker.extract.java import program

    read: list[str] = []
    original = program.interpret

    def interpret(*arguments: Any, **more: Any) -> Any:
        read.append(arguments[2].name)
        return original(*arguments, **more)

    monkeypatch.setattr(program, "interpret", interpret)
    monkeypatch.setattr(consulted, "_WORTH_KEEPING", -1.0)  # as if every reading took long, on any machine
    repo = history(seed=7, jobs=4, commits=6, java=True).write(tmp_path / "repo")
    changed = subprocess.run(
        ["git", "-C", str(repo), "diff", "--name-only", "main~1", "main"], capture_output=True, text=True, check=True
    ).stdout.split()
    data, cache = tmp_path / "data", ["--cache", str(tmp_path / "cache")]
    audit(repo, data, capsys, "main~5..main~1", *cache)
    read.clear()
    again = audit(repo, data, capsys, "main~5..main", *cache)
    assert {name.rpartition(".")[2] for name in read} == {Path(path).stem for path in changed}
    assert len(read) == 1, "as it is; how it was is remembered"
    fresh = audit(repo, tmp_path / "fresh", capsys, "main~5..main")
    assert without(again, "steps") == without(fresh, "steps")
