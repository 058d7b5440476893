"""Flink's planner through the checker: recorded restore attempts, and what a person is told."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sql_cases import right, sides_of, verdict_of
from checker.extract.runtime.execution import Execution
from checker.flink import translate
from checker.model.declared_state import StateKind
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Kind
from checker.model.unknowns import Unknown
from checker.workflows.check.records import ReadPipeline, SideToRead
from checker.workflows.planning_scripts import plan_scripts
from tests.flinks import asked, jars_of

DATA = Path(__file__).with_name("data")
ATTEMPTS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "restore_attempts.jsonl").read_text("utf-8").splitlines()
]
pytestmark = [pytest.mark.flink, pytest.mark.usefixtures("_one_planner")]


@pytest.fixture(scope="module")
def sides(_one_planner: None) -> dict[str, dict[str, list[ReadPipeline]]]:
    jars_of("1.20.5")
    return sides_of(ATTEMPTS, {})


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda a: a["name"].partition(":")[2])
def test_a_recorded_attempt_is_foretold(
    attempt: dict[str, Any], sides: dict[str, dict[str, list[ReadPipeline]]]
) -> None:
    verdict, reason = verdict_of(attempt, sides[attempt["name"]])
    assert right(attempt, verdict), f"{attempt['outcome']}, and not {verdict}: {reason}"


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda a: a["name"].partition(":")[2])
def test_our_core_gives_operators_the_ids_that_flink_gave_them(
    attempt: dict[str, Any], sides: dict[str, dict[str, list[ReadPipeline]]]
) -> None:
    (head,) = sides[attempt["name"]]["head"]
    assert head.topology is not None
    translation = translate(head.topology)
    assert sorted(i.generated or "" for i in translation.identities) == sorted(attempt["head_ids"])


@pytest.fixture(autouse=True)
def _jars(request: pytest.FixtureRequest) -> None:
    """Of the Flink that a test is given, else of 1.20."""
    given = getattr(request.node, "callspec", None)
    jars_of("1.20.5" if given is None else given.params.get("flink", "1.20.5"))


def planned(text: str, flink: str = "1.20.5") -> list[ReadPipeline]:
    (found,) = each(text, flink=flink)
    return found


def each(*texts: str, flink: str = "1.20.5") -> list[list[ReadPipeline]]:
    """The jobs of each script. All are planned in one go: the planner takes longer to start than to plan."""
    entry = PipelineEntry(name="job", extract=ExtractorKind.SQL, file="job.sql", flink=flink)
    sides = [
        SideToRead(name=str(place), files=MemoryFiles({"job.sql": text.encode()}), entries=[entry])
        for place, text in enumerate(texts)
    ]
    read = plan_scripts(sides, Execution(fetch=False))
    return [list(read[side.name]) for side in sides]


def test_what_can_not_be_planned_says_where_and_why() -> None:
    (read,) = planned("CREATE TABLE s (a INT) WITH ('connector' = 'print');\n\nINSERT INTO s SELECT a FROM nowhere;\n")
    assert read.failure is not None
    assert str(read.failure_location).startswith("job.sql:3")
    assert "nowhere" in read.failure


def test_an_unknown_connector_leaves_the_rest_planned() -> None:
    (read,) = planned(
        "CREATE TABLE t (a INT) WITH ('connector' = 'our-own');\nCREATE TABLE s (a INT) WITH ('connector' = 'print');\n"
        "INSERT INTO s SELECT SUM(a) FROM t;\n"
    )
    assert read.topology is not None
    found = {t.id: t for t in read.topology.transformations}
    assert found["GroupAggregate"].kind is Kind.OPERATOR
    unknown = found["Source: t"].unknown
    assert unknown is not None
    assert "our-own" in unknown.reason


def test_an_unknown_format_leaves_the_changes_of_a_table_open() -> None:

    base = "'connector' = 'kafka', 'topic' = 'a', 'format' = 'our-own'"
    others = [base.replace("our-own", name) for name in ("our-new", "json", "debezium-json", "${format}")]
    unknown, again, new, *known, named = (
        read.topology.transformations[0].unknown
        for (read,) in each(
            *(
                f"CREATE TABLE t (k STRING, a INT) WITH ({options});\n"
                "CREATE TABLE s (a INT) WITH ('connector' = 'print');\nINSERT INTO s SELECT SUM(a) FROM t GROUP BY k;\n"
                for options in (base, base, *others)
            )
        )
        if read.topology is not None
    )
    assert known == [None, None]
    assert unknown is not None
    assert named is not None
    assert "unknown format 'our-own' of table t: cannot tell" in unknown.reason
    assert unknown == again != new
    assert "unknown format of table t: cannot tell" in named.reason


def test_a_sink_with_an_unknown_format_takes_what_it_is_given() -> None:
    (read,) = planned(
        "CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'format' = 'json');\n"
        "CREATE TABLE s (a INT) WITH ('connector' = 'kafka', 'format' = 'our-own');\n"
        "INSERT INTO s SELECT SUM(a) FROM t;\n"
    )
    assert not read.refused
    assert read.topology is not None
    assert read.topology.transformations[-1].unknown is not None


def test_what_decides_on_the_operators_of_an_unknown_connector_is_its_tables_whole_definition() -> None:
    base = (
        "CREATE TABLE t (k STRING) WITH ('connector' = 'kafka');\n"
        "CREATE CATALOG lake WITH ('type' = 'hudi', 's3.access-key' = 'a');\n"
        "CREATE TABLE lake.`default`.s (k STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '4');\n"
        "INSERT INTO lake.`default`.s SELECT k FROM t;\n"
    )

    edits = [("'a'", "'another key'"), ("'4'", "'8'"), (", PRIMARY KEY (k) NOT ENFORCED", ""),
             ("'hudi'", "'hudi', 'table-default.x' = '1'")]  # fmt: skip
    before, same, *others = (
        topology.transformations[-1].unknown.derived_from
        for (read,) in each(base, *(base.replace(old, new) for old, new in edits))
        if (topology := read.topology) is not None and topology.transformations[-1].unknown is not None
    )
    assert before == same
    assert len(others) == 3
    assert before not in others


def test_an_unknown_connector_that_is_looked_up_leaves_open_what_the_lookup_keeps() -> None:
    (read,) = planned(
        "CREATE TABLE t (k STRING, seen AS PROCTIME()) WITH ('connector' = 'kafka');\n"
        "CREATE TABLE d (k STRING, v INT) WITH ('connector' = 'our-own');\n"
        "CREATE TABLE s (k STRING, v BIGINT) WITH ('connector' = 'print');\n"
        "INSERT INTO s SELECT t.k, COUNT(*) FROM t JOIN d FOR SYSTEM_TIME AS OF t.seen ON t.k = d.k GROUP BY t.k;\n"
    )
    assert read.topology is not None
    found = {t.id: t for t in read.topology.transformations}
    assert isinstance(found["LookupJoin"].state, Unknown)
    assert isinstance(found["GroupAggregate"].state, tuple)


def test_a_model_of_an_unknown_provider_leaves_the_rest_planned() -> None:
    jars_of("2.3.0")
    (read,) = planned(
        "CREATE TABLE t (k STRING) WITH ('connector' = 'kafka');\n"
        "CREATE MODEL m INPUT (k STRING) OUTPUT (c STRING) WITH ('provider' = 'our-own');\n"
        "CREATE TABLE s (c STRING, n BIGINT) WITH ('connector' = 'blackhole');\n"
        "INSERT INTO s SELECT c, COUNT(*) FROM ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(k)) GROUP BY c;\n",
        "2.3.0",
    )
    assert read.topology is not None
    found = {t.id: t for t in read.topology.transformations}
    assert isinstance(found["MLPredictTableFunction"].state, Unknown)
    assert isinstance(found["GroupAggregate"].state, tuple)


@pytest.mark.parametrize("flink", asked("1.14.6", "1.16.3", "2.0.2", "2.3.0"))
def test_sinks_with_and_without_a_committer_are_planned_by_older_and_newer_flinks(flink: str) -> None:
    (read,) = planned(
        "CREATE TABLE t (k INT, v INT) WITH ('connector' = 'kafka');\n"
        "CREATE TABLE s (k INT, v INT) WITH ('connector' = 'kafka');\n"
        "CREATE TABLE e (k INT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'elasticsearch-7');\n"
        "EXECUTE STATEMENT SET BEGIN\nINSERT INTO s SELECT k, v + 1 FROM t;\n"
        "INSERT INTO e SELECT k, COUNT(*) FROM t GROUP BY k;\nEND;\n",
        flink,
    )
    assert read.topology is not None
    states = {s.name for t in read.topology.transformations if isinstance(t.state, tuple) for s in t.state}
    assert {"accState", "writer_raw_states", "streaming_committer_raw_states"} <= states
    assert all(isinstance(t.state, tuple) or t.state is None for t in read.topology.transformations)


@pytest.mark.parametrize(
    ("connector", "flink"),
    [("datagen", "1.20.5"), ("kafka", "1.20.5"), *(("kafka", flink) for flink in asked("1.16.3"))],
)
def test_a_source_has_the_parallelism_that_its_table_asks_for(connector: str, flink: str) -> None:
    (read,) = planned(
        f"SET 'parallelism.default' = '4';\n"
        f"CREATE TABLE t (a INT) WITH ('connector' = '{connector}', 'scan.parallelism' = '2');\n"
        "CREATE TABLE s (a INT) WITH ('connector' = 'print');\nINSERT INTO s SELECT a + 1 FROM t;\n",
        flink,
    )
    assert read.topology is not None
    found = [t.parallelism for t in read.topology.transformations if not t.kind.virtual]
    assert found[:2] == ([2, 4] if flink.startswith("1.2") else [4, 4])  # Flink itself makes datagen


@pytest.mark.parametrize("flink", asked("1.20.5", "2.3.0"))
def test_states_have_the_length_of_their_time_to_live(flink: str) -> None:
    (read,) = planned(
        "SET 'table.exec.state.ttl' = '7 d';\n"
        "CREATE TABLE t (a INT, b INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');\n"
        "CREATE TABLE s (a INT, n BIGINT) WITH ('connector' = 'print');\n"
        "INSERT INTO s SELECT /*+ STATE_TTL('l' = '1 d') */ l.a, COUNT(*) FROM t AS l JOIN t AS r ON l.a = r.b\n"
        "GROUP BY l.a;\n",
        flink,
    )
    assert read.topology is not None
    known = [t.state for t in read.topology.transformations if not isinstance(t.state, Unknown)]
    lengths = {s.name: s.expiry.milliseconds for states in known for s in states if s.expiry is not None}
    day = 86_400_000
    assert lengths == {"accState": 7 * day, "left-records": day, "right-records": 7 * day}


def test_statements_that_wait_for_their_job_and_batch_joins_that_adapt_are_planned() -> None:
    jars_of("2.3.0")
    found = planned(
        "SET 'execution.runtime-mode' = 'batch';\nSET 'table.dml-sync' = 'true';\n"
        "CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json');\n"
        "CREATE TABLE s (a INT) WITH ('connector' = 'print');\n"
        "INSERT INTO s SELECT t.a FROM t JOIN t AS u ON t.a = u.a;\nINSERT INTO s SELECT a FROM t;\n",
        "2.3.0",
    )
    assert [read.failure for read in found] == [None, None]


@pytest.mark.parametrize("flink", asked("1.13.6"))
def test_flink_1_13_reads_and_writes_kafka_by_functions_with_states_of_their_own(flink: str) -> None:
    (read,) = planned(
        "CREATE TABLE t (k INT, v INT) WITH ('connector' = 'kafka');\n"
        "CREATE TABLE s (k INT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');\n"
        "INSERT INTO s SELECT k, COUNT(*) FROM t GROUP BY k;\n",
        flink,
    )
    assert read.topology is not None
    source, *_, sink = (t for t in read.topology.transformations if not t.kind.virtual)
    assert source.kind is Kind.LEGACY_SOURCE
    states = {s.name for t in read.topology.transformations if isinstance(t.state, tuple) for s in t.state}
    assert {"accState", "topic-partition-offset-states", "next-transactional-id-hint-v2"} <= states
    assert source.parallelism == sink.parallelism  # neither is of one task
    (read,) = planned(
        "CREATE TABLE t (k INT) WITH ('connector' = 'faker');\nCREATE TABLE s (k INT) WITH ('connector' = 'print');\n"
        "INSERT INTO s SELECT k FROM t;\n",
        flink,
    )
    assert read.topology is not None
    assert isinstance(read.topology.transformations[0].state, Unknown)


def test_a_flink_without_a_package_of_jars_says_so() -> None:
    (read,) = planned("CREATE TABLE s (a INT) WITH ('connector' = 'print');\nINSERT INTO s SELECT 1;\n", flink="1.12.7")
    assert read.failure is not None
    assert "1.12.7" in read.failure


def test_jobs_that_read_by_a_source_function_run_until_their_savepoint_is_taken() -> None:
    (read,) = planned(
        "CREATE TABLE t (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'postgres-cdc');\n"
        "CREATE TABLE s (v INT, n BIGINT) WITH ('connector' = 'print');\n"
        "INSERT INTO s SELECT v, COUNT(*) FROM t GROUP BY v;\n"
    )
    assert read.topology is not None
    states = {t.id: t.state for t in read.topology.transformations}
    kept = states["GroupAggregate"]
    assert isinstance(kept, tuple)
    assert "accState" in {state.name for state in kept}


def test_a_catalog_elsewhere_has_the_databases_that_a_script_names() -> None:
    (read,) = planned(
        "CREATE CATALOG ice WITH ('type' = 'iceberg');\nCREATE TABLE ice.db.t (k INT, v INT);\nUSE CATALOG ice;\n"
        "CREATE DATABASE db;\nCREATE TABLE db.s (v INT, n BIGINT) WITH ('connector' = 'print');\n"
        "INSERT INTO db.s SELECT v, COUNT(*) FROM ice.db.t GROUP BY v;\n"
    )
    assert read.failure is None


@pytest.mark.parametrize("flink", asked("1.16.3", "1.20.5", "2.3.0"))
def test_icebergs_sink_has_its_writer_and_committer_behind_what_distributes_its_rows(flink: str) -> None:
    read = planned(
        "CREATE TABLE t (k INT, v INT) WITH ('connector' = 'kafka');\n"
        "CREATE CATALOG ice WITH ('type' = 'iceberg');\n"
        "CREATE TABLE ice.db.plain (k INT, v INT);\n"
        "CREATE TABLE ice.db.keyed (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('format-version' = '2');\n"
        "CREATE TABLE ice.db.parts (k INT, v INT) PARTITIONED BY (k) WITH ('write.distribution-mode' = 'hash');\n"
        "CREATE TABLE ice.db.ranges (k INT, v INT) PARTITIONED BY (k) WITH ('write.distribution-mode' = 'range');\n"
        "CREATE TABLE ice.db.later (k INT, v INT) WITH ('write-parallelism' = '${WRITERS}');\n"
        "INSERT INTO ice.db.plain SELECT k, v FROM t;\nINSERT INTO ice.db.keyed SELECT k, v FROM t;\n"
        "INSERT INTO ice.db.parts SELECT k, v FROM t;\nINSERT INTO ice.db.ranges SELECT k, v FROM t;\n"
        "INSERT INTO ice.db.later SELECT k, v FROM t;\n",
        flink,
    )
    *described, ranges, left_open = (pipeline.topology for pipeline in read)
    for topology in (ranges, left_open):
        assert topology is not None
        assert topology.transformations[-1].unknown is not None
    by_key = []
    for topology in described:
        assert topology is not None
        by_name = {t.name: t for t in topology.transformations if t.name}
        writer, committer = by_name["IcebergStreamWriter"], by_name["IcebergFilesCommitter"]
        assert isinstance(committer.state, tuple)
        assert {s.name for s in committer.state} >= {"iceberg-flink-job-id", "iceberg-files-committer-state"}
        assert (writer.state, committer.parallelism, committer.max_parallelism) == ((), 1, 1)
        by_key.append(any(t.kind is Kind.PARTITION and t.id in writer.inputs for t in topology.transformations))
    assert by_key == [False, True, True]


PAIMON = (
    "CREATE TABLE t (k STRING, v BIGINT) WITH ('connector' = 'kafka');\nCREATE CATALOG lake WITH ('type' = 'paimon');\n"
    "CREATE TABLE lake.`default`.s (k STRING, v BIGINT%s) WITH ('bucket' = '%s');\n"
    "INSERT INTO lake.`default`.s SELECT k, v FROM t;\n"
)
"""What decides on the operators of Paimon's sink: the primary key and the buckets of its table."""


def names_of(*texts: str, flink: str = "1.20.5") -> list[dict[str, list[str]]]:
    """Operator → its states, behind the source of the one job of each script."""
    found: list[dict[str, list[str]]] = []
    for (read,) in each(*texts, flink=flink):
        assert read.topology is not None
        names: dict[str, list[str]] = {}
        for transformation in read.topology.transformations[1:]:
            if transformation.unknown is not None:
                names["?"] = [transformation.unknown.reason]
            elif transformation.name is not None and isinstance(transformation.state, tuple):
                names[transformation.name.removesuffix(": Writer")] = [str(s.name) for s in transformation.state]
        found.append(names)
    return found


@pytest.mark.parametrize("flink", asked("1.20.5", "2.0.2"))
def test_paimons_sink_has_writers_behind_its_buckets_and_one_committer(flink: str) -> None:
    writes = {
        "Writer : s": ["commit_user_state", "paimon_store_sink_write_state"],
        "Global Committer : s": ["commit_user_state", "streaming_committer_raw_states"],
        "end s": [],
    }
    key = ", PRIMARY KEY (k) NOT ENFORCED"
    fixed, dynamic = names_of(PAIMON % (key, "4"), PAIMON % (key, "-1"), flink=flink)
    for names in (fixed, dynamic):
        names.pop("ConstraintEnforcer", None)
    assert fixed == {"Map": [], **writes}
    assert dynamic == {"Map": [], "dynamic-bucket-assigner": ["commit_user_state"], **writes}


def test_releases_of_paimon_from_1_1_on_are_assumed_and_older_ones_leave_its_sink_open() -> None:
    appends = PAIMON % ("", "-1")
    older = "SET 'paimon.release' = '0.9';\n"
    left_open, given = names_of(f"{older}{appends}", appends)
    assert list(left_open) == ["?"]
    assert "'paimon.release'" in left_open["?"][0]
    assert list(given) == ["Map", "Writer : s", "Compact Coordinator: s", "Compact Worker: s", "Global Committer : s",
                           "end s"]  # fmt: skip


@pytest.mark.parametrize("flink", ["1.20.5"])
def test_options_that_add_operators_to_paimons_sink_leave_it_open(flink: str) -> None:
    (names,) = names_of((PAIMON % ("", "4")).replace("'4'", "'4', 'precommit-compact' = 'true'"), flink=flink)
    assert "precommit-compact" in names["?"][0]


def test_a_source_means_positions_in_the_data_of_its_table() -> None:
    orders = "'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092'"
    tables = {
        orders: ("orders",),
        orders.replace("k:9092", "broker:9092"): ("orders",),
        "'topic' = 'orders;refunds'": ("orders", "refunds"),
        "'topic-pattern' = 'order.*'": (),
    }
    read = each(
        *(
            f"CREATE TABLE t (k INT) WITH ('connector' = 'kafka', 'format' = 'json', {options});\n"
            "CREATE TABLE s (k INT) WITH ('connector' = 'print');\nINSERT INTO s SELECT k FROM t;\n"
            for options in tables
        )
    )
    topologies = [job.topology for (job,) in read]
    assert [t and t.transformations[0].reads for t in topologies] == [*tables.values()]


def test_paimons_tables_with_a_key_are_read_as_changes() -> None:
    script = (
        "CREATE CATALOG lake WITH ('type' = 'paimon');\n"
        "CREATE TABLE lake.`default`.t (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '4');\n"
        "CREATE TABLE s (v INT, n BIGINT) WITH ('connector' = 'print');\n"
        "INSERT INTO s SELECT v, COUNT(*) FROM lake.`default`.t GROUP BY v;\n"
    )
    by_input = script.replace("'4'", "'4', 'changelog-producer' = 'input'")
    assert ["ChangelogNormalize" in names for names in names_of(script, by_input)] == [True, False]
    (read,) = planned(f"SET 'paimon.release' = '0.9';\n{script}")
    assert read.topology is not None
    assert read.topology.transformations[0].unknown is not None


@pytest.mark.parametrize("flink", asked("1.16.3", "1.20.5"))
def test_streams_are_written_to_hive_by_the_operators_of_flinks_sink_for_files(flink: str) -> None:
    (names,) = names_of(
        "CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'kafka');\nCREATE CATALOG h WITH ('type' = 'hive');\n"
        "CREATE TABLE h.`default`.s (v INT, dt STRING) PARTITIONED BY (dt) WITH ('is_generic' = 'false',\n"
        "  'sink.partition-commit.policy.kind' = 'metastore,success-file', 'parquet.compression' = 'SNAPPY');\n"
        "INSERT INTO h.`default`.s SELECT v, k FROM t;\n",
        flink=flink,
    )
    assert {"bucket-states", "max-part-counter"} <= set(names["StreamingFileWriter"])
    assert names["PartitionCommitter"] == ["pending-partitions-with-time"]
    assert "?" not in names


def test_an_operator_stands_at_the_one_insert_of_a_statement_set_that_it_works_for() -> None:
    (read,) = planned(
        "CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'kafka');\n"
        "CREATE TABLE s (k STRING, n BIGINT) WITH ('connector' = 'print');\n"
        "CREATE TABLE `s 2` (k STRING, v INT) WITH ('connector' = 'blackhole');\n"
        "EXECUTE STATEMENT SET BEGIN\nINSERT INTO s SELECT k, COUNT(*) FROM t GROUP BY k;\n\n"
        "INSERT INTO `s 2` SELECT k, MAX(v) FROM t GROUP BY k;\nEND;\n"
    )
    assert read.topology is not None
    lines = {t.id: t.location.line for t in read.topology.transformations if t.location is not None}
    assert lines["Source: t"] == 5
    assert sorted(line for name, line in lines.items() if name.startswith("GroupAggregate")) == [5, 7]
    assert {line for name, line in lines.items() if "s 2" in name} == {7}


@pytest.mark.parametrize("flink", asked("1.13.6", "1.16.3", "1.20.5"))
def test_a_lookup_join_is_planned_with_a_stand_in_that_finds_nothing(flink: str) -> None:
    dimensions = {
        "'connector' = 'jdbc'": [],
        "'connector' = 'hbase-2.2', 'lookup.async' = 'true'": ["_async_wait_operator_state_"],
    }
    read = each(
        *(
            "CREATE TABLE t (k STRING, seen AS PROCTIME()) WITH ('connector' = 'kafka');\n"
            f"CREATE TABLE d (k STRING, cf ROW<v INT>) WITH ({dimension});\n"
            "CREATE TABLE s (k STRING, v BIGINT) WITH ('connector' = 'print');\n"
            "INSERT INTO s SELECT t.k, COUNT(*) FROM t JOIN d FOR SYSTEM_TIME AS OF t.seen ON t.k = d.k GROUP BY t.k;\n"
            for dimension in dimensions
        ),
        flink=flink,
    )
    for kept, (job,) in zip(dimensions.values(), read, strict=True):
        assert job.topology is not None
        states = {t.id: t.state for t in job.topology.transformations}
        lookup = next(state for name, state in states.items() if "LookupJoin" in name)
        assert isinstance(lookup, tuple)
        assert [state.name for state in lookup] == kept
        assert any(state for name, state in states.items() if "GroupAggregate" in name)


def test_uids_that_count_what_a_session_planned_are_not_the_same_twice() -> None:
    always = "SET 'table.exec.uid.generation' = 'ALWAYS';"
    counted = {
        always: True,
        f"{always} SET 'execution.target' = 'kubernetes-application';": False,
        f"{always} SET 'table.exec.uid.format' = '<type>_<transformation>';": False,
        "": False,
    }
    read = each(
        *(
            f"{options}\nCREATE TABLE t (a INT) WITH ('connector' = 'kafka');\n"
            "CREATE TABLE s (a INT) WITH ('connector' = 'print');\nINSERT INTO s SELECT SUM(a) FROM t;\n"
            for options in counted
        )
    )
    topologies = [job.topology for (job,) in read]
    assert [t and bool(t.unstable) for t in topologies] == [*counted.values()]


def test_a_kinesis_table_reads_by_the_source_of_the_release_that_takes_its_options() -> None:
    tables = {
        "'stream' = 's'": (Kind.LEGACY_SOURCE, ["Kinesis-Stream-Shard-State"]),
        "'stream.arn' = 'arn:aws:kinesis:eu-west-1:1:stream/s'": (Kind.SOURCE, ["SourceReaderState"]),
    }
    read = each(
        *(
            f"CREATE TABLE s (a INT) WITH ('connector' = 'kinesis', {named}, 'aws.region' = 'x', 'format' = 'json');\n"
            "CREATE TABLE t (a INT) WITH ('connector' = 'print');\nINSERT INTO t SELECT a FROM s;\n"
            for named in tables
        )
    )
    for (kind, keeps), (job,) in zip(tables.values(), read, strict=True):
        assert job.topology is not None
        source = job.topology.transformations[0]
        assert source.kind is kind
        assert isinstance(source.state, tuple)
        assert [state.name for state in source.state if state.kind is not StateKind.COORDINATOR] == keeps


def test_files_take_updates_in_the_formats_that_have_them() -> None:
    formats = {"canal-json": True, "debezium-json": True, "json": False}
    read = each(
        *(
            "CREATE TABLE s (a INT) WITH ('connector' = 'kafka');\n"
            f"CREATE TABLE t (a INT, n BIGINT) WITH ('connector' = 'filesystem', 'path' = 'x', 'format' = '{form}');\n"
            "INSERT INTO t SELECT a, COUNT(*) FROM s GROUP BY a;\n"
            for form in formats
        )
    )
    assert [job.failure is None for (job,) in read] == [*formats.values()]
