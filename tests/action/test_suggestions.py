"""Repairs as suggestions on the lines of a pull request."""

import difflib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.action.runner import TOP, Api, event, run_action
from tests.hooks.conftest import Scratch

sys.path.insert(0, str(TOP / "examples"))
sys.path.insert(0, str(TOP / "hooks" / "github"))

from make_repository import make_repository
from suggest import suggestions

FILE = "src/main/java/com/acme/orders/OrdersJob.java"
LINES = st.lists(st.sampled_from(["a", "b", "  c", "-- d", "++ e", "f", ""]), max_size=12)


@pytest.fixture
def api() -> Iterator[Api]:
    served = Api()
    yield served
    served.server.shutdown()


@pytest.fixture
def pull(tmp_path: Path) -> tuple[Scratch, dict[str, str]]:
    scratch = Scratch(tmp_path / "repository")
    make_repository(scratch.top)
    scratch.git("checkout", "-q", "main~1")
    base, head = scratch.git("rev-parse", "v1.0.0"), scratch.git("rev-parse", "HEAD")
    return scratch, {"BASE_SHA": base, "HEAD_SHA": head, "MERGE_SHA": head}


def run(pull: tuple[Scratch, dict[str, str]], api: Api, folder: Path, **inputs: str) -> str:
    scratch, commits = pull
    payload = event("pull_request_opened", **commits)
    done = run_action(scratch, folder, payload, api, name="pull_request", base=commits["BASE_SHA"], **inputs)
    assert done.code == 1, done.log
    return done.log


def test_one_click_commits_the_repair_that_is_offered_once(
    pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path
) -> None:
    run(pull, api, tmp_path / "run", suggestions="true")
    scratch, commits = pull
    made = len(api.on_lines)
    run(pull, api, tmp_path / "again", suggestions="true")
    assert len(api.on_lines) == made > 0
    assert {(c["commit_id"], c["path"], c["side"]) for c in api.on_lines} == {(commits["HEAD_SHA"], FILE, "RIGHT")}
    source = scratch.top / FILE
    lines = source.read_text(encoding="utf-8").splitlines()
    for comment in sorted(api.on_lines, key=lambda c: -c["line"]):
        [text] = re.findall(r"```suggestion\n(.*?)\n```", comment["body"], re.S)
        lines[comment.get("start_line", comment["line"]) - 1 : comment["line"]] = text.split("\n")
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    code, output = scratch.run("savepoint-checker", "check", "--engine", "in-process", "--base", "v1.0.0",
                             "--head", ":worktree")  # fmt: skip
    assert code == 0, output


def test_lines_that_are_not_shown_are_counted(pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path) -> None:
    api.shown_lines = range(0)
    log = run(pull, api, tmp_path / "run", suggestions="true", comment="false")
    assert re.search(r"\d+ repairs are on lines that this pull request does not show", log)
    assert api.on_lines == []


def test_none_are_made_unasked(pull: tuple[Scratch, dict[str, str]], api: Api, tmp_path: Path) -> None:
    run(pull, api, tmp_path / "run")
    assert api.on_lines == []
    assert len(api.comments) == 1


@given(LINES, LINES)
def test_suggestions_make_of_the_old_text_the_new_one(before: list[str], after: list[str]) -> None:
    before, after = ["first", *before], ["first", *after]
    diff = "\n".join(difflib.unified_diff(before, after, "a/F.java", "b/F.java", lineterm=""))
    lines = list(before)
    for found in sorted(suggestions(diff), key=lambda s: -s.first):
        assert found.path == "F.java"
        lines[found.first - 1 : found.last] = found.lines
    assert lines == after
