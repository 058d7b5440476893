"""Loops of many rounds: followed where rounds show something, summed up where they don't."""

import pytest

from checker.extract.interpreting.memory import Trace
from checker.extract.java import program
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.nodes import main_method
from checker.model.flink_releases import api_of
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.unknowns import CODE, Unknown
from tests.extract.java.programs import files, read, uids

FILLS = """
  static List<String> rows() {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      String row = "row " + i + System.nanoTime();
      try { rows.add(row.trim()); } catch (RuntimeException e) { throw new IllegalStateException(e); }
    }
    return rows;
  }
"""
RETRIES = """
  static int tries = Integer.parseInt(System.getenv("TRIES"));
  static String retry(Supplier<String> call) {
    int left = tries;
    while (true) {
      try { return call.get(); } catch (RuntimeException e) { if (--left <= 0) { throw e; } }
    }
  }
  static String fails() { throw new IllegalStateException(); }
"""


def steps(body: str, members: str, bound: int = 3_000) -> int:
    """That reading the program takes no more steps than the bound."""
    revision = files(body, members)
    entry = PipelineEntry(name="Job", extract=ExtractorKind.JAVA, main="acme.Job", flink="1.20")
    index = ClassIndex(revision)
    decl = index.find("acme.Job", "")
    assert decl is not None
    main = main_method(index, decl)
    assert main is not None
    found = program.interpret(index, main, entry, api_of("1.20"), bound, Trace())
    assert found.cut is None
    return bound


@pytest.mark.parametrize(
    ("body", "members"),
    [
        ('env.fromCollection(rows()).uid("rows").print();', FILLS),
        ('String name = retry(Job::fails); env.fromSequence(1, 2).uid("a").name(name).print();', RETRIES),
    ],
)
def test_rounds_that_show_nothing_new_are_not_followed(body: str, members: str) -> None:
    assert steps(body, members)


PLANNERS = """
  interface Planner { void run(StreamExecutionEnvironment env); }
  static class Fast implements Planner { public void run(StreamExecutionEnvironment env) { declare(env, "fast"); } }
  static class Slow implements Planner { public void run(StreamExecutionEnvironment env) { declare(env, "slow"); } }
  static void declare(StreamExecutionEnvironment env, String name) {
    for (int i = 0; i < 40; i++) { int a = i + 1; int b = a + 1; }
    DataStream<Long> s = env.fromSequence(1, 2).uid(name);
    if (System.getenv("A") != null) s.map(x -> x).uid("a");
    if (System.getenv("B") != null) s.map(x -> x).uid("b");
    s.print();
  }
"""


def test_calls_on_one_of_several_objects_that_need_a_fork_are_tried_once() -> None:
    body = 'Planner p = System.getenv("FAST") != null ? new Fast() : new Slow(); p.run(env);'
    assert steps(body, PLANNERS, 12_000)


def test_what_such_a_loop_writes_is_unknown() -> None:
    body = 'int n = 0; for (int i = 0; i < 5_000; i++) { n += i; } env.fromSequence(1, 2).uid("u" + n).print();'
    (found,) = [open_uid for open_uid in read(body).transformations if isinstance(open_uid.uid, Unknown)]
    assert isinstance(found.uid, Unknown)


@pytest.mark.parametrize("leaves", ["if (i == 50) break;", "if (rows.size() == 51) break;"])
def test_a_loop_that_something_leaves_is_followed(leaves: str) -> None:
    body = (
        f"List<Integer> rows = new ArrayList<>(); for (int i = 0; i < 5_000; i++) {{ rows.add(i); {leaves} }}"
        ' env.fromSequence(1, 2).uid("u" + rows.size()).print();'
    )
    assert uids(read(body)) == ["u51"]


def test_operators_that_late_rounds_declare_are_found() -> None:
    body = (
        'DataStream<Long> s = env.fromSequence(1, 2).uid("a");'
        ' for (int i = 0; i < 1_000; i++) { if (i % 200 == 50) { s = s.map(x -> x).uid("m" + i); } }'
        " s.print();"
    )
    assert uids(read(body)) == ["a", "m50", "m250", "m450", "m650", "m850"]


@pytest.mark.parametrize("rounds", [20, 90])
def test_short_loops_are_exact(rounds: int) -> None:
    body = (
        f"StringBuilder b = new StringBuilder(); for (int i = 0; i < {rounds}; i++) {{ b.append(i % 2); }}"
        ' env.fromSequence(1, 2).uid("u" + b).print();'
    )
    assert uids(read(body)) == ["u" + "01" * (rounds // 2)]


def test_what_is_known_of_a_program_with_a_long_computation_and_many_shapes_is_kept() -> None:
    work = "static int work(int n) { return n <= 1 ? 1 : work(n - 1) + work(n - 2); }"
    shapes = " ".join(f'if (System.getenv("{name}") != null) s.map(x -> x).uid("{name}").print();' for name in "ABCD")
    made = 'DataStream<Long> s = env.fromSequence(1, 2).uid("numbers");'
    body = f'int n = work(25); {made} {shapes} s.print().name("" + n);'
    assert "numbers" in uids(read(body, work))


MODES = """
    String mode = ParameterTool.fromArgs(args).get("mode", "a").trim();
    DataStream<Long> d;
    switch (mode) {
      case "a": d = env.fromSequence(0, 1).uid("a"); break;
      case "b": d = env.fromSequence(0, 2).uid("b"); break;
      default: d = env.fromSequence(0, 3).uid("c");
    }
    if ("a".equals(mode)) { d.map(x -> x).uid("of a").print(); }
    if (mode.equals("b")) { d.map(x -> x).uid("of b").print(); } else { d.map(x -> x).uid("not b").print(); }
"""


def test_what_equals_one_text_equals_no_other_one() -> None:
    found = [
        [t.uid for t in variant.transformations if isinstance(t.uid, str)]
        for variant in read(MODES, args=None).variants
    ]
    assert found == [["a", "of a", "not b"], ["b", "of b"], ["c", "not b"]]


def test_a_condition_of_which_only_the_ways_are_unknown_forks_nothing() -> None:
    body = """
    boolean on = args.length > 1 ? Boolean.parseBoolean(args[0]) : Boolean.parseBoolean(System.getenv("ON"));
    if (on) { env.enableCheckpointing(5); } else { env.enableCheckpointing(9); }
    env.fromSequence(0, 1).uid("a").print();
    """
    topology = read(body, args=None)
    assert not topology.variants
    assert uids(topology) == ["a"]


ASKED_TWICE = """
    %s
    String a = %s;
    %s
    String b = %s;
    DataStream<Long> d = env.fromSequence(0, 1);
    if (a.equals("x")) { d.map(x -> x).uid("m").print(); if (!b.equals("x")) { d.map(x -> x).uid("n").print(); } }
"""


@pytest.mark.parametrize(
    ("before", "asked", "between", "differ"),
    [
        ("java.util.Scanner in = new java.util.Scanner(System.in);", "in.nextLine()", "", True),
        ("", 'acme.Prompt.ask("mode?")', "", True),
        ("", "acme.Ids.next()", "", True),
        ("", "acme.Flags.mode()", "", False),
        ("", "acme.Flags.mode()", "acme.Flags.reset();", True),
        ("", "acme.Flags.mode()", "new acme.Defaults(a);", True),
        ("", "acme.Flags.mode()", 'System.setProperty("mode", "x");', True),
        ("", "acme.Flags.mode()", "other.Modes.reset();", False),
        ("var all = acme.Flags.all();", "all.mode()", "all.mode = a;", True),
        ("var all = acme.Flags.getAll();", "all.mode()", "all.getModes().reset();", True),
        ("", "args[0]", "", False),
        ("", "args[0]", "args[0] = args[1];", True),
        ("", "args[0]", "java.util.Arrays.sort(args);", True),
        ("String[] all = acme.Flags.all();", "all[0]", 'if (args.length > 1) { all[0] = "z"; }', True),
        ("var all = args[0].split(args[1]);", "all[0]", "for (int i = 0; i < all.length; i++) all[i] = a;", True),
    ],
)
def test_two_texts_of_one_expression_may_differ(before: str, asked: str, between: str, differ: bool) -> None:
    topology = read(ASKED_TWICE % (before, asked, between, asked), args=None)
    found = {t.uid for variant in topology.variants for t in variant.transformations}
    assert {"m"} <= found
    assert ("n" in found) is differ


def test_a_call_that_is_not_followed_hands_functions_what_its_code_makes() -> None:
    work = " ".join(f"a = a * {n} + System.nanoTime();" for n in range(40))
    members = f"""
      static int work(int n) {{ return n <= 1 ? 1 : work(n - 1) + work(n - 2); }}
      static void run(Consumer<String> c) {{ long a = 0; for (int i = 0; i < 90; i++) {{ {work} }} c.accept("a"); }}
      static class Held {{
        final List<Consumer<String>> c;
        Held(Consumer<String> c) {{ this.c = List.of(c); }}
        void run() {{ Job.run(c.get(0)); }}
      }}"""
    call = "new Held(n -> id[0] = n).run();"
    body = f'int n = work(25); String[] id = {{"x"}}; {call} env.fromSequence(0, 1).uid(id[0]).print();'
    (made_of,) = [t.uid.derived_from for t in read(body, members).transformations if isinstance(t.uid, Unknown)]
    assert (made_of or "").startswith(CODE)
