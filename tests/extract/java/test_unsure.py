"""Where the interpreter can't tell: alternatives while they are few, unknowns that taint what depends on them."""

import pytest

from checker.compare import compare_pipelines
from checker.errors import ExtractionError
from checker.flink import translate
from checker.model.declared_state import StateKind
from checker.model.findings import Verdict
from checker.model.unknowns import Cause, Unknown
from tests.extract.java.programs import HEAD, read

FLAG = 'boolean flag = System.getenv("FLAG") != null;'


def test_a_branch_gives_both_shapes_with_equal_handles() -> None:
    topology = read(
        FLAG + 'DataStream<Long> s = env.fromSequence(1, 2); if (flag) { s = s.map(x -> x).uid("m"); } s.print();'
    )
    assert len(topology.variants) == 2
    without, with_map = sorted(topology.variants, key=lambda variant: len(variant.transformations))
    assert [t.id for t in without.transformations] == [t.id for t in with_map.transformations if t.uid != "m"]
    assert "flag" in with_map.when
    assert topology.variants_unknown is not None
    assert topology.variants_unknown.settled_by == "--arg FLAG=VALUE"


ONE = "DataStream<Long> s = env.fromSequence(1, 2);"


@pytest.mark.parametrize(
    "number", ["com.lib.Numbers.next()", "Integer.parseInt(all.next())", "Integer.parseInt(rest.remove(0))"]
)
def test_what_may_be_another_value_each_time_is_tried_as_two(number: str) -> None:
    declarations = (
        "Iterator<String> all = Arrays.asList(args).iterator(); List<String> rest = new LinkedList<>(List.of(args));"
    )
    use = f"s.map(x -> x).setParallelism({number}).map(x -> x).setParallelism({number}).print().setParallelism(4);"
    translation = translate(read(declarations + ONE + use, args=None))
    pairs = {tuple(n.parallelism for n in t.stream_graph.nodes)[1:3] for t in translation.programs if t.stream_graph}
    assert any(first != second for first, second in pairs)


_COUNTS = """static class F extends org.apache.flink.streaming.api.functions.KeyedProcessFunction<Long, Long, Long> {
  private transient Store store;
  public void open(Configuration c) { store = new Store(getRuntimeContext(), "n"); }
  public void processElement(Long v, Context ctx, Collector<Long> out) throws Exception { store.n.update(v); }
}
static class Store {
  private final String prefix = %s;
  final org.apache.flink.api.common.state.ValueState<Long> n;
  Store(RuntimeContext context, String name) {
    n = context.getState(new org.apache.flink.api.common.state.ValueStateDescriptor<>(prefix + name, Long.class));
  }
}
"""


@pytest.mark.parametrize(
    ("prefix", "cause"),
    [("UUID.randomUUID().toString()", Cause.NON_DETERMINISTIC), ("Library.prefix()", Cause.OTHER)],
)
def test_a_state_that_is_called_otherwise_in_every_run_is_no_state_of_another_run(prefix: str, cause: Cause) -> None:
    body = 'env.fromSequence(1, 2).keyBy(x -> x).process(new F()).uid("u").print();'
    topology = read(body, _COUNTS % prefix)
    (counting,) = (t for t in topology.transformations if t.uid == "u")
    assert not isinstance(counting.state, Unknown)
    (name,) = (s.name for s in counting.state if s.kind is StateKind.VALUE)
    assert isinstance(name, Unknown)
    assert name.cause is cause
    translation = translate(topology, "1.20")
    rows = compare_pipelines("p", translation, translation).operators
    (row,) = (row for row in rows if row.head is not None and row.head.uid == "u")
    lost = {v.verdict for v in row.verdicts}
    assert (Verdict.STARTS_EMPTY in lost) is (cause is Cause.NON_DETERMINISTIC)


def test_what_an_environment_gives_is_one_value_wherever_it_stands() -> None:
    """So operators that all have it are chained, also where code that declares them moved."""
    declares = 'env.socketTextStream("h", 1).map(x -> x).keyBy(x -> x).reduce((a, b) -> a).map(x -> x).print();'
    given = "env.setParallelism(com.lib.Conf.load().parallelism());"
    moved = f"static void build(StreamExecutionEnvironment env) {{ {declares} }}"
    base, head = (read(given + body, members) for body, members in ((declares, ""), ("build(env);", moved)))
    rows = compare_pipelines("p", translate(base, "1.20"), translate(head, "1.20")).operators
    assert all(v.verdict is not Verdict.UNDECIDED for row in rows for v in row.verdicts)
    twice = ('var s = env.socketTextStream("h", 1).map(x -> x);', declares.replace('env.socketTextStream("h", 1)', "s"))
    base, head = (read(given + between.join(twice)) for between in ("", given))
    rows = compare_pipelines("p", translate(base, "1.20"), translate(head, "1.20")).operators
    assert any(v.verdict is Verdict.UNDECIDED for row in rows for v in row.verdicts)


def test_recursion_through_a_loop_of_unknown_length_ends() -> None:
    members = (
        "static int depth = 0; static void walk(Map<String, Object> m) { for (Object o : m.values()) {"
        " depth++; if (o instanceof Map) walk((Map<String, Object>) o); } }"
    )
    topology = read(f"{ONE} walk(com.lib.Lib.load()); if (depth > 3) s = s.map(x -> x); s.print();", members, args=None)
    assert not translate(topology).certain
    assert "more steps" not in str(topology)


def test_a_program_that_throws_says_what_and_where() -> None:
    members = 'static void need() {\n  throw new IllegalStateException("no topic");\n}'
    with pytest.raises(ExtractionError, match="IllegalStateException: no topic") as refused:
        read("need();", members)
    line = (HEAD + members).splitlines().index('  throw new IllegalStateException("no topic");') + 1
    assert refused.value.place == ("src/main/java/acme/Job.java", line + 1)
