"""How many public jobs are read from source exactly as real Flink built them.

    python benchmarks/public_jobs.py JOBS.jsonl.gz SOURCES [--flink 1.20] [--verbose]

SOURCES holds one clone or bare repository per job repository, named ``owner+name``. Prints the shares of jobs that
are exact, openly undecided, and differ without saying so, at default parallelism 4 and 1; then each that is not exact.
"""

import argparse
import gzip
import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.git_files import files_of, git_dir
from checker.errors import CheckerError
from checker.extract import java
from checker.flink.translate import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.translation import Translation
from tests.extract.java.recorded import Comparison, Outcome, compare, compare_ids


@dataclass(frozen=True)
class Result:
    """What came of one job under one Flink version and default parallelism."""

    slug: str
    language: str
    flink: str
    parallelism: int
    comparison: Comparison


def read_job(files: SourceFiles, job: dict[str, Any], flink: str, parallelism: int) -> Translation:
    """Extract and translate one recorded job. Raises CheckerError where nothing could be read."""
    entry = PipelineEntry(
        name=job["slug"],
        extract=ExtractorKind.JAVA,
        main=job["mainClass"],
        file=job["path"],
        args=tuple(job.get("args") or ()),
        discovered=False,
        parallelism=parallelism,
        flink=flink,
    )
    return translate(java.extract(files, entry), flink)


def evaluate(job: dict[str, Any], files: SourceFiles, version: str) -> list[Result]:
    """The job at its recorded default parallelism and, where recorded, at 1."""
    truth = job["truth"][version]
    results = []
    runs = [(truth["default_parallelism"], None)]
    if truth.get("ids_at_parallelism_1"):
        runs.append((1, truth["ids_at_parallelism_1"]))
    for parallelism, ids in runs:
        try:
            translation = read_job(files, job, version, parallelism)
            comparison = compare(translation, truth) if ids is None else compare_ids(translation, ids)
        except CheckerError as error:
            comparison = Comparison(Outcome.UNDECIDED, f"not read: {error}")
        except Exception as error:  # a defect: shown as what it is, the other jobs go on
            comparison = Comparison(Outcome.SILENT, f"DEFECT {type(error).__name__}: {error}")
        results.append(Result(job["slug"], job["language"], version, parallelism, comparison))
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", type=Path)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--flink", help="only versions that start with this")
    parser.add_argument("--only", default="", help="only jobs whose slug or repository contains this")
    options = parser.parse_args()
    results: list[Result] = []
    absent: Counter[str] = Counter()
    with gzip.open(options.jobs, "rt", encoding="utf-8") as lines:
        jobs = [json.loads(line) for line in lines]
    for job in sorted(jobs, key=lambda job: (job["repo"], job["commit"])):
        if options.only not in job["slug"] and options.only not in job["repo"]:
            continue
        directory = git_dir(options.sources, job["repo"])
        try:
            files = files_of(directory, job["commit"]) if directory is not None else None
        except subprocess.CalledProcessError:
            files = None
        if files is None:
            absent[job["repo"]] += 1
            continue
        for version in job["truth"]:
            if options.flink is None or version.startswith(options.flink):
                results.extend(evaluate(job, files, version))
    _print(results, absent)
    return 1 if any(result.comparison.outcome is Outcome.SILENT for result in results) else 0


def _print(results: list[Result], absent: Counter[str]) -> None:
    groups = sorted({(r.language, r.parallelism) for r in results}, key=lambda g: (g[0], -g[1]))
    for language, parallelism in groups:
        of = [r for r in results if (r.language, r.parallelism) == (language, parallelism)]
        counts = Counter(r.comparison.outcome for r in of)
        shares = ", ".join(f"{o.value} {counts[o]} ({counts[o] / len(of):.1%})" for o in Outcome)
        print(f"{language:6} default parallelism {parallelism}: {len(of)} graphs: {shares}")
    for repository, count in sorted(absent.items()):
        print(f"no sources: {repository} ({count} jobs)")
    for result in sorted(results, key=lambda r: (r.comparison.outcome is not Outcome.SILENT, r.slug)):
        if result.comparison.outcome is not Outcome.EXACT and result.language != "scala":
            where = f"{result.slug} ({result.flink}, parallelism {result.parallelism})"
            print(f"- {result.comparison.outcome.value}: {where}: {result.comparison.reason[:600]}")


if __name__ == "__main__":
    sys.exit(main())
