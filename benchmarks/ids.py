"""How long ``ids`` takes as a whole process: for growing pipelines, and beside real Flink for the same documents.

usage: python -m benchmarks.ids [--flink 1.20.5] [--documents 300]
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conformance.ask_flink import ask_flink
from tests.conformance.random_documents import random_document


def linear(operators: int) -> dict[str, Any]:
    """One source and a line of operators, every third with a uid, every fourth behind a keyBy."""
    transformations: list[dict[str, Any]] = [{"id": "s", "kind": "source"}]
    previous = "s"
    for number in range(operators - 1):
        if number % 4 == 3:
            partition = {"id": f"k{number}", "kind": "partition", "inputs": [previous], "partitioner": "hash"}
            transformations.append(partition)
            previous = f"k{number}"
        operator: dict[str, Any] = {"id": f"o{number}", "kind": "operator", "inputs": [previous]}
        if number % 3 == 0:
            operator["uid"] = f"uid {number}"
        transformations.append(operator)
        previous = f"o{number}"
    return {"topology": 1, "name": f"line of {operators}", "parallelism": 2, "transformations": transformations}


def seconds_of_ids(path: Path, flink: str, form: str = "json") -> float:
    command = [sys.executable, "-m", "checker.cli", "ids", str(path), "--flink", flink, "--format", form]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def processor(work: Callable[[], object]) -> float:
    """Seconds of all processes that some work started."""
    before = os.times()
    work()
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def beside_flink(path: Path, flink: str, operators: int) -> None:
    """One long pipeline, in turn with real Flink: medians of the processor's seconds."""
    document = linear(operators)
    path.write_text(json.dumps(document))
    ours: dict[str, list[float]] = {"text": [], "json": []}
    flinks: list[float] = []
    ask_flink(flink, [linear(10)])  # jars and classes are there before anything counts
    for _ in range(5):
        for form, taken in ours.items():
            taken.append(processor(lambda form=form: seconds_of_ids(path, flink, form)))
        flinks.append(processor(lambda: ask_flink(flink, [document])))
    theirs = statistics.median(flinks)
    for form, taken in ours.items():
        took = statistics.median(taken)
        print(f"{operators:,} operators, {form}: {took:.2f} s; Flink {theirs:.2f} s, {theirs / took:.1f} times as long")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flink", default="1.20.5")
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--no-flink", action="store_true", help="leave real Flink out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "d.jsonl")
        for operators in (1_000, 10_000, 20_000, 40_000):
            path.write_text(json.dumps(linear(operators)))
            took = seconds_of_ids(path, options.flink)
            print(f"ids, one pipeline of {operators:>6} operators: {took:.2f} s")
        if not options.no_flink:
            beside_flink(path, options.flink, 10_000)
        rng = random.Random(1)
        documents = [random_document(rng, n, size=25) for n in range(options.documents)] + [linear(500)]
        path.write_text("\n".join(json.dumps(d) for d in documents))
        ours = min(seconds_of_ids(path, options.flink) for _ in range(3))
        print(f"ids, {len(documents)} documents: {ours:.2f} s")
        if not options.no_flink:
            ask_flink(options.flink, documents[:1])  # jars and classes are there before the clock starts
            start = time.perf_counter()
            ask_flink(options.flink, documents)
            flinks = time.perf_counter() - start
            print(f"Flink {options.flink}, the same documents: {flinks:.2f} s, {flinks / ours:.1f} times as long")


if __name__ == "__main__":
    main()
