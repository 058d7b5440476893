"""``repair`` as people run it: a diff that applies, edits that hold, and the plain word where none does."""

import subprocess
from pathlib import Path

import pytest

from checker.cli import run
from examples.make_repository import make_repository
from tests.scratch import Scratch, topology


@pytest.fixture
def orders(tmp_path: Path) -> Scratch:
    make_repository(tmp_path / "orders")
    scratch = Scratch(tmp_path / "orders")
    scratch.git("checkout", "--quiet", "main~1")
    return scratch


def check(scratch: Scratch, *arguments: str) -> int:
    return run(["check", "--engine", "in-process", "--repo", str(scratch.folder), *arguments])


def test_written_repairs_make_the_check_pass(orders: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(orders, "--base", "v1.0.0", "--head", ":worktree") == 1
    assert run(["repair", "--repo", str(orders.folder), "--base", "v1.0.0", "--write"]) == 0
    assert check(orders, "--base", "v1.0.0", "--head", ":worktree") == 0
    capsys.readouterr()
    assert run(["repair", "--repo", str(orders.folder), "--base", "v1.0.0"]) == 0
    assert capsys.readouterr().out == ""


def test_without_a_base_it_mends_what_check_finds(orders: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    """The branch is committed, so that nothing on disk differs from HEAD."""
    orders.git("checkout", "--quiet", "-B", "main", "v1.0.0")
    orders.git("checkout", "--quiet", "-b", "work")
    job = orders.folder / "src/main/java/com/acme/orders/OrdersJob.java"
    text = job.read_text()
    broken = text.replace(".keyBy(", ".filter(x -> true).keyBy(", 1)
    assert broken != text
    orders.commit("a filter", **{"src/main/java/com/acme/orders/OrdersJob.java": broken})
    assert check(orders) == 1
    assert "savepoint-checker repair --write makes these edits" in capsys.readouterr().out
    assert run(["repair", "--repo", str(orders.folder), "--write"]) == 0
    assert check(orders, "--base", "main", "--head", ":worktree") == 0


def branched(orders: Scratch) -> None:
    """A branch with a commit, and a filter on disk that moves ids."""
    orders.git("checkout", "--quiet", "-B", "main", "v1.0.0")
    orders.git("checkout", "--quiet", "-b", "work")
    orders.commit("notes", **{"NOTES.md": "notes"})
    job = "src/main/java/com/acme/orders/OrdersJob.java"
    orders.write(job, (orders.folder / job).read_text().replace(".keyBy(", ".filter(x -> true).keyBy(", 1))


@pytest.mark.parametrize(
    "command", [["check", "--engine", "in-process", "--head", ":worktree"], ["hook", "pre-commit"]]
)
def test_the_advice_names_the_base_that_repair_would_not_choose(
    orders: Scratch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    branched(orders)
    orders.git("add", "--all")
    assert run([*command, "--repo", str(orders.folder)]) == 1
    assert "savepoint-checker repair --write --base HEAD makes these edits" in capsys.readouterr().out
    assert run(["repair", "--repo", str(orders.folder), "--write", "--base", "HEAD"]) == 0
    assert check(orders, "--head", ":worktree") == 0


def test_on_the_default_branch_the_advice_reaches_what_is_committed(
    orders: Scratch, capsys: pytest.CaptureFixture[str]
) -> None:
    branched(orders)
    orders.git("checkout", "--quiet", "main")
    assert check(orders, "--head", ":worktree") == 1
    assert "savepoint-checker repair --write makes these edits" in capsys.readouterr().out
    orders.commit("a filter")
    orders.write("pom.xml", (orders.folder / "pom.xml").read_text() + "\n")
    assert check(orders) == 1
    assert "savepoint-checker repair --write --base 'HEAD~1' makes these edits" in capsys.readouterr().out


def test_uids_are_added_with_the_pins_of_ids_that_another_edit_moved(orders: Scratch) -> None:
    branched(orders)
    assert check(orders, "--head", ":worktree") == 1
    assert run(["repair", "--repo", str(orders.folder), "--add-uids", "--write"]) == 0
    assert check(orders, "--base", "main", "--head", ":worktree") == 0


@pytest.mark.parametrize("command", [["check"], ["repair"]])
def test_without_a_base_none_says_that_all_is_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit("a job", **{"job.topology.yaml": topology()})
    scratch.git("checkout", "--quiet", "--orphan", "other")
    scratch.commit("no history")
    assert run([*command, "--repo", str(scratch.folder)]) == 2
    assert "main and HEAD have no common ancestor" in capsys.readouterr().err
    scratch.git("branch", "--quiet", "-D", "main")
    assert run([*command, "--repo", str(scratch.folder)]) == 2
    assert "no default branch found to compare with" in capsys.readouterr().err


def test_before_the_first_commit_and_at_it_nothing_is_to_be_kept(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.write("job.topology.yaml", topology())
    assert run(["repair", "--repo", str(scratch.folder)]) == 0
    scratch.commit("a job")
    assert run(["repair", "--repo", str(scratch.folder)]) == 0


def test_the_advice_names_the_base_that_was_asked_for(orders: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(orders, "--base", "v1.0.0") == 1
    assert "savepoint-checker repair --write --base v1.0.0 makes these edits" in capsys.readouterr().out
    assert check(orders, "--base", "v1.0.0", "--format", "markdown") == 1
    assert "`savepoint-checker repair --write --base v1.0.0`, or by hand" in capsys.readouterr().out
    commit = orders.git("rev-parse", "HEAD").strip()
    orders.git("checkout", "--quiet", "v1.0.0")
    assert check(orders, "--base", "HEAD", "--head", commit) == 1
    base = orders.git("rev-parse", "HEAD").strip()
    advice = f"git checkout {commit} && savepoint-checker repair --write --base {base} makes these edits"
    assert advice in " ".join(capsys.readouterr().out.split())


def test_no_id_is_pinned_that_depends_on_the_parallelism(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    examples = Path(__file__).parent / "rules/examples/state-lost-either-way"
    scratch = Scratch(tmp_path / "repo")
    for side in ("base", "head"):
        scratch.commit(side, **{"orders.topology.yaml": (examples / f"{side}.topology.yaml").read_text()})
    assert check(scratch, "--base", "HEAD~1", "--format", "markdown") == 1
    out = capsys.readouterr().out
    assert "setUidHash" not in out
    assert "settle it with --parallelism" in out
    assert "unknown'" not in out


def test_the_diff_is_one_that_git_applies(orders: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["repair", "--repo", str(orders.folder), "--base", "v1.0.0"]) == 0
    diff = capsys.readouterr().out
    assert orders.git("status", "--porcelain") == ""
    subprocess.run(["git", "apply"], cwd=orders.folder, input=diff.encode(), check=True)
    assert check(orders, "--base", "v1.0.0", "--head", ":worktree") == 0


def test_uids_for_a_whole_job_keep_its_state(orders: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["repair", "--repo", str(orders.folder), "--base", "HEAD", "--add-uids", "--write"]) == 0
    source = (orders.folder / "src/main/java/com/acme/orders/OrdersJob.java").read_text()
    assert source.count(".uid(") > 10
    assert check(orders, "--base", "HEAD", "--head", ":worktree") == 0


def test_what_no_edit_keeps_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.write("job.topology.yaml", topology())
    scratch.commit("a job")
    scratch.write(
        "job.topology.yaml",
        'topology: 1\nname: orders\nflink: "1.20"\ntransformations:\n  - {id: src, kind: source, uid: src}\n'
        "  - {id: out, kind: legacy-sink, inputs: [src]}\n",
    )
    assert run(["repair", "--repo", str(scratch.folder), "--base", "HEAD"]) == 1
    assert "not repaired: " in capsys.readouterr().err


def test_write_changes_the_work_tree_only(orders: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["repair", "--repo", str(orders.folder), "--head", "HEAD", "--write"]) == 2
    assert "--write changes files of the work tree" in capsys.readouterr().err


def test_pipelines_that_could_not_be_read_for_one_reason_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scratch = Scratch(tmp_path / "repo")
    job = (
        "package acme; import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment; class NAME {\n"
        "  public static void main(String[] a) throws Exception {\n"
        "    StreamExecutionEnvironment e = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        "    e.fromSequence(1, 2).print(); e.execute(); } }\n"
    )
    jobs = {f"src/main/java/acme/{name}.java": job.replace("NAME", name) for name in ("First", "Second")}
    pom = "<project><properties><flink.version>1.8.0</flink.version></properties></project>\n"
    scratch.commit("two", **jobs, **{"pom.xml": pom})
    assert run(["repair", "--repo", str(scratch.folder), "--base", "HEAD", "--head", "HEAD"]) == 1
    printed = capsys.readouterr().err
    assert printed.startswith("First, Second: could not be read: Flink version '1.8.0' is not supported")
    assert printed.count("could not be read") == 1
