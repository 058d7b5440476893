"""A step that is not followed leaves a mark on all that it could have touched; each test is one mechanism."""

import pytest

from checker.compare.revisions.programs import same_program
from checker.errors import ExtractionError
from checker.flink import translate
from checker.model.topology import Kind, Topology
from checker.model.unknowns import Unknown
from tests.extract.java.programs import HEAD, read, uids

STREAM = "DataStream<String> s = env.fromData(args).map(x -> x);"
END = " s.keyBy(x -> x).reduce((a, b) -> a).print();"


def certain(topology: Topology) -> bool:
    return translate(topology).certain


@pytest.mark.parametrize(
    ("declared", "made"),
    [
        ("Properties", "new Properties()"),
        ("Queue<String>", "new LinkedList<>()"),
        ("Deque<String>", "new ArrayDeque<>()"),
        ("java.util.concurrent.ConcurrentHashMap<String, String>", "new java.util.concurrent.ConcurrentHashMap<>()"),
        ("Vector<String>", "new Vector<>()"),
        ("NavigableMap<String, String>", "new TreeMap<>()"),
        ("Iterator<String>", "List.of().iterator()"),
    ],
)
def test_a_method_is_followed_whatever_is_known_of_its_argument(declared: str, made: str) -> None:
    members = f'static String u = "a"; static void change({declared} p) {{ u = "b"; }}'
    assert uids(read(f"change({made}); env.fromSequence(1, 2).map(x -> x).uid(u).print();", members)) == ["b"]
    others = {"K": f"public class K {{ String u; K(String u, {declared} p) {{ this.u = u; }} }}"}
    assert uids(read(f'env.fromSequence(1, 2).map(x -> x).uid(new K("c", {made}).u).print();', "", others)) == ["c"]


OVERLOADS = [
    ('over((Object) "x")', ("Object", "String"), "Object"),
    ("over(1)", ("long", "int..."), "long"),
    ("over(1)", ("Integer", "long"), "long"),
    ("over(1)", ("Object", "Integer"), "Integer"),
    ("over('c')", ("int", "Character"), "int"),
    ("over(o)", ("Object", "String"), "Object"),
    ("over(null)", ("Object", "String"), "String"),
    ("over(make())", ("A", "B"), "A"),
    ("over(args)", ("Object", "String..."), "String..."),
]
KINDS = 'static Object o = "x"; static class A {} static class B extends A {} static A make() { return new B(); }'


@pytest.mark.parametrize(("call", "types", "expected"), OVERLOADS)
def test_overloads_are_resolved_by_declared_types(call: str, types: tuple[str, str], expected: str) -> None:
    members = KINDS + "".join(f' static String over({kind} x) {{ return "{kind}"; }}' for kind in types)
    assert uids(read(f"env.fromSequence(1, 2).map(x -> x).uid({call}).print();", members)) == [expected]


ORDER = [
    ('String t = "s"; t += (t = "A") + "-"; String u = t;', "sA-"),
    ('int[] a = {9, 9, 9}; int k = 1; a[k++] = k; String u = "" + a[0] + a[1] + a[2] + k;', "9292"),
    ('int i = 1; i = i++ + ++i; String u = "" + i;', "4"),
]


@pytest.mark.parametrize(("body", "expected"), ORDER)
def test_operands_are_evaluated_in_order(body: str, expected: str) -> None:
    assert uids(read(f"{body} env.fromSequence(1, 2).map(x -> x).uid(u).print();")) == [expected]


BOTH_WAYS = [
    'List<String> l = new ArrayList<>(); if (args.length > 0 && l.add("s")) { } int n = l.size();',
    'List<String> l = new ArrayList<>(); boolean b = args.length > 0 || l.add("s"); int n = l.size();',
    "int[] g = {0}; int k = args.length > 0 ? ++g[0] : 0; int n = g[0];",
    'List<String> p = new ArrayList<>(), q = new ArrayList<>(); (args.length > 0 ? p : q).add("x"); int n = p.size();',
    "int n = 0; try { Integer.parseInt(args[0]); n = 2; } catch (NumberFormatException e) { }",
    'String t = System.getenv("T"); int n = 0; try { Integer.parseInt(Objects.requireNonNullElse(t, "x")); n = 2; } '
    "catch (NumberFormatException e) { }",
    "int n = 0; try { String t = args[3]; n = 2; } catch (RuntimeException e) { }",
    "int n = 0; for (String a : args) { if (a.isEmpty()) { continue; } n++; }",
    "int n = 0; for (String a : args) { if (a.isEmpty()) { break; } n = 2; }",
    "int n = 0; boolean first = true; for (String a : args) { if (first) { first = false; continue; } n = 2; }",
    "int n = 0; int i = 0; while (i < args.length) { i++; if (i < 3) continue; n = 5; }",
    "int[] c = {0}; Runnable r = () -> { if (args.length > 2) c[0] = 1; }; r.run(); int n = c[0];",
    "int[] c = {0}; com.lib.Lib.each(x -> c[0]++); int n = c[0];",
    "List<String> l = new ArrayList<>(); com.lib.Lib.fill(l); int n = l.size();",
    "Holder2 h = new Holder2(); com.lib.Lib.fill(h); int n = h.n;",
    "int n = 0; try { int q = 10 / args.length; n = 2; } catch (ArithmeticException e) { }",
    "Supplier<Integer> f = () -> { int k = 0; try { com.lib.Lib.load(); k = 2; } catch (Exception e) { } return k; };"
    " int n = f.get();",
    'int k = 0, n = 0; switch (args[0]) { case "x": k = 1; break; } switch (args[0]) { case "y": n = 1 - k; break; }',
]


@pytest.mark.parametrize("body", BOTH_WAYS)
def test_what_is_not_known_takes_effect_on_all_ways(body: str) -> None:
    topology = read(
        f"{STREAM} {body} if (n > 0) s = s.map(x -> x); {END}", "static class Holder2 { int n; }", args=None
    )
    assert not certain(topology)


@pytest.mark.parametrize(
    "step",
    [
        "Library.fill(all);",
        "Collections.addAll(all, s);",
        "all.sort((a, b) -> 1);",
        "all.iterator();",
        "all.removeIf(x -> false);",
    ],
)
def test_streams_of_a_list_whose_content_is_not_known_any_more_leave_a_hole(step: str) -> None:
    made = 'var s = env.fromSequence(1, 2).uid("s"); List<DataStream<Long>> all = new ArrayList<>(List.of(s));'
    topology = read(f"{made} {step} all.get(0).print();")
    assert any(t.kind is Kind.UNKNOWN and "s" in t.inputs for t in topology.transformations)


def test_a_parallelism_that_is_not_known_is_none() -> None:
    topology = read(
        f"{STREAM} s = s.map(x -> x); ((SingleOutputStreamOperator) s).setParallelism(args.length + 2); {END}",
        args=None,
    )
    mapped = [t for t in topology.transformations if isinstance(t.parallelism, Unknown)]
    assert mapped
    assert not certain(topology)


def test_a_hidden_field_is_read_by_the_declared_type() -> None:
    members = 'static class A { String u = "a"; } static class B extends A { String u = "b"; }'
    assert uids(read("A x = new B(); env.fromSequence(1, 2).map(y -> y).uid(x.u).print();", members)) == ["a"]
    assert uids(read("B x = new B(); env.fromSequence(1, 2).map(y -> y).uid(x.u).print();", members)) == ["b"]


def test_a_hidden_field_is_read_through_super() -> None:
    members = (
        'static class A { String u = "a"; }'
        ' static class B extends A { String u = "b"; String both() { return super.u + u; } }'
    )
    assert uids(read("env.fromSequence(1, 2).map(y -> y).uid(new B().both()).print();", members)) == ["ab"]


def test_the_constructor_of_a_superclass_sees_defaults_and_keeps_what_it_assigns() -> None:
    members = (
        "static abstract class A { final int seen; A() { seen = level(); } abstract int level(); }"
        " static class B extends A { int d = 7; int kept; int level() { kept = 3; return d; } }"
    )
    body = 'B b = new B(); env.fromSequence(1, 2).map(y -> y).uid("" + b.seen + b.d + b.kept).print();'
    assert uids(read(body, members)) == ["073"]


def test_resources_are_closed_in_reverse_order_before_an_exception_is_caught() -> None:
    members = (
        "static StringBuilder log = new StringBuilder(); static class R implements AutoCloseable { String n;"
        " R(String n) { this.n = n; log.append(n); } public void close() { log.append('-').append(n); } }"
    )
    body = (
        'try (R a = new R("a"); R b = new R("b")) { Integer.parseInt("x"); } catch (NumberFormatException e)'
        ' { log.append("!"); } env.fromSequence(1, 2).map(y -> y).uid(log.toString()).print();'
    )
    assert uids(read(body, members)) == ["ab-b-a!"]


def test_arguments_that_flink_refuses_end_the_program() -> None:
    body = 'ParameterTool p = ParameterTool.fromArgs(args); env.fromSequence(1, 2).uid(p.get("n", "x")).print();'
    with pytest.raises(ExtractionError):
        read(body, args=("-n", "5", "extra"))
    assert uids(read(body, args=("--n", "-0x1F"))) == ["-0x1F"]


def test_recursion_through_a_loop_of_unknown_length_ends() -> None:
    members = (
        "static int depth = 0; static void walk(Map<String, Object> m) { for (Object o : m.values()) {"
        " depth++; if (o instanceof Map) walk((Map<String, Object>) o); } }"
    )
    topology = read(f"{STREAM} walk(com.lib.Lib.load()); if (depth > 3) s = s.map(x -> x); {END}", members, args=None)
    assert not certain(topology)
    assert "more steps" not in str(topology)


def test_code_that_is_not_followed_may_assign_fields_and_statics() -> None:
    members = (
        'static String u = "a"; interface Step { void run(); }'
        ' static class One implements Step { public void run() { u = "b"; } }'
        " static class Two implements Step { public void run() { } }"
    )
    body = "Step step = com.lib.Lib.step(); step.run(); env.fromSequence(1, 2).map(x -> x).uid(u).print();"
    assert not certain(read(body, members))


def test_the_same_program_is_the_same() -> None:
    for body in BOTH_WAYS:
        text = f"{STREAM} {body} if (n > 0) s = s.map(x -> x); {END}"
        members = "static class Holder2 { int n; }"
        assert same_program(read(text, members, args=None), read(text, members, args=None))


@pytest.mark.parametrize(
    "step",
    [
        's = Stream.of("a", args[0]).distinct().reduce(s, (t, n) -> t.map(x -> x).uid(n), (t, n) -> t);',
        "s = Arrays.stream(args).reduce(s, (t, n) -> t.map(x -> x).uid(n), (t, n) -> t);",
        'for (var a : args) s = Stream.of("a", a).distinct().reduce(s, (t, n) -> t.map(x -> x).uid(n), (t, u) -> t);',
    ],
)
def test_a_stream_that_unknown_elements_build_up_is_a_hole_and_what_follows_stays(step: str) -> None:
    topology = read(f'DataStream<Long> s = env.fromSequence(1, 9); {step} s.print().uid("sink");', args=None)
    assert topology.transformations[-1].uid == "sink"
    assert not certain(topology)


def test_a_record_has_its_canonical_constructor_beside_declared_ones() -> None:
    members = """
        record Line(String from, List<String> via) { Line(String from, String... via) { this(from, List.of(via)); } }
        record Point(int x) implements Comparable<Point> { public int compareTo(Point o) { return 0; } }
        record Path(Point from, List<Point> via) { Path(Point from, Point... via) { this(from, List.of(via)); } }
        record Bag(int n, String... all) { Bag(String one) { this(2, one, one); } }
    """
    uid = 'new Line("a", "b", "c").via().size() + new Line("q", List.of("r")).from() + new Bag("x").all().length'
    uid += " + new Path(new Point(1), new Point(2)).via().size()"
    assert uids(read(f"env.fromSequence(1, 2).map(x -> x).uid({uid}).print();", members)) == ["2q21"]


def test_a_map_whose_keys_are_not_known_can_be_collected() -> None:
    uid = "Stream.of(args[0], args[1]).collect(Collectors.toMap(String::length, x -> x, (a, b) -> a, TreeMap::new))"
    topology = read(f'env.fromSequence(1, 2).map(x -> x).uid("" + {uid}).print();', args=None)
    assert isinstance(topology.transformations[1].uid, Unknown)


def test_an_array_of_unknown_elements_is_no_single_element() -> None:
    elements = "Arrays.asList(Arrays.stream(args).toArray(String[]::new))"
    topology = read(
        f"DataStream<Long> s = env.fromSequence(1, 9); for (String a : {elements}) s = s.map(x -> x); s.print();",
        args=None,
    )
    assert not certain(topology)


def test_a_program_that_throws_says_what_and_where() -> None:
    members = 'static void need() {\n  throw new IllegalStateException("no topic");\n}'
    with pytest.raises(ExtractionError, match="IllegalStateException: no topic") as refused:
        read("need();", members)
    line = (HEAD + members).splitlines().index('  throw new IllegalStateException("no topic");') + 1
    assert refused.value.place == ("src/main/java/acme/Job.java", line + 1)


@pytest.mark.parametrize(
    ("caught", "expected"), [("IllegalArgumentException", "own"), ("RuntimeException", "jdk"), ("Exception", "jdk")]
)
def test_an_exception_of_the_program_is_caught_as_what_it_extends(caught: str, expected: str) -> None:
    others = {"Own": "public class Own extends RuntimeException { Own() { super(); } }"}
    members = (
        f'static String at() {{ try {{ throw new Own(); }} catch ({caught} e) {{ return "jdk"; }} '
        'catch (Throwable e) { return "own"; } }'
    )
    assert uids(read("env.fromSequence(1, 2).map(x -> x).uid(at()).print();", members, others)) == [expected]


def test_a_checked_exception_of_the_program_is_no_runtime_exception() -> None:
    others = {"Own": "public class Own extends Exception { Own() { super(); } }"}
    members = (
        'static String at() { try { throw new Own(); } catch (RuntimeException e) { return "unchecked"; } '
        'catch (Exception e) { return "checked"; } }'
    )
    assert uids(read("env.fromSequence(1, 2).map(x -> x).uid(at()).print();", members, others)) == ["checked"]


COUNTER = "static class T { static int c; static int t() { return ++c; } }"


@pytest.mark.parametrize("branch", ["{ T.t(); }", "{} else { int v = T.t(); }"])
def test_what_a_branch_does_to_a_class_that_it_is_the_first_to_use_is_its_own(branch: str) -> None:
    body = f'if (args.length > 1) {branch} env.fromSequence(1, 2).map(x -> x).uid("k" + T.t()).print();'
    topology = read(body, COUNTER, args=None)
    (uid,) = (t.uid for t in topology.transformations if t.uid is not None)
    assert isinstance(uid, Unknown)
    assert set(uid.options) == {"k1", "k2"}


def test_a_job_that_nobody_executes_reads_what_another_environment_declares() -> None:
    members = (
        "static StreamExecutionEnvironment fresh() { return StreamExecutionEnvironment.getExecutionEnvironment(); }"
    )
    both = 'fresh().fromSequence(1, 2).uid("a").connect(fresh().fromSequence(3, 4).uid("b"))'
    assert uids(read(f'{both}.map(null).uid("c").print();', members)) == ["a", "b", "c"]


SLOW = "long n = 0; for (int i = 0; i < 90; i++) for (int j = 0; j < 90; j++) for (int k = 0; k < 90; k++) n += i;"


def test_a_call_of_too_many_steps_is_not_followed_where_it_leaves_the_graph_alone() -> None:
    members = f'static String at = "a"; static void wait(int s) {{ {SLOW} at = "b"; }}'
    body = 'wait(1); env.fromSequence(1, 2).uid("s").map(x -> x).uid(at).print();'
    source, mapped = uids(read(body, members))
    assert source == "s"
    assert isinstance(mapped, Unknown)


@pytest.mark.parametrize(
    ("body", "followed"),
    [
        ("return retried(3, () -> invoked(method));", True),
        ("if (method == null) { return null; } return invoked(method);", True),
        ("if (method == null) { started.fromSequence(1, 3).print(); } return invoked(method);", False),
        ("if (method == null) { return null; } started.fromSequence(1, 3).print(); return invoked(method);", False),
    ],
)
def test_a_function_that_a_library_is_given_is_looked_at_on_all_its_ways(body: str, followed: bool) -> None:
    members = f"""static StreamExecutionEnvironment started; interface Step {{ Object call() throws Exception; }}
        static Object retried(int attempts, Step step) throws Exception {{
            while (true) {{
                try {{ return step.call(); }} catch (Exception e) {{ if (--attempts == 0) {{ throw e; }} }}
            }}
        }}
        static Object invoked(java.lang.reflect.Method method) throws Exception {{
            try {{ return method.invoke(null); }} catch (Exception e) {{ throw new IllegalStateException(e); }}
        }}
        static Object proxied(java.lang.reflect.Method method) throws Exception {{ {body} }}"""
    made = "com.acme.Proxy.of(method -> proxied(method));"
    given = f"started = env; try {{ {made} }} catch (Exception e) {{ throw new IllegalStateException(e); }} "
    topology = read(given + 'env.fromSequence(1, 2).map(x -> x).uid("u").print();', members)
    assert certain(topology) is followed


@pytest.mark.parametrize(
    ("body", "followed"),
    [
        ("public Object process(Object x) { return process(x, this.process); }", True),
        ("public Object process(Object x) { return process.map(y -> y); }", False),
        ("public Object process(Object x) { return com.acme.Log.of(process); }", False),
    ],
)
def test_a_method_that_is_called_like_a_stream_is_no_stream(body: str, followed: bool) -> None:
    given = (
        f"DataStream<Long> process = env.fromSequence(1, 2); Object made = com.acme.Made.of(new Steps() {{ {body} }});"
    )
    topology = read(given + 'process.map(x -> x).uid("u").print();', "interface Steps {}")
    assert certain(topology) is followed
