"""Entries of maps inside of an object in state are looked up by keys that the object's class computes."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.util.*;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").keyBy(x -> x).process(new Pages()).uid("pages").print();
    env.execute();
  }
}
""",
    "Pages": """public class Pages extends KeyedProcessFunction<String, String, String> {
  private transient ValueState<Profile> profile;
  @Override public void open(OpenContext c) {
    profile = getRuntimeContext().getState(new ValueStateDescriptor<>("profile", Profile.class));
  }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    Profile p = profile.value();
    if (p == null) { p = new Profile(); }
    p.visit(x);
    profile.update(p);
    out.collect(x + p.visits(x));
  }
}
""",
    "Profile": """public class Profile {
  public Map<String, Integer> pages = new HashMap<>();
  public void visit(String x) { pages.merge(key(x), 1, Integer::sum); }
  public int visits(String x) { return pages.getOrDefault(key(x), 0); }
  private static String key(String x) { return x.toUpperCase(); }
}
""",
}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("x.toUpperCase()", "x", True),
        ("merge(key(x), 1", "merge(x, 1", True),
        ("getOrDefault(key(x), 0)", "getOrDefault(key(x), 1)", False),
        ("{ return x.toUpperCase(); }", "{ String upper = x.toUpperCase(); return upper; }", False),
        ("pages.merge(key(x), 1, Integer::sum);", "pages.put(key(x), visits(x) + 1);", False),
    ],
)
def test_keys_of_maps_in_objects(before: str, after: str, found: bool) -> None:
    assert errors(IMPORTS, FILES, "Profile", before, after) == ({"edit-not-understood"} if found else set())
