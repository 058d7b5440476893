"""Programs in Scala and Kotlin: what is captured is what Flink builds of them, and their states are those
that Flink registered, or open where more may be asked for with the first record.

Scala is compiled with the compiler that PySpark brings, Kotlin's classes are kept in ``kotlin/programs.jar``.
"""

import importlib.util
import json
import os
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from checker.extract.runtime.capture.capturing import RunnableProgram, run
from checker.extract.runtime.capture.topologies import disagreements, topology_of
from checker.flink import translate
from checker.model.declared_state import StateKind
from checker.model.nested import Json
from checker.model.topology import Kind
from checker.model.unknowns import Unknown
from tests.extract.runtime.conftest import SEVERAL, by_program
from tests.extract.runtime.kotlin import build as kotlin
from tests.extract.runtime.test_golden_programs import as_recorded, without_unstable_names
from tests.flinks import by_compiler, compiled, jars_of, java, packed

pytestmark = [pytest.mark.flink, pytest.mark.timeout(300)]

HERE = Path(__file__).parent
VERSIONS = ("1.20.5",)
KOTLIN = HERE / "kotlin" / "programs.jar"
RECORDER = HERE.parent / "java" / "golden" / "capture" / "Capture.java"
MORE = "and what it may ask for while records are processed"

PROGRAMS: dict[str, dict[str, Any]] = {
    "sensors.Sensors": {
        "smooth": {MORE},
        "count": {("readings-seen", StateKind.VALUE)},
    },
    "tallies.Tallies": {
        "buffer": {("pending", StateKind.OPERATOR_LIST)},
        "regions": {MORE},
        "sum": {("_op_state", StateKind.VALUE)},
    },
    "alerts.Alerts": {
        "remember": {MORE},
        "check": {("limits", StateKind.BROADCAST), MORE},
    },
    "windows.Windows": {
        "largest": {("window-contents", StateKind.AGGREGATING), MORE},
        "sums": {("window-contents", StateKind.REDUCING), MORE},
    },
    "orders.OrdersKt": {
        "totals": {("spent", StateKind.VALUE), ("by-day", StateKind.MAP)},
        "first": {MORE},
    },
    "clicks.Clicks": {
        "split": {("buffer", StateKind.OPERATOR_UNION_LIST)},
        "asked": {MORE},
        "sums": {MORE},
    },
    "revenue.RevenueKt": {},
}
"""Main class → uid → names and kinds of the states, timers left out; operators that are not named keep none."""


def pyspark_jars(*names: str) -> list[Path]:
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        if os.environ.get("CI"):
            pytest.fail("PySpark, whose Scala compiler is used, is not installed")
        pytest.skip("no Scala compiler: PySpark is not installed")
    folder = Path(found.origin).parent / "jars"
    return [next(folder.glob(f"scala-{name}-2.*.jar")) for name in names]


@pytest.fixture(scope="module")
def jars(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """All programs and the libraries that they need, as a user's jars."""
    scratch = tmp_path_factory.mktemp("scala-and-kotlin")
    scala, library = scratch / "scala", scratch / "library"
    compiler, reflect, scala_library = pyspark_jars("compiler", "reflect", "library")
    flink = [jar for jar in sorted(jars_of("1.20.5").glob("*.jar")) if "flink-scala" not in jar.name]
    command = [*java(compiler, reflect, scala_library), "scala.tools.nsc.Main"]
    command += ["-cp", ":".join(map(str, (scala_library, *flink)))]
    by_compiler(command, scala, *(HERE / "scala").glob("*.scala"))
    compiled(library, jars_of("1.20.5"), SEVERAL, *(HERE / "kotlin" / "library").glob("*.java"))
    made = packed(scala, scratch / "scala.jar"), packed(library, scratch / "library.jar")
    return (*made, KOTLIN, scala_library)


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def captured(version: str, jars: tuple[Path, ...]) -> dict[str, tuple[Json, ...]]:
    lib, names = jars_of(version), tuple(PROGRAMS)
    captured = run(RunnableProgram(main="Several", jars=jars, flink_jars=lib, args=names, parallelism=4))
    return {main: tuple(jobs) for main, jobs in by_program(captured.jobs).items()}


def flinks_own(version: str, jars: tuple[Path, ...], folder: Path) -> dict[str, Json]:
    """The first job of each program as a plain JVM, with none of our code, makes it."""
    flink = [str(jar) for jar in sorted(jars_of(version).glob("*.jar")) if "flink-scala" not in jar.name]
    command = java(compiled(folder, jars_of(version), RECORDER), *jars, *flink)
    out = subprocess.run(
        [*command, "Capture", "4"], input="\n".join(PROGRAMS).encode(), capture_output=True, check=True
    ).stdout
    return {graph.pop("main"): graph for graph in map(json.loads, out.decode().splitlines())}


def test_captures_are_what_flink_builds(
    version: str, captured: dict[str, tuple[Json, ...]], jars: tuple[Path, ...], tmp_path: Path
) -> None:
    truth = flinks_own(version, jars, tmp_path)
    assert set(truth) == set(PROGRAMS)
    for main, jobs in captured.items():
        assert len(jobs) == (2 if main == "revenue.RevenueKt" else 1)
        assert without_unstable_names(as_recorded(jobs[0])) == without_unstable_names(truth[main]), main


def test_our_core_recomputes_what_flink_computed(version: str, captured: dict[str, tuple[Json, ...]]) -> None:
    for main, jobs in captured.items():
        for job in jobs:
            assert disagreements(job, translate(topology_of(job, name=main, flink=version))) == (), main


def test_state_of_compiled_functions_is_found_or_open(version: str, captured: dict[str, tuple[Json, ...]]) -> None:
    for main, wanted in PROGRAMS.items():
        if main == "revenue.RevenueKt":
            continue
        topology = topology_of(captured[main][0], name=main, flink=version)
        assert wanted.keys() <= {transformation.uid for transformation in topology.transformations}
        for transformation in topology.transformations:
            if transformation.kind.virtual or transformation.kind is Kind.SOURCE:
                continue
            where = f"{main}: {transformation.uid}"
            assert isinstance(transformation.uid, str)
            assert not isinstance(transformation.state, Unknown), where
            found = {(s.name, s.kind) for s in transformation.state if s.kind is not StateKind.TIMERS}
            named = {(name, kind) for name, kind in found if not isinstance(name, Unknown)}
            (more,) = [name for name, _ in found - named if isinstance(name, Unknown)] or [None]
            assert named | ({MORE} if more else set()) == wanted.get(transformation.uid, set()), where
            assert more is None or ("may ask for more" in more.reason and more.derived_from is not None), where


def test_the_state_of_sql_operators_is_said_to_be_there(version: str, captured: dict[str, tuple[Json, ...]]) -> None:
    for job in captured["revenue.RevenueKt"]:
        topology = topology_of(job, name="revenue", flink=version)
        (aggregation,) = [t for t in topology.transformations if str(t.name).startswith("GroupAggregate")]
        assert aggregation.stateful is True


@pytest.mark.parametrize("version", VERSIONS, indirect=True)
def test_two_captures_of_a_program_are_equal(
    version: str, captured: dict[str, tuple[Json, ...]], jars: tuple[Path, ...]
) -> None:
    first, lib = next(iter(PROGRAMS)), jars_of(version)
    alone = run(RunnableProgram(main="Several", jars=jars, flink_jars=lib, args=(first,), parallelism=4))
    assert tuple(by_program(alone.jobs)[first]) == captured[first]


def test_the_kotlin_classes_were_made_of_the_kotlin_sources() -> None:
    with zipfile.ZipFile(KOTLIN) as archive:
        assert archive.read(kotlin.SOURCES).decode() == kotlin.digest()
