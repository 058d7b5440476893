"""What of Hudi's sink is the same whatever the table: the map of rows to records in front of all that it writes with.

Source: ``HoodieTableSink`` and ``Pipelines.rowDataToHoodieRecord`` of Hudi 0.10 to 1.1. Only upserts begin with it;
appends begin with a writer whose parallelism depends on the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from checker.extract.sql.planner.shapes import has_key
from checker.extract.sql.planner.written import Step, Written, provider


def written(context: Any, options: Mapping[str, str]) -> Written:
    """The first operator of a sink that upserts; nothing of another one."""
    why = "those of Hudi's indexes, writers and services are not described"
    keyed = has_key(context) or "hoodie.datasource.write.recordkey.field" in options
    if not keyed or options.get("write.operation", "upsert").lower() != "upsert":
        return Written(None, why)
    table = str(context.getObjectIdentifier().getObjectName())
    return Written(provider([Step(name="row_data_to_hoodie_record")], table, single=False), why)
