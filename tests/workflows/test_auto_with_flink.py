"""``extract = "auto"`` on the command line: a scratch repository that is built and run, or read from source instead."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from checker.cli import run
from tests.flinks import jars_of, own_cache
from tests.scratch import Scratch
from tests.workflows.programs import CONFIGURATION, orders

pytestmark = pytest.mark.flink
Check = Callable[..., dict[str, Any]]
BY_FLINK = 'read by real Flink 1.20.5 (build "sh build.sh")'


@pytest.fixture(autouse=True, scope="module")
def _builds_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Builds are kept by content and command: these tests share an empty cache."""
    with pytest.MonkeyPatch.context() as patch:
        own_cache(tmp_path_factory.mktemp("cache"), patch)
        yield


@pytest.fixture
def repository(tmp_path: Path) -> Scratch:
    return orders(tmp_path / "orders", jars_of("1.20.5"))


@pytest.fixture
def check(repository: Scratch, capsys: pytest.CaptureFixture[str]) -> Check:
    def checked(base: str, head: str, *more: str) -> dict[str, Any]:
        arguments = ["--repo", str(repository.folder), "--base", base, "--head", head, "--engine", "in-process"]
        assert run(["check", *arguments, "--format", "json", *more]) in (0, 1)
        report: dict[str, Any] = json.loads(capsys.readouterr().out)
        return report

    return checked


def reading(report: dict[str, Any]) -> dict[str, Any]:
    (pipeline,) = report["pipelines"]
    return dict(pipeline["reading"])


def test_a_program_that_may_run_is_run_and_settles_what_source_leaves_open(check: Check) -> None:
    source = check("v1", "v2")
    assert source["verdict"] == "undecided"
    assert reading(source) == {
        "base": "read from source (java)",
        "head": "read from source (java)",
        "why": "--allow-exec is not given",
        "settled_by": "--allow-exec",
        "assumptions": [],
    }
    ran = check("v1", "v2", "--allow-exec")
    assert ran["verdict"] == "passes"
    assert reading(ran) == {"base": BY_FLINK, "head": BY_FLINK, "why": None, "settled_by": None, "assumptions": []}
    lost = check("v2", "HEAD", "--allow-exec")
    assert lost["verdict"] == "fails"
    assert next(f["rule"] for f in lost["pipelines"][0]["findings"]) == "uid-renamed"
    assert ran["notes"] == []
    assert lost["pipelines"][0]["findings"][0]["location"]["file"] == "src/jobs/Names.java"


@pytest.mark.parametrize("side", ["base", "head"])
def test_a_broken_build_has_both_revisions_read_from_source(repository: Scratch, check: Check, side: str) -> None:
    repository.git("checkout", "--quiet", "-b", "broken", "v1")
    repository.write("build.sh", "echo no such artifact >&2; exit 7\n")
    repository.commit("a broken build")
    report = check("broken", "v1", "--allow-exec") if side == "base" else check("v1", "broken", "--allow-exec")
    assert reading(report)["base"] == reading(report)["head"] == "read from source (java)"
    assert reading(report)["why"].startswith(f"running the {side} failed: the build 'sh build.sh' failed")
    (note,) = report["notes"]
    assert "no such artifact" in note["message"]
    assert report["verdict"] == "passes"
    assert report["pipelines"][0]["status"] == "unchanged"


def test_a_program_that_throws_is_a_note_and_with_flink_written_out_unreadable(
    repository: Scratch, check: Check
) -> None:
    repository.git("checkout", "--quiet", "-b", "throws", "v1")
    source = (repository.folder / "src/jobs/Orders.java").read_text()
    repository.write(
        "src/jobs/Orders.java",
        source.replace("String uid = ", 'if (true) throw new Error("no database"); String uid = '),
    )
    repository.commit("throws")
    report = check("v1", "throws", "--allow-exec")
    assert reading(report)["head"] is None
    assert "jobs.Orders threw java.lang.Error: no database" in report["notes"][0]["message"]
    repository.write("savepoint-checker.toml", CONFIGURATION.replace("build =", 'extract = "flink"\nbuild ='))
    repository.commit("written out")
    report = check("v1", "throws", "--allow-exec")
    (pipeline,) = report["pipelines"]
    assert pipeline["status"] == "unreadable"
    assert "no database" in pipeline["failure"]["head"]


def test_a_configuration_that_the_head_brings_in_is_not_run(repository: Scratch, check: Check, tmp_path: Path) -> None:
    marker = tmp_path / "was here"
    repository.git("checkout", "--quiet", "-b", "fork", "v1")
    repository.write("savepoint-checker.toml", CONFIGURATION.replace("sh build.sh", f"touch '{marker}'; sh build.sh"))
    repository.commit("runs something else")
    report = check("v1", "fork", "--allow-exec")
    assert not marker.exists()
    assert reading(report)["head"] == reading(report)["base"] == "read from source (java)"
    assert "not configured like this in the base" in report["notes"][0]["message"]
    check("v1", "fork", "--allow-exec", "--allow-exec-of-head")
    assert marker.exists()


def test_the_version_comes_from_the_build_files_and_the_parallelism_has_to_be_said(
    repository: Scratch, check: Check
) -> None:
    repository.git("checkout", "--quiet", "-b", "bare", "v1")
    repository.write("pom.xml", "<project><properties><flink.version>1.20.5</flink.version></properties></project>")
    bare = CONFIGURATION.replace('flink = "1.20.5"\n', "").replace("parallelism = 2\n", "")
    repository.write("savepoint-checker.toml", bare)
    repository.commit("nothing said")
    assert "does not say the deployed parallelism" in reading(check("bare", "bare", "--allow-exec"))["why"]
    assert reading(check("bare", "bare", "--allow-exec", "--parallelism", "2"))["head"] == BY_FLINK


def test_other_commands_say_how_they_read(repository: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--repo", str(repository.folder)]
    assert run(["ids", *at, "--allow-exec", "--format", "json"]) == 0
    assert {n["uid"] for n in json.loads(capsys.readouterr().out)["nodes"]} == {"numbers", "OTHER", "out"}
    assert run(["extract", *at, "--allow-exec", "--format", "json"]) == 0
    (document,) = json.loads(capsys.readouterr().out)
    (count,) = [t for t in document["transformations"] if t.get("name") == "count"]
    assert [s["name"] for s in count["state"] if s["kind"] != "timers"] == ["seen"]
    repository.write("build.sh", "exit 7\n")
    repository.commit("a broken build")
    assert run(["extract", *at, "--allow-exec", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)[0]["extractor"] == "java"
    assert "note: orders is read from source, not run: running the revision failed" in err


def test_repair_reads_source_and_says_so(repository: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    written_out = CONFIGURATION.replace("build =", 'extract = "flink"\nbuild =')
    repository.write("savepoint-checker.toml", written_out)
    repository.write(
        "src/jobs/Orders.java",
        (repository.folder / "src/jobs/Orders.java").read_text().replace("uid(uid)", 'uid("NEW")'),
    )
    repository.commit("a plain uid")
    assert run(["repair", "--repo", str(repository.folder), "--base", "v1"]) == 0
    out, err = capsys.readouterr()
    assert "orders: read from source: edits are made in the source" in err
    assert '+        .keyBy(x -> x % 3).process(new Count()).name("count").uid("UID")' in out


def test_a_gate_asks_the_program_that_the_candidate_builds(
    repository: Scratch, snapshots: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    savepoint = str(snapshots / "2.3.0" / "keyed" / "savepoint")
    arguments = ["gate", "--repo", str(repository.folder), "--head", "v2", "--savepoint", savepoint]
    run([*arguments, "--allow-exec", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert document["candidate"]["reading"] == [f"orders: {BY_FLINK}"]
    (count,) = [o for o in document["attempts"][0]["operators"] if not o["in_snapshot"] and o["name"] == "count"]
    assert count["uid"] == "UID"
    files = [tmp_path / f"release{ending}" for ending in (".html", ".md", ".txt")]
    run([*arguments, *(a for f in files for a in ("--output", str(f)))])
    capsys.readouterr()
    for file in files:
        assert "orders: read from source (java): --allow-exec is not given" in file.read_text().replace("\\", "")
