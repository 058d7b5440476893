"""Joins keep the elements of either input apart: inputs that trade places are read as each other."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

JOB = """package app;
import java.time.Duration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> a = env.socketTextStream("h", 1).map(x -> x).returns(String.class)UID_A;
    DataStream<String> b = env.socketTextStream("h", 2).filter(x -> x != null)UID_B;
    JOIN.uid("joined").print();
    env.execute();
  }
}
"""
WINDOW = ".where(x -> x).equalTo(x -> x).window(TumblingEventTimeWindows.of(Duration.ofSeconds(9))).apply"
JOINS = {
    "interval": "L.keyBy(x -> x).intervalJoin(R.keyBy(x -> x)).between(Duration.ofSeconds(-5), Duration.ofSeconds(5))"
    ".process(new Both())",
    "window": f"L.join(R){WINDOW}((x, y) -> x + y)",
    "groups": f"L.coGroup(R){WINDOW}(new Groups())",
    "connected": "L.keyBy(x -> x).connect(R.keyBy(x -> x)).process(new Sums())",
}
FUNCTIONS = {
    "Both": "org.apache.flink.streaming.api.functions.co.ProcessJoinFunction<String, String, String>",
    "Groups": "org.apache.flink.api.common.functions.RichCoGroupFunction<String, String, String>",
    "Sums": "org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction<String, String, String, String>",
}
FILES = {
    **{
        f"src/main/java/app/{name}.java": f"package app;\npublic abstract class {name} extends {above} {{}}\n"
        for name, above in FUNCTIONS.items()
    },
}


def rules(base: str, head: str, *, uids: bool = True) -> set[str]:
    """What is said of one join in place of another one."""
    job = JOB.replace("UID_A", '.uid("a")' if uids else "").replace("UID_B", '.uid("b")' if uids else "")
    both = (FILES | {"src/main/java/app/Job.java": job.replace("JOIN", join)} for join in (base, head))
    return {finding["rule"] for finding in findings(*both)}


def of(kind: str, left: str, right: str) -> str:
    return JOINS[kind].replace("L.", f"{left}.").replace("(R", f"({right}")


@pytest.mark.parametrize("kind", ["interval", "window", "groups"])
@pytest.mark.parametrize("uids", [True, False])
def test_inputs_that_trade_places_are_read_as_each_other(kind: str, uids: bool) -> None:
    assert "states-traded" in rules(of(kind, "a", "b"), of(kind, "b", "a"), uids=uids)


def test_a_function_of_two_inputs_keeps_what_it_registers_itself() -> None:
    assert not rules(of("connected", "a", "b"), of("connected", "b", "a"))


@pytest.mark.parametrize("kind", JOINS)
def test_inputs_that_stay_are_silent(kind: str) -> None:
    assert not rules(of(kind, "a", "b"), of(kind, "a", "b").replace("x -> x)", "v -> v)"))
    assert not rules(of(kind, "a", "a"), of(kind, "a", "a").replace("x -> x)", "v -> v)"))
