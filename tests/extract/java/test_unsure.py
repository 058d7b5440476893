"""Where the interpreter can't tell: alternatives while they are few, unknowns that taint what depends on them."""

import pytest

from checker.compare import compare_pipelines
from checker.flink import translate
from checker.model.declared_state import StateKind
from checker.model.findings import Verdict
from checker.model.topology import Kind
from checker.model.unknowns import Cause, Unknown
from tests.extract.java.programs import physical, read, uids

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


def test_equal_conditions_go_the_same_way() -> None:
    topology = read(
        "ParameterTool p = ParameterTool.fromArgs(args); DataStream<Long> s = env.fromSequence(1, 2);"
        ' if (p.has("x")) s = s.map(x -> x).uid("a"); if (p.has("x")) s.print().uid("b"); else s.print().uid("c");',
        args=None,
    )
    assert sorted([t.uid for t in v.transformations if t.uid] for v in topology.variants) == [["a", "b"], ["c"]]


def test_a_branch_that_declares_nothing_makes_no_alternative() -> None:
    topology = read(
        FLAG + 'String u = "a"; int n = 1; if (flag) { System.out.println(u); n = 2; } else { n = 3; }'
        " env.fromSequence(1, 2).uid(u).setParallelism(n).print();"
    )
    assert topology.variants == ()
    source = physical(topology)[0]
    assert source.uid == "a"
    assert isinstance(source.parallelism, Unknown)
    assert set(source.parallelism.options) == {2, 3}


def test_branches_that_differ_in_settings_only_are_one_shape() -> None:
    topology = read(
        FLAG + "SingleOutputStreamOperator<Long> s = env.fromSequence(1, 2).map(x -> x);"
        ' if (flag) { s.name("one").setParallelism(2); } else { s.name("two"); } s.uid("u").print();'
    )
    assert topology.variants == ()
    mapped = physical(topology)[1]
    assert mapped.uid == "u"
    assert isinstance(mapped.name, Unknown)
    assert set(mapped.name.options) == {"one", "two"}


def test_helpers_that_return_early_merge() -> None:
    members = 'static String pick(String[] a) { if (a.length > 0) { return a[0]; } return "none"; }'
    topology = read('env.fromSequence(1, 2).uid("x").name(pick(args)).print();', members, args=None)
    assert topology.variants == ()
    assert uids(topology) == ["x"]


def test_usage_exits_are_no_alternative() -> None:
    topology = read(
        'if (args.length < 2) { System.err.println("usage"); System.exit(1); }'
        " if (args.length > 9) { throw new IllegalArgumentException(); } env.fromSequence(1, 2).print();",
        args=None,
    )
    assert topology.variants == ()
    assert len(physical(topology)) == 2


def test_a_switch_on_an_unknown_enum() -> None:
    members = "enum Mode { A, B } "
    topology = read(
        'Mode m = Mode.valueOf(System.getenv("M")); DataStream<Long> s = env.fromSequence(1, 2);'
        ' switch (m) { case A: s.print().uid("a"); break; case B: s.map(x -> x).print().uid("b"); break; }',
        members,
    )
    assert sorted(next(t.uid for t in v.transformations if t.uid) for v in topology.variants) == ["a", "b"]


def test_too_many_shapes_become_an_unknown_and_uids_stay() -> None:
    ifs = "".join(f'if (System.getenv("V{i}") != null) s = s.map(x -> x);' for i in range(6))
    topology = read(f'DataStream<Long> s = env.fromSequence(1, 2).uid("s"); {ifs} s.print().uid("p");')
    assert topology.variants == ()
    assert topology.transformations[0].kind is Kind.UNKNOWN
    translation = translate(topology, "1.20")
    assert not translation.certain
    by_uid = {translation.stream_graph.nodes[i.node].uid: i.generated for i in translation.identities}  # type: ignore[union-attr]
    assert by_uid["s"] is not None
    assert by_uid["p"] is not None


def test_an_unknown_loop_is_one_unknown_transformation() -> None:
    topology = read(
        'for (String t : System.getenv("T").split(",")) { env.fromSequence(1, 2).uid("s-" + t).print(); }'
        ' env.fromSequence(3, 4).uid("known").print();'
    )
    kinds = [t.kind for t in physical(topology)]
    assert kinds == [Kind.UNKNOWN, Kind.SOURCE, Kind.LEGACY_SINK]
    unknown = physical(topology)[0].unknown
    assert unknown is not None
    assert unknown.location is not None
    assert "System.getenv" in unknown.reason
    assert uids(topology) == ["known"]


def test_a_loop_that_may_return_is_followed_both_ways() -> None:
    members = (
        "static DataStream<Long> first(StreamExecutionEnvironment e, List<String> names) { for (String n : names)"
        ' { if (n.isEmpty()) { return e.fromSequence(1, 2).uid("found"); } } return e.fromSequence(1, 2).uid("none"); }'
    )
    topology = read("first(env, Library.names()).print();", members)
    assert topology.variants or any(t.kind is Kind.UNKNOWN for t in topology.transformations)


def test_streams_handed_out_of_the_repository() -> None:
    topology = read(
        'DataStream<Long> s = env.fromSequence(1, 2).uid("s"); DataStream<Long> t = Library.enrich(s, "x");'
        ' t.map(x -> x).uid("m").print();'
    )
    source, unknown, mapped, _ = physical(topology)
    assert unknown.kind is Kind.UNKNOWN
    assert unknown.inputs == (source.id,)
    assert mapped.inputs == (unknown.id,)
    assert unknown.unknown is not None
    assert unknown.unknown.cause is Cause.EXTERNAL
    translation = translate(topology, "1.20")
    ids = {translation.stream_graph.nodes[i.node].uid: i.generated for i in translation.identities}  # type: ignore[union-attr]
    assert ids["s"] is not None
    assert ids["m"] is not None
    assert [i.generated for i in translation.identities].count(None) == 2


def test_lambdas_that_declare_operators_inside_of_libraries() -> None:
    topology = read("Library.later(() -> env.fromSequence(1, 2).print()); env.fromSequence(3, 4).print();")
    assert Kind.UNKNOWN in [t.kind for t in physical(topology)]


def test_logging_and_checks_leave_the_topology_alone() -> None:
    topology = read(
        'DataStream<Long> s = env.fromSequence(1, 2); LOG.info("stream {}", s); Objects.requireNonNull(env);'
        " System.out.println(env.getExecutionPlan()); s.print();"
    )
    assert [t.kind for t in physical(topology)] == [Kind.SOURCE, Kind.LEGACY_SINK]


def test_an_unknown_source_class_leaves_only_its_parallelism_open() -> None:
    topology = read('env.addSource(new com.other.TheirSource()).uid("s").map(x -> x).print();')
    source = physical(topology)[0]
    assert source.uid == "s"
    assert isinstance(source.parallelism, Unknown)
    assert source.parallelism.cause is Cause.CONNECTOR
    assert set(source.parallelism.options) == {1, 4}


def test_an_unknown_sink_class_keeps_its_uid() -> None:
    topology = read('env.fromSequence(1, 2).sinkTo(new com.other.TheirSink()).uid("k");')
    sink = physical(topology)[-1]
    assert sink.uid == "k"
    assert isinstance(sink.committer, Unknown)
    assert not translate(topology, "1.20").certain


def test_the_table_api_is_handed_the_streams_it_may_read() -> None:
    body = (
        "org.apache.flink.table.api.bridge.java.StreamTableEnvironment t ="
        " org.apache.flink.table.api.bridge.java.StreamTableEnvironment.create(env);"
        ' DataStream<Long> s = env.fromSequence(1, 2); t.createTemporaryView("v", s);'
        ' t.toDataStream(t.sqlQuery("select * from v")).print();'
    )
    source, table, sink = physical(read(body))
    assert table.kind is Kind.UNKNOWN
    assert table.inputs == (source.id,)
    assert sink.inputs == (table.id,)


def test_overloads_that_an_unknown_argument_leaves_open() -> None:
    members = (
        'static void go(StreamExecutionEnvironment e, Left l) { e.fromSequence(1, 2).uid("left").print(); }'
        ' static void go(StreamExecutionEnvironment e, Right r) { e.fromSequence(1, 2).uid("right").print(); }'
        " static class Left { } static class Right { }"
    )
    topology = read("go(env, Library.any());", members)
    assert sorted(next(t.uid for t in v.transformations if t.uid) for v in topology.variants) == ["left", "right"]


def test_a_deployed_job_does_not_run_in_a_local_environment() -> None:
    topology = read(
        'if (env instanceof LocalStreamEnvironment) { env.fromSequence(1, 2).uid("local").print(); }'
        ' else { env.fromSequence(1, 2).map(x -> x).uid("cluster").print(); }'
    )
    assert uids(topology) == ["cluster"]


@pytest.mark.parametrize(
    "statement",
    [
        'tables.sqlQuery("SELECT f0, COUNT(*) FROM v GROUP BY f0").execute().print();',
        'tables.executeSql("INSERT INTO sink SELECT * FROM v");',
        'tables.createStatementSet().addInsertSql("INSERT INTO sink SELECT * FROM v").execute();',
        'tables.from("v").executeInsert("sink");',
    ],
)
def test_what_the_planner_makes_of_a_stream_is_not_left_out(statement: str) -> None:
    head = (
        "org.apache.flink.table.api.bridge.java.StreamTableEnvironment tables = "
        "org.apache.flink.table.api.bridge.java.StreamTableEnvironment.create(env);"
        'tables.createTemporaryView("v", env.fromSequence(1, 9).uid("numbers"));'
    )
    assert not [t for t in read(head).transformations if t.kind is Kind.UNKNOWN]
    assert not [t for t in read(head + 'tables.executeSql("CREATE TABLE sink (x INT)");').transformations if t.unknown]
    (planned,) = [t for t in read(head + statement).transformations if t.kind is Kind.UNKNOWN]
    assert planned.inputs == ("numbers",)


TABLES = (
    "org.apache.flink.table.api.bridge.java.StreamTableEnvironment tables = "
    "org.apache.flink.table.api.bridge.java.StreamTableEnvironment.create(env);"
)


def test_streams_that_a_loop_of_unknown_length_hands_to_tables_may_be_read_by_them() -> None:
    topology = read(
        TABLES + 'DataStream<Long> s = env.fromSequence(1, 9).uid("numbers");'
        "for (String name : args) {"
        ' tables.createTemporaryView(name, s); tables.createTemporaryView("v" + name, s.map(x -> x)); }'
        ' tables.executeSql("INSERT INTO sink SELECT * FROM v");',
        args=None,
    )
    planned = next(t for t in topology.transformations if t.operator is not None and "table-plan" in t.operator)
    in_loop = next(t for t in topology.transformations if t.unknown is not None and "loop" in t.unknown.reason)
    assert {"numbers", in_loop.id} <= set(planned.inputs)


def test_a_statement_that_is_null_ends_the_program() -> None:
    body = (
        TABLES
        + "String sql; try { sql = new String(java.nio.file.Files.readAllBytes(java.nio.file.Paths.get(args[0])));"
        " } catch (Exception e) { sql = null; } tables.executeSql(sql);"
    )
    topology = read(body, args=None)
    assert topology.variants == ()
    (planned,) = topology.transformations
    assert planned.unknown is not None


def test_a_method_of_a_table_environment_that_is_not_known_may_submit() -> None:
    head = (
        "org.apache.flink.table.api.bridge.java.StreamTableEnvironment tables = "
        "org.apache.flink.table.api.bridge.java.StreamTableEnvironment.create(env);"
    )
    read_on = "env.fromSequence(1, 2).print();"
    for known in ("getConfig()", 'useCatalog("c")', 'dropTemporaryView("v")', "getCurrentCatalog().trim()"):
        assert not [t for t in read(f"{head} tables.{known}; {read_on}").transformations if t.kind is Kind.UNKNOWN], (
            known
        )
    for new in ('tables.materialize("v");', 'tables.createStatementSet().addInsertSql("INSERT INTO a TABLE b").run();'):
        (planned,) = (t for t in read(head + new).transformations if t.kind is Kind.UNKNOWN)
        assert planned.unknown is not None


def test_timers_of_a_co_process_function_on_keyed_streams_are_state() -> None:
    members = (
        "static class Both extends org.apache.flink.streaming.api.functions.co.CoProcessFunction<Long, Long, Long> {"
        " public void processElement1(Long v, Context c, Collector<Long> o) {}"
        " public void processElement2(Long v, Context c, Collector<Long> o) {} }"
    )
    body = (
        "DataStream<Long> s = env.fromSequence(1, 9);"
        's.keyBy(x -> x).connect(s.keyBy(x -> x)).process(new Both()).uid("keyed");'
        's.connect(s).process(new Both()).uid("plain");'
    )
    nodes = {n.uid: n for n in translate(read(body, members)).node_by_key.values()}
    assert nodes["keyed"].stateful is True
    assert nodes["plain"].stateful is False


ONE = "DataStream<Long> s = env.fromSequence(1, 2);"
REST = " s.map(x -> x).map(x -> x).map(x -> x).keyBy(x -> x).reduce((a, b) -> a).map(x -> x).print();"


@pytest.mark.parametrize(
    "parallelism", ['ParameterTool.fromArgs(args).getInt("p", 1)', 'Integer.parseInt(System.getenv("P"))']
)
def test_an_argument_has_one_value_wherever_it_is_asked_for(parallelism: str) -> None:
    translation = translate(read(f"env.setParallelism({parallelism});{ONE}{REST}", args=None))
    assert all(i.generated is not None for i in translation.identities)


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


SWITCH = """
    static boolean on(String name) {
        String value = System.getenv(name);
        if (value == null || value.isBlank()) { return false; }
        if ("true".equalsIgnoreCase(value)) { return true; }
        if ("yes".equals(value)) { return true; }
        if ("no".equals(value)) { return false; }
        if ("false".equalsIgnoreCase(value)) { return false; }
        throw new IllegalArgumentException(name);
    }
"""


def test_ways_through_a_method_that_end_the_same_are_one() -> None:
    made = " ".join(f'if (on("{name}")) s.map(x -> x).uid("{name}").print();' for name in "ABC")
    topology = read(f"DataStream<Long> s = env.fromSequence(1, 2); {made}", members=SWITCH)
    assert len(topology.variants) == 8


def test_ways_through_a_method_that_write_different_values_stay_apart() -> None:
    made = 'if (size == 2) s.map(x -> x).uid("two").print(); if (size == 3) s.map(x -> x).uid("three").print();'
    topology = read(
        f"boolean b = on(); DataStream<Long> s = env.fromSequence(1, 2); {made}"
        ' if (b) s.map(x -> x).uid("on").print();',
        members='static int size; static boolean on() { String v = System.getenv("A"); if (v == null) { size = 2;'
        ' return true; } if (v.equals("x")) { size = 3; return true; } size = 4; return false; }',
    )
    found = sorted(sorted(t.uid for t in variant.transformations if t.uid) for variant in topology.variants)
    assert found == [[], ["on", "three"], ["on", "two"]]


def test_an_optional_of_a_value_that_is_not_known_is_followed_both_ways() -> None:
    given = 'Optional.ofNullable(System.getenv("U"))'
    for made in (f'{given}.orElse("d")', f'{given}.map(u -> u).orElseGet(() -> "d")'):
        topology = read(f"env.fromSequence(1, 2).map(x -> x).uid({made}).print();")
        uid = physical(topology)[1].uid
        assert isinstance(uid, Unknown)
        assert uid.settled_by == "--arg U=VALUE"
    body = f"{given}.ifPresent(u -> s.map(x -> x).print()); s.print();"
    topology = read(f"DataStream<Long> s = env.fromSequence(1, 2); {body}")
    assert sorted(len(variant.transformations) for variant in topology.variants) == [2, 4]


def test_an_environment_that_an_optional_is_handed_to_leaves_the_graph_known() -> None:
    made = "map(Integer::parseInt).ifPresent(env::setParallelism);"
    made += ' env.fromSequence(1, 2).map(x -> x).uid("u").print();'
    topology = read(f'Optional.ofNullable(System.getenv("P")).{made}')
    assert not [t for t in topology.transformations if t.kind is Kind.UNKNOWN]
    assert uids(topology) == ["u"]
    assert isinstance(physical(topology)[1].parallelism, Unknown)
    assert physical(read(f'Optional.ofNullable("7").{made}'))[1].parallelism == 7


_OPTIONS = "record Options(Optional<String> mode, Optional<Integer> port) {}"
_MODE = 'Options o = FLAG == null ? Library.read("a") : Library.read("b");'


@pytest.mark.parametrize("options", ["Options o = Library.read();", f'String FLAG = System.getenv("FLAG"); {_MODE}'])
def test_an_optional_of_which_nothing_is_known_holds_a_value_or_none(options: str) -> None:
    made = (
        'env = o.mode().filter("local"::equals).map(m -> o.port()'
        ".map(p -> StreamExecutionEnvironment.createLocalEnvironment(p))"
        ".orElseGet(() -> StreamExecutionEnvironment.createLocalEnvironment()))"
        ".orElseGet(StreamExecutionEnvironment::getExecutionEnvironment);"
    )
    topology = read(f'{options} {made} env.fromSequence(1, 2).map(x -> x).uid("u").print();', _OPTIONS)
    assert len(topology.transformations) == 3
    assert Kind.UNKNOWN not in [t.kind for t in topology.transformations]
    assert uids(topology) == ["u"]
    body = f"{options} DataStream<Long> s = env.fromSequence(1, 2); o.mode().ifPresent(m -> s.map(x -> x).print());"
    found = read(f"{body} s.print();", _OPTIONS)
    assert {len(variant.transformations) for variant in found.variants} == {2, 4}


@pytest.mark.parametrize("catches", ["catch (Exception e) { throw new RuntimeException(e); }", "finally { }"])
def test_a_function_for_a_library_inside_of_a_try_declares_nothing(catches: str) -> None:
    strategy = "WatermarkStrategy.<Long>forMonotonousTimestamps().withTimestampAssigner((e, t) -> e.longValue())"
    body = f'env.fromSequence(1, 2).assignTimestampsAndWatermarks({strategy}).map(x -> x).uid("u").print();'
    assert Kind.UNKNOWN not in [t.kind for t in read(f"try {{ {body} }} {catches}").transformations]
    declares = "Library.later((e, t) -> { e.longValue(); env.fromSequence(1, 2).print(); });"
    assert Kind.UNKNOWN in [t.kind for t in read(f"try {{ {declares} {body} }} {catches}").transformations]


def test_a_choice_with_values_that_are_not_known_is_followed_into_an_optional() -> None:
    topology = read(
        FLAG + 'String u = flag ? System.getenv("U") : "a"; String v = Optional.ofNullable(u).orElse("b");'
        " env.fromSequence(1, 2).map(x -> x).uid(v).print();"
    )
    uid = physical(topology)[1].uid
    assert isinstance(uid, Unknown)
    assert uid.settled_by == "--arg FLAG=VALUE"


_COUNTS = """static class F extends KeyedProcessFunction<Long, Long, Long> {
  private transient Store store;
  public void open(Configuration c) { store = new Store(getRuntimeContext(), "n"); }
  public void processElement(Long v, Context ctx, Collector<Long> out) throws Exception { store.n.update(v); }
}
static class Store {
  private final String prefix = %s;
  final ValueState<Long> n;
  Store(RuntimeContext context, String name) {
    n = context.getState(new ValueStateDescriptor<>(prefix + name, Long.class));
  }
}
"""


@pytest.mark.parametrize(
    ("prefix", "cause"),
    [("UUID.randomUUID().toString()", Cause.NON_DETERMINISTIC), ("Library.prefix()", Cause.OTHER)],
)
def test_a_state_that_is_called_otherwise_in_every_run_is_no_state_of_another_run(prefix: str, cause: Cause) -> None:
    members = (_COUNTS % prefix).replace("KeyedProcessFunction", _FUNCTIONS + "KeyedProcessFunction")
    members = members.replace("ValueState", _STATES + "ValueState").replace("RuntimeContext c", _CONTEXT + " c")
    topology = read('env.fromSequence(1, 2).keyBy(x -> x).process(new F()).uid("u").print();', members)
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


_FUNCTIONS = "org.apache.flink.streaming.api.functions."
_STATES = "org.apache.flink.api.common.state."
_CONTEXT = "org.apache.flink.api.common.functions.RuntimeContext"


@pytest.mark.parametrize(
    ("declared", "wanted", "shapes"),
    [
        ("interface Plugin {} interface Wanted extends Plugin {}", "Wanted", 2),
        ("interface Plugin {} interface Wanted {}", "Wanted", 2),
        ("static class Plugin {} static class Wanted extends Plugin {}", "Wanted", 2),
        ("static class Plugin {}", "java.io.Closeable", 2),
        ("static class Plugin {} static class Wanted {}", "Wanted", 1),
        ("static final class Plugin {} interface Wanted {}", "Wanted", 1),
        ("interface Wanted {} interface Plugin extends Wanted {}", "Wanted", 1),
    ],
)
def test_an_object_known_by_its_declared_class_may_be_of_a_subclass(declared: str, wanted: str, shapes: int) -> None:
    topology = read(
        "Plugin plugin = Plugins.load(1); DataStream<Long> s = env.fromSequence(1, 2);"
        f" if (plugin instanceof {wanted}) {{ s = s.map(x -> x); }} s.print();",
        members=declared,
    )
    assert max(len(topology.variants), 1) == shapes


@pytest.mark.parametrize(
    ("caught", "certain"),
    [
        ("System.err.println(e.getMessage()); System.exit(1);", True),
        ("e.printStackTrace(); throw new IllegalStateException(e.getMessage(), e);", True),
        ("System.exit(other(env));", False),
        ("System.err.println(e.getMessage());", False),
        ('s.print().uid("late"); env.execute(); throw new IllegalStateException(e);', False),
    ],
)
def test_what_only_ends_the_program_makes_no_alternative(caught: str, certain: bool) -> None:
    checks = " ".join(
        f'if (System.getenv("{name}") == null) {{ throw new IllegalArgumentException("{name}"); }}' for name in "ABCDEF"
    )
    topology = read(
        f'DataStream<Long> s = env.fromSequence(1, 2); try {{ {checks} s.map(x -> x).uid("m"); }} '
        f"catch (RuntimeException e) {{ {caught} }}",
        'static int other(StreamExecutionEnvironment e) throws Exception { e.fromSequence(1, 2).print().uid("late");'
        " e.execute(); return 1; }",
    )
    assert (topology.variants == () and topology.variants_unknown is None) is certain
