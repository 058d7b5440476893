"""Loops of many rounds: followed where rounds show something, summed up where they don't."""

import pytest

from checker.extract.interpreting.memory import Trace
from checker.extract.java import program
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.nodes import main_method
from checker.model.flink_releases import api_of
from checker.model.pipelines import ExtractorKind, PipelineEntry
from tests.extract.java.programs import files

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
