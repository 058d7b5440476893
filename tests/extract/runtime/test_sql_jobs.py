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
from tests.extract.runtime.conftest import jars_of

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
    "parallel": "SET 'parallelism.default' = '3'; INSERT INTO dropped SELECT DISTINCT item, price FROM orders;",
    "set": "BEGIN STATEMENT SET; INSERT INTO dropped SELECT item, price FROM orders; "
    "INSERT INTO shown SELECT id, COUNT(*) FROM orders GROUP BY id; END;",
    "two": "INSERT INTO shown SELECT id, 1 FROM orders; INSERT INTO dropped SELECT item, price FROM orders;",
}


def captured(version: str, script: str) -> Capture:
    jars_of(version)
    files = MemoryFiles({"job.sql": (TABLES + script).encode()})
    entry = PipelineEntry(name="sql", extract=ExtractorKind.FLINK, file="job.sql", flink=version, parallelism=2)
    return capture(files, entry, Execution(allow_exec=True))


@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_sql_is_captured_and_recomputed(name: str, version: str) -> None:
    capture_ = captured(version, SCRIPTS[name])
    assert len(capture_.jobs) == (2 if name == "two" else 1)
    for job in capture_.jobs:
        translation = translate(job.topology)
        assert disagreements(job.job, translation) == ()
        if name in ("group", "join", "window", "top", "deduplicate", "over"):
            assert translation.stream_graph is not None
            assert any(node.stateful is True for node in translation.stream_graph.nodes)


def test_a_mistake_in_sql_is_shown() -> None:
    with pytest.raises(ExtractionError, match=r"job\.sql threw .*Object 'nowhere' not found"):
        captured("1.20.5", "INSERT INTO shown SELECT id, 1 FROM nowhere;")
