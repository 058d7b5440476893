"""An audit on Spark: stretches → units → verdicts → datasets, joined, split and aggregated by Spark itself.

The driver sees rows only on their way out of git, and the report's own rows at the end.
"""

from __future__ import annotations

from fnmatch import translate
from pathlib import Path
from typing import Any

import pyarrow as pa

from checker import __version__
from checker.engines.spark.progress import task_progress
from checker.engines.spark.session import SparkRun
from checker.workflows.audit.collecting import (
    AS_BEFORE,
    CHANGE,
    CHURN,
    LINE,
    MOST_CHANGES,
    REPAIR,
    TRACE,
    UNREADABLE,
    Collected,
    Question,
    trace_order,
)
from checker.workflows.audit.judging import JUDGED, PAIR, judging, repairs
from checker.workflows.audit.planning import HISTORY
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
            with task_progress(self._run, tasks, "pipelines"):
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

    def collect(self, folder: Path, files: dict[str, list[Path]], question: Question) -> Collected:
        """Gather from the files that count."""
        from pyspark.sql import functions as F  # noqa: N812

        if not files["topologies"]:
            return Collected()
        points = F.broadcast(self._spark.createDataFrame(question.points))
        topologies = self._read(folder, files, "topologies", question).join(points, ["repository", "step"])
        units = topologies.drop("topology", "failure", "severities", "ids", "lost_ids")
        listed = ~F.col("status").isin(*AS_BEFORE) | (F.col("first") & (F.col("status") == UNREADABLE[1]))
        units = units.withColumn("listed", listed.cast("int")).persist()
        collected = Collected()
        changes = units.where("listed = 1").orderBy("repository", "place", "pipeline").limit(MOST_CHANGES)
        collected.changes = _rows(changes.select(*CHANGE))
        counted = [
            F.sum((~F.col("status").isin(*AS_BEFORE, *UNREADABLE)).cast("int")).alias("changed"),
            *(F.sum((F.col("status") == s).cast("int")).alias(s) for s in ("broke", "undecided")),
            F.sum(F.col("status").isin(*UNREADABLE).cast("int")).alias("unreadable"),
            F.sum("listed").alias("listed"),
            F.sum("moved").alias("moved"),
        ]
        per_line = units.groupBy("repository", "series", "pipeline").agg(F.count("*").alias("steps"), *counted)
        collected.lines = _rows(per_line.select(*LINE).orderBy("repository", "series", "pipeline"))
        per_step = units.groupBy("repository", "series", "place", "step").agg(F.count("*").alias("pipelines"), *counted)
        collected.churn = _rows(per_step.select(*CHURN).orderBy("repository", "place"))
        if any(line["broke"] and line["series"] == HISTORY for line in collected.lines):
            collected.repairs = self._repairs(topologies)
        if question.operator is not None:
            collected.trace = self._trace(folder, files, points, question)
        units.unpersist()
        return collected

    def _read(self, folder: Path, files: dict[str, list[Path]], dataset: str, question: Question) -> Any:
        from pyspark.sql import functions as F  # noqa: N812

        schema = pa.schema([*TABLES[dataset], *PARTITIONS])
        reader = self._spark.read.schema(ddl(schema)).option("basePath", _url(folder / dataset))
        frame = reader.parquet(*(_exactly(path) for path in files[dataset]))
        if question.pipelines:
            wanted = [F.col("pipeline").rlike(translate(glob)) for glob in question.pipelines]
            either = wanted[0]
            for one in wanted[1:]:
                either = either | one
            frame = frame.where(either)
        return frame

    def _repairs(self, topologies: Any) -> list[dict[str, Any]]:
        history = topologies.where(f"series = '{HISTORY}'")
        broken = history.where("status = 'broke'").select("repository", "pipeline").distinct()
        columns = ("repository", "pipeline", "step", "place", "status", "key", "extractor", "topology", "failure",
                   "severities", "ids", "lost_ids")  # fmt: skip
        lines = history.select(*columns).join(broken, ["repository", "pipeline"], "left_semi")
        found = lines.groupBy("repository", "pipeline").applyInArrow(_repaired, ddl(REPAIR))
        return sorted(_rows(found), key=lambda r: (r["repository"], r["pipeline"], r["step"]))

    def _trace(
        self, folder: Path, files: dict[str, list[Path]], points: Any, question: Question
    ) -> list[dict[str, Any]]:
        from pyspark.sql import functions as F  # noqa: N812

        operators = self._read(folder, files, "operators", question).join(points, ["repository", "step"])
        called = ("key", "name", "uid", "id", "previous_name", "previous_id", "previous_key")
        hit: Any = F.lit(False)
        for name in called:
            hit = hit | F.col(name).eqNullSafe(F.lit(question.operator))
        lines = operators.where(hit).select("repository", "pipeline").distinct()
        telling = operators.where(
            ~F.col("key").eqNullSafe(F.col("previous_key"))
            | ~F.col("id_changed").eqNullSafe(F.lit(False))
            | ~F.col("name").eqNullSafe(F.col("previous_name"))
        )
        rows = _rows(telling.join(lines, ["repository", "pipeline"], "left_semi").select(*TRACE))
        return sorted(rows, key=trace_order)


def _repaired(line: pa.Table) -> pa.Table:
    rows = sorted(line.to_pylist(), key=lambda row: row["place"])
    return pa.Table.from_pylist(list(repairs(rows)), schema=REPAIR)


def _rows(frame: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = frame.toArrow().to_pylist()
    return rows


def _url(path: Path) -> str:
    return f"file://{path.absolute()}"


def _exactly(path: Path) -> str:
    """A path to read as Spark takes it: what looks like a glob is meant as it stands."""
    return "".join(f"\\{c}" if c in "{}[]*?\\" else c for c in _url(path))
