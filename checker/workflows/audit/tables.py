"""The columns of the datasets. Each also has the partition columns ``repository`` and ``pipeline``."""

from __future__ import annotations

import pyarrow as pa

from checker.workflows.audit.judging import FINDING, JUDGED, OPERATOR, texts

_STEP = (*texts("step", "commit"), ("time", pa.int64()), *texts("conditions"))
"""``conditions`` are those of a what-if as it was asked, null for revisions as they are."""
SUMMARY = ("status", "errors", "warnings", "moved", "undecided", "lost", "lost_ids", "ids", "cause")
"""What the dataset ``topologies`` says about the step that led to a topology."""

TOPOLOGIES = pa.schema(
    [
        *_STEP,
        *texts("previous_commit", "tool", "key", "extractor", "topology", "failure", "severities"),
        *(JUDGED.field(n) for n in SUMMARY),
    ]
)
OPERATORS = pa.schema([*_STEP, *OPERATOR])
FINDINGS = pa.schema([*_STEP, *FINDING])
TABLES = {"topologies": TOPOLOGIES, "operators": OPERATORS, "findings": FINDINGS}
PARTITIONS = pa.schema(texts("repository", "pipeline"))
POINTS = pa.schema([*texts("repository", "step", "series"), ("place", pa.int64()), ("first", pa.bool_())])
"""The steps that a report is about; ``place`` orders them within their repository, ``first``
marks the beginning of a series."""


def ddl(schema: pa.Schema) -> str:
    """A schema as Spark spells it."""
    return ", ".join(f"`{field.name}` {_type(field.type)}" for field in schema)


def _type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"array<{_type(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'`{f.name}`: {_type(f.type)}' for f in kind)}>"
    return {"string": "string", "int64": "bigint", "int32": "int", "bool": "boolean", "binary": "binary"}[str(kind)]
