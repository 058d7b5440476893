"""Anonymous classes with a diamond have the type arguments of what they are declared with."""

from __future__ import annotations

import pytest

from checker.model.unknowns import Unknown
from tests.extract.java.programs import physical, read

OTHERS = {
    "Scan": "public class Scan { public String id; public Scan() {} }",
    "Tags": """public class Tags {
      public static final OutputTag<Scan> CONSTANT = new OutputTag<>("late") {};
      static OutputTag<Scan> returned() { return new OutputTag<>("late") {}; }
      static OutputTag<Scan> chosen(boolean some) {
        return some ? new OutputTag<>("late") {} : (new OutputTag<>("late") {});
      }
      static OutputTag<Scan> passed() { return same(new OutputTag<>("late") {}); }
      static OutputTag<Scan> same(OutputTag<Scan> tag) { return tag; }
      static OutputTag<Scan> supplied() {
        java.util.function.Supplier<OutputTag<Scan>> made = () -> { return new OutputTag<>("late") {}; };
        return made.get();
      }
      static Object plain() { return new OutputTag<>("late") {}; }
    }""",
}


def key_type(tag: str, before: str = "") -> object:
    """The type of keys that are whole elements of a side output."""
    body = f"""{before} DataStream<Long> s = env.fromElements(1L);
      s.process(new Late()).getSideOutput({tag}).keyBy(x -> x).reduce((a, b) -> a).print();"""
    late = """import org.apache.flink.streaming.api.functions.ProcessFunction;
    public class Late extends ProcessFunction<Long, Long> {
      public void processElement(Long x, Context c, Collector<Long> out) { } }"""
    found = [t.key_type for t in physical(read(body, others={**OTHERS, "Late": late})) if t.keyed]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("tag", "before"),
    [
        ("Tags.CONSTANT", ""),
        ("Tags.returned()", ""),
        ("Tags.chosen(true)", ""),
        ("local", 'OutputTag<Scan> local = new OutputTag<>("late") {};'),
        ("local", 'OutputTag<Scan> local = new OutputTag<Scan>("late") {};'),
    ],
)
def test_the_target_gives_the_type(tag: str, before: str) -> None:
    assert str(key_type(tag, before)).endswith("Scan")


@pytest.mark.parametrize("tag", ["Tags.supplied()", "Tags.passed()", "(OutputTag) Tags.plain()"])
def test_another_target_gives_none(tag: str) -> None:
    """A return inside of a lambda is none of the method's, parameters and targets of other classes say nothing."""
    assert isinstance(key_type(tag), Unknown)
