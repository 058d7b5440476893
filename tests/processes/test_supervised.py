"""A supervised command ends as it would by itself, and takes all of its processes along."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from checker.processes.starting import supervised

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets orphans be adopted")


def ended(command: list[str], folder: Path) -> int:
    with supervised(command, folder=folder, environment=dict(os.environ), output=subprocess.DEVNULL) as process:
        return process.wait(30)


def alive(text: str) -> bool:
    return text in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout


def test_the_status_is_the_commands_own(tmp_path: Path) -> None:
    assert ended(["sh", "-c", "exit 0"], tmp_path) == 0
    assert ended(["sh", "-c", "exit 7"], tmp_path) == 7
    assert ended(["sh", "-c", "kill -KILL $$"], tmp_path) == -signal.SIGKILL
    assert ended(["sh", "-c", "kill -SEGV $$"], tmp_path) == -signal.SIGSEGV
    assert ended(["no-such-command"], tmp_path) == 127


def test_the_output_is_the_commands_own(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "WORD": "only"}
    command = ["sh", "-c", "pwd; echo $WORD $HOME; echo wrong >&2"]
    with supervised(command, folder=tmp_path, environment=environment, output=subprocess.PIPE) as process:
        assert process.stdout is not None
        lines = process.stdout.read().decode().splitlines()
    assert lines == [str(tmp_path.resolve()), "only", "wrong"]


@LINUX
def test_a_crowd_that_keeps_starting_more_is_gone(tmp_path: Path) -> None:
    again = "while :; do setsid sleep 86421 & sleep 0.01; done"
    command = ["sh", "-c", f"(setsid sh -c '{again}' &) & sleep 0.5"]
    assert ended(command, tmp_path) == 0
    assert not alive("sleep 86421")


@LINUX
def test_leaving_early_ends_the_command(tmp_path: Path) -> None:
    command = ["sh", "-c", "trap '' TERM; setsid sleep 86422 & sleep 86422"]
    with supervised(command, folder=tmp_path, environment=dict(os.environ), output=subprocess.DEVNULL):
        time.sleep(0.3)
        assert alive("sleep 86422")
    assert not alive("sleep 86422")


@LINUX
def test_nothing_outlives_a_checker_that_is_killed(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import os, signal, subprocess, sys, time
        from pathlib import Path
        from checker.processes.starting import supervised
        command = ["sh", "-c", "setsid sleep 86423 & sleep 86423"]
        with supervised(command, folder=Path.cwd(), environment=dict(os.environ), output=subprocess.DEVNULL):
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    killed = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=False)
    assert killed.returncode == -signal.SIGKILL
    until = time.monotonic() + 10
    while alive("sleep 86423") and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive("sleep 86423")
