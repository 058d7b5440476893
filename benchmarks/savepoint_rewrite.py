"""Rewriting metadata of a gigabyte under other operator ids: seconds and memory of the whole command.

python benchmarks/savepoint_rewrite.py [--states 100000] [--inline 10000] [--beside 1.20.5]

``--beside`` also has Flink's own classes rename the operators, as ``SavepointWriter.changeOperatorIdentifier`` does.

Every operator moves, and every subtask names a file whose path becomes absolute.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.savepoint_metadata import SUBTASKS, write  # noqa: E402
from checker.extract.runtime.distribution import flink_jars  # noqa: E402


def beside(version: str, heap: str, folder: Path, ids: list[str]) -> None:
    """Print what Flink's own classes take for the same."""
    jars = flink_jars(version)
    source = ROOT / "tests" / "savepoint" / "java" / "RenameByFlink.java"
    subprocess.run(["javac", "-nowarn", "-cp", f"{jars}/*", "-d", str(folder), str(source)], check=True)
    java = ["java", f"-Xmx{heap}", "-cp", f"{folder}:{jars}/*", "RenameByFlink"]
    began = time.perf_counter()
    subprocess.run([*java, str(folder / "original"), str(folder / "renamed"), *ids], check=True)
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"Flink {version} with a heap of at most {heap}: {took:.1f} s, peak {peak:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=100_000)
    parser.add_argument("--inline", type=int, default=10_000)
    parser.add_argument("--beside", metavar="FLINK")
    parser.add_argument("--heap", default="6g")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        original = Path(folder) / "original"
        original.mkdir()
        (original / "state").write_bytes(b"x")
        size = write(original / "_metadata", options.states, inline=options.inline, file_name="state")
        moves = [
            f"--move={number.to_bytes(16, 'big').hex()}=new {number}" for number in range(options.states // SUBTASKS)
        ]
        command = [sys.executable, "-m", "checker.cli", "savepoint", "rewrite", str(original), "--out", f"{folder}/new"]
        began = time.perf_counter()
        subprocess.run([*command, *moves], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        took = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        if options.beside:
            ids = [f"{number:032x}={number + 1_000_000:032x}" for number in range(options.states // SUBTASKS)]
            beside(options.beside, options.heap, Path(folder), ids)
        written = (Path(folder) / "new" / "_metadata").stat().st_size
    print(f"{size / 1e6:.0f} MB with {options.states} subtask states became {written / 1e6:.0f} MB in {took:.1f} s")
    print(f"peak {peak:.0f} MB")


if __name__ == "__main__":
    main()
