"""``gate`` and ``savepoint`` on the command line: exit codes, files, a revision as candidate."""

import json
import subprocess
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch

PIPELINE = """
topology: 1
name: keyed
flink: "2.3"
parallelism: 2
transformations:
- {id: src, kind: source, name: Source src, uid: src, location: {file: Keyed.java, line: 3}}
- {id: m, kind: operator, inputs: [src], name: Map m, uid: m, operator: map}
- {id: by, kind: partition, inputs: [m], partitioner: hash}
- id: kp
  kind: operator
  inputs: [by]
  keyed: true
  key_type: Long
  name: Keyed kp
  uid: UID
  operator: process
  location: {file: Keyed.java, line: 7}
  state:
  - {name: val, kind: value, value_type: TYPE}
  - {name: mp, kind: map, key_type: String, value_type: Long}
  - {name: lst, kind: list, value_type: String}
  - {name: agg, kind: aggregating, value_type: Long}
  - {name: red, kind: reducing, value_type: Long}
- {id: out, kind: legacy-sink, inputs: [kp], name: Out out, uid: out}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "-q")
    for tag, uid, kind in (
        ("same", "kp", "Long"),
        ("retyped", "kp", "String"),
        ("renamed", "kp2", "Long"),
        ("unknown", "{unknown: read from a file}", "Long"),
    ):
        text = PIPELINE.replace("UID", uid).replace("TYPE", kind)
        (folder / "keyed.topology.yaml").write_text(text)
        git("add", ".")
        git("commit", "-q", "-m", tag)
        git("tag", tag)
    return folder


def gate(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["gate", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


UNREAD = """[[operator]]
old = "kp"
state = "lst"
dropped = true
reason = "read by nobody since March"
"""
DROPPED = """[[operator]]
pipeline = "key*"
old = "kp"
dropped = true
reason = "counted elsewhere"
"""


@pytest.mark.parametrize(
    ("lost", "flags", "mapping"),
    [("  - {name: lst, kind: list, value_type: String}\n", (), UNREAD), ("", ("-n",), DROPPED)],
    ids=["a-state-that-nothing-reads", "a-state-that-the-flag-drops"],
)
def test_lost_state_closes_the_gate_unless_the_mapping_declares_it(
    repository: Path,
    snapshots: Path,
    capsys: pytest.CaptureFixture[str],
    lost: str,
    flags: tuple[str, ...],
    mapping: str,
) -> None:
    text = PIPELINE.replace("UID", "kp" if lost else "kp2").replace("TYPE", "Long")
    (repository / "keyed.topology.yaml").write_text(text.replace(lost, ""))
    savepoint = str(snapshots / "2.3.0" / "keyed" / "savepoint")
    arguments = ("--repo", str(repository), "--savepoint", savepoint, *flags)

    def committed() -> tuple[int, str]:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        for command in (("add", "."), ("commit", "-q", "-m", "lost")):
            subprocess.run(["git", *identity, *command], cwd=repository, check=True, capture_output=True)
        code, out, _ = gate(capsys, *arguments)
        return code, out

    code, out = committed()
    assert (code, out.splitlines()[0]) == (1, "FLINK STARTS THIS WITHOUT ALL OF ITS STATE  The gate is closed.")
    assert ("`lst` (ListState, among 6.0 kB in 128 key groups) has no reader in the candidate." in out) is bool(lost)
    declaration = mapping.partition("reason")[0].replace("key*", "keyed").splitlines()
    assert all(line in out for line in declaration)
    (repository / "savepoint-mapping.toml").write_text(mapping)
    code, out = committed()
    assert code == 0
    reason = mapping.split('"')[-2]
    assert f"Declared as dropped in savepoint-mapping.toml: operator 1: {reason}" in out


STARTED = """kind: FlinkDeployment
metadata: {name: orders}
spec: {job: {jarURI: "local:///orders.jar", entryClass: Orders, allowNonRestoredState: true}}
"""
ORDERS = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(1, 9).uid("numbers").print();
    env.execute();
  }
}
"""


@pytest.mark.parametrize("allowed", [True, False])
def test_the_candidate_s_manifest_says_whether_state_may_be_dropped(
    tmp_path: Path, snapshots: Path, capsys: pytest.CaptureFixture[str], allowed: bool
) -> None:
    Scratch(tmp_path).commit(**{"Orders.java": ORDERS, "o.yaml": STARTED.replace("true", str(allowed).lower())})
    savepoint = str(snapshots / "2.3.0" / "keyed" / "savepoint")
    code, out, _ = gate(capsys, "--repo", str(tmp_path), "--savepoint", savepoint, "--format", "json")
    assert code == 1
    assert json.loads(out)["decided_by"]["allow_non_restored_state"] is allowed


def test_the_best_candidate_comes_with_the_edit_and_other_ways_with_their_costs(
    repository: Path, snapshots: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    savepoint = str(snapshots / "2.3.0" / "keyed" / "savepoint")
    code, out, _ = gate(capsys, "--repo", str(repository), "--head", "renamed", "--savepoint", savepoint)
    assert code == 1
    assert 'Give Keyed kp at Keyed.java:7 the id of its state:\n      .uid("kp")' in out
    assert "savepoint with --allowNonRestoredState: loses state, 6.0 kB: Keyed kp" in out
    assert "last-state: start fails, for the same reason" in out
    assert out.count("Cannot map checkpoint/savepoint state") == 1


@pytest.mark.parametrize(
    ("tag", "code", "verdict", "rule"),
    [
        ("same", 0, "restores", None),
        ("retyped", 1, "fails", "state-type-changed"),
        ("renamed", 1, "fails", "unclaimed-state"),
        ("unknown", 1, "undecided", "undecided-id"),
    ],
)
def test_a_revision_is_judged(
    repository: Path,
    snapshots: Path,
    capsys: pytest.CaptureFixture[str],
    tag: str,
    code: int,
    verdict: str,
    rule: str | None,
) -> None:
    savepoint = str(snapshots / "2.3.0" / "keyed" / "savepoint")
    arguments = ("--repo", str(repository), "--head", tag, "--savepoint", savepoint, "--format", "json")
    ended, out, _ = gate(capsys, *arguments)
    document = json.loads(out)
    assert (ended, document["verdict"], document["attempts"][0]["rule"]) == (code, verdict, rule)
    assert document["candidate"]["commit"]
    kp = next(o for o in document["attempts"][0]["operators"] if o["name"] == "Keyed kp" and o["in_snapshot"])
    if tag != "renamed":
        if tag != "unknown":
            assert kp["location"] == {"file": "Keyed.java", "line": 7, "column": 1}
    else:
        assert kp["best_candidate"]["name"] == "Keyed kp"
        assert kp["best_candidate"]["location"]["line"] == 7


@pytest.mark.parametrize("name", ["truncated", "bad_magic", "bad_version", "nowhere"])
def test_what_can_not_be_read_ends_with_2_and_one_line(
    repository: Path, snapshots: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    broken = str(snapshots / "broken" / name)
    code, out, err = gate(capsys, "--repo", str(repository), "--savepoint", broken, "--format", "json")
    assert code == 2
    assert err.count("\n") == 1
    assert err.startswith("error: ")
    attempts = json.loads(out)["attempts"]
    assert {(a["verdict"], a["rule"]) for a in attempts} == {("fails", "unreadable-metadata")}
    assert run(["savepoint", broken]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--savepoint", "x", "--path", "sideways"],
        ["--savepoint", "x", "--fail-on", "sometimes"],
        ["--savepoint", "x", "--format", "sarif"],
        ["--savepoint", "x", "--flink", "0.9"],
    ],
)
def test_wrong_options_are_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = gate(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")


def test_a_savepoint_is_shown(snapshots: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["savepoint", str(snapshots / "2.3.0" / "keyed" / "savepoint")]) == 0
    assert "lst: LIST of List<String>" in capsys.readouterr().out


@pytest.mark.parametrize("path", ["/not/there", "oss2://bucket/savepoint"])
def test_a_savepoint_that_cant_be_read_is_said_once(
    repository: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    assert run(["gate", "--repo", str(repository), "--savepoint", path]) == 2
    printed = capsys.readouterr()
    assert printed.out.startswith("THE SNAPSHOT CAN'T BE READ")
    assert printed.err == ""
    assert printed.out.count("[unreadable-metadata]") == 1
    assert "other ways to start" not in printed.out


def test_a_rewritten_savepoint_is_offered_and_restores(
    repository: Path, snapshots: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The ids of the states and of their successors, and the same verdict for the savepoint that has these."""
    savepoint, head = (
        str(snapshots / "1.20.5" / "keyed" / "savepoint"),
        ("--repo", str(repository), "--head", "renamed"),
    )
    asked = ("--savepoint", savepoint, *head)
    move = "79905d1bb8afd98f33ca8b3501e11266=b94208065d9b65d55f24bdcf04be1987"
    command = f"savepoint rewrite {savepoint} --out REWRITTEN --move {move}"
    for form in ("text", "markdown", "html"):
        code, out, _ = gate(capsys, *asked, "--format", form)
        assert (code, command in out) == (1, True)
    rewritten = tmp_path / "rewritten"
    assert run([*command.replace("REWRITTEN", str(rewritten)).split()]) == 0
    capsys.readouterr()
    code, out, _ = gate(capsys, "--savepoint", str(rewritten), *head, "--format", "json")
    assert (code, json.loads(out)["savepoints"][0]["operators"]) == (0, 4)
