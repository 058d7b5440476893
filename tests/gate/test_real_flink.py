"""A real Flink takes a savepoint, the gate judges changed jobs by it, and the same Flink then tries each of them."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

from checker.model.findings import RestorePath
from checker.model.restore import Moment, RestoreRule
from checker.savepoint.reader import read_savepoint
from checker.workflows.gate.judging import GateOptions, NamedSavepoint, judge_savepoint
from tests.flinks import asked, compiled, jars_of, java
from tests.gate.recorded_jobs import recorded_job

pytestmark = [pytest.mark.flink, pytest.mark.timeout(900)]

VERSIONS = asked("1.16.3", "1.20.5", "2.3.0")
SOURCE = Path(__file__).parent / "java" / "RestoreLab.java"
CANDIDATES = ("same", "map-removed", "uid-renamed", "max-parallelism", "state-retyped", "ttl-switched")
METADATA_VERSION = {"1.13": 3, "1.14": 3, "2.0": 5, "2.1": 6, "2.2": 6, "2.3": 6}
"""What each Flink writes; 4 from 1.16 to 1.20."""


@dataclass(frozen=True)
class Tried:
    """What Flink said of one candidate."""

    candidate: str
    allow: bool
    restored: bool
    message: str


@dataclass(frozen=True)
class Lab:
    version: str
    savepoint: str
    graphs: dict[str, str]
    tried: tuple[Tried, ...]


@pytest.fixture(scope="module", params=VERSIONS)
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    version = str(request.param)
    jars = jars_of(version)
    folder = tmp_path_factory.mktemp(f"flink-{version}")
    command = java(compiled(folder / "classes", jars, SOURCE), f"{jars}/*")
    command += ["RestoreLab", str(folder), *CANDIDATES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    (savepoint,) = [fields[1] for fields in lines if fields[0] == "savepoint"]
    tried = tuple(
        Tried(fields[1], fields[2] == "true", fields[3] == "RESTORED", fields[4])
        for fields in lines
        if fields[0] == "attempt"
    )
    assert len(tried) == 2 * len(CANDIDATES)
    graphs = {name: (folder / f"{name}.json").read_text() for name in CANDIDATES}
    return Lab(version, unquote(urlparse(savepoint).path), graphs, tried)


def with_states(candidate: str, graph: str) -> dict[str, Any]:
    """The job graph with the one state that ``Total`` registers, as a reader of its source would know it."""
    document: dict[str, Any] = json.loads(graph)
    value = "String" if candidate == "state-retyped" else "Long"
    state = {"name": "total", "kind": "value", "value_type": value, "ttl": candidate == "ttl-switched"}
    for vertex in document["vertices"]:
        if vertex["name"].startswith("Total"):
            vertex["operators"][-1] |= {"states": [state], "key_type": "Long"}
    return document


def test_flink_confirms_every_verdict(lab: Lab) -> None:
    seen: set[tuple[bool, RestoreRule | None]] = set()
    for tried in lab.tried:
        graph = with_states(tried.candidate, lab.graphs[tried.candidate])
        job = recorded_job(graph, tried.candidate, flink=lab.version, state_backend="hashmap")
        attempts, _ = judge_savepoint(NamedSavepoint(path=lab.savepoint), [job], GateOptions())
        (attempt,) = [
            a for a in attempts if a.path is RestorePath.SAVEPOINT and a.allow_non_restored_state is tried.allow
        ]
        assert attempt.verdict.value == ("restores" if tried.restored else "fails"), (tried, attempt.message)
        if attempt.operator is not None and attempt.moment is Moment.JOB_INITIALIZATION:
            assert attempt.operator in tried.message
        seen.add((tried.restored, attempt.rule))
    takes_ttl = lab.version.startswith(("2.2", "2.3"))
    assert seen == {
        *(() if takes_ttl else ((False, RestoreRule.STATE_TTL_CHANGED),)),
        (True, None),
        (False, RestoreRule.UNCLAIMED_STATE),
        (False, RestoreRule.MAX_PARALLELISM_MISMATCH),
        (False, RestoreRule.STATE_TYPE_CHANGED),
    }


def test_the_savepoint_reads_whole(lab: Lab) -> None:
    savepoint = read_savepoint(lab.savepoint)
    assert savepoint.metadata_version == METADATA_VERSION.get(lab.version.rpartition(".")[0], 4)
    assert len(savepoint.operators) == 4
    stateful = [o for o in savepoint.operators if o.has_state]
    assert len(stateful) == 2
    for operator in stateful:
        assert operator.headers is not None
        assert operator.headers.complete
        assert not operator.headers.problems
    names = {m.name for o in stateful if o.headers for m in o.headers.states}
    assert {"total", "SourceReaderState"} <= names
    assert savepoint.files is not None
    assert not savepoint.files.missing
