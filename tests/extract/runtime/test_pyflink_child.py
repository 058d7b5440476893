"""Scripts through an interpreter of its own: what is missing there is said, and nothing goes on behind us."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from checker.errors import ExtractionError
from checker.extract.runtime.capture.capturing import RunnableProgram, run
from checker.extract.runtime.execution import Execution
from checker.extract.runtime.extracting import capture
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles

STAND_IN = {
    "py4j/__init__.py": b"",
    "py4j/protocol.py": b"class Py4JJavaError(Exception): pass\n",
    "pyflink/__init__.py": b"",
    "pyflink/java_gateway.py": b"def get_gateway(): raise SystemExit(3)\n",
    "pyflink/datastream.py": b"class StreamExecutionEnvironment:\n"
    b"    @staticmethod\n    def get_execution_environment(): return StreamExecutionEnvironment()\n"
    b"    def set_parallelism(self, number): print('parallelism', number)\n",
}
"""Just enough of PyFlink's module layout for a script to start under the recorder."""


def script(body: str, tmp_path: Path, *, seconds: float = 30.0) -> str:
    for path, content in STAND_IN.items():
        target = tmp_path / path
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(content)
    main = tmp_path / "job.py"
    main.write_text(body)
    # The script's folder holds the stand-in; a .pth-free way to have it importable before the script starts.
    wrapper = tmp_path / "python"
    wrapper.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec "{sys.executable}" "$@"\n')
    wrapper.chmod(0o755)
    with pytest.raises(ExtractionError) as caught:
        run(RunnableProgram(main=str(main), flink_jars=tmp_path, interpreter=wrapper, parallelism=7, seconds=seconds))
    return str(caught.value)


def test_an_interpreter_without_pyflink_is_named(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("")
    program = RunnableProgram(main=str(tmp_path / "job.py"), flink_jars=tmp_path, interpreter=Path(sys.executable))
    with pytest.raises(ExtractionError, match="has no PyFlink"):
        run(program)


def test_a_script_that_throws_is_named_with_its_line(tmp_path: Path) -> None:
    message = script("x = 1\nraise RuntimeError('no topic')\n", tmp_path)
    assert "threw RuntimeError: no topic" in message


def test_a_script_that_hangs_is_stopped(tmp_path: Path) -> None:
    assert "did not come to an end within 2 s" in script("import time\ntime.sleep(1000)\n", tmp_path, seconds=2)


def test_a_script_without_a_job_says_so_and_sees_the_deployments_parallelism(tmp_path: Path) -> None:
    body = "from pyflink.datastream import StreamExecutionEnvironment as E\nE.get_execution_environment()\n"
    message = script(body, tmp_path)
    assert "ended without submitting a job" in message
    assert "parallelism 7" in message


def test_a_pipeline_of_a_script_needs_an_interpreter() -> None:
    entry = PipelineEntry(name="p", extract=ExtractorKind.FLINK, main="job.py", flink="1.20")
    with pytest.raises(ExtractionError, match="needs an interpreter"):
        capture(MemoryFiles({"job.py": b""}), entry, Execution(allow_exec=True))
