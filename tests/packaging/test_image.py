"""The images of ``Dockerfile``, built by running its steps in scratch roots, and used."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hooks.conftest import TOP
from tests.packaging.conftest import KEPT, downloads_of_pip, needed, on_a_line
from tests.packaging.dockerfile import Downloads, Image, NotHereError, build, make_sure, python_root, stages
from tests.savepoint.conftest import snapshots
from tests.scratch import Scratch

sys.path.insert(0, str(TOP / "examples"))

from make_repository import make_repository

__all__ = ["snapshots"]
pytestmark = [pytest.mark.packaging, pytest.mark.timeout(1800)]

BASE = "python:3.12-slim-bookworm"
TEXT = (TOP / "Dockerfile").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def images(clean_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Image]:
    needed("debootstrap", "unshare", "chroot", root=True)
    kept = Downloads(apt=KEPT / "apt", pip=downloads_of_pip())
    folder = tmp_path_factory.mktemp("layers")
    try:
        base = python_root(KEPT / "roots" / "debian-12-python", kept)
        make_sure(base, folder / "probe", kept)
    except NotHereError as error:
        pytest.skip(f"no scratch root with package indexes can be made: {error}")
    context = tmp_path_factory.mktemp("context")
    for line in (TOP / ".dockerignore").read_text(encoding="utf-8").split():
        source, target = clean_copy / line.removeprefix("!"), context / line.removeprefix("!")
        if line == "*":
            continue
        shutil.copytree(source, target) if source.is_dir() else shutil.copy2(source, target)
    return build(TEXT, context, {BASE: base}, folder, kept)


def test_docker_builds_them(clean_copy: Path, orders: Path) -> None:
    needed("docker")
    asked = "apt-get update && pip download --no-deps --dest /asked iniconfig"
    probe = docker("run", "--rm", BASE, "sh", "-c", asked)
    if probe.returncode:
        pytest.skip(f"no docker that starts {BASE} with package indexes: {on_a_line(probe.stderr)}")
    for target in ("slim", "full"):
        done = docker(
            "build", "--quiet", "--target", target, "--tag", f"savepoint-checker-test:{target}", str(clean_copy)
        )
        assert done.returncode == 0, done.stderr
    mounted = ("run", "--rm", "-v", f"{orders}:/repository", "savepoint-checker-test:slim")
    done = docker(*mounted, "check", "--base", "v1.0.0", "--head", "main~1")
    assert done.returncode == 1, done.stderr


def docker(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["docker", *words], capture_output=True, text=True, check=False)


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    make_repository(tmp_path / "orders")
    return tmp_path / "orders"


def test_it_is_built_from_what_the_context_lets_in() -> None:
    assert {stage.base for stage in stages(TEXT)} == {BASE, "slim"}
    text = TEXT.replace(" AS build", "") + "HEALTHCHECK NONE\n"
    assert stages(text)[0].name == "0"
    assert stages(text)[-1].instructions[-1] == ("HEALTHCHECK", "NONE")


def test_the_slim_image_checks_a_mounted_repository(images: dict[str, Image], orders: Path) -> None:
    slim = images["slim"]
    mounts = {orders: "/repository"}
    assert slim.inside(["id", "-u"]).stdout.strip() == "10001"
    assert slim.inside(["java", "-version"]).returncode == 127
    assert slim.folder == "/repository"
    done = slim.run("check", "--engine", "in-process", "--base", "v1.0.0", "--head", "main~1", mounts=mounts)
    assert done.returncode == 1, done.stderr
    assert "'no test orders' was inserted" in " ".join(done.stdout.split())
    done = slim.run(mounts=mounts)
    assert done.returncode in (0, 1), "what it does unasked is a check: " + done.stderr
    assert "->" in done.stdout or "→" in done.stdout


def test_the_slim_image_reads_savepoints(images: dict[str, Image], snapshots: Path) -> None:
    savepoint = snapshots / "2.3.0" / "keyed" / "savepoint"
    done = images["slim"].run("savepoint", "/savepoint", mounts={savepoint: "/savepoint"})
    assert done.returncode == 0, done.stderr
    assert "Keyed kp" in done.stdout


def test_the_full_image_has_spark_a_jdk_and_flinks_jars(images: dict[str, Image], orders: Path, tmp_path: Path) -> None:
    full = images["full"]
    assert full.inside(["javac", "-version"]).stdout.startswith("javac 17")
    kept = full.inside(["sh", "-c", "ls ~/.cache/savepoint-checker/flink/*/flink-dist*.jar"])
    assert kept.stdout.count("flink-dist") == 1, kept.stderr
    asked = ("check", "--engine", "spark", "--base", "v1.0.0", "--head", "main~1")
    done = full.run(*asked, mounts={orders: "/repository"})
    assert done.returncode == 1, done.stderr
    assert "'no test orders' was inserted" in " ".join(done.stdout.split())
    assert "PySpark is not installed" not in done.stderr
    totals = Scratch(tmp_path / "totals")
    totals.write("totals.sql", (TOP / "examples/sql/1-first-release/totals.sql").read_bytes())
    totals.write("savepoint-checker.toml", 'flink = "1.20"\n')
    totals.commit()
    planned = full.run("ids", "--head", "main", mounts={totals.folder: "/repository"})
    assert planned.returncode == 0, planned.stderr
    assert "GroupAggregate" in planned.stdout
