"""A table that could not be planned is made of what its planner is given: other code of the program decides nothing."""

from pathlib import Path

import pytest

from tests.workflows.deployed import POM, errors, java

FOLDER = "src/main/java/"
BODY = """org.apache.flink.table.api.bridge.java.StreamTableEnvironment t =
        org.apache.flink.table.api.bridge.java.StreamTableEnvironment.create(env);
    t.createTemporarySystemFunction("total", Total.class);
    t.executeSql("CREATE TABLE o (c STRING, n BIGINT) WITH ('connector'='kafka')");
    t.executeSql("CREATE TABLE s (c STRING, n BIGINT) WITH ('connector'='none-that-is-known')");
    t.executeSql("INSERT INTO s SELECT c, total(n) FROM o GROUP BY c");
    report(2);"""
JOB = (
    java(BODY)
    .replace("  public static", "  static void report(int n) { System.out.println(n); }\n  public static", 1)
    .replace("    env.execute();\n", "")
)
TOTAL = """public class Total extends org.apache.flink.table.functions.AggregateFunction<Long, Total.Sum> {
  public static class Sum { public long n; }
  public Sum createAccumulator() { return new Sum(); }
  public Long getValue(Sum sum) { return sum.n + 1; }
  public void accumulate(Sum sum, Long n) { sum.n += n; }
}
"""
ALL = {"pom.xml": POM, FOLDER + "Job.java": JOB, FOLDER + "Total.java": TOTAL}
INSERT = '"INSERT INTO s SELECT c, total(n) FROM o GROUP BY c"'


@pytest.mark.flink
@pytest.mark.usefixtures("_one_planner")
@pytest.mark.parametrize(
    ("name", "before", "after", "fails"),
    [
        ("Job", "report(2)", "report(3)", False),
        ("Job", "println(n)", "println(n + 1)", False),
        ("Job", f"t.executeSql({INSERT})", f"String q = {INSERT};\n    t.executeSql(q)", False),
        ("Job", "GROUP BY c", "GROUP BY n", True),
        ("Job", "Total.class", "Job.class", True),
        ("Total", "public long n", "public String n", True),
    ],
)
def test_what_the_planner_is_given_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, before: str, after: str, fails: bool
) -> None:
    path = f"{FOLDER}{name}.java"
    assert before in ALL[path]
    found = errors(tmp_path, capsys, ALL, {path: ALL[path].replace(before, after)})
    assert bool(found["Job"]) is fails
