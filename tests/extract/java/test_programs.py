"""How programs declare topologies: helpers, factories, fields, parameters, environments, arguments."""

import pytest

from checker.errors import UnsupportedFlinkError
from checker.flink import translate
from checker.model.topology import Kind, Mode
from checker.model.unknowns import Unknown
from tests.extract.java.programs import physical, read, uids


def test_fluent_chain_split_over_statements_has_locations_of_the_calls() -> None:
    topology = read('DataStream<Long> s = env.fromSequence(1, 2);\n    s.map(x -> x)\n      .uid("m").print();')
    source, mapped, sink = physical(topology)
    assert (source.kind, mapped.kind, sink.kind) == (Kind.SOURCE, Kind.OPERATOR, Kind.LEGACY_SINK)
    assert mapped.inputs == (source.id,)
    assert mapped.location is not None
    assert (mapped.location.line, mapped.location.column) == (19, 7)
    assert mapped.uid_location is not None
    assert (mapped.uid_location.line, mapped.uid_location.column) == (20, 8)


def test_ids_do_not_change_when_code_only_moves() -> None:
    body = "env.fromSequence(1, 2).map(x -> x).filter(x -> true).print();"
    before = read(body)
    after = read("\n\n    // moved\n    " + body.replace(".", "\n  ."), "  int unrelated;\n")
    assert [t.id for t in before.transformations] == [t.id for t in after.transformations]
    assert [t.inputs for t in before.transformations] == [t.inputs for t in after.transformations]


def test_configuration_handed_to_the_environment() -> None:
    members = """
  static Configuration conf() {
    Configuration c = new Configuration();
    c.setString("pipeline.operator-chaining", "false");
    c.set(PipelineOptions.MAX_PARALLELISM, 64);
    c.setInteger("parallelism.default", 3);
    c.set(ExecutionOptions.RUNTIME_MODE, org.apache.flink.api.common.RuntimeExecutionMode.BATCH);
    c.setBoolean("pipeline.auto-generate-uids", false);
    return c;
  }
"""
    topology = read(
        "env = StreamExecutionEnvironment.getExecutionEnvironment(conf()); env.fromSequence(1, 2).print();", members
    )
    assert topology.chaining is False
    assert topology.auto_generate_uids is False
    assert topology.max_parallelism == 64
    assert topology.mode is Mode.BATCH
    assert [t.parallelism for t in physical(topology)] == [3, 3]


def test_the_second_job_is_another_pipeline() -> None:
    from checker.extract import java
    from tests.extract.java.programs import files

    revision = files('env.fromSequence(1, 2).uid("a").print(); env.execute(); env.fromSequence(3, 4).uid("b").print();')
    entries = java.discover(revision).entries
    assert [entry.name for entry in entries] == ["Job", "Job #2"]
    assert [uids(java.extract(revision, entry)) for entry in entries] == [["a"], ["b"]]


WAITS = (
    'AsyncDataStream.unorderedWait(env.addSource(new A()), new W(), 1, TimeUnit.SECONDS).uid("a").print();',
    "class W implements AsyncFunction<Long, Long> {} class A implements SourceFunction<Long> {}",
)


@pytest.mark.parametrize("version", ["1.9.3", "1.10.0", "1.11.4", "1.12.7", "1.13.6"])
def test_older_releases_build_jobs_as_the_first_supported_one_does(version: str) -> None:
    body = "env.fromSequence(0, 9).keyBy(x -> x).reduce((a, b) -> a).map(x -> x).print();"
    ids = [identity.generated for identity in translate(read(body, flink=version)).identities]
    assert ids == [identity.generated for identity in translate(read(body, flink="1.13")).identities]
    if version.startswith(("1.9", "1.10")):
        with pytest.raises(UnsupportedFlinkError, match="async wait operator"):
            translate(read(*WAITS, flink=version))
    else:
        assert translate(read(*WAITS, flink=version)).identities


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ('m.uid("count");', 'm.uid("count2");'),
        ('m.uid(args[0] + "-count");', 'm.uid(args[0] + "-count2");'),
        ("m.setMaxParallelism(64);", "m.setMaxParallelism(32);"),
        ('m.uid("a"); m.setMaxParallelism(64);', 'm.uid("a"); m.setMaxParallelism(32);'),
    ],
)
def test_a_setting_under_a_condition_is_made_of_its_values(base: str, head: str) -> None:
    def made_of(setting: str) -> list[object]:
        body = f"var m = env.fromSequence(0, 9).keyBy(x -> x).reduce((a, b) -> a); if (args.length > 1) {{ {setting} }}"
        topology = read(f"{body} m.print();", args=None)
        settings = [value for t in topology.transformations for value in (t.uid, t.max_parallelism)]
        return [value.derived_from if isinstance(value, Unknown) else value for value in settings]

    assert made_of(base) == made_of(base)
    assert made_of(base) != made_of(head)
