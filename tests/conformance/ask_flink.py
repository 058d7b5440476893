"""Ask a real Flink what it makes of topology documents."""

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from checker.errors import ExtractionError
from checker.extract.runtime.distribution import cache_folder, flink_jars, full_version
from tests.flinks import compiled, java

JAVA = Path(__file__).parent / "java"
Document = dict[str, Any]
Answer = dict[str, Any]


def classes_for(version: str) -> Path:
    """The driver compiled against one Flink: cached under a name made of its source and the version."""
    sources = [JAVA / "AskFlink.java", JAVA / f"flink-{version.partition('.')[0]}" / "Shim.java"]
    digest = hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    ready = cache_folder().parent / "conformance" / f"{full_version(version)}-{digest}"
    if not ready.is_dir():
        ready.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=ready.parent))
        try:
            compiled(work, flink_jars(version), *sources).rename(ready)
        except OSError:  # another run was first
            shutil.rmtree(work)
    return ready


def ask_flink(version: str, documents: Sequence[Document]) -> list[Answer]:
    """What Flink ``version`` made of each document, in order, in the form that ``ids`` prints.

    A refusal holds ``error`` (the simple class name of Java's root exception) and ``message``.
    Raises ExtractionError when the jars can't be had, FileNotFoundError without a JDK.
    """
    classes = classes_for(version)
    with tempfile.TemporaryDirectory() as folder:
        question, answer = Path(folder, "documents.jsonl"), Path(folder, "answers.jsonl")
        question.write_text("".join(json.dumps(d) + "\n" for d in documents), encoding="ascii")
        command = java(f"{flink_jars(version)}/*", classes, options=("-Xss64m",))
        command += ["AskFlink", str(question), str(answer)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            raise ExtractionError(f"the driver failed on Flink {version}:\n{run.stderr[-3000:]}")
        return [json.loads(line) for line in answer.read_text("utf-8").splitlines()]
