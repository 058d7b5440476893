"""Commands on repositories with random damage: what must never happen is counted, and what they take is measured.

Damaged are programs, manifests, configuration, savepoints, git's objects and index, and links.
``python -m benchmarks.fuzz_repositories --seconds 3600 --seed 1`` prints a table. Every repository follows from its
seed, which is printed where something is found; ``--seconds 1 --seed THAT`` makes it again. With ``--sql`` its files
hold SQL, for which Flink's planner is started.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.hostile.commands import contents
from tests.hostile.mutations import COMMANDS, FILES, mutated

ROOT = Path(__file__).parents[1]
LATE = 600.0
"""Seconds after which a command counts as one without an end, however busy the machine is."""
MOST_SECONDS, MOST_MEGABYTES = 60, 2_048
"""Processor time and memory that no pipeline may take: here no command and none of its processes does."""
_OWN = {"git"}
"""Programs that work in the repository: git alone."""


@dataclass
class Figures:
    """What was seen of all commands."""

    repositories: int = 0
    codes: Counter[int] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)
    megabytes: float = 0
    seconds: float = 0
    processor: float = 0

    def rows(self) -> list[tuple[str, object]]:
        """What is measured, and how much it is."""
        kinds = Counter(found.partition(":")[0] for found in self.found)
        wrong = [
            "exit 3", "without an end", "changed outside", "process in the repository", "temporary file left",
            "too much memory", "too much time",
        ]  # fmt: skip
        return [
            ("repositories", self.repositories),
            ("commands", sum(self.codes.values())),
            *((f"exit {code}", count) for code, count in sorted(self.codes.items())),
            *((name, kinds[name]) for name in wrong),
            ("most memory of a command, MB", round(self.megabytes)),
            ("most processor time of a command, s", round(self.processor, 1)),
            ("longest command, s", round(self.seconds, 1)),
        ]


def _in_folder(folder: Path, command: int) -> set[str]:
    """Names of the processes whose current folder is the repository, without the command itself."""
    found = set()
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            if int(number) != command and Path(os.readlink(f"/proc/{number}/cwd")) == folder:
                found.add(Path(f"/proc/{number}/comm").read_text().strip())
        except OSError:
            continue
    return found


def _run(repository: Path, arguments: tuple[str, ...], cache: Path, figures: Figures, place: str) -> None:
    started = time.monotonic()
    with tempfile.TemporaryFile() as output:
        command = subprocess.Popen(
            [sys.executable, "-P", "-m", "checker.cli", *arguments],
            cwd=repository,
            env={**os.environ, "PYTHONPATH": str(ROOT), "SAVEPOINT_CHECKER_CACHE": str(cache)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        children: set[str] = set()
        while True:
            ended, status, usage = os.wait4(command.pid, os.WNOHANG)
            if ended:
                break
            children |= _in_folder(repository, command.pid)
            if time.monotonic() - started > LATE:
                figures.found.append(f"without an end: {place}")
                command.kill()
                _, status, usage = os.wait4(command.pid, 0)
                break
            time.sleep(0.01)
        command.returncode = code = os.waitstatus_to_exitcode(status)
        output.seek(0)
        printed = output.read().decode("utf-8", "replace")
    figures.codes[code] += 1
    if code not in (0, 1, 2) or "a defect of this tool" in printed or "Traceback" in printed:
        figures.found.append(f"exit 3: {place}: {' '.join(printed[-300:].split())}")
    # A process has the name and folder of its parent until it has become its program.
    if others := children - _OWN - {Path(sys.executable).name, "python", "python3", "savepoint-check"}:
        figures.found.append(f"process in the repository: {place}: {sorted(others)}")
    megabytes, processor = usage.ru_maxrss / 1000, usage.ru_utime + usage.ru_stime
    if megabytes > MOST_MEGABYTES:
        figures.found.append(f"too much memory: {place}: {megabytes:.0f} MB")
    if processor > MOST_SECONDS:
        figures.found.append(f"too much time: {place}: {processor:.0f} s")
    figures.megabytes = max(figures.megabytes, megabytes)
    figures.processor = max(figures.processor, processor)
    figures.seconds = max(figures.seconds, time.monotonic() - started)


def main() -> None:
    """Run until the time is over and print the table; ends with 1 where anything was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commands", type=int, default=3, help="on each repository")
    parser.add_argument("--sql", action="store_true")
    asked = parser.parse_args()
    files = {name: text for name, text in FILES.items() if asked.sql or not name.endswith(".sql")}
    figures, printed = Figures(), 0
    until = time.monotonic() + asked.seconds
    seed = asked.seed
    with tempfile.TemporaryDirectory() as cache, suppress(KeyboardInterrupt):
        while time.monotonic() < until or figures.repositories == 0:
            with tempfile.TemporaryDirectory() as work:
                folder = Path(os.path.realpath(work))
                outside = folder / "outside"
                outside.mkdir()
                (outside / "victim").write_text("mine\n")
                before = contents(outside)
                random = Random(seed)
                repository = mutated(folder / "repository", outside, random, files).folder
                for arguments in random.sample(COMMANDS, asked.commands):
                    _run(repository, arguments, Path(cache), figures, f"seed {seed} {' '.join(arguments)}")
                if contents(outside) != before or len(list(folder.iterdir())) != 2:
                    figures.found.append(f"changed outside: seed {seed}")
                if list(repository.rglob(".*.????????????????")):
                    figures.found.append(f"temporary file left: seed {seed}")
            for found in figures.found[printed:]:
                print(found, flush=True)
            printed = len(figures.found)
            figures.repositories += 1
            seed += 1
    for name, value in figures.rows():
        print(f"{name:36} {value}")
    sys.exit(1 if figures.found else 0)


if __name__ == "__main__":
    main()
