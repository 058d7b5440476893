"""A function that an argument chooses: what it may be is an opening, and what it computes is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.deployed import POM, errors, java

FOLDER = "src/main/java/"
COUNT = """import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
public class Count extends KeyedProcessFunction<Long, Long, Long> {
  private ValueState<Long> seen;
  public void open(org.apache.flink.configuration.Configuration c) {
    seen = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
  }
  public void processElement(Long x, Context context, org.apache.flink.util.Collector<Long> out) throws Exception {
    seen.update(Maths.twice(x) + 1);
  }
}
"""
ALL = {
    "pom.xml": POM,
    FOLDER + "Count.java": COUNT,
    FOLDER + "Sum.java": COUNT.replace("Count ", "Sum ").replace('"count"', '"sum"'),
    FOLDER + "Maths.java": "public class Maths { static long twice(long x) { return 2 * x; } }\n",
    FOLDER + "Mode.java": """public enum Mode {
  COUNT, SUM;
  KeyedProcessFunction<Long, Long, Long> function() { return this == COUNT ? new Count() : new Sum(); }
}
""".replace("Keyed", "org.apache.flink.streaming.api.functions.Keyed"),
    FOLDER + "Handler.java": """public class Handler implements java.lang.reflect.InvocationHandler {
  public Object invoke(Object proxy, java.lang.reflect.Method m, Object[] a) { return new Count(); }
}
""",
}
BY_ENUM = "Mode.valueOf(args[0]).function()"
BY_PROXY = (
    "((Supplier<KeyedProcessFunction<Long, Long, Long>>) Proxy.newProxyInstance(null, null, new Handler())).get()"
)
IMPORTS = (
    "import java.lang.reflect.Proxy;\nimport java.util.function.Supplier;\n"
    "import org.apache.flink.streaming.api.functions.KeyedProcessFunction;"
)


@pytest.mark.parametrize(
    ("function", "name", "before", "after", "fails"),
    [
        (BY_ENUM, "Count", '"count"', '"counts"', True),
        (BY_ENUM, "Mode", "new Count()", "new Sum()", True),
        (BY_ENUM, "Count", "+ 1", "+ 2", False),
        (BY_ENUM, "Maths", "2 * x", "3 * x", False),
        (BY_PROXY, "Handler", "new Count()", "new Sum()", True),
        (BY_PROXY, "Count", "+ 1", "+ 2", False),
    ],
)
def test_what_it_may_be_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], function: str, name: str, before: str, after: str, fails: bool
) -> None:
    body = f'env.fromSequence(0, 9).uid("in").keyBy(x -> x).process({function}).uid("n").print().uid("out");'
    path = f"{FOLDER}{name}.java"
    sides = {**ALL, FOLDER + "Job.java": java(body, imports=IMPORTS)}
    found = errors(tmp_path, capsys, sides, {path: ALL[path].replace(before, after)})
    assert bool(found["Job"]) is fails
