import json
import textwrap
from dataclasses import replace

import pytest

from checker.errors import ExtractionError
from checker.extract.sql.scripts.commands import (
    CreateCatalog,
    Define,
    ResetOption,
    RunPlan,
    RunQuery,
    SetOption,
    commands,
    jobs,
)
from checker.extract.sql.scripts.discovery import discover_scripts
from checker.extract.sql.scripts.reading import ASSUMED, read_script, statements_of
from checker.extract.sql.scripts.templates import filled, left_open, split
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles

KAFKA = "CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'topic' = 't');\n"
SINK = "CREATE TABLE s (a INT) WITH ('connector' = 'print');\n"


def test_statements_end_outside_of_quotes_and_comments() -> None:
    text = "-- a;b\nSELECT 'x;y', `a;b` /* ; */ FROM t;\n # it's\n/*+ HINT */ INSERT\nINTO s SELECT 1;;\n"
    found = split(text)
    assert [(s.line, " ".join(s.text.split())) for s in found] == [
        (2, "SELECT 'x;y', `a;b` FROM t"),
        (4, "/*+ HINT */ INSERT INTO s SELECT 1"),
    ]


def test_every_kind_of_command_is_told_apart() -> None:
    script = """
SET 'a.b' = 'it''s';
RESET 'a.b';
CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = 'x');
CREATE TEMPORARY TABLE t (a INT) WITH ('connector' = 'kafka');
EXECUTE STATEMENT SET BEGIN
INSERT INTO a SELECT * FROM t;
INSERT INTO b SELECT * FROM t;
END;
COMPILE PLAN 'p.json' FOR INSERT INTO a SELECT * FROM t;
EXECUTE PLAN 'p.json';
CREATE TABLE u WITH ('connector' = 'print') AS SELECT * FROM t;
SHOW TABLES;
SELECT * FROM t;
"""
    assert [type(c) for c in commands(script)] == [
        SetOption, ResetOption, CreateCatalog, Define, RunQuery, RunQuery, RunPlan, RunQuery
    ]  # fmt: skip
    found = commands(script)
    assert isinstance(found[0], SetOption)
    assert found[0].value == "it's"
    assert [(job.targets, job.compiled, job.line) for job in jobs(found) if isinstance(job, RunQuery)] == [
        (("a", "b"), False, 7),
        (("a",), True, 10),
        (("u",), False, 12),
    ]
    assert isinstance(found[3], Define)
    assert found[3].text.startswith("CREATE TABLE t"), "a temporary table has no catalog to ask for its connector"


def test_an_order_of_modules_that_lets_another_one_resolve_functions_first_is_not_left_out() -> None:
    text = (
        "LOAD MODULE hive;\nUSE MODULES core, hive;\nUSE MODULES hive, core;\nUNLOAD MODULE hive;\nUNLOAD MODULE core;"
    )
    assert [command.text for command in commands(text) if isinstance(command, Define)] == [
        "USE MODULES hive, core",
        "UNLOAD MODULE core",
    ]


def test_what_is_flink_is_found_and_named_by_its_file() -> None:
    files = MemoryFiles(
        {
            "jobs/orders.sql": (KAFKA + SINK + "INSERT INTO s SELECT * FROM t").encode(),
            "split/1_tables.sql": (KAFKA + SINK).encode(),
            "split/job.sql": b"INSERT INTO s SELECT * FROM t",
            "db/migration/V1__users.sql": b"CREATE TABLE users (id INT); INSERT INTO users SELECT 1;",
            "models/daily.sql": b"{{ config(materialized='table') }} INSERT INTO s SELECT * FROM {{ ref('t') }}",
            "query.sql": KAFKA.encode() + b"SELECT * FROM t",
        }
    )
    entries = discover_scripts(files)
    assert {e.name: e.files or e.file for e in entries} == {
        "orders": "jobs/orders.sql",
        "job": ("split/1_tables.sql", "split/job.sql"),
    }
    assert all(e.extract is ExtractorKind.SQL for e in entries)


def test_templates_take_values_and_say_what_is_missing() -> None:
    assert filled("${a} {{ b }} ${c:-d} ${e}", {"a": "1", "b": "2"}) == "1 2 d ${e}"
    assert left_open("SELECT '${a}' FROM t WITH ('topic' = '${b}', 'connector' = '${c}')") == ("a", "c")
    table = filled("CREATE TABLE t (a INT) WITH ('topic' = '(${a})', ${b},\n${c})", {"c": "'format' = 'json'"})
    assert table == "CREATE TABLE t (a INT) WITH ('topic' = '(${a})', ${b},\n'format' = 'json')"
    assert left_open(table) == ("b",)
    assert filled("INSERT INTO c.${db}.t SELECT '${a}.b' FROM `${c.d}`.x -- it's", {}) == (
        "INSERT INTO c.db.t SELECT '${a}.b' FROM `c_d`.x -- it's"
    )
    files = MemoryFiles({"job.sql": b"INSERT INTO ${target} SELECT 1"})
    entry = PipelineEntry(name="job", extract=ExtractorKind.SQL, file="job.sql")
    with pytest.raises(ExtractionError, match="no value is given for target"):
        read_script(files, entry)


def test_definitions_are_taken_from_the_nearest_script_that_has_them() -> None:
    files = MemoryFiles(
        {
            "sql/ddl/tables.sql": (KAFKA + "CREATE CATALOG c WITH ('type' = 'generic_in_memory');").encode(),
            "sql/ddl/views.sql": b"CREATE VIEW w AS SELECT up(a) AS a FROM t;",
            "sql/functions/all.sql": b"CREATE FUNCTION up AS 'com.acme.Up';",
            "sql/jobs/one.sql": (SINK + "USE CATALOG c;\nINSERT INTO s SELECT a FROM w").encode(),
            "sql/jobs/two.sql": (SINK + "INSERT INTO s SELECT a FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts)))").encode(),
            "sql/jobs/three.sql": b"SET 'table.a' = 'b'; INSERT INTO l.${db}.u SELECT 1",
            "sql/ddl/lake.sql": b"CREATE CATALOG l WITH ('type' = 'iceberg')",
            "sql/ddl/u.sql": b"CREATE TABLE l.${db}.u (a INT, PRIMARY KEY (a) NOT ENFORCED)",
            "other/tables.sql": KAFKA.encode(),
        }
    )
    found = {e.name: e.files for e in discover_scripts(files)}
    assert found == {
        "one": ("sql/ddl/tables.sql", "sql/functions/all.sql", "sql/ddl/views.sql", "sql/jobs/one.sql"),
        "two": ("sql/ddl/tables.sql", "sql/jobs/two.sql"),
        "three": ("sql/ddl/lake.sql", "sql/ddl/u.sql", "sql/jobs/three.sql"),
    }


def test_a_script_that_uses_a_catalog_of_flinks_is_a_pipeline_although_nothing_else_shows_it() -> None:
    lake = "CREATE CATALOG lake WITH ('type' = 'paimon');\n"
    orders = f"{KAFKA}{lake}CREATE TABLE lake.ods.orders (a INT);\nINSERT INTO lake.ods.orders SELECT 1;"
    sums = b"INSERT INTO lake.dwd.n SELECT SUM(a) FROM lake.ods.orders;"
    files = MemoryFiles(
        {"sql/ods/orders.sql": orders.encode(), "sql/dwd/sums.sql": sums, "db/a.sql": b"INSERT INTO a SELECT 1"}
    )
    assert {entry.name for entry in discover_scripts(files)} == {"orders", "sums"}


def test_a_place_in_an_option_that_moves_no_operator_may_stay_open() -> None:
    script = "SET 'parallelism.default' = '${P}';\n" + KAFKA.replace("'connector'", "'topic' = '${TOPIC}', 'connector'")
    files = MemoryFiles({"job.sql": f"{script}{SINK}INSERT INTO s SELECT * FROM t".encode()})
    found = statements_of(read_script(files, PipelineEntry(name="job", extract=ExtractorKind.SQL, file="job.sql")))
    assert [entry["kind"] for entry in found] == ["none", "execute", "execute", "execute"]


def test_an_executed_plan_is_found_by_its_name() -> None:
    files = MemoryFiles({"job.sql": b"EXECUTE PLAN '/opt/plans/p.json'", "plans/p.json": b'{"flinkVersion": "1.20"}'})
    script = read_script(files, PipelineEntry(name="job", extract=ExtractorKind.SQL, file="job.sql"))
    assert [s["kind"] for s in statements_of(script)] == ["plan"]
    assert "plans/p.json" in script.files


def test_options_between_the_compilation_and_the_execution_of_a_plan_are_refused() -> None:
    plan = "COMPILE PLAN 'p.json' FOR INSERT INTO s SELECT a FROM t;\nEXECUTE PLAN 'p.json'"
    files = MemoryFiles({"job.sql": f"{KAFKA}{SINK}{plan}".encode()})
    entry = PipelineEntry(name="job", extract=ExtractorKind.SQL, file="job.sql")
    assert [record["kind"] for record in statements_of(read_script(files, entry))] == [
        "execute",
        "execute",
        "compiled",
        "none",
    ]
    between = files.contents["job.sql"].replace(b"EXECUTE", b"SET 'pipeline.max-parallelism' = '4';\nEXECUTE")
    with pytest.raises(ExtractionError, match="options are set between"):
        read_script(MemoryFiles({"job.sql": between}), entry)


def test_scripts_in_a_config_map_stand_on_their_lines_and_take_what_the_map_defines() -> None:
    data = {"0-tables.sql": KAFKA + SINK, "copy.sql": "INSERT INTO s SELECT a FROM t;", "notes.txt": "INSERT INTO x;"}
    entries = "".join(f"  {key}: |\n{textwrap.indent(value, '    ')}\n" for key, value in data.items())
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\ndata:\n{entries}"
    files = MemoryFiles({"k8s/m.yaml": text.encode()})
    (entry,) = discover_scripts(files)
    assert entry.name == "copy"
    script = read_script(files, entry)
    assert [type(placed.command) for placed in script.commands] == [Define, Define, RunQuery]
    line = next(n for n, written in enumerate(text.splitlines(), 1) if "INSERT INTO s" in written)
    assert script.commands[-1].location.line == line


@pytest.mark.parametrize("name", ["args: [%s]", "podTemplate: {spec: {containers: [{env: [{name: SQL, value: %s}]}]}}"])
def test_a_script_that_a_resource_hands_to_its_program_is_found(name: str) -> None:
    given = name % json.dumps(KAFKA + SINK + "INSERT INTO s SELECT a FROM t;")
    spec = f"job: {{{given}}}" if name.startswith("args") else given
    text = f"apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {{name: m}}\nspec: {{{spec}}}\n"
    files = MemoryFiles({"m.yaml": text.encode()})
    (entry,) = discover_scripts(files)
    assert entry.name == "m"
    for in_the_head in ("m (k8s/m.yaml)", "n"):
        assert read_script(files, replace(entry, name=in_the_head)).commands == read_script(files, entry).commands


@pytest.mark.parametrize(
    ("named", "release"),
    [
        ({"Dockerfile": "RUN wget https://repo/paimon-flink-1.20/1.0.1/paimon-flink-1.20-1.0.1.jar"}, "1.0"),
        ({"compose.yml": "PAIMON_VERSION: ${PAIMON_VERSION:-0.8.0}"}, "0.8"),
        ({"pom.xml": "<artifactId>paimon-flink-1.18</artifactId>\n<version>0.7.0-incubating</version>"}, "0.7"),
        ({"pom.xml": "<paimon.version>1.2.0</paimon.version>"}, "1.2"),
        ({"build.gradle": "implementation 'org.apache.paimon:paimon-flink-2.0:1.3.1'"}, "1.3"),
        ({"get.sh": "cp lib/paimon-flink-1.20-1.2.0.jar .", "Dockerfile": "COPY paimon-flink-1.20-1.0.0.jar ."}, None),
        ({"README.md": "needs paimon-flink-1.20-1.2.0.jar"}, ASSUMED),
        ({"pom.xml": "<paimon.version>${revision}</paimon.version>"}, ASSUMED),
    ],
)
def test_the_release_of_paimon_is_the_one_that_builds_and_images_agree_on(
    named: dict[str, str], release: str | None
) -> None:
    script = "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '/w');\nINSERT INTO lake.a.b SELECT 1;\n"
    files = MemoryFiles({"job.sql": script.encode(), **{path: text.encode() for path, text in named.items()}})
    read = read_script(files, PipelineEntry(name="job", extract=ExtractorKind.SQL, file="job.sql"))
    assert dict(read.releases).get("paimon.release") == release
    plain = MemoryFiles({**files.contents, "job.sql": b"INSERT INTO b SELECT 1;"})
    assert not read_script(plain, PipelineEntry(name="job", extract=ExtractorKind.SQL, file="job.sql")).releases


def test_tables_of_confluents_dialect_belong_to_flink() -> None:
    files = MemoryFiles(
        {
            "leads/ddl.sql": b"CREATE TABLE leads (a INT) DISTRIBUTED BY HASH(a) WITH ('changelog.mode' = 'append');",
            "leads/dml.sql": b"INSERT INTO leads SELECT a FROM raw",
            "db/dml.sql": b"INSERT INTO users SELECT a FROM raw",
        }
    )
    assert [entry.file for entry in discover_scripts(files)] == ["leads/dml.sql"]
