"""The examples for other CI systems and builds: their own shell lines, run in a change request's checkout."""

import re
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests.hooks.conftest import MOVED, PINNED, TOP, Scratch, clean_environment, new_repository

CI = TOP / "examples" / "ci"
PYTHON = f"""#!/bin/sh
# Stands in for Python's installer: the package under test takes the place of the published one.
case "$*" in
  "-I -m venv "*) mkdir -p "$4/bin"; printf '#!/bin/sh\\n' > "$4/bin/pip"
    printf '#!/bin/sh\\nexec "{Path(sys.executable).parent}/savepoint-checker" "$@"\\n' > "$4/bin/savepoint-checker"
    chmod +x "$4/bin/pip" "$4/bin/savepoint-checker" ;;
  "-I -m pip install --quiet savepoint-checker") ;;
  *) echo "not expected: $*" >&2; exit 9 ;;
esac
"""


def jenkins() -> str:
    return re.search(r"sh '''(.*?)'''", (CI / "Jenkinsfile").read_text(encoding="utf-8"), re.S)[1]  # type: ignore[index]


def azure() -> str:
    steps = yaml.safe_load((CI / "azure-pipelines.yml").read_text(encoding="utf-8"))["steps"]
    return str(next(step["script"] for step in steps if "script" in step))


def tekton() -> str:
    task = yaml.safe_load((CI / "tekton-task.yaml").read_text(encoding="utf-8"))
    return str(task["spec"]["steps"][0]["script"])


@pytest.fixture
def checkout(tmp_path: Path) -> Scratch:
    """A clone whose branch loses state against its target branch."""
    origin = new_repository(tmp_path / "origin")
    origin.commit(PINNED, "one")
    clone = Scratch(tmp_path / "clone")
    origin.git("clone", "-q", str(origin.top), str(clone.top))
    clone.git("checkout", "-q", "-b", "filter")
    clone.commit(MOVED, "filter")
    return clone


@pytest.mark.parametrize("script", [jenkins, azure, tekton])
def test_the_steps_find_what_would_be_lost(script: object, checkout: Scratch, tmp_path: Path) -> None:
    stand_in = tmp_path / "bin" / "python"
    stand_in.parent.mkdir()
    stand_in.write_text(PYTHON, encoding="utf-8")
    stand_in.chmod(0o755)
    env = clean_environment(
        CHANGE_TARGET="main", SYSTEM_PULLREQUEST_TARGETBRANCH="refs/heads/main", BASE="main", HOME=str(tmp_path),
        GIT_CONFIG_GLOBAL=str(tmp_path / "gitconfig"),
    )  # fmt: skip
    env["PATH"] = f"{stand_in.parent}:{env['PATH']}"
    code, output = checkout.run("sh", "-eu", "-c", script(), env=env)  # type: ignore[operator]
    assert code == 1, output
    report = ElementTree.parse(checkout.top / "savepoint-checker.xml").getroot()
    assert int(report.get("failures", "0")) == 1
    assert "Totals" in (checkout.top / "savepoint-checker.html").read_text(encoding="utf-8")


def test_the_images_install_what_there_is() -> None:
    text = (TOP / "Dockerfile").read_text(encoding="utf-8")
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {extra for found in re.findall(r"\.whl\)\[([\w,]+)\]", text) for extra in found.split(",")}
    assert extras <= set(project["optional-dependencies"])
    assert extras
    assert re.search(r'ENTRYPOINT \["([\w-]+)"\]', text)[1] in project["scripts"]  # type: ignore[index]
    users = re.findall(r"^(?:FROM .* AS (\w+)|USER (\w+))$", text, re.M)
    assert users[-1] == ("", "checker"), "the image runs without rights"
    kept = {line[1:] for line in (TOP / ".dockerignore").read_text(encoding="utf-8").split() if line[0] == "!"}
    assert {"checker", "savepoint_checker", "reports", "pyproject.toml", "README.md", "LICENSE"} <= kept
