"""What functions give to members, asked for again with other names."""

from __future__ import annotations

from typing import Any

import pytest

from checker.extract import java
from checker.extract.consulted import ConsultedFiles
from checker.extract.interpreting.trace import Trace
from checker.extract.java.reached.code import JavaCode
from checker.extract.java.reached.element_flow import ElementFlow
from checker.extract.java.reached.scopes import Found, Scope, WrittenBefore
from checker.extract.java.reached.value_texts import ValueTexts
from checker.extract.java.reached.wanted import Answers, Wanted
from checker.extract.java.syntax.declarations import MethodDecl
from checker.extract.java.syntax.tree import Node
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.program_code import ELEMENT, WHOLE, Flow
from tests.extract.java.programs import files

MOVE = """public class Move {
  public String sku; public String depot; public long at;
  public void setSku(String sku) { this.sku = sku.trim(); }
}
"""
CLEAN = """public class Clean implements MapFunction<Move, Move> {
  public Move map(Move move) { move.setSku(depot(move)); move.at = move.at + 1; return move; }
  private String depot(Move move) { return move.depot.trim(); }
}
"""
SPLIT = """public class Split implements FlatMapFunction<Move, Tuple2<String, Long>> {
  public void flatMap(Move move, Collector<Tuple2<String, Long>> out) { out.collect(Tuple2.of(move.sku, move.at)); }
}
"""
BODY = (
    "env.fromElements(new Move()).map(new Clean()).map(m -> { m.depot = m.sku; return m; }).flatMap(new Split())"
    ".keyBy(t -> t.f0).print();"
)


def code(clean: str = CLEAN) -> JavaCode:
    entry = PipelineEntry(name="Job", extract=ExtractorKind.JAVA, main="acme.Job", flink="1.20")
    revision = files(BODY, others={"Move": MOVE, "Clean": clean, "Split": SPLIT})
    trace = Trace()
    java.extract(revision, entry, trace)
    found = java.reached_code(revision, entry, trace)
    assert found is not None
    return found


def test_flows_for_more_names_are_those_of_code_that_is_read_anew() -> None:
    asked_again = code()
    seen = set()
    names: frozenset[str] = frozenset()
    for more in (set(), {"f0"}, {"sku"}, {"depot", "at"}, {ELEMENT}, {WHOLE}, {"nothing of this"}):
        names |= more
        found = asked_again.flows(names)
        assert found == code().flows(names)
        seen.add(frozenset(found))
    assert len(seen) == 5  # functions that give their element as it is ask for none of it


def test_functions_are_read_once_for_all_pipelines_of_a_main_class(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = ElementFlow._read_method

    def counting(flow: ElementFlow, method: MethodDecl, *arguments: Any) -> Flow:
        read.append(method.name)
        flow._index.ask("java folder", "asked/while/reading")
        return real(flow, method, *arguments)

    monkeypatch.setattr(ElementFlow, "_read_method", counting)
    own = MOVE.replace("long at;", "long at, of_this_test;")  # classes are not taken from another test's revision
    revision = files(BODY, others={"Move": own, "Clean": CLEAN, "Split": SPLIT})
    found = []
    for parallelism in (1, 2):
        watched = ConsultedFiles(revision)
        entry = PipelineEntry(
            name="Job", extract=ExtractorKind.JAVA, main="acme.Job", flink="1.20", parallelism=parallelism
        )
        reached = java.reached_code(watched, entry, Trace())
        assert reached is not None
        found.append((reached.flows(frozenset({"f0"})), watched.consulted))
        assert len(read) == 2
    assert found[0][0] == found[1][0]
    assert all(("java folder", "asked/while/reading") in asked.answers for _, asked in found)
    again = files(BODY, others={"Move": own, "Clean": CLEAN.replace("depot", "sku"), "Split": SPLIT})
    reached = java.reached_code(ConsultedFiles(again), entry, Trace())
    assert reached is not None
    assert reached.flows(frozenset({"f0", "sku"})) != found[0][0]


def test_functions_that_ask_for_none_of_the_new_names_are_not_read_again() -> None:
    read = code()
    first = {flow.root: flow for flow in read.flows(frozenset({"f0"}))}
    second = {flow.root: flow for flow in read.flows(frozenset({"f0", "sku"}))}
    split, clean = ((f"acme.{name}", key) for name, key in (("Split", "flatMap(Move,Collector<Tuple2<String, Long>>)"),
                                                           ("Clean", "map(Move)")))  # fmt: skip
    assert second[split] is first[split]
    assert second[clean] != first[clean]


DOUBLED = """public class Clean implements MapFunction<Move, Move> {
  private final String mark;
  public Clean(String mark) { this.mark = mark; }
  public Move map(Move move) {
    String a = move.depot + mark; String b = a + a; String c = b + b; String d = c + of(c, b);
    move.sku = d; move.depot = of(d, c); return move;
  }
  private String of(String left, String right) { String both = left + right; return both + both; }
}
"""


def test_a_value_is_written_out_once_in_each_scope(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = frozenset({"sku", "depot"})
    written: list[Node] = []
    newly = ValueTexts._written

    def counted(self: ValueTexts, found: Found, node: Node, scope: Scope) -> str:
        written.append(node)
        return newly(self, found, node, scope)

    monkeypatch.setattr(ValueTexts, "_written", counted)
    once = code(DOUBLED).flows(wanted)
    few = len(written)
    assert any("mark" in flow.fields for flow in once)
    monkeypatch.setattr(WrittenBefore, "text_of", lambda _, found, node, scope, write: write(found, node, scope))
    assert code(DOUBLED).flows(wanted) == once
    assert len(written) - few > 5 * few


def test_answers_hold_while_all_names_that_were_asked_about_are_as_before() -> None:
    asked: list[str] = []

    def answer(wanted: Wanted) -> bool:
        asked.append("again")
        return "a" in wanted and not wanted.isdisjoint(["b", "c"])

    answers = Answers[bool]()
    for names, result in (
        ("", False),
        ("x", False),
        ("a", False),
        ("ax", False),
        ("ac", True),
        ("acy", True),
        ("c", False),
    ):
        assert answers.of("question", frozenset(names), answer) is result
    assert len(asked) == 3
