"""Pipelines of Flink CDC as its releases compose them, by its sources, and what is one."""

import pytest

from checker.errors import DocumentError
from checker.extract.cdc import discover, extract
from checker.extract.registry import extract as read
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Kind, Topology, Transformation
from checker.model.unknowns import Unknown

DORIS = "source:\n  type: mysql\n  tables: app.orders\nsink:\n  type: doris\n"
PAIMON = DORIS.replace("doris", "paimon")
ICEBERG = "source:\n  type: postgres\nsink:\n  type: iceberg\n  sink.compaction.enabled: true\n"
KAFKA = DORIS.replace("doris", "kafka")
ROUTE = "route:\n  - source-table: app.orders\n    sink-table: ods.orders\n"
TRANSFORM = "transform:\n  - source-table: app.orders\n    projection: id\n"
PREFIX = "pipeline:\n  operator.uid.prefix: my\n"


def given(files: dict[str, str]) -> MemoryFiles:
    return MemoryFiles({path: text.encode() for path, text in files.items()})


def topology(text: str, release: str | None = None, flink: str | None = None) -> Topology:
    values = (("flink-cdc.version", release),) if release else ()
    entry = PipelineEntry(name="p", extract=ExtractorKind.CDC, file="p.yaml", values=values, flink=flink)
    return extract(given({"p.yaml": text}), entry)


def written(t: Transformation) -> str:
    """One operator in a word: ``*`` where it keeps state, ``!`` where it begins a chain, ``@uid``."""
    if t.kind is Kind.PARTITION:
        return f"({t.partitioner})"
    keeps = "*" if t.stateful or t.state or t.kind is Kind.SOURCE else ""
    uid = "" if t.uid is None else f"@{t.uid}"
    name = (
        str(t.name).removesuffix(": doris").removesuffix(": paimon").removesuffix(": iceberg").removesuffix(": kafka")
    )
    return f"{name.removesuffix(': Flink CDC Event Sink')}{keeps}{'!' if t.chaining == 'head' else ''}{uid}"


SCHEMA = "SchemaOperator*@$$_schema_operator_$$"
SOURCE = "Flink CDC Event Source: mysql*"
PARTITIONED = f"{SCHEMA} PrePartition (custom) PostPartition"


@pytest.mark.parametrize(
    ("text", "release", "expected"),
    [
        (DORIS + ROUTE, "3.0", f"{SOURCE} Route {PARTITIONED} Sink Writer"),
        (DORIS + ROUTE, "3.1", f"{SOURCE} {PARTITIONED} Sink Writer"),
        (DORIS + TRANSFORM, "3.1", f"{SOURCE} Transform:Schema* Transform:Data! {PARTITIONED} Sink Writer"),
        (DORIS + TRANSFORM, "3.4", f"{SOURCE} Transform:Schema* Transform:Data! {PARTITIONED} Sink Writer"),
        (DORIS + TRANSFORM, "3.5", f"{SOURCE} Transform:Schema Transform:Data! {PARTITIONED} Sink Writer"),
        (DORIS + "pipeline:\n  schema.change.behavior: IGNORE\n", "3.1",
         f"{SOURCE} Filter PrePartition (custom) PostPartition Sink Writer"),
        (DORIS + TRANSFORM + PREFIX, "3.6",
         f"{SOURCE}@my-source Transform:Schema Transform:Data!@my-post-transform SchemaOperator*@my-schema-operator "
         "PrePartition@my-pre-partition (custom) PostPartition@my-post-partition Sink Writer@my-sink-writer"),
        (DORIS + PREFIX, "3.4", f"{SOURCE} {PARTITIONED} Sink Writer"),
        (DORIS.replace("  type: doris", "  type: doris\n  sink.enable.batch-mode: false"), "3.3",
         f"{SOURCE} {PARTITIONED} Sink Writer* Sink Committer*"),
        (PAIMON, "3.1", f"{SOURCE} {PARTITIONED} Sink Writer (custom) preCommit! Sink Committer*"),
        (PAIMON, "3.2", f"{SOURCE} {PARTITIONED} Assign Bucket (custom) Sink Writer (custom) preCommit! "
         "Sink Committer*"),
        (PAIMON, "3.4", f"{SOURCE} {PARTITIONED} Assign Bucket (custom) FlushEventAlignment Sink Writer (custom) "
         "preCommit! Sink Committer*"),
        (PAIMON, "3.6", f"{SOURCE} {PARTITIONED} Assign Bucket (custom) FlushEventAlignment Sink Writer* (custom) "
         "preCommit*! Sink Committer*"),
        (ICEBERG, "3.5", f"{SOURCE.replace('mysql', 'postgres')} {PARTITIONED} Sink Writer (global) Sink Committer* "
         "(custom) Compaction!"),
        (ICEBERG + PREFIX, "3.6",
         "Flink CDC Event Source: postgres*@my-source SchemaOperator*@my-schema-operator PrePartition@my-pre-partition "
         "(custom) PostPartition@my-post-partition Sink Writer*@my-sink-writer (global) "
         "Sink Committer*@my-sink-committer (custom) Compaction!"),
    ],
)  # fmt: skip
def test_what_a_release_composes(text: str, release: str, expected: str) -> None:
    read = topology(text, release)
    assert " ".join(map(written, read.transformations)) == expected
    assert read.variants == ()


def test_operator_objects_are_chained_on_flink_2() -> None:
    assert "Transform:Data " in " ".join(map(written, topology(DORIS + TRANSFORM, "3.6", "2.2").transformations))
    assert topology(KAFKA, "3.6", "2.2").transformations[-1].id == "sink-writer"
    assert topology(KAFKA.replace("kafka", "starrocks"), "3.6", "2.2").transformations[-1].kind is Kind.UNKNOWN


def test_without_a_release_all_that_have_the_pipeline_count() -> None:
    assert topology(DORIS).variants == ()
    assert [v.when for v in topology(DORIS + TRANSFORM).variants] == ["Flink CDC 3.1 to 3.4", "Flink CDC 3.5 to 3.6"]
    assert topology(ICEBERG).variants[-1].when == "Flink CDC 3.6"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("Dockerfile", "FROM apache/flink-cdc:3.1.1\n"),
        ("run.sh", "/opt/flink-cdc-3.1.0/bin/flink-cdc.sh p.yaml\n"),
        ("pom.xml", "<flink.cdc.version>3.1.0</flink.cdc.version>"),
        ("lib/flink-cdc-pipeline-connector-mysql-3.1.0.jar", ""),
    ],
)
def test_the_repository_says_which_release(path: str, content: str) -> None:
    files = given({"p.yaml": DORIS + TRANSFORM, path: content})
    (entry,) = discover(files).entries
    assert extract(files, entry).variants == ()
    assert extract(files, entry).transformations[1].stateful


def test_an_installation_configures_what_a_pipeline_does_not() -> None:
    files = given({"p.yaml": DORIS, "conf/flink-cdc.yaml": "parallelism: 4\nschema.operator.uid: mine\n"})
    (entry,) = discover(files).entries
    read = extract(files, entry)
    assert (read.parallelism, read.transformations[1].uid) == (4, "mine")


@pytest.mark.parametrize(
    "text",
    [
        DORIS.replace("mysql", "nobody"),
        DORIS.replace("doris", "clickhouse"),
        DORIS.replace("doris", "${SINK}"),
        DORIS.replace("  type: doris", "  type: doris\n  sink.enable.batch-mode: ${BATCH}"),
        DORIS + "pipeline:\n  operator.uid.prefix: ${TEAM}\n",
    ],
)
def test_what_is_not_known_is_unknown(text: str) -> None:
    operators = topology(text, "3.6").transformations
    assert any(t.kind is Kind.UNKNOWN or isinstance(t.uid, Unknown) for t in operators)


@pytest.mark.parametrize(
    ("text", "release"),
    [
        (DORIS + "pipeline:\n  operator.uid.prefix: my\n  schema.operator.uid: own\n", "3.5"),
        (ICEBERG, "3.1"),
        (DORIS, "4.0"),
        (DORIS + "pipeline:\n  schema.change.behavior: lenient\n", "3.1"),
    ],
)
def test_what_flink_cdc_refuses_is_said(text: str, release: str) -> None:
    with pytest.raises(DocumentError, match="Flink CDC"):
        topology(text, release)


@pytest.mark.parametrize(
    "text",
    [
        "source: {type: mysql, config: {host: a}}\nsink: {type: datahub-rest}\n",
        "source: {type: mysql}\nsink: {type: stdout}\ncheckpoint: {interval: 10s}\n",
        "source: {type: file}\nsink: {type: console}\n",
        "source: mysql\nsink: doris\npipeline: {}\n",
        "- source: {type: mysql}\n  sink: {type: doris}\n",
        "source: {type: mysql}\nsink:\n  - {type: doris}\n  - {type: kafka}\n",
        "source: {type: mysql\nsink: {type: doris}\n",
        "source: &a {type: mysql, b: *a}\nsink: *a\n",
        "\ufeffsource:\n  type: [mysql]\nsink:\n  type: doris\n",
    ],
)
def test_not_every_source_with_a_sink_is_a_pipeline(text: str) -> None:
    assert discover(given({"p.yaml": text})).entries == ()
    with pytest.raises(DocumentError):
        topology(text)


@pytest.mark.parametrize(
    "text",
    [
        "source:\n  type: mysql\nsink:\n  type: doris\nroute: all\n",
        "source:\n  type: mysql\nsink:\n  type: doris\n"
        "pipeline: {a: &a [1, 1], b: &b [*a, *a, *a, *a, *a, *a, *a, *a], c: &c [*b, *b, *b, *b, *b, *b, *b, *b],"
        " d: &d [*c, *c, *c, *c, *c, *c, *c, *c], e: &e [*d, *d, *d, *d, *d, *d, *d, *d], f: &f [*e, *e, *e, *e, *e],"
        " g: [*f, *f, *f, *f, *f, *f, *f, *f]}\n",
        "x-team: me\n" + DORIS + "pipeline:\n  parallelism: 2\n",
        DORIS.replace("sink:", "  nested: {a: b}\nsink:") + "pipeline:\n  parallelism: 2\n",
        DORIS + "pipeline:\n  name: [\n",
    ],
)
def test_what_looks_like_a_pipeline_and_is_not_read_is_named(text: str) -> None:
    files = given({"p.yaml": text})
    (entry,) = discover(files).entries
    found = read(files, entry)
    assert found is not None
    assert "not read as a pipeline of Flink CDC" in (found.failure or "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (DORIS + "pipeline:\n  schema.change.behavior: ${B}\n", "schema.change.behavior is ${B}"),
        (DORIS + "pipeline:\n  execution.runtime-mode: ${M}\n", "execution.runtime-mode is ${M}"),
        (DORIS, "Flink CDC 3.99"),
    ],
)
def test_what_decides_on_all_operators_and_is_not_known_leaves_the_pipeline_undecided(text: str, why: str) -> None:
    files = given(
        {
            "p.yaml": text,
            "Dockerfile": "FROM apache/flink-cdc:3.5.0\n" + "FROM apache/flink-cdc:3.99.0\n" * (text == DORIS),
        }
    )
    (entry,) = discover(files).entries
    found = read(files, entry)
    assert found is not None
    assert why in (found.failure or "")


@pytest.mark.parametrize(
    "text",
    [
        DORIS + "transform: [1, null]\nroute: [a]\n",
        DORIS + "pipeline: 7\n",
        DORIS + "pipeline: {parallelism: many, name: 3}\n",
        DORIS.replace("app.orders", '"a, (b, {c"'),
        DORIS.replace("app.orders", "2026-01-01"),
    ],
)
def test_odd_values_break_nothing(text: str) -> None:
    files = given({"p.yaml": text})
    (entry,) = discover(files).entries
    found = read(files, entry)
    assert found is not None
    assert found.topology is not None, found.failure


def test_pipelines_stand_in_config_maps_and_templates_too() -> None:
    text = "kind: ConfigMap\ndata:\n  a.yaml: |\n" + "".join(f"    {line}\n" for line in DORIS.splitlines())
    files = given({
        "map.yaml": text,
        "t.yaml": DORIS + "pipeline:\n  name: {{ name }}\n",
        "src/test/resources/p.yaml": DORIS,
    })  # fmt: skip
    found = discover(files).entries
    assert [(e.name, e.file) for e in found] == [("a", "map.yaml"), ("t", "t.yaml")]
    assert all(extract(files, e).transformations[0].reads == ("app.orders",) for e in found)
