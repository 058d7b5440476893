"""Arguments that a program needs anew: said where their absence ends it, and only there."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import findings

IMPORTS = """package jobs;
import java.util.*;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
"""
JOB = """public class Job {
  public static void main(String[] args) throws Exception {
    ParameterTool params = ParameterTool.fromArgs(args);
    String host = params.getRequired("host");
    int port = params.getInt("port", 1);
    // more
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream(host, port).uid("lines").keyBy(x -> x).reduce((a, b) -> a + b).uid("sum").print();
    env.execute();
  }
  static void usage() {
    System.err.println("usage");
    System.exit(1);
  }
}
"""
MORE = "// more"


def needed(before: str, after: str) -> list[str]:
    """The fingerprinted names; nothing else may be found."""
    found = findings(IMPORTS, {"Job": JOB}, "Job", before, after)
    assert {f["rule"] for f in found} <= {"argument-needed"}
    assert {f["severity"] for f in found} <= {"warning"}
    return [f["message"].partition(",")[0] for f in found]


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        (MORE, 'String region = params.getRequired("region");', "region"),
        (MORE, 'int days = params.getInt("days");', "days"),
        (MORE, 'Objects.requireNonNull(params.get("region"), "--region is missing");', "region"),
        (MORE, 'if (!params.has("region")) { throw new IllegalArgumentException("region"); }', "region"),
        (MORE, 'if (!params.has("region")) { usage(); }', "region"),
        (MORE, "String third = args[2];", "args[2]"),
        (MORE, "if (args.length < 3) { usage(); } String third = args[2];", "args[2]"),
        (MORE, 'int days = Integer.parseInt(System.getenv("DAYS"));', "DAYS"),
        (MORE, 'Optional.ofNullable(params.get("r")).orElseThrow(() -> new IllegalStateException());', "r"),
        (MORE, 'params.getRequired("region"); params.get("zone");', "region"),
        ('getRequired("host")', 'getRequired("hostname")', "hostname"),
        ('getInt("port", 1)', 'getInt("port")', "port"),
    ],
)
def test_what_a_start_needs_anew(before: str, after: str, name: str) -> None:
    assert needed(before, after) == [f"the program now needs '{name}'"]


def test_several_are_one_finding() -> None:
    (found,) = findings(IMPORTS, {"Job": JOB}, "Job", MORE, 'params.getRequired("a"); params.getRequired("b");')
    assert found["message"].startswith("the program now needs 'a', 'b', and whether a start gives them is not known")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (MORE, 'String region = params.get("region", "eu");'),
        (MORE, 'String region = params.get("region"); System.out.println(region);'),
        (MORE, 'String region = Objects.requireNonNullElse(params.get("region"), "eu");'),
        (MORE, 'if (params.has("region")) { System.out.println(params.getRequired("region")); }'),
        (MORE, 'String third = args.length > 2 ? args[2] : "eu";'),
        (MORE, 'System.out.println(params.getRequired("host"));'),
        (MORE, 'int n; try { n = Integer.parseInt(System.getenv("N")); } catch (NumberFormatException e) { n = 1; }'),
        ('params.getRequired("host")', 'params.has("h") ? params.get("h") : params.getRequired("host")'),
    ],
)
def test_what_a_start_can_do_without(before: str, after: str) -> None:
    assert needed(before, after) == []
