"""The images of ``Dockerfile``, built and used where there is a Docker that reaches package indexes."""

import subprocess
from pathlib import Path

import pytest

from examples.make_repository import make_repository
from tests.hooks.conftest import TOP
from tests.packaging.conftest import needed, on_a_line
from tests.savepoint.conftest import snapshots
from tests.scratch import Scratch

__all__ = ["snapshots"]
pytestmark = [pytest.mark.packaging, pytest.mark.timeout(1800)]

BASE = "python:3.12-slim-bookworm"


def docker(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["docker", *words], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def images(clean_copy: Path) -> dict[str, str]:
    needed("docker")
    asked = "apt-get update && pip download --no-deps --dest /asked iniconfig"
    probe = docker("run", "--rm", BASE, "sh", "-c", asked)
    if probe.returncode:
        pytest.skip(f"no docker that starts {BASE} with package indexes: {on_a_line(probe.stderr)}")
    tags = {target: f"savepoint-checker-test:{target}" for target in ("slim", "full")}
    for target, tag in tags.items():
        done = docker("build", "--quiet", "--target", target, "--tag", tag, str(clean_copy))
        assert done.returncode == 0, done.stderr
    return tags


def run(image: str, mounted: Path, *words: str, program: str | None = None) -> subprocess.CompletedProcess[str]:
    entry = ("--entrypoint", program) if program else ()
    return docker("run", "--rm", *entry, "-v", f"{mounted}:/repository", image, *words)


def test_the_slim_image_checks_a_mounted_repository_and_reads_savepoints(
    images: dict[str, str], tmp_path: Path, snapshots: Path
) -> None:
    slim, orders = images["slim"], tmp_path / "orders"
    make_repository(orders)
    assert run(slim, orders, "-u", program="id").stdout.strip() == "10001"
    done = run(slim, orders, "check", "--engine", "in-process", "--base", "v1.0.0", "--head", "main~1")
    assert done.returncode == 1, done.stderr
    assert "'no test orders' was inserted" in " ".join(done.stdout.split())
    assert run(slim, orders).returncode in (0, 1), "what it does unasked is a check"
    read = run(slim, snapshots / "2.3.0" / "keyed" / "savepoint", "savepoint", "/repository")
    assert "Keyed kp" in read.stdout, read.stderr


def test_the_full_image_has_spark_a_jdk_and_flinks_jars(images: dict[str, str], tmp_path: Path) -> None:
    full, orders = images["full"], tmp_path / "orders"
    make_repository(orders)
    done = run(full, orders, "check", "--engine", "spark", "--base", "v1.0.0", "--head", "main~1")
    assert done.returncode == 1, done.stderr
    assert "PySpark is not installed" not in done.stderr
    totals = Scratch(tmp_path / "totals")
    totals.write("totals.sql", (TOP / "examples/sql/1-first-release/totals.sql").read_bytes())
    totals.write("savepoint-checker.toml", 'flink = "1.20"\n')
    totals.commit()
    planned = run(full, totals.folder, "ids", "--head", "main")
    assert "GroupAggregate" in planned.stdout, planned.stderr
