"""What is shipped: the built wheel, installed without PySpark, renders with the templates inside it."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.hooks.conftest import MOVED, PINNED, TOP, clean_environment, new_repository
from tests.packaging.conftest import MINORS, python
from tests.report import samples

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(600)]


def run(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module", params=(min(MINORS), max(MINORS)))
def installed(
    request: pytest.FixtureRequest, wheel: Path, index: None, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The ``bin`` folder of an environment that has the wheel and what it depends on, and nothing else.

    Of the oldest and the newest Python; ``test_install`` has the one between them.
    """
    folder = tmp_path_factory.mktemp("installed")
    interpreter = python(request.param) or pytest.skip(f"no Python {request.param} on this machine")
    run(interpreter, "-m", "venv", "--without-pip", str(folder), cwd=folder)
    pip = (sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-compile", str(wheel), cwd=folder)
    return folder / "bin"


def test_ships_every_template_and_nothing_beside_the_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    templates = TOP / "reports" / "templates"
    wanted = {
        f"checker/report/templates/{p.relative_to(templates).as_posix()}" for p in templates.rglob("*") if p.is_file()
    }
    assert wanted <= set(names)
    schemas = ("catalog", "report.schema", "savepoint-checker.schema", "savepoint-mapping.schema", "topology.schema")
    assert {f"checker/schemas/{name}.json" for name in schemas} <= set(names)
    tops = {name.split("/")[0] for name in names}
    assert {t for t in tops if not t.endswith(".dist-info")} == {"checker", "savepoint_checker"}
    assert {"checker/py.typed", "savepoint_checker/py.typed"} <= set(names), "the types are for users' type checkers"


def test_renders_every_format_without_pyspark(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(json.dumps(samples.example()), encoding="utf-8")
    program = (
        "import importlib.util as u, json, pathlib\n"
        "from checker.report.formats import Report, formats_of, renderer\n"
        "from checker.report.pages import template_folder\n"
        "from savepoint_checker import compare, gate, operator_ids\n"
        "assert u.find_spec('pyspark') is None\n"
        "report = json.loads(pathlib.Path('report.json').read_text())\n"
        "sizes = {n: len(renderer(Report.CHECK, n)(report)) for n in formats_of(Report.CHECK)}\n"
        "print(json.dumps([str(template_folder()), sizes]))\n"
    )
    folder, sizes = json.loads(run(str(installed / "python"), "-c", program, cwd=tmp_path))
    assert Path(folder).is_relative_to(installed.parent)
    assert all(size > 100 for size in sizes.values()), sizes


def test_checks_a_repository_without_pyspark_and_says_so(installed: Path, tmp_path: Path) -> None:
    scratch = new_repository(tmp_path / "repository")
    base = scratch.commit(PINNED)
    scratch.commit(MOVED)
    env = clean_environment()
    env["PATH"] = f"{installed}{os.pathsep}{env['PATH']}"
    check = ("savepoint-checker", "check", "--base", base, "--output", "r.html", "--output", "r.md")
    code, output = scratch.run(*check, "--engine", "spark", env=env)
    assert code == 2
    assert "PySpark is not installed" in output
    code, output = scratch.run(*check, env=env)
    assert code == 1
    assert "Totals" in output
    assert "<!doctype html>" in (scratch.top / "r.html").read_text(encoding="utf-8")
    assert scratch.run("savepoint-checker", "hook", "pre-commit", env=env)[0] == 0
    assert scratch.run("savepoint-checker", "init", env=env)[0] == 0
    assert "## What it sees" in scratch.run("savepoint-checker", "explain", "uid-missing", env=env)[1]
