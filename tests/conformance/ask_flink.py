"""Ask a real Flink what it makes of topology documents."""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from checker.errors import ExtractionError
from checker.extract.runtime.distribution import flink_jars
from tests.flinks import compiled, java

JAVA = Path(__file__).parent / "java"
Document = dict[str, Any]
Answer = dict[str, Any]


def ask_flink(version: str, documents: Sequence[Document]) -> list[Answer]:
    """What Flink ``version`` made of each document, in order, in the form that ``ids`` prints.

    A refusal holds ``error`` (the simple class name of Java's root exception) and ``message``.
    Raises ExtractionError when the jars can't be had, FileNotFoundError without a JDK.
    """
    jars = flink_jars(version)
    sources = JAVA / "AskFlink.java", JAVA / f"flink-{version.partition('.')[0]}" / "Shim.java"
    with tempfile.TemporaryDirectory() as folder:
        question, answer = Path(folder, "documents.jsonl"), Path(folder, "answers.jsonl")
        question.write_text("".join(json.dumps(d) + "\n" for d in documents), encoding="ascii")
        classes = compiled(Path(folder, "classes"), jars, *sources)
        command = java(f"{jars}/*", classes, options=("-Xss64m",))
        command += ["AskFlink", str(question), str(answer)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            raise ExtractionError(f"the driver failed on Flink {version}:\n{run.stderr[-3000:]}")
        return [json.loads(line) for line in answer.read_text("utf-8").splitlines()]
