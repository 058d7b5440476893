"""State that super classes, overridden methods and helper classes register is compared like any other."""

from __future__ import annotations

import pytest

from tests.judging import judged

IMPORTS = """package jobs;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
"""
FILES = {
    "pom.xml": "<project><dependencies><dependency><groupId>org.apache.flink</groupId>"
    "<artifactId>flink-streaming-java</artifactId><version>1.20.1</version></dependency></dependencies></project>",
    "src/main/java/jobs/Orders.java": IMPORTS
    + """public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("source").keyBy(x -> x).process(new Dedup()).uid("dedup").print();
    env.execute();
  }
}
""",
    "src/main/java/jobs/Base.java": IMPORTS
    + """abstract class Base extends KeyedProcessFunction<String, String, String> {
  static final String SEEN = "seen";
  protected transient ValueState<Long> seen;
  @Override public void open(Configuration c) throws Exception { seen = getRuntimeContext().getState(described(SEEN)); }
  protected ValueStateDescriptor<Long> described(String name) { return new ValueStateDescriptor<>(name, Long.class); }
}
""",
    "src/main/java/jobs/Dedup.java": IMPORTS
    + """public class Dedup extends Base {
  private transient ListState<String> waiting;
  private transient Store store;
  @Override public void open(Configuration c) throws Exception {
    super.open(c);
    waiting = getRuntimeContext().getListState(new ListStateDescriptor<>("waiting", String.class));
    store = new Store(getRuntimeContext());
  }
  @Override protected ValueStateDescriptor<Long> described(String name) { return super.described("dedup-" + name); }
  @Override public void processElement(String x, Context ctx, Collector<String> out) throws Exception {
    store.put("best", 1.0);
    out.collect(x);
  }
}
""",
    "src/main/java/jobs/Store.java": IMPORTS
    + """final class Store {
  private final RuntimeContext context;
  Store(RuntimeContext context) { this.context = context; }
  void put(String name, double v) throws Exception {
    context.getState(new ValueStateDescriptor<>(name, Double.class)).update(v);
  }
}
""",
}


def errors(path: str, before: str, after: str) -> set[str]:
    """The rules of what is said of an edit."""
    path = f"src/main/java/jobs/{path}.java"
    assert before in FILES[path]
    edited = {**FILES, path: FILES[path].replace(before, after)}
    (pipeline,) = judged(FILES, edited)
    return {f["rule"] for f in pipeline["findings"] if f["severity"] == "error"}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("Base", '"seen"', '"seen-at"'),
        ("Base", "Long.class", "Integer.class"),
        ("Dedup", '"dedup-"', '"d-"'),
        ("Dedup", '"waiting"', '"queue"'),
        ("Dedup", '"best"', '"top"'),
        ("Store", "Double.class", "Object.class"),
    ],
)
def test_no_such_state_is_lost_in_silence(path: str, before: str, after: str) -> None:
    assert errors(path, before, after) != set()


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [("Dedup", "out.collect(x)", "out.collect(x + x)"), ("Store", "update(v)", "update(v + 1)")],
)
def test_what_is_done_with_values_is_no_edit_of_state(path: str, before: str, after: str) -> None:
    assert errors(path, before, after) == set()
