"""How long ``ids`` takes as a whole process: for growing pipelines, and beside real Flink for the same documents.

usage: python -m benchmarks.ids [--flink 1.20.5] [--documents 300]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
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


def seconds_of_ids(path: Path, flink: str) -> float:
    command = [sys.executable, "-m", "checker.cli", "ids", str(path), "--flink", flink, "--format", "json"]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


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
