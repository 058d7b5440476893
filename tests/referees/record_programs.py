"""Runs programs under real PyFlink: ``PYTHON_WITH_PYFLINK record_programs.py IN.jsonl OUT.jsonl``.

Each line of IN holds the files of a program and its command lines. Each line of OUT tells how every run ended and
which jobs it built. All run in one process, for PyFlink takes seconds to start. Needs nothing but PyFlink and a JDK.
"""

import contextlib
import io
import json
import os
import runpy
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "extract" / "python"))

from pyflink_recorder import Records, install
from record_pyflink import PARALLELISM, job


def _run(folder: Path, vector: list[str], records: Records) -> dict[str, Any]:
    records.clear()
    before = set(sys.modules)
    sys.argv = [str(folder / "job.py"), *vector]
    sys.path.insert(0, str(folder))
    end = None
    signal.alarm(120)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_path(str(folder / "job.py"), run_name="__main__")
    except BaseException as error:
        end = f"{type(error).__name__}: {str(error)[:400]}"
    signal.alarm(0)
    sys.path.pop(0)
    for module in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[module], "__file__", "")):
            del sys.modules[module]
    return {"end": end, "jobs": [job(record) for record in records]}


def _too_long(number: int, frame: Any) -> None:
    raise TimeoutError("the program does not end")


def main(source: str, target: str) -> None:
    """Record all programs."""
    signal.signal(signal.SIGALRM, _too_long)
    records = Records()
    install(records, PARALLELISM)
    with open(source, encoding="utf-8") as lines, open(target, "w", encoding="utf-8") as out:
        for line in lines:
            program = json.loads(line)
            with tempfile.TemporaryDirectory() as name:
                for path, text in program["files"].items():
                    place = Path(name, path)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_text(text, encoding="utf-8")
                runs = [_run(Path(name), vector, records) for vector in program["vectors"]]
            out.write(json.dumps({"runs": runs}) + "\n")
            out.flush()
    os._exit(0)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main(sys.argv[1], sys.argv[2])
