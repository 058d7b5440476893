"""How long scripts take to be planned: one that changed, one that did not, and many in one run.

``python benchmarks/sql_speed.py [--scripts 100] [--flink 1.20.5]`` prints seconds of wall time and of processor time.
Every run makes scripts that no cache knows.
"""

import argparse
import resource
import time
import uuid

from checker.extract.runtime.execution import Execution
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.workflows.check.records import SideToRead
from checker.workflows.planning_scripts import plan_scripts

_SCRIPT = """
CREATE TABLE orders (k INT, cat STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
  WITH ('connector' = 'kafka', 'topic' = '{name}');
CREATE TABLE rates (cat STRING, rate INT, ts TIMESTAMP(3), PRIMARY KEY (cat) NOT ENFORCED)
  WITH ('connector' = 'upsert-kafka');
CREATE TABLE totals (k INT, total INT, rate INT) WITH ('connector' = 'blackhole');
INSERT INTO totals SELECT k, SUM(v + {number}), MAX(rate) FROM orders JOIN rates ON orders.cat = rates.cat GROUP BY k;
"""


def planned(scripts: list[str], flink: str) -> tuple[float, float]:
    """Plan them in one run; seconds of wall and of processor time. Raises RuntimeError where one is not planned."""
    files = MemoryFiles({f"{n}.sql": script.encode() for n, script in enumerate(scripts)})
    entries = [
        PipelineEntry(name=str(n), extract=ExtractorKind.SQL, file=f"{n}.sql", flink=flink) for n in range(len(scripts))
    ]
    start, before = time.monotonic(), _processor()
    read = plan_scripts([SideToRead(name="head", files=files, entries=entries)], Execution())["head"]
    failures = [pipeline.failure for pipeline in read if pipeline.failure is not None]
    if failures or len(read) != len(scripts):
        raise RuntimeError(f"not planned: {failures[:3]}")
    return time.monotonic() - start, _processor() - before


def _processor() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(pipeline.ru_utime + pipeline.ru_stime for pipeline in used)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--scripts", type=int, default=100)
    parser.add_argument("--flink", default="1.20.5")
    arguments = parser.parse_args()
    name = uuid.uuid4().hex
    scripts = [_SCRIPT.format(name=name, number=n) for n in range(arguments.scripts + 2)]
    for what, wanted in (
        ("first run, which may leave an archive of classes", scripts[:1]),
        ("one changed script", scripts[1:2]),
        ("the same script again", scripts[1:2]),
        (f"{arguments.scripts} scripts in one run", scripts[2:]),
    ):
        wall, processor = planned(wanted, arguments.flink)
        print(f"{what}: {wall:.1f} s wall, {processor:.1f} s of processors", flush=True)


if __name__ == "__main__":
    main()
