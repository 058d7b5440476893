"""Files of 100 kB with texts on which patterns could go back again and again: read in a time in proportion to them."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.mutations import FILES
from tests.scratch import CLEAN, Scratch

SIZE = 100_000
SECONDS = 20
"""Processor time for all files together, on slow machines."""
REPEATED = (
    (" ", "\n", '\\"', "/*", "0", "a.", "\t", "(", "'", "<!--", "a-", "${", "flink run "),
    ('"', "[", "{{ a.", "''\n", "\\\n", "a=", "--", "aA", "{%", "{", "a: ", "read ", "|", "_"),
)  # fmt: skip
COMMENTS = {".py": "# ", ".java": "// ", ".yaml": "# ", ".properties": "# ", ".conf": "# ", ".sql": "-- ", ".sh": "# "}
UNPLANNED = "CREATE TABLE orders (id BIGINT) WITH ('connector' = 'datagen');\n"
READ_AT_ONCE = {"savepoint-checker.toml", ".gitignore"}
"""What is not our configuration."""


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


@pytest.mark.parametrize("repeated", REPEATED, ids=range(len(REPEATED)))
def test_long_texts_of_every_language(repeated: tuple[str, ...], tmp_path: Path) -> None:
    repository = Scratch(tmp_path / "repository")
    repository.commit(**{**FILES, "jobs/totals.sql": UNPLANNED})
    each = SIZE // (2 * len(repeated))
    runs = [text * (each // len(text)) for text in repeated]
    for name in FILES.keys() - READ_AT_ONCE:
        text = UNPLANNED if name.endswith(".sql") else FILES[name]
        comment = COMMENTS.get(Path(name).suffix, "")
        commented = "".join(f"{comment}{run.replace(chr(10), ' ')}\n" for run in runs)
        repository.write(name, f"{text}{commented}{''.join(runs)}")
    repository.commit()
    command = [sys.executable, "-P", "-m", "checker.cli", "check", "--base", "HEAD~1", "--engine", "in-process"]
    done = subprocess.run(
        command, cwd=repository.folder, capture_output=True, text=True, preexec_fn=_limited, check=False,
        env={**CLEAN, "PYTHONPATH": str(Path(__file__).parents[2]), "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )  # fmt: skip
    assert done.returncode in (0, 1, 2), (done.returncode, done.stderr[-2000:])
    assert "a defect of this tool" not in done.stdout + done.stderr
