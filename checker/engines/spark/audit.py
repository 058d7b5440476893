"""An audit on Spark: stretches → units → verdicts → datasets, joined, split and aggregated by Spark itself.

The driver sees rows only on their way out of git, and the report's own rows at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from checker import __version__
from checker.engines.spark.progress import task_progress
from checker.engines.spark.session import SparkRun
from checker.workflows.audit.collecting import Grouping, Row
from checker.workflows.audit.judging import JUDGED, PAIR, judging
from checker.workflows.audit.reading import UNITS, reading
from checker.workflows.audit.tables import PARTITIONS, SUMMARY, TABLES, ddl

_SETTINGS = {
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.parquet.compression.codec": "zstd",
    # A row holds whole topologies: batches stay small so that memory does.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",
}


class SparkAudit:
    """The engine of ``--engine spark``, within a session that somebody else ends."""

    def __init__(self, run: SparkRun) -> None:
        self._run, self._spark = run, run.session
        self.slots = run.slots
        for key, value in {**_SETTINGS, "spark.sql.shuffle.partitions": str(2 * run.slots)}.items():
            self._spark.conf.set(key, value)

    def compute(self, stretches: pa.Table, staging: Path) -> None:
        """Write the rows of one wave."""
        from pyspark.sql import functions as F  # noqa: N812

        tasks = 2 * self.slots
        units = self._spark.createDataFrame(stretches).mapInArrow(reading, ddl(UNITS)).persist()
        pairs = units.repartition(tasks, *PAIR).dropDuplicates(list(PAIR))
        verdicts = pairs.mapInArrow(judging, ddl(JUDGED)).persist()
        joined = units.drop("base_topology").join(verdicts, list(PAIR))
        step = ["repository", "pipeline", "step", "commit", "time"]
        head = [F.col(f"head_{name}").alias(name) for name in ("key", "extractor", "topology", "failure")]
        topologies = joined.select(*step, F.lit(__version__).alias("tool"), *head, "severities", *SUMMARY)
        try:
            with task_progress(self._run, tasks):
                self._written(topologies, staging / "topologies")
                for name in ("operators", "findings"):
                    exploded = joined.select(*step, F.explode(name).alias("row")).select(*step, "row.*")
                    self._written(exploded, staging / name)
        finally:
            verdicts.unpersist()
            units.unpersist()

    def _written(self, frame: Any, place: Path) -> None:
        parted = frame.repartition(self.slots, "repository", "pipeline")
        parted.write.partitionBy("repository", "pipeline").parquet(_url(place))

    def grouped(self, folder: Path, files: Sequence[Path], points: pa.Table, grouping: Grouping) -> list[Row]:
        """What the function makes of the groups in some files of a dataset below ``folder``, in any order."""
        from pyspark.sql import functions as F  # noqa: N812

        schema = pa.schema([*TABLES[grouping.dataset], *PARTITIONS])
        reader = self._spark.read.schema(ddl(schema)).option("basePath", _url(folder / grouping.dataset))
        rows = reader.parquet(*(_exactly(path) for path in files)).select(*grouping.columns)
        joined = rows.join(F.broadcast(self._spark.createDataFrame(points)), ["repository", "step"])
        function = grouping.function
        found = joined.groupBy(*grouping.keys).applyInArrow(lambda group: function(group), ddl(grouping.schema))
        listed: list[Row] = found.toArrow().to_pylist()
        return listed


def _url(path: Path) -> str:
    return f"file://{path.absolute()}"


def _exactly(path: Path) -> str:
    """A path to read as Spark takes it: what looks like a glob is meant as it stands."""
    return "".join(f"\\{c}" if c in "{}[]*?\\" else c for c in _url(path))
