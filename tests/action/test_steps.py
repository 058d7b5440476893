"""The GitHub Action's steps against recorded events."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.action.runner import TOP, Api, event, run_action
from tests.hooks.conftest import DOCUMENT, MOVED, PINNED, Scratch, new_repository

MERGED = "refs/pull/7/merge"


@pytest.fixture
def api() -> Iterator[Api]:
    served = Api()
    yield served
    served.server.shutdown()


@pytest.fixture
def pull(tmp_path: Path) -> tuple[Scratch, dict[str, str]]:
    """What actions/checkout leaves for a pull request: the merge of a branch into a base that moved on."""
    scratch = new_repository(tmp_path / "repository")
    base = scratch.commit(PINNED, "one")
    scratch.git("checkout", "-q", "-b", "filter")
    head = scratch.commit(MOVED, "filter")
    scratch.git("checkout", "-q", "main")
    scratch.write(PINNED.replace("orders", "clicks"), "clicks.topology.yaml")
    scratch.git("add", "-A")
    scratch.git("commit", "-qm", "somebody else's pipeline")
    scratch.git("merge", "-q", "--no-edit", "filter")
    merge = scratch.git("rev-parse", "HEAD")
    return scratch, {"BASE_SHA": base, "HEAD_SHA": head, "MERGE_SHA": merge}


def test_a_pull_request_that_loses_state(pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path) -> None:
    scratch, commits = pull
    payload = event("pull_request_opened", **commits)
    done = run_action(scratch, tmp_path / "run", payload, api, name="pull_request", ref=MERGED)
    assert done.code == 1, done.log
    assert done.outputs["check"]["verdict"] == "fails"
    assert re.search(r"^::error .*title=orders", done.log, re.M)
    assert "## ❌" in done.summary
    assert len(api.comments) == 1
    assert api.comments[0]["body"].startswith("<!-- savepoint-checker:default -->\n## ❌")
    assert "set the label flink-state-approved" in done.log
    folder = Path(done.outputs["check"]["folder"])
    assert {p.name for p in folder.iterdir()} >= {
        "report.html",
        "report.json",
        "report.sarif",
        "report.md",
        "report.xml",
    }
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    # The base is the merge's first parent: what others merged meanwhile is not this pull request's change.
    statuses = {p["name"]: p["status"] for p in report["pipelines"]}
    assert statuses == {"clicks": "unchanged", "orders": "changed"}


def test_the_comment_sticks_and_tells_when_all_is_well(
    pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path
) -> None:
    scratch, commits = pull
    api.comments += [{"id": n, "body": f"words {n}", "user": {"login": "somebody"}} for n in range(150)]
    api.comments[3]["body"] = "<!-- savepoint-checker:default -->\nState restores"
    payload = event("pull_request_opened", **commits)
    run_action(scratch, tmp_path / "run", payload, api, name="pull_request", ref=MERGED)
    assert len(api.comments) == 151
    scratch.commit(PINNED, "revert")
    done = run_action(scratch, tmp_path / "again", payload, api, name="pull_request", base=commits["BASE_SHA"])
    assert done.code == 0, done.log
    assert len(api.comments) == 151
    assert "## ✅" in api.comments[150]["body"]
    assert api.comments[3]["body"].endswith("State restores"), "somebody else's comment is never ours"


def test_no_comment_is_made_where_there_is_nothing_to_say(
    pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path
) -> None:
    scratch, commits = pull
    scratch.git("reset", "-q", "--hard", commits["BASE_SHA"])
    payload = event("pull_request_opened", **commits)
    done = run_action(scratch, tmp_path / "run", payload, api, name="pull_request", base="HEAD")
    assert done.code == 0, done.log
    assert api.comments == []
    assert "## ✅" in done.summary


def test_on_a_fork_the_summary_has_it_all(pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path) -> None:
    scratch, commits = pull
    api.refuse = 403
    payload = event("pull_request_opened_from_fork", **commits)
    done = run_action(scratch, tmp_path / "run", payload, api, name="pull_request", ref=MERGED)
    assert done.code == 1
    assert "no comment: GitHub answered 403 (as on pull requests from forks)" in done.log
    assert "Totals" in done.summary
    assert "::error::pwned" not in done.log
    assert not list(tmp_path.rglob("pwned"))


def test_the_label_accepts_exactly_these_commits(
    pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path
) -> None:
    scratch, commits = pull
    labelled = event("pull_request_labeled", **commits)
    done = run_action(scratch, tmp_path / "run", labelled, api, name="pull_request", ref=MERGED)
    assert done.code == 0, done.log
    assert done.outputs["verdict"] == {"approved": "true"}
    assert "reviewer accepted the findings" in done.log
    later = event("pull_request_synchronize_with_old_label", **commits)
    done = run_action(scratch, tmp_path / "later", later, api, name="pull_request", ref=MERGED)
    assert done.code == 1
    assert "was set before these commits" in done.log
    relabelled = labelled | {"label": {"name": "documentation"}}
    assert run_action(scratch, tmp_path / "other", relabelled, api, name="pull_request", ref=MERGED).code == 1
    assert run_action(
        scratch, tmp_path / "off", labelled, api, name="pull_request", ref=MERGED, approval_label=""
    ).code == 1  # fmt: skip


def test_the_label_does_not_help_what_could_not_be_done(
    pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path
) -> None:
    scratch, commits = pull
    scratch.write("flink = 1", "savepoint-checker.toml")
    scratch.git("add", "-A")
    scratch.git("commit", "-qm", "broken configuration")
    labelled = event("pull_request_labeled", **commits)
    done = run_action(scratch, tmp_path / "run", labelled, api, name="pull_request", ref=MERGED)
    assert done.code == 2
    assert "::error title=savepoint-checker could not do the work::error: savepoint-checker.toml" in done.log
    assert done.outputs["check"]["verdict"] == "error"
    assert "could not do the work" in done.summary
    assert "could not do the work" in api.comments[0]["body"]


def test_pushes(pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path) -> None:
    scratch, commits = pull
    done = run_action(scratch, tmp_path / "run", event("push", **commits), api, name="push")
    assert done.code == 1, done.log
    assert api.asked == []
    scratch.git("checkout", "-q", "-b", "new")
    new = run_action(scratch, tmp_path / "new", event("push_new_branch", **commits), api, name="push")
    assert new.code == 1, "without a commit before, the default base holds: the first parent on main"


def test_a_shallow_checkout_says_what_to_fetch(pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path) -> None:
    scratch, commits = pull
    scratch.git("clone", "-q", "--depth=1", scratch.top.as_uri(), str(tmp_path / "shallow"))
    shallow = Scratch(tmp_path / "shallow")
    payload = event("pull_request_opened", **commits)
    done = run_action(shallow, tmp_path / "run", payload, api, name="pull_request", ref=MERGED)
    assert done.code == 2
    assert "fetch-depth: 0" in done.log


def test_code_of_a_pull_request_is_never_run(pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path) -> None:
    scratch, commits = pull
    payload = event("pull_request_opened_from_fork", **commits)
    done = run_action(scratch, tmp_path / "run", payload, api, name="pull_request", ref=MERGED, options="--allow-exec")
    assert done.code == 2
    assert "would run a pull request's own code" in done.log


def test_options_are_words_and_never_shell(pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path) -> None:
    scratch, commits = pull
    payload = event("pull_request_opened", **commits)
    done = run_action(
        scratch, tmp_path / "run", payload, api, name="pull_request", ref=MERGED,
        options="--pipeline clicks --fail-on never --arg x=$(touch${IFS}pwned);touch",
    )  # fmt: skip
    assert done.code == 0, done.log
    assert not (scratch.top / "pwned").exists()


def test_a_folder_inside_the_repository(pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path) -> None:
    scratch, commits = pull
    (scratch.top / "jobs").mkdir()
    payload = event("pull_request_opened", **commits)
    done = run_action(
        scratch, tmp_path / "run", payload, api, name="pull_request", ref=MERGED, working_directory="jobs"
    )
    assert done.code == 1, done.log


def test_nothing_from_an_event_is_pasted_into_a_script() -> None:
    action = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), step["id"]


@pytest.mark.packaging
@pytest.mark.timeout(900)
def test_installs_into_an_environment_of_its_own(tmp_path: Path) -> None:
    scratch = new_repository(tmp_path / "repository")
    scratch.write(PINNED, DOCUMENT)
    env_file = tmp_path / "path"
    env_file.write_text("", encoding="utf-8")
    from tests.hooks.conftest import clean_environment

    env = clean_environment(
        RUNNER_TEMP=str(tmp_path), GITHUB_PATH=str(env_file), GITHUB_ACTION_PATH=str(TOP), INPUT_INSTALL="",
        PIP_COMPILE="0",
    )  # fmt: skip
    code, output = scratch.run("bash", str(TOP / "hooks" / "github" / "install.sh"), env=env)
    assert code == 0, output
    program = Path(env_file.read_text(encoding="utf-8").strip()) / "savepoint-checker"
    assert scratch.run(str(program), "--version")[1].startswith("savepoint-checker ")
