"""Reading metadata with very many subtask states: seconds, memory, and whether both grow with the file only.

python benchmarks/savepoint_metadata.py [--largest 100000]
"""

import argparse
import multiprocessing
import resource
import struct
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from checker.savepoint.metadata import MAGIC  # noqa: E402
from checker.savepoint.reader import read_metadata  # noqa: E402

SUBTASKS = 1000
INLINE = 2_000


def write(path: Path, subtask_states: int, *, inline: int = INLINE, file_name: str | None = None) -> int:
    """Version 3 metadata: operators of 1000 subtasks with list state and keyed state inline.

    With ``file_name`` each has raw state in that file beside the metadata, too.
    """
    operators = subtask_states // SUBTASKS
    operator_state = b"\x04" + struct.pack(">iH", 1, 5) + b"state" + struct.pack(">biqq", 0, 2, 100, 110)
    stream = b"\x01" + struct.pack(">H", 36) + b"0" * 36 + struct.pack(">i", 120) + b"\x00" * 120
    keyed = (
        b"\x07" + struct.pack(">ii", 0, 32) + struct.pack(">32q", *range(1000, 1032))
        + b"\x01" + struct.pack(">H", 36) + b"1" * 36 + struct.pack(">i", inline) + b"\x00" * inline
    )  # fmt: skip
    raw = struct.pack(">i", 0)
    if file_name is not None:
        relative = b"\x06" + struct.pack(">H", len(file_name)) + file_name.encode() + struct.pack(">q", 1)
        raw = struct.pack(">i", 1) + operator_state + relative
    with path.open("wb") as file:
        file.write(struct.pack(">IiqII", MAGIC, 3, 1, 0, operators))
        for number in range(operators):
            file.write(number.to_bytes(16, "big") + struct.pack(">ii", SUBTASKS, 32768) + b"\x00")
            file.write(struct.pack(">i", SUBTASKS))
            for subtask in range(SUBTASKS):
                file.write(struct.pack(">ii", subtask, 1) + operator_state + stream + raw + keyed)
                file.write(b"\x00" + struct.pack(">ii", 0, 0))
    return path.stat().st_size


def measure(path: str, answer: multiprocessing.Queue[tuple[float, float, int]]) -> None:
    """Read in a process of its own, so that its peak of memory is its own."""
    began = time.perf_counter()
    with open(path, "rb") as stream:
        savepoint = read_metadata(stream, path)
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answer.put((took, peak, sum(o.subtasks for o in savepoint.operators)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=100_000)
    options = parser.parse_args()
    print("subtask states      MB  seconds  µs each  peak MB")
    with tempfile.TemporaryDirectory() as folder:
        for divisor, inline in ((8, INLINE), (4, INLINE), (2, INLINE), (1, INLINE), (1, 10_000)):
            path = Path(folder) / "_metadata"
            size = write(path, options.largest // divisor, inline=inline)
            context = multiprocessing.get_context("spawn")
            answer: multiprocessing.Queue[tuple[float, float, int]] = context.Queue()
            process = context.Process(target=measure, args=(str(path), answer))
            process.start()
            took, peak, states = answer.get(timeout=600)
            process.join()
            print(f"{states:>14} {size / 1e6:>7.0f} {took:>8.2f} {took / states * 1e6:>8.1f} {peak:>8.0f}")


if __name__ == "__main__":
    main()
