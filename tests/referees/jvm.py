"""One JVM with a real Flink on its class path that compiles and runs many programs."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.flinks import compiled, jars_of, java

PARALLELISM = 4


class Jvm:
    """Answers requests of ``Referee.java``, one at a time."""

    def __init__(self, process: subprocess.Popen[str], scratch: Path) -> None:
        self._process = process
        self._scratch = scratch
        self._count = 0

    def graphs(self, files: Mapping[str, str], main: str, vectors: Sequence[Sequence[str]]) -> dict[str, Any]:
        """What Flink makes of a program: ``results`` with one graph or exception per vector, or ``uncompilable``."""
        return self._ask(files, {"main": main, "vectors": [list(v) for v in vectors], "parallelism": PARALLELISM})

    def snippets(self, files: Mapping[str, str], name: str) -> dict[str, Any]:
        """What the methods ``s0()``, ``s1()``, ... of a class return, or ``uncompilable``."""
        return self._ask(files, {"snippets": name})

    def _ask(self, files: Mapping[str, str], request: dict[str, Any]) -> dict[str, Any]:
        self._count += 1
        folder = self._scratch / str(self._count)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"folder": str(folder), **request}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        shutil.rmtree(folder)
        if not line:
            raise RuntimeError("the JVM ended")
        answer: dict[str, Any] = json.loads(line)
        if "failure" in answer:
            raise RuntimeError(answer["failure"])
        return answer


@contextmanager
def started(version: str) -> Iterator[Jvm]:
    """A JVM with a Flink version."""
    jars = jars_of(version)
    with tempfile.TemporaryDirectory() as folder:
        scratch = compiled(Path(folder), jars, Path(__file__).with_name("java") / "Referee.java")
        process = subprocess.Popen(
            [*java(folder, f"{jars}/*"), "Referee"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8",
        )  # fmt: skip
        try:
            yield Jvm(process, scratch)
        finally:
            process.kill()
            process.wait()
