"""Programs that exit, hang, throw, flood or leave things running: a clear sentence, and nothing stays behind.

All of them are in one file, and so on one worker: they look for processes that are left over.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from checker.compare.fit.unknowns import same_unknown
from checker.errors import ExtractionError
from checker.extract.runtime.capture.capturing import RunnableProgram, run
from checker.extract.runtime.capture.topologies import topology_of
from checker.model.nested import Json
from checker.model.unknowns import Unknown

pytestmark = [pytest.mark.flink, pytest.mark.timeout(300)]

Make = Callable[..., RunnableProgram]


def failure(program: RunnableProgram) -> str:
    with pytest.raises(ExtractionError) as caught:
        run(program)
    return str(caught.value)


def processes_with(text: str) -> list[str]:
    """Processes that this one started, and those that nobody waits for any more: other tests' are not asked for."""
    lines = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    found = {
        int(pid): (int(parent), args) for pid, parent, args in (line.split(None, 2) for line in lines.splitlines())
    }

    def ours(pid: int) -> bool:
        parent, args = found[pid]
        return pid == os.getpid() or (ours(parent) if parent in found and parent != 1 else text in args)

    return [args for pid, (_, args) in found.items() if text in args and ours(pid)]


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("exit", "ended its JVM itself: System.exit(3)"),
        ("throw", "threw java.lang.IllegalStateException: no configuration found (at Hostile.main(Hostile.java"),
        ("nothing", "ended without submitting a job"),
        ("missing", "needs the class Absent, which is in no given jar"),
        ("memory", "threw java.lang.OutOfMemoryError"),
    ],
)
def test_a_program_that_fails_is_named_with_its_reason(case: str, words: str, program: Make) -> None:
    assert words in failure(program("Hostile", case))


def test_a_program_that_hangs_is_stopped_in_time_with_what_it_started(program: Make) -> None:
    started = time.monotonic()
    assert "did not come to an end within 4 s" in failure(program("Hostile", "child", seconds=4))
    assert time.monotonic() - started < 20
    assert not processes_with("program_child")
    assert not processes_with("sleep 98765")


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets orphans be adopted")
RUNAWAYS = tuple(f"sleep {number}" for number in range(98761, 98765))


@LINUX
@pytest.mark.parametrize("args", [("escape",), ("escape", "exit")])
def test_processes_that_leave_their_session_are_gone_too(args: tuple[str, ...], program: Make) -> None:
    if len(args) == 1:
        assert len(run(program("Hostile", *args)).jobs) == 1
    else:
        assert "System.exit(0)" in failure(program("Hostile", *args))
    assert [line for text in RUNAWAYS for line in processes_with(text)] == []


def test_a_gigabyte_of_output_is_drained_and_only_its_end_is_kept(program: Make) -> None:
    message = failure(program("Hostile", "flood"))
    assert "threw java.lang.RuntimeException: flooded" in message
    assert "the end of it" in message
    assert len(message) < 5000


def test_threads_that_go_on_do_not_keep_the_child(program: Make) -> None:
    assert len(run(program("Hostile", "threads")).jobs) == 1
    assert not processes_with("program_child")


def test_a_program_that_exits_after_its_job_is_read_with_a_note(program: Make) -> None:
    captured = run(program("Hostile", "exit-after"))
    assert len(captured.jobs) == 1
    assert captured.notes == ("Hostile ended its JVM itself: System.exit(0) (after 1 submitted job)",)


def test_every_job_of_a_program_is_captured(program: Make) -> None:
    captured = run(program("Hostile", "many"))
    assert [len(job["nodes"]) for job in captured.jobs] == [2, 3, 4]
    assert "no job execution result can be fetched" in captured.notes[0]  # who asks for rows gets none


@pytest.mark.parametrize(("case", "version"), [("local", "1.20.5"), ("remote", "2.3.0")])
def test_an_environment_that_a_program_makes_itself_is_refused(case: str, version: str, program: Make) -> None:
    assert "Environment cannot be" in failure(program("Hostile", case, version=version))


def states_after(how: str, program: Make, version: str = "1.20.5", seconds: float = 60.0) -> dict[str, Any]:
    """Names of the states by uid; why they are not known."""
    (job,) = run(program("Hostile", "set-up", how, version=version, seconds=seconds)).jobs
    return states_of(job, version)


def states_of(job: Json, version: str = "1.20.5") -> dict[str, Any]:
    return {
        str(t.uid): t.state if isinstance(t.state, Unknown) else [s.name for s in t.state]
        for t in topology_of(job, name="set-up", flink=version).transformations
        if t.uid is not None
    }


def test_what_cannot_be_set_up_is_not_known_and_the_rest_is(program: Make) -> None:
    found = states_after("throw,kept,connect,threads", program, "2.3.0")
    assert found["sum"] == ["_op_state"]
    assert found["set-up kept"] == ["kept"]
    assert found["set-up threads"] == ["threads"]
    refused = "Flink could not set the function up here: "
    assert found["set-up throw"].reason == f"{refused}java.lang.IllegalStateException: no database on localhost:5432"
    assert found["set-up connect"].reason.startswith(f"{refused}java.net.ConnectException")


def test_a_function_that_never_opens_is_given_up_and_the_rest_is_known(program: Make) -> None:
    found = states_after("loop,kept", program, seconds=80)
    assert found["sum"] == ["_op_state"]
    assert found["set-up kept"] == ["kept"]
    assert found["set-up loop"].reason.endswith("its tasks did not start within 20 s")


def test_a_function_that_ends_the_jvm_leaves_the_graph(program: Make) -> None:
    found = states_after("halt", program)
    assert {state.reason for state in found.values()} == {"the process ended before Flink had set its functions up"}


def test_states_that_are_not_known_are_the_same_ones_as_long_as_code_and_values_are(program: Make) -> None:
    runs = [f"Hostile\tset-up\t{how}" for how in ("throw", "throw", "connect")]
    first, second, connected = (states_of(job) for job in run(program("Several", *runs)).jobs[1::2])
    assert same_unknown(first["set-up throw"], second["set-up throw"])
    assert not same_unknown(first["set-up throw"], connected["set-up connect"])


def test_a_missing_main_class_is_named(program: Make) -> None:
    assert "hold no class com.acme.Nowhere" in failure(program("com.acme.Nowhere"))


def test_secrets_of_our_environment_do_not_reach_the_program(program: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    monkeypatch.setenv("TZ", "UTC")
    assert "sees null and UTC" in failure(program("Hostile", "secret"))
