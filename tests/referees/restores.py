"""A real Flink that takes savepoints of programs and restores edited ones from them, one after another in one JVM."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from checker.extract.runtime.distribution import flink_jars

JAVA = Path(__file__).with_name("java")


@dataclass(frozen=True, slots=True)
class Restored:
    """Flink's verdict on an edit: RESTORED, EMPTY, FAILED, or REFUSED for a first program without a savepoint."""

    verdict: str
    message: str


class Cluster:
    """A MiniCluster that answers one pair of programs at a time."""

    def __init__(self, process: subprocess.Popen[str], scratch: Path) -> None:
        self._process = process
        self._scratch = scratch
        self._count = 0

    def restore(self, before: str, after: str, backend: str = "hashmap") -> Restored:
        """What happens when the second program starts from a savepoint of the first. Both are files Job.java.

        Raises CompileError for a program that is not Java.
        """
        self._count += 1
        folders = [self._scratch / f"{self._count}{side}" for side in "bh"]
        for folder, source in zip(folders, (before, after), strict=True):
            folder.mkdir()
            (folder / "Job.java").write_text(source, encoding="utf-8")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\t".join([*map(str, folders), backend]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the JVM ended")
        verdict, _, message = line.rstrip("\n").partition("\t")
        if verdict == "UNCOMPILABLE":
            raise CompileError(message)
        return Restored(verdict, message)


class CompileError(Exception):
    """A program that a generator made does not compile."""


@contextmanager
def cluster(version: str) -> Iterator[Cluster]:
    """A MiniCluster of a Flink version; needs a JDK and the version's jars."""
    jars = f"{flink_jars(version)}/*"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        sources = [str(JAVA / "StateReferee.java"), str(JAVA / "Probe.java")]
        subprocess.run(["javac", "-proc:none", "-cp", jars, "-d", scratch, *sources], check=True, capture_output=True)
        opened = ("java.base/java.util", "java.base/java.lang", "java.base/java.time", "java.base/java.net")
        options = [f"--add-opens={package}=ALL-UNNAMED" for package in opened]
        command = ["java", "-Xmx700m", *options, "-cp", f"{scratch}:{jars}", "StateReferee", scratch]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            yield Cluster(process, folder)
        finally:
            process.kill()
            process.wait()
