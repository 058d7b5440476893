"""The files that other repositories use or get: held against the schemas of those who read them."""

import tomllib
from pathlib import Path

import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner

from checker.settings import parse_settings
from tests.hooks.conftest import PINNED, TOP, Scratch, clean_environment, new_repository
from tests.hostile.commands import command

GITLAB = TOP / "hooks" / "gitlab" / "savepoint-checker.yml"


def valid(schema: str, file: Path) -> None:
    done = CliRunner().invoke(check_jsonschema, ["--builtin-schema", f"vendor.{schema}", str(file)])
    assert done.exit_code == 0, done.output


def init(scratch: Scratch, *options: str) -> tuple[int, str]:
    """Exit code and everything said of ``init`` in this process."""
    ended = command(scratch.top, "init", *options)
    return ended.code, ended.output + ended.complaints


@pytest.fixture
def begun(tmp_path: Path) -> Scratch:
    """A repository after ``init`` with everything it can write."""
    scratch = new_repository(tmp_path / "repository")
    scratch.commit(PINNED)
    parts = [option for part in ("config", "hook", "github", "gitlab") for option in ("--only", part)]
    code, output = init(scratch, *parts)
    assert code == 0, output
    return scratch


def test_the_action_and_the_template_are_valid() -> None:
    valid("github-actions", TOP / "action.yml")
    valid("gitlab-ci", GITLAB)


def test_what_init_writes_is_valid(begun: Scratch) -> None:
    valid("github-workflows", begun.top / ".github" / "workflows" / "savepoint-checker.yml")
    valid("gitlab-ci", begun.top / ".gitlab" / "savepoint-checker.yml")
    hooks = yaml.safe_load((begun.top / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    ours = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {h["id"] for h in hooks["repos"][0]["hooks"]} == {h["id"] for h in ours}


def test_the_configuration_reads_as_it_is_and_with_every_line_in_force(begun: Scratch) -> None:
    text = (begun.top / "savepoint-checker.toml").read_text(encoding="utf-8")
    assert parse_settings(tomllib.loads(text), "f").pipelines == ()
    lines = [line.removeprefix("# ") for line in text.splitlines() if "=" in line or "[[" in line]
    settings = parse_settings(tomllib.loads("\n".join(lines)), "f")
    assert [p.name for p in settings.pipelines] == ["orders"]
    assert settings.suppressions[0].rule == "uid-missing"


def test_names_of_pipelines_can_not_break_the_configuration(tmp_path: Path) -> None:
    scratch = new_repository(tmp_path / "repository")
    scratch.commit(PINNED.replace("name: orders\n", 'name: "a\\"\\n[[x]]\\n# <é>"\n', 1))
    assert init(scratch, "--only", "config")[0] == 0
    text = (scratch.top / "savepoint-checker.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) == {}
    lines = [line.removeprefix("# ") for line in text.splitlines() if line.startswith("# name")]
    assert tomllib.loads(lines[0])["name"] == 'a"\n[[x]]\n# <é>'


def test_nothing_is_ever_overwritten(begun: Scratch) -> None:
    files = [p for p in begun.top.rglob("*") if p.is_file() and ".git/" not in p.as_posix()]
    for file in files:
        file.write_text("mine\n", encoding="utf-8")
    (begun.top / "savepoint-checker.toml").write_text("", encoding="utf-8")
    before = {f: f.read_bytes() for f in files}
    code, output = init(begun, "--only", "config", "--only", "hook", "--only", "github")
    assert code == 0, output
    assert {f: f.read_bytes() for f in files} == before
    assert "kept     .pre-commit-config.yaml; to use savepoint-checker there, add:" in output


def test_init_looks_at_where_the_repository_is_hosted(tmp_path: Path) -> None:
    scratch = new_repository(tmp_path / "repository")
    scratch.commit(PINNED)
    scratch.git("remote", "add", "origin", "git@gitlab.com:acme/orders.git")
    code, output = init(scratch)
    assert code == 0, output
    assert (scratch.top / ".gitlab" / "savepoint-checker.yml").exists()
    assert not (scratch.top / ".github").exists()


def test_init_refuses_what_it_can_not_do(tmp_path: Path) -> None:
    scratch = new_repository(tmp_path / "repository")
    assert init(scratch, "--only", "jenkins")[0] == 2
    bare = new_repository(tmp_path / "bare")
    bare.git("config", "core.bare", "true")
    assert init(bare)[0] == 2


def test_the_written_template_is_the_published_one(begun: Scratch) -> None:
    written = (begun.top / ".gitlab" / "savepoint-checker.yml").read_text(encoding="utf-8")
    published = GITLAB.read_text(encoding="utf-8")
    assert [a for a, b in zip(written.splitlines(), published.splitlines(), strict=True) if a != b] == [
        line for line in written.splitlines() if "SAVEPOINT_CHECKER_INSTALL: " in line
    ]


def test_the_gitlab_job_runs_as_written(begun: Scratch) -> None:
    base = begun.git("rev-parse", "HEAD")
    begun.commit(PINNED.replace("Totals", "Sums"))
    job = yaml.safe_load(GITLAB.read_text(encoding="utf-8"))["savepoint-checker"]
    script = "\n".join(line for line in job["script"] if "pip install" not in line)
    env = clean_environment(CI_MERGE_REQUEST_DIFF_BASE_SHA=base, SAVEPOINT_CHECKER_OPTIONS="--fail-on warning")
    code, output = begun.run("bash", "-eo", "pipefail", "-c", script, env=env)
    assert code in (0, 1), output
    for name in job["artifacts"]["reports"].values():
        assert (begun.top / name).stat().st_size > 2


def test_no_cache_outlives_a_run_of_a_pull_request() -> None:
    """Its author may have edited the workflow of an earlier run, and have it write what later ones believe."""
    (step,) = [
        s for s in yaml.safe_load((TOP / "action.yml").read_text())["runs"]["steps"] if "cache" in s.get("uses", "")
    ]
    assert step["if"] == "${{ !startsWith(github.event_name, 'pull_request') }}"
    for template in ("hooks/gitlab/savepoint-checker.yml", "reports/templates/init/gitlab"):
        assert "cache" not in (TOP / template).read_text()
