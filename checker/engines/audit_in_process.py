"""An audit without Spark: the same stages, one stretch after the other, in this process."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from checker import __version__
from checker.workflows.audit.collecting import Grouping, Row, partition_of
from checker.workflows.audit.judging import PAIR, judged
from checker.workflows.audit.reading import reading
from checker.workflows.audit.tables import PARTITIONS, SUMMARY, TABLES

_ESCAPED = frozenset("\"#%'*/:=?\\{[]^\x7f") | {chr(n) for n in range(32)}


class InProcessAudit:
    """The engine of ``--engine in-process``."""

    slots = 1

    def compute(self, stretches: pa.Table, staging: Path) -> None:
        """Write the rows of one wave."""
        verdicts: dict[tuple[str, ...], Row] = {}
        rows: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
        for batch in reading(iter(stretches.to_batches(max_chunksize=1))):
            for unit in batch.to_pylist():
                pair = tuple(unit[name] for name in PAIR)
                if pair not in verdicts:
                    verdicts[pair] = judged(unit)
                for dataset, row in _rows(unit, verdicts[pair]):
                    rows[dataset, unit["repository"], unit["pipeline"]].append(row)
        for (dataset, repository, pipeline), found in rows.items():
            folder = staging / dataset / f"repository={_segment(repository)}" / f"pipeline={_segment(pipeline)}"
            folder.mkdir(parents=True, exist_ok=True)
            table = pa.Table.from_pylist(found, schema=TABLES[dataset])
            pq.write_table(table, folder / "rows.parquet", compression="zstd")

    def grouped(self, folder: Path, files: Sequence[Path], points: pa.Table, grouping: Grouping) -> list[Row]:
        """What the function makes of the groups in some files of a dataset below ``folder``, in any order."""
        groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for path in files:
            groups[partition_of(path)[: len(grouping.keys)]].append(str(path))
        schema = pa.schema([*TABLES[grouping.dataset], *PARTITIONS])
        found: list[Row] = []
        for paths in groups.values():
            dataset = ds.dataset(
                paths,
                schema=schema,
                format="parquet",
                partitioning=ds.HivePartitioning(PARTITIONS),
                partition_base_dir=str(folder / grouping.dataset),
            )
            joined = _beside(dataset.to_table(columns=list(grouping.columns)), points)
            if joined.num_rows:
                found.extend(grouping.function(joined).to_pylist())
        return found


def _beside(rows: pa.Table, points: pa.Table) -> pa.Table:
    """Each row once for every point of its step, with the point's columns."""
    keys = ["repository", "step"]
    numbered = rows.select(keys).append_column("row", pa.array(range(rows.num_rows), pa.int64()))
    pairs = numbered.join(points, keys, join_type="inner")
    joined = rows.take(pairs["row"])
    for name in points.column_names:
        if name not in keys:
            joined = joined.append_column(name, pairs[name])
    return joined


def _rows(unit: Row, verdict: Row) -> Iterator[tuple[str, Row]]:
    step = {name: unit[name] for name in ("step", "commit", "time")}
    head = {name: unit[f"head_{name}"] for name in ("key", "extractor", "topology", "failure")}
    summary = {name: verdict[name] for name in SUMMARY}
    yield "topologies", {**step, **head, **summary, "tool": __version__, "severities": unit["severities"]}
    for operator in verdict["operators"]:
        yield "operators", {**step, **operator}
    for finding in verdict["findings"]:
        yield "findings", {**step, **finding}


def _segment(name: str) -> str:
    """A partition's folder name as Spark writes it."""
    return "".join(f"%{ord(c):02X}" if c in _ESCAPED else c for c in name)
