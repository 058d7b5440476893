"""How many of the small API programs are read from source exactly as real Flink built them.

    python benchmarks/api_programs.py [SOURCES DUMPS] [--flink 1.20]... [--only NAME]

SOURCES holds ``S*.java``, DUMPS ``dumps-VERSION.tar.gz``; without them those of the tests are taken.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.extract.java.api_programs import VERSIONS, dumps_of, evaluate, programs
from tests.extract.java.recorded import Outcome

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path, nargs="?", default=ROOT / "tests/data/java/api")
    parser.add_argument("dumps", type=Path, nargs="?", default=ROOT / "tests/data/api")
    parser.add_argument("--flink", action="append", help="versions, as 1.20 (default: 1.16 1.18 1.20 2.0 2.3)")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    silent = 0
    for version in options.flink or VERSIONS:
        dumps = dumps_of(options.dumps, version)
        counts: Counter[Outcome] = Counter()
        shown = []
        major, minor = (int(part) for part in version.split("."))
        for path in sorted(options.sources.glob("S*.java")):
            known = dumps.get(path.stem, {})
            for program in programs(path, (major, minor)):
                if program.name not in known or options.only not in program.name:
                    continue
                comparison = evaluate(program, known[program.name], version)
                counts[comparison.outcome] += 1
                if comparison.outcome is not Outcome.EXACT:
                    what = f"{path.stem} '{program.name}': {comparison.reason[:500]}"
                    shown.append(f"- {comparison.outcome.value}: {what}")
        silent += counts[Outcome.SILENT]
        print(f"{version}: {sum(counts.values())} programs: " + ", ".join(f"{o.value} {counts[o]}" for o in Outcome))
        print("\n".join(sorted(shown)))
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
