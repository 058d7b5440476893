"""State that functions ask for when they open is found; what they may ask for later is open, never denied."""

import re
from pathlib import Path

import pytest

from checker.extract.runtime.capture.capturing import RunnableProgram, run
from checker.extract.runtime.capture.topologies import topology_of
from checker.model.declared_state import StateKind
from checker.model.topology import Kind, Transformation
from checker.model.unknowns import Unknown
from tests.extract.runtime.conftest import JAVA, SEVERAL, by_program
from tests.flinks import compiled, jars_of, packed

pytestmark = [pytest.mark.flink, pytest.mark.timeout(300)]


@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
def test_state_is_what_the_uid_says(version: str, tmp_path: Path) -> None:
    """Java 8 joins strings with a builder and calls lambdas' methods otherwise than newer Java does."""
    lib = jars_of(version)
    source = (JAVA / "hidden" / "Hidden.java").read_text()
    for release, more in (("8", ()), ("17", (SEVERAL,))):
        path = tmp_path / f"Hidden{release}.java"
        path.write_text(re.sub(r"\bHidden\b", path.stem, source))
        compiled(tmp_path, lib, path, *more, options=("-Xlint:-options", "--release", release))
    jar = packed(tmp_path, tmp_path / "hidden.jar")
    names = ("Hidden8", "Hidden17")
    run_together = run(RunnableProgram(main="Several", jars=(jar,), flink_jars=lib, args=names, parallelism=2))
    for name, (job,) in by_program(run_together.jobs).items():
        operators = [
            transformation
            for transformation in topology_of(job, name="hidden", flink=version).transformations
            if not transformation.kind.virtual and transformation.kind is not Kind.SOURCE
        ]
        assert len(operators) == 38
        found = {str(transformation.uid): state_of(transformation) for transformation in operators}
        assert {uid: state for uid, state in found.items() if not uid.startswith(state)} == {}, name


def state_of(transformation: Transformation) -> str:
    """The states by kind and name, whether there may be more, ``none``."""
    assert not isinstance(transformation.state, Unknown), transformation
    known = [s for s in transformation.state if isinstance(s.name, str) and s.kind is not StateKind.TIMERS]
    found = ", ".join(sorted(f"{s.kind} {s.name}" for s in known))
    more = [s.name for s in transformation.state if isinstance(s.name, Unknown)]
    if not more:
        assert transformation.stateful is bool(found), transformation
        return found or "none"
    assert more[0].derived_from is not None, more
    assert transformation.stateful is True or (isinstance(transformation.stateful, Unknown) and not found)
    return f"{found} and more" if found else "open"
