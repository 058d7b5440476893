"""SQL types inside of a savepoint that Flink 1.20.5 wrote, read without Java."""

from pathlib import Path

from tests.savepoint.in_memory import read_savepoint_bytes

METADATA = Path(__file__).parents[1] / "extract" / "sql" / "data" / "sql_types_metadata"


def test_the_types_of_a_row_are_those_of_its_table() -> None:
    savepoint = read_savepoint_bytes("savepoint", METADATA.read_bytes())
    rows = [
        snapshot.tree
        for operator in savepoint.operators
        if operator.headers is not None
        for state in operator.headers.states
        for role, snapshot in state.serializers
        if role == "VALUE_SERIALIZER" and snapshot.short_name == "RowData"
    ]
    (row,) = rows
    assert row.types == (
        "INT", "INT", "BIGINT", "SMALLINT", "FLOAT", "DOUBLE", "DECIMAL(10, 2)", "VARCHAR(10)", "STRING", "CHAR(3)",
        "BOOLEAN", "DATE", "TIMESTAMP(3)", "TIMESTAMP_LTZ(3)", "BYTES", "ARRAY<INT>", "MAP<STRING, INT>",
        "ROW<a INT, b STRING>", "TIMESTAMP_LTZ(3) NOT NULL",
    )  # fmt: skip
    assert [nested.name for nested in row.nested][6:8] == ["Decimal", "StringData"]
    assert all(operator.headers is None or operator.headers.complete for operator in savepoint.operators)
