"""The connector tables: well formed, and right where a real Flink can be asked."""

from dataclasses import fields
from pathlib import Path

import pytest

from checker.extract.connectors import tables as connectors
from checker.model.topology import ChainingStrategy, Kind, Transformation
from checker.model.unknowns import Unknown

FLINK = "1.20"


@pytest.mark.parametrize("version", ["1.13", "1.18", "2.3"])
def test_every_entry_can_be_read_and_says_what_its_kind_needs(version: str) -> None:
    assert sorted(connectors._classes())
    for name in sorted(connectors._classes()):
        facts = connectors.lookup(name, version)
        assert facts is not None, name
        assert (facts.parallel is not None) == (facts.kind == "legacy-source"), name
        if facts.kind != "sink":
            assert facts.committer is False, name
            assert facts.topology is None, name


_CONDITIONS = {"from", "until", "when_called", "unless_called", "unless_alone"}
_OF_CLASSES = {f.name for f in fields(connectors.ConnectorFacts)} - {"class_name"} | {"writer_state"}
_OF_CALLS = {"on", "methods", "gives", "operators", "stream_from", "options", "variables"}
_OF_OPERATORS = {f.name for f in fields(Transformation)} | _CONDITIONS


def test_no_entry_has_a_field_or_a_kind_that_nothing_reads() -> None:
    for row in connectors.rows("class"):
        assert row.keys() <= _OF_CLASSES | {"names", "variables", "variant"}, row
        assert row["kind"] in ("source", "sink", "legacy-source", "legacy-sink"), row
        for variant in row.get("variant", ()):
            assert variant.keys() <= _OF_CLASSES | _CONDITIONS, row
    for row in connectors.rows("call"):
        assert row.keys() <= _OF_CALLS, row
    for operator in (o for row in connectors.rows("call") for o in row.get("operators", ())):
        assert operator.keys() <= _OF_OPERATORS, operator


def test_every_call_gives_a_known_class_or_a_builder_or_operators() -> None:
    builders = {owner for owner, _ in sorted(connectors._calls())}
    assert builders
    for owner, method in sorted(connectors._calls()):
        result = connectors.call(owner, method, FLINK)
        assert result is not None, (owner, method)
        known = connectors.lookup(result.gives, FLINK) is not None or result.gives.replace("$", ".") in builders
        assert result.operators or known, (owner, method, result.gives)


def test_an_unknown_class_is_none() -> None:
    assert connectors.lookup("com.example.MyOwnSource", FLINK) is None
    assert connectors.call("com.example.MyOwnSource", "builder", FLINK) is None


def test_a_builder_gives_itself_for_any_other_method() -> None:
    builder = "org.apache.flink.connector.kafka.sink.KafkaSinkBuilder"
    result = connectors.call(builder, "setDeliveryGuarantee", FLINK)
    assert result is not None
    assert result.gives == builder


def test_nested_classes_may_be_spelled_either_way() -> None:
    dotted = connectors.call("org.apache.doris.flink.sink.DorisSink.Builder", "build", FLINK)
    assert dotted == connectors.call("org.apache.doris.flink.sink.DorisSink$Builder", "build", FLINK)


def test_kafka_sink_commits_under_every_guarantee() -> None:
    facts = connectors.lookup("org.apache.flink.connector.kafka.sink.KafkaSink", FLINK)
    assert facts is not None
    assert facts.committer is True
    assert facts.stateful is True


def test_file_sink_adds_a_compactor_only_when_asked() -> None:
    name = "org.apache.flink.connector.file.sink.FileSink"
    plain, compacting = connectors.lookup(name, FLINK), connectors.lookup(name, FLINK, {"enableCompact": ()})
    assert plain is not None
    assert compacting is not None
    assert plain.pre_commit == ()
    assert [t.uid for t in compacting.pre_commit if t.kind is Kind.OPERATOR] == [
        "FileSinkCompactorCoordinator",
        "FileSinkCompactorOperator",
    ]


def test_iceberg_uids_come_from_the_prefix_and_the_distribution_is_unknown() -> None:
    builder = "org.apache.iceberg.flink.sink.FlinkSink$Builder"
    result = connectors.call(builder, "append", FLINK, {"forRowData": (), "uidPrefix": ("orders",)})
    assert result is not None
    uids = [t.uid for t in result.operators]
    assert uids == [None, "orders-writer", "orders-committer", "orders-dummysink"]
    assert result.operators[0].kind is Kind.UNKNOWN
    assert isinstance(result.operators[0].unknown, Unknown)
    without = connectors.call(builder, "append", FLINK, {"forRowData": ()})
    assert without is not None
    assert all(t.uid is None for t in without.operators)


def test_iceberg_committer_chains_by_default_from_2_0_only() -> None:
    builder = "org.apache.iceberg.flink.sink.FlinkSink$Builder"
    strategies = []
    for version in ("1.20", "2.1"):
        result = connectors.call(builder, "append", version, {"forRowData": ()})
        assert result is not None
        strategies.append(next(t.chaining for t in result.operators if t.id == "committer"))
    assert strategies == [ChainingStrategy.HEAD, ChainingStrategy.ALWAYS]


def test_an_argument_nobody_can_read_is_an_unknown_uid() -> None:
    result = connectors.call(
        "org.apache.iceberg.flink.sink.FlinkSink$Builder",
        "append",
        FLINK,
        {"forRowData": (), "uidPrefix": (Unknown("?"),)},
    )
    assert result is not None
    assert isinstance(result.operators[1].uid, Unknown)


@pytest.mark.parametrize(
    ("name", "kind", "parallel"),
    [
        ("org.apache.flink.cdc.debezium.DebeziumSourceFunction", "legacy-source", False),
        ("com.ververica.cdc.connectors.mysql.source.MySqlSource", "source", None),
        ("org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer011", "legacy-source", True),
        ("org.apache.flink.streaming.connectors.rabbitmq.RMQSource", "legacy-source", False),
    ],
)
def test_sources(name: str, kind: str, parallel: bool | None) -> None:
    facts = connectors.lookup(name, FLINK)
    assert facts is not None
    assert (facts.kind, facts.parallel) == (kind, parallel)


DATA = Path(__file__).parents[2] / "data" / "java"
INTERNAL = {
    "org.apache.flink.streaming.api.operators.collect.CollectSinkFunction": "made by collectAsync",
    "org.apache.flink.streaming.api.transformations.SinkV1Adapter": "made by sinkTo",
    "org.apache.flink.streaming.api.functions.sink.WriteSinkFunction": "abstract, removed in 2.0",
}
LIBRARY = [
    (path.stem.removeprefix("library-"), line)
    for path in sorted(DATA.glob("library-*.txt"))
    for line in path.read_text(encoding="utf-8").splitlines()
    if line.split()[0] not in INTERNAL
]


def test_what_flink_ships_is_what_its_classes_implement() -> None:
    """``golden/capture/LibraryFacts.java`` recorded the lines from the jars of each version."""
    for version, line in LIBRARY:
        name, *roles = line.split()
        facts = connectors.lookup(name, version)
        assert facts is not None, (version, line)
        assert facts.kind in roles, (version, line)
        if facts.kind == "legacy-source":
            assert facts.parallel is ("parallel" in roles), (version, line)
        if facts.kind == "sink":
            assert facts.committer is ("committer" in roles), (version, line)
            assert facts.stateful is ("writer-state" in roles), (version, line)


def test_the_recordings_are_there() -> None:
    assert len({version for version, _ in LIBRARY}) == 3
    assert len(LIBRARY) > 80
