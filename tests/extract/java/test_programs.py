"""How programs declare topologies: helpers, factories, fields, parameters, environments, arguments."""

import pytest

from checker.errors import ExtractionError, UnsupportedFlinkError
from checker.flink import translate
from checker.model.topology import Kind, Mode
from checker.model.unknowns import Cause, Unknown
from tests.extract.java.programs import physical, read, uids


def test_fluent_chain_split_over_statements_has_locations_of_the_calls() -> None:
    topology = read('DataStream<Long> s = env.fromSequence(1, 2);\n    s.map(x -> x)\n      .uid("m").print();')
    source, mapped, sink = physical(topology)
    assert (source.kind, mapped.kind, sink.kind) == (Kind.SOURCE, Kind.OPERATOR, Kind.LEGACY_SINK)
    assert mapped.inputs == (source.id,)
    assert mapped.location is not None
    assert (mapped.location.line, mapped.location.column) == (18, 7)
    assert mapped.uid_location is not None
    assert (mapped.uid_location.line, mapped.uid_location.column) == (19, 8)


HELPERS = """
  static DataStream<Long> source(StreamExecutionEnvironment e, String id) { return e.fromSequence(1, 2).uid(id); }
  static <T> SingleOutputStreamOperator<T> step(DataStream<T> in, MapFunction<T, T> f, String id) {
    return in.map(f).uid(id);
  }
"""


def test_pipelines_through_helpers_fields_and_functions() -> None:
    members = (
        HELPERS
        + """
  private final StreamExecutionEnvironment e; private DataStream<Long> kept;
  Job(StreamExecutionEnvironment e) { this.e = e; }
  Job load() { kept = source(e, "loaded"); return this; }
  void finish(Function<DataStream<Long>, DataStream<Long>> f) { f.apply(kept).print().uid("out"); }
  static DataStream<Long> twice(DataStream<Long> in) { return step(step(in, x -> x, "one"), x -> x, "two"); }
"""
    )
    topology = read("new Job(env).load().finish(Job::twice);", members)
    assert uids(topology) == ["loaded", "one", "two", "out"]


def test_other_files_interfaces_and_inheritance() -> None:
    others = {
        "Base": "abstract class Base { final void run(StreamExecutionEnvironment env) { sink(build(env)); }"
        " abstract DataStream<Long> build(StreamExecutionEnvironment env);"
        ' void sink(DataStream<Long> s) { s.print().uid(name() + "-sink"); } String name() { return "base"; } }',
        "Orders": "public class Orders extends Base { DataStream<Long> build(StreamExecutionEnvironment env)"
        ' { return env.fromSequence(1, 2).uid("orders"); } @Override String name() { return "orders"; } }',
    }
    assert uids(read("new Orders().run(env);", others=others)) == ["orders", "orders-sink"]


def test_one_implementation_stands_for_an_interface() -> None:
    others = {
        "Step": "public interface Step { DataStream<Long> on(DataStream<Long> in); String label(); }",
        "Only": "public class Only implements Step { public DataStream<Long> on(DataStream<Long> in)"
        ' { return in.map(x -> x).uid(label()); } public String label() { return "only"; } }',
    }
    body = "Step s = ServiceLoader.load(Step.class).iterator().next(); s.on(env.fromSequence(1, 2)).print();"
    assert uids(read(body, others=others)) == ["only"]


def test_ids_do_not_change_when_code_only_moves() -> None:
    body = "env.fromSequence(1, 2).map(x -> x).filter(x -> true).print();"
    before = read(body, HELPERS)
    after = read("\n\n    // moved\n    " + body.replace(".", "\n  ."), "  int unrelated;\n" + HELPERS)
    assert [t.id for t in before.transformations] == [t.id for t in after.transformations]
    assert [t.inputs for t in before.transformations] == [t.inputs for t in after.transformations]


def test_loops_over_known_collections_unroll() -> None:
    topology = read('for (String n : List.of("a", "b")) { env.fromSequence(1, 2).uid("s-" + n).print(); }')
    assert uids(topology) == ["s-a", "s-b"]
    assert len({t.id for t in topology.transformations}) == 4


def test_early_binding_of_parallelism() -> None:
    topology = read(
        "DataStream<Long> s = env.fromSequence(1, 2); env.setParallelism(7); s.map(x -> x).print().setParallelism(2);"
    )
    assert [t.parallelism for t in physical(topology)] == [None, 7, 2]
    assert topology.parallelism == 4


def test_watermarks_take_the_parallelism_of_their_input() -> None:
    body = "env.fromSequence(1, 2).setParallelism(3).assignTimestampsAndWatermarks(null).print();"
    assert [t.parallelism for t in physical(read(body))] == [3, 3, None]


def test_unknown_default_parallelism_names_what_settles_it() -> None:
    topology = read("env.fromSequence(1, 2).print();", parallelism=None)
    assert isinstance(topology.parallelism, Unknown)
    assert topology.parallelism.settled_by == "--parallelism"


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


def test_arguments_and_values_give_what_a_uid_depends_on() -> None:
    body = 'String e = ParameterTool.fromArgs(args).get("env", "dev"); env.fromSequence(1, 2).uid("s-" + e).print();'
    given = physical(read(body, args=("--env", "prod")))[0]
    assert (given.uid, given.uid_depends_on) == ("s-prod", ("env",))
    absent = physical(read(body))[0]
    assert (absent.uid, absent.uid_depends_on) == ("s-dev", ("env",))
    pinned = physical(read(body, args=None, values=(("env", "test"),)))[0]
    assert (pinned.uid, pinned.uid_depends_on) == ("s-test", ("env",))
    nobody = physical(read(body, args=None))[0].uid
    assert isinstance(nobody, Unknown)
    assert nobody.cause is Cause.ARGUMENT
    assert nobody.settled_by == "--arg env=VALUE"


def test_the_second_job_is_another_pipeline() -> None:
    from checker.extract import java
    from tests.extract.java.programs import files

    revision = files('env.fromSequence(1, 2).uid("a").print(); env.execute(); env.fromSequence(3, 4).uid("b").print();')
    entries = java.discover(revision).entries
    assert [entry.name for entry in entries] == ["Job", "Job #2"]
    assert [uids(java.extract(revision, entry)) for entry in entries] == [["a"], ["b"]]


def test_a_program_that_flink_refuses_says_so() -> None:
    with pytest.raises(ExtractionError, match="non parallel operator must be 1"):
        read("env.fromElements(1L).setParallelism(2).print();")


def test_consulted_files_are_named() -> None:
    topology = read("Other.go(env);", others={
        "Other": "class Other { static void go(StreamExecutionEnvironment e) { e.fromSequence(1, 2).print(); } }",
        "Unused": "class Unused { }",
    })  # fmt: skip
    assert set(topology.files) == {"src/main/java/acme/Job.java", "src/main/java/acme/Other.java"}


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
