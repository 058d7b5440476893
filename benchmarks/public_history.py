"""Whether changed ids are reported for public commits exactly where Flink's ids changed.

    python benchmarks/public_history.py HISTORY.jsonl.gz SOURCES

For each commit: are the ids of parent and commit, read from source, different exactly where the recorded ones are?
"""

import argparse
import gzip
import json
import re
import subprocess
import sys
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.git_files import files_of, git_dir
from benchmarks.public_jobs import read_job
from checker.errors import CheckerError
from checker.model.sources import SourceFiles
from tests.extract.java.recorded import Comparison, Outcome, compare

PARALLELISM = 4


def ids(graph: dict[str, Any] | None) -> list[str]:
    """The operator ids of a recorded graph, by creation order."""
    return [node["operator_id"] for node in graph["nodes"]] if graph else []


def evaluate(step: dict[str, Any], directory: Path) -> Comparison:
    """One commit: both sides read, each compared with its recording, and the change with Flink's."""
    changed = sorted(ids(step["before"])) != sorted(ids(step["after"]))
    sides: list[list[str | None]] = []
    for commit, recorded in ((step["parent"], step["before"]), (step["commit"], step["after"])):
        if recorded is None:
            sides.append([])
            continue
        files = files_of(directory, commit)
        main_class, path = class_of(files, step["path"])
        job = {"slug": step["slug"], "mainClass": main_class, "path": path, "args": step.get("args") or []}
        try:
            translation = read_job(files, job, step["flink"], PARALLELISM)
        except CheckerError as error:
            return Comparison(Outcome.UNDECIDED, f"{commit[:10]} not read: {error}")
        comparison = compare(translation, recorded)
        if comparison.outcome is not Outcome.EXACT:
            return Comparison(comparison.outcome, f"{commit[:10]}: {comparison.reason}")
        sides.append(sorted(i.generated or "" for i in translation.identities))
    if (sides[0] != sides[1]) != changed:
        return Comparison(Outcome.SILENT, f"ids changed in Flink: {changed}, here: {sides[0] != sides[1]}")
    return Comparison(Outcome.EXACT, "changed" if changed else "same ids")


def class_of(files: SourceFiles, path: str) -> tuple[str, str]:
    """(qualified class name, path) of a step's main file, which may have stood elsewhere before the commit."""
    if path not in files.paths():
        name = path.rpartition("/")[2]
        moved = [candidate for candidate in files.paths() if candidate.rpartition("/")[2] == name]
        if moved:
            path = max(moved, key=lambda candidate: SequenceMatcher(None, candidate, path).ratio())
    simple = path.rpartition("/")[2].rpartition(".")[0]
    try:
        package = re.search(rb"^\s*package\s+([\w.]+)", files.read(path), re.MULTILINE)
    except KeyError:
        package = None
    return (f"{package[1].decode()}.{simple}" if package else simple), path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("history", type=Path)
    parser.add_argument("sources", type=Path)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    shown = []
    with gzip.open(options.history, "rt", encoding="utf-8") as lines:
        for line in lines:
            step = json.loads(line)
            directory = git_dir(options.sources, step["repo"])
            if directory is None:
                counts["no sources"] += 1
                continue
            language = "scala: " if step["path"].endswith(".scala") else ""
            try:
                comparison = evaluate(step, directory)
            except subprocess.CalledProcessError:
                counts["commit not in the sources"] += 1
                continue
            detail = f" ({comparison.reason})" if comparison.outcome is Outcome.EXACT else ""
            counts[f"{language}{comparison.outcome.value}{detail}"] += 1
            if comparison.outcome is not Outcome.EXACT and not language:
                shown.append(f"- {comparison.outcome.value}: {step['slug']} {step['commit'][:10]}: {comparison.reason}")
    for name, count in sorted(counts.items()):
        print(f"{count:4} {name}")
    print("\n".join(shown))
    return 1 if any(line.startswith(f"- {Outcome.SILENT}") for line in shown) else 0


if __name__ == "__main__":
    sys.exit(main())
