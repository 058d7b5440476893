"""The ways to install that the documentation names, from the wheel that would be published, and CI scripts that do so.

A folder with the wheel stands in for our page on the package index; all that the wheel depends on comes from the index.
"""

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests.action.test_other_ci import CI, azure, checkout, tekton
from tests.flinks import BRIEF
from tests.hooks.conftest import TOP, Scratch
from tests.packaging.conftest import UNCOMPILED, downloads_of_pip, environment, needed

__all__ = ["checkout"]
pytestmark = [pytest.mark.packaging, pytest.mark.timeout(900)]

GROOVY = Path("/usr/share/java/groovy-all.jar")
Environment = dict[str, str]


@pytest.fixture(scope="module")
def machine(wheel: Path, index: None, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """A machine with Python, pip, pipx and uv, and nothing of ours: the variables of its shell."""
    folder = tmp_path_factory.mktemp("machine")
    programs = environment(folder / "python")
    subprocess.run([str(programs / "pip"), "install", "--quiet", "--no-compile", "pipx", "uv"], check=True)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PIP_FIND", "PYTHON", "VIRTUAL_ENV"))}
    kept |= UNCOMPILED
    return kept | {
        "PATH": f"{programs}:{folder / 'home/.local/bin'}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder / "home"),
        "PIP_FIND_LINKS": str(wheel.parent),
        "PIP_CACHE_DIR": downloads_of_pip(),
        "UV_FIND_LINKS": str(wheel.parent),
        "UV_PYTHON": str(programs / "python"),
        "UV_SYSTEM_CERTS": "1",
        "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
    }


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of the Python that runners start: what ours depends on is installed by the first script."""
    return environment(tmp_path_factory.mktemp("image") / "python")


@pytest.fixture
def runner(machine: Environment, image: Path, checkout: Scratch, tmp_path: Path) -> Environment:
    """What CI systems give to a job on a change against main, with a Python that has nothing of ours."""
    subprocess.run([str(image / "pip"), "uninstall", "--quiet", "--yes", "savepoint-checker"], check=True)
    return machine | {
        "PATH": f"{image}:{machine['PATH']}",
        "CHANGE_TARGET": "main",
        "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main",
        "BASE": "main",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": checkout.git("rev-parse", "origin/main"),
        "SAVEPOINT_CHECKER_CACHE": str(tmp_path / "cache"),
    }


@pytest.mark.parametrize(
    "command",
    [
        "uvx savepoint-checker check --engine in-process --base origin/main",
        "uv tool install savepoint-checker && savepoint-checker check --engine in-process --base origin/main",
        "pipx install savepoint-checker && savepoint-checker check --engine in-process --base origin/main",
        "python -m venv new && . new/bin/activate && "
        "pip install savepoint-checker && savepoint-checker check --engine in-process --base origin/main",
    ],
    ids=["uvx", "uv-tool", "pipx", "pip"],
)
def test_each_documented_way_finds_what_would_be_lost(machine: Environment, checkout: Scratch, command: str) -> None:
    page = (TOP / "docs" / "install.md").read_text(encoding="utf-8")
    assert any(f"`{part.partition(' --engine')[0]}`" in page for part in command.split(" && "))
    shutil.rmtree(Path(machine["HOME"], ".local", "bin"), ignore_errors=True)
    code, output = checkout.run("sh", "-c", command, env=machine)
    assert code == 1, output
    assert "'Valid' was inserted" in output


def gitlab() -> str:
    """The script's lines, as a runner puts them together."""
    job = yaml.safe_load((TOP / "hooks" / "gitlab" / "savepoint-checker.yml").read_text(encoding="utf-8"))
    job = job["savepoint-checker"]
    given = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in job["variables"].items()
                    if not value.startswith("$"))  # fmt: skip
    return given + "\n".join(job["script"])


@pytest.mark.parametrize(
    ("script", "report"),
    [
        (azure, "savepoint-checker.xml"),
        (tekton, "savepoint-checker.xml"),
        (gitlab, "savepoint-checker/report.xml"),
    ],
)
def test_scripts_of_ci_systems_install_and_check(
    runner: Environment, checkout: Scratch, script: Callable[[], str], report: str
) -> None:
    code, output = checkout.run("sh", "-eu", "-c", script(), env=runner)
    assert code == 1, output
    assert int(ElementTree.parse(checkout.top / report).getroot().get("failures", "0")) == 1


def test_the_jenkinsfile_is_a_pipeline_that_installs_and_checks(runner: Environment, checkout: Scratch) -> None:
    needed("java")
    if not GROOVY.is_file():
        pytest.skip("no Groovy on this machine")
    groovy = ("java", *BRIEF, "-cp", str(GROOVY), "groovy.ui.GroovyMain")
    files = str(Path(__file__).with_name("Jenkins.groovy")), str(CI / "Jenkinsfile")
    code, output = checkout.run(*groovy, *files, env=runner)
    assert code == 1, output
    assert "stage Flink state" in output
    assert "junit true" in output
    assert "archived true" in output


def test_one_command_makes_a_release(clean_copy: Path, tmp_path: Path) -> None:
    """The script builds twice and compares; here its results are looked at, and a tree with changes is refused."""
    scratch = Scratch(tmp_path / "release")
    shutil.copytree(clean_copy, scratch.top)
    scratch.git("init", "--quiet", "--initial-branch=main")
    scratch.git("add", "-A")
    scratch.git("commit", "--quiet", "-m", "a release")
    env = {**os.environ, **UNCOMPILED, "PYTHON": sys.executable}
    code, output = scratch.run("scripts/release", env=env)
    assert code == 0, output
    dist = scratch.top / "dist"
    sums = (dist / "SHA256SUMS").read_text(encoding="utf-8")
    files = {line.split()[1]: line.split()[0] for line in sums.splitlines()}
    assert {Path(name).suffix for name in files} == {".whl", ".gz", ".json"}
    assert files == {name: hashlib.sha256((dist / name).read_bytes()).hexdigest() for name in files}
    bill = json.loads(next(dist.glob("*.cdx.json")).read_text(encoding="utf-8"))
    assert {"savepoint-checker", "tree-sitter", "typer"} <= {component["name"] for component in bill["components"]}
    assert str(tmp_path) not in json.dumps(bill)
    (scratch.top / "README.md").write_text("changed", encoding="utf-8")
    assert scratch.run("scripts/release", env=env)[0] == 2
