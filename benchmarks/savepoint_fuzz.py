"""Mutates real savepoint metadata and state headers many times; any other end than a record or one error is a defect.

    python benchmarks/savepoint_fuzz.py [--files 100000] [--memory 512] [--seed 1]

Runs under a hard limit of memory (address space) and stops at the first crash, with the input saved beside it.
"""

import argparse
import random
import resource
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from checker.errors import SavepointError  # noqa: E402
from checker.savepoint.state_files import HeaderReader  # noqa: E402
from tests.savepoint.in_memory import read_savepoint_bytes  # noqa: E402
from tests.savepoint.mutations import mutated  # noqa: E402

SLOW = 2.0
"""Seconds that one input may take."""


def inputs() -> tuple[list[bytes], list[bytes]]:
    """Metadata files, and state files that begin with a header, of the recorded snapshots."""
    with (
        tempfile.TemporaryDirectory() as folder,
        tarfile.open(ROOT / "tests" / "data" / "savepoints" / "snapshots.tar.xz") as archive,
    ):
        archive.extractall(folder, filter="data")
        metadata, states = [], []
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and path.name == "_metadata":
                metadata.append(path.read_bytes())
            elif path.is_file() and path.suffix == "":
                data = path.read_bytes()
                if data[:4] == b"\0\0\0\x06":
                    states.append(data[:20_000])
    return metadata, states


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--memory", type=int, default=512, help="MB of address space")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    metadata, states = inputs()
    limit = options.memory * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    source = random.Random(options.seed)
    read = refused = 0
    slowest = 0.0
    began = time.perf_counter()
    for number in range(options.files):
        if number % 4 == 3:
            data = mutated(source.choice(states), source)
            call = source.choice((HeaderReader.keyed, HeaderReader.operator))
        else:
            data, call = mutated(source.choice(metadata), source), None
        start = time.perf_counter()
        try:
            if call is None:
                read_savepoint_bytes("fuzz", data)
            else:
                call(HeaderReader(data, "fuzz", source.choice((None, len(data) // 2))))
            read += 1
        except SavepointError:
            refused += 1
        except BaseException:
            Path("savepoint_fuzz.crash").write_bytes(data)
            print(f"crash at input {number}, saved as savepoint_fuzz.crash", file=sys.stderr)
            raise
        took = time.perf_counter() - start
        slowest = max(slowest, took)
        if took > SLOW:
            Path("savepoint_fuzz.slow").write_bytes(data)
            sys.exit(f"input {number} took {took:.1f} s, saved as savepoint_fuzz.slow")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{options.files} mutated files in {time.perf_counter() - began:.0f} s: {read} read, {refused} refused "
        f"with one error, none crashed; slowest {slowest * 1000:.0f} ms, peak {peak:.0f} MB "
        f"of {options.memory}"
    )


if __name__ == "__main__":
    main()
