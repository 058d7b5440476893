"""Definitions of tables in Hive's dialect, as Flink's own has them."""

from __future__ import annotations

import pytest

from checker.extract.sql.scripts.hive_dialect import in_flinks_dialect


def test_partition_columns_become_columns_and_properties_options() -> None:
    assert in_flinks_dialect(
        "create external table if not exists db.t (id bigint, `tags` array<struct<a:int,b:string>> COMMENT 'a, (b',\n"
        "  at timestamp, price decimal(10,2)) COMMENT 'all' PARTITIONED BY (dt string, hr string)\n"
        "ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS orc TBLPROPERTIES ('a' = 'it', \"b\"=\"2\")"
    ) == (
        "CREATE TABLE if not exists db.t (`id` bigint, `tags` array<ROW<a int,b string>>, `at` TIMESTAMP(9), "
        "`price` decimal(10,2), `dt` string, `hr` string) PARTITIONED BY (`dt`, `hr`) "
        "WITH ('connector' = 'hive', 'a' = 'it', 'b' = '2')"
    )


@pytest.mark.parametrize("statement", ["CREATE DATABASE d", "INSERT INTO t SELECT 1", "CREATE TABLE t AS SELECT 1"])
def test_other_statements_stay_as_they_are(statement: str) -> None:
    assert in_flinks_dialect(statement) == statement
