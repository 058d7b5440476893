"""SQL through real Flink: every script is captured, and our core computes Flink's ids from it."""

from __future__ import annotations

import pytest

from checker.errors import ExtractionError
from checker.extract.runtime.capture.disagreements import disagreements
from checker.extract.runtime.execution import Execution
from checker.extract.runtime.extracting import Capture, capture
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from tests.flinks import jars_of

pytestmark = [pytest.mark.flink, pytest.mark.timeout(600)]

TABLES = """
CREATE TABLE orders (id BIGINT, item STRING, price DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'datagen');
CREATE TABLE items (item STRING, title STRING, PRIMARY KEY (item) NOT ENFORCED) WITH ('connector' = 'datagen');
CREATE TABLE shown (id BIGINT, n BIGINT) WITH ('connector' = 'print');
CREATE TABLE dropped (item STRING, total DOUBLE) WITH ('connector' = 'blackhole');
"""
SCRIPTS = {
    "filter": "INSERT INTO shown SELECT id, 1 FROM orders WHERE price > 3;",
    "group": "INSERT INTO shown SELECT id, COUNT(*) FROM orders GROUP BY id;",
    "join": "INSERT INTO dropped SELECT o.item, o.price FROM orders o JOIN items i ON o.item = i.item;",
    "window": "INSERT INTO dropped SELECT item, SUM(price) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), "
    "INTERVAL '5' MINUTES)) GROUP BY item, window_start, window_end;",
    "top": "INSERT INTO dropped SELECT item, price FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY item "
    "ORDER BY price DESC) AS r FROM orders) WHERE r <= 3;",
    "deduplicate": "INSERT INTO shown SELECT id, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id "
    "ORDER BY ts) AS r FROM orders) WHERE r = 1;",
    "over": "INSERT INTO dropped SELECT item, SUM(price) OVER (PARTITION BY item ORDER BY ts) FROM orders;",
    "union": "INSERT INTO dropped SELECT item, price FROM orders UNION ALL SELECT item, 0.0 FROM items;",
    "view": "CREATE TEMPORARY VIEW dear AS SELECT * FROM orders WHERE price > 100; "
    "INSERT INTO dropped SELECT item, price FROM dear;",
    "parallel": "SET 'parallelism.default' = '3'; INSERT INTO dropped SELECT DISTINCT item, price FROM orders; "
    "SET 'parallelism.default' = '2';",
    "set": "BEGIN STATEMENT SET; INSERT INTO dropped SELECT item, price FROM orders; "
    "INSERT INTO shown SELECT id, COUNT(*) FROM orders GROUP BY id; END;",
}
"""Each submits one job."""
STATEFUL = {"group", "join", "window", "top", "deduplicate", "over", "parallel", "set"}


def captured(version: str, script: str) -> Capture:
    jars_of(version)
    files = MemoryFiles({"job.sql": (TABLES + script).encode()})
    entry = PipelineEntry(name="sql", extract=ExtractorKind.FLINK, file="job.sql", flink=version, parallelism=2)
    return capture(files, entry, Execution(allow_exec=True))


@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
def test_sql_is_captured_and_recomputed(version: str) -> None:
    """One process runs all of them: it takes longer to start than to plan."""
    jobs = captured(version, "\n".join(SCRIPTS.values())).jobs
    for name, job in zip(SCRIPTS, jobs, strict=True):
        translation = translate(job.topology)
        assert disagreements(job.job, translation) == (), name
        assert translation.stream_graph is not None
        nodes = translation.stream_graph.nodes
        assert any(node.stateful is True for node in nodes) or name not in STATEFUL, name
        assert {node.parallelism for node in nodes if node.parallelism != 1} <= {3 if name == "parallel" else 2}, name


def test_a_mistake_in_sql_is_shown() -> None:
    with pytest.raises(ExtractionError, match=r"job\.sql threw .*Object 'nowhere' not found"):
        captured("1.20.5", "INSERT INTO shown SELECT id, 1 FROM nowhere;")
