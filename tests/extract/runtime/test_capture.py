"""What a capture says of Java programs is what Flink says when it is asked without us."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest

from checker.extract.runtime.capture.capturing import RunnableProgram, run
from checker.extract.runtime.capture.disagreements import disagreements
from checker.extract.runtime.capture.topologies import topology_of
from checker.flink import translate
from checker.model.declared_state import StateKind
from checker.model.nested import Json
from checker.model.unknowns import Unknown
from tests.flinks import jars_of, java

pytestmark = [pytest.mark.flink, pytest.mark.timeout(600)]

NAMES = (
    "chain", "uids", "state", "windows", "unions", "sides", "connected", "interval-join", "groups", "async",
    "no-chaining", "max-parallelism", "legacy", "collision",
)  # fmt: skip


def flinks_own(version: str, jar: Path, folder: Path) -> dict[str, list[str]]:
    """Per program its job vertices as text, from a plain JVM without any of our code."""
    answer = folder / "truth.tsv"
    command = [*java(jar, f"{jars_of(version)}/*"), "Programs", str(answer), "2"]
    subprocess.run(command, check=True, capture_output=True)
    truth: dict[str, list[str]] = {}
    for line in answer.read_text("utf-8").splitlines():
        name, _, rest = line.partition("\t")
        truth.setdefault(name, []).append(rest)
    return truth


def as_lines(job: Json) -> list[str]:
    if "refused" in job:
        return [f"refused\t{job['refused'][-1]['message']}"]
    return [
        "\t".join(
            [v["id"], v["name"], str(v["parallelism"])]
            + [f"{o['generated']},{o['user'] or '-'}" for o in v["operators"]]
        )
        for v in job["vertices"]
    ]


@pytest.fixture(scope="module")
def captured(job_jar: Callable[[str], Path]) -> Callable[[str], dict[str, Json]]:
    """The jobs of all programs by version; one process runs them."""

    @cache
    def jobs(version: str) -> dict[str, Json]:
        lib = jars_of(version)
        program = RunnableProgram(main="Programs", jars=(job_jar(version),), flink_jars=lib, args=NAMES, parallelism=2)
        return dict(zip(NAMES, run(program).jobs, strict=True))

    return jobs


Captured = Callable[[str], dict[str, Json]]


@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
def test_captures_equal_flinks_own_job_graphs_and_our_core_agrees(
    version: str, captured: Captured, job_jar: Callable[[str], Path], tmp_path: Path
) -> None:
    truth = flinks_own(version, job_jar(version), tmp_path)
    assert set(truth) == set(NAMES)
    for name, job in captured(version).items():
        assert as_lines(job) == truth[name], name
        topology = topology_of(job, name=name, flink=version)
        assert disagreements(job, translate(topology)) == (), name


def test_state_is_what_flink_registered_and_open_where_more_may_come(captured: Captured) -> None:
    job = captured("1.20.5")["state"]
    operators = {t.function: t for t in topology_of(job, name="state", flink="1.20.5").transformations}
    offsets = operators["Programs$Offsets"].state
    assert not isinstance(offsets, Unknown)
    assert [(s.name, s.kind) for s in offsets] == [("offsets", StateKind.OPERATOR_UNION_LIST)]
    for late in ("Programs$Seen", "Programs$Computed"):
        states = operators[late].state
        assert not isinstance(states, Unknown)
        (more,) = [s.name for s in states if isinstance(s.name, Unknown)]
        assert "may ask for more state while records are processed" in more.reason


def test_an_operator_without_state_is_known_to_have_none(captured: Captured) -> None:
    job = captured("1.20.5")["chain"]
    by_name = {t.name: t for t in topology_of(job, name="chain", flink="1.20.5").transformations}
    assert by_name["Map"].stateful is False
    assert by_name["Filter"].stateful is False


def test_a_wrong_core_would_be_noticed(captured: Captured) -> None:
    job = captured("1.20.5")["uids"]
    translation = translate(topology_of(job, name="uids", flink="1.20.5"))
    job = deepcopy(job)
    for vertex in job["vertices"]:
        vertex["operators"][0]["generated"] = "0" * 32
    found = disagreements(job, translation)
    assert found
    assert "operators" in {d.what for d in found}


@pytest.mark.parametrize("version", ["1.16.3", "1.18.1", "2.0.2"])
def test_other_versions_are_captured_too(version: str, program: Callable[..., RunnableProgram]) -> None:
    names = ("uids", "unions", "windows")
    for name, job in zip(names, run(program("Programs", *names, version=version)).jobs, strict=True):
        assert disagreements(job, translate(topology_of(job, name=name, flink=version))) == ()
