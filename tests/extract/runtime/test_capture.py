"""What is captured of Java programs by older Flinks, refused jobs too, and what is said where our core is wrong.

The golden programs are captured by 1.20 and 2.3. Nothing that a capture asks of Flink differs from 1.16 to 1.20.
"""

from collections.abc import Callable
from copy import deepcopy

import pytest

from checker.extract.runtime.capture.capturing import RunnableProgram, run
from checker.extract.runtime.capture.topologies import disagreements, topology_of
from checker.flink import translate
from tests.flinks import asked

pytestmark = [pytest.mark.flink, pytest.mark.timeout(600)]

NAMES = (
    "chain", "uids", "state", "windows", "unions", "sides", "connected", "interval-join", "groups", "async",
    "no-chaining", "max-parallelism", "legacy", "collision",
)  # fmt: skip


@pytest.mark.parametrize("version", asked("1.16.3", "2.0.2"))
def test_older_versions_are_captured_and_a_wrong_core_would_be_noticed(
    version: str, program: Callable[..., RunnableProgram]
) -> None:
    jobs = dict(zip(NAMES, run(program("Programs", *NAMES, version=version)).jobs, strict=True))
    translations = {name: translate(topology_of(job, name=name, flink=version)) for name, job in jobs.items()}
    assert "refused" in jobs["collision"]
    assert {name: disagreements(job, translations[name]) for name, job in jobs.items()} == dict.fromkeys(NAMES, ())
    wrong = deepcopy(jobs["uids"])
    for vertex in wrong["vertices"]:
        vertex["operators"][0]["generated"] = "0" * 32
    assert "operators" in {found.what for found in disagreements(wrong, translations["uids"])}
