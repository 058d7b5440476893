"""A real Flink that takes savepoints of programs and restores edited ones from them, one after another in one JVM."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.flinks import compiled, jars_of, java

JAVA = Path(__file__).with_name("java")


@dataclass(frozen=True, slots=True)
class Restored:
    """Flink's verdict on an edit: RESTORED, EMPTY, FAILED, or REFUSED for a first program without a savepoint.

    Of a first program alone: TAKEN, the message is the path of its savepoint.
    """

    verdict: str
    message: str


class Cluster:
    """A MiniCluster that runs one program at a time."""

    def __init__(self, process: subprocess.Popen[str], scratch: Path) -> None:
        self._process = process
        self._scratch = scratch
        self._count = 0

    def restore(self, before: str, after: str, backend: str = "hashmap") -> Restored:
        """What happens when the second program starts from a savepoint of the first. Both are files Job.java.

        Raises CompileError for a program that is not Java.
        """
        taken = self.take(before, backend)
        return taken if taken.verdict != "TAKEN" else self.start(after, taken.message, backend)

    def take(self, program: str, backend: str = "hashmap", configuration: str = "") -> Restored:
        """TAKEN with the savepoint of a program, deployed with lines ``key: value`` of a configuration."""
        return self._ask(program, configuration, backend)

    def start(self, program: str, savepoint: str, backend: str = "hashmap", configuration: str = "") -> Restored:
        """What happens when a program starts from a savepoint."""
        return self._ask(program, configuration, backend, savepoint)

    def _ask(self, program: str, configuration: str, *words: str) -> Restored:
        self._count += 1
        folder = self._scratch / str(self._count)
        folder.mkdir()
        (folder / "Job.java").write_text(program, encoding="utf-8")
        (folder / "configuration").write_text(configuration, encoding="utf-8")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(folder, *words, sep="\t", file=self._process.stdin, flush=True)
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
    """A MiniCluster of a Flink version."""
    jars = jars_of(version)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        compiled(folder, jars, JAVA / "StateReferee.java", JAVA / "Probe.java")
        command = java(folder, f"{jars}/*", memory="700m", options=(f"-Djava.io.tmpdir={scratch}",))
        process = subprocess.Popen(
            [*command, "StateReferee", scratch],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        try:
            yield Cluster(process, folder)
        finally:
            process.kill()
            process.wait()
