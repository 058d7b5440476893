"""Uids made of places in a list move with it: state goes to the operator of another element, without a message."""

from __future__ import annotations

import pytest

from checker.compare import compare_pipelines
from checker.extract.java import extraction
from checker.flink import translate
from checker.model.findings import RestorePath, Verdict
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.translation import Translation

FILE = "src/main/java/com/acme/Job.java"
ENTRY = PipelineEntry(name="job", extract=ExtractorKind.JAVA, main="com.acme.Job", file=FILE)
JOB = """package com.acme;
import java.util.List;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Job {
  static class Match extends KeyedProcessFunction<String, String, String> {
    final String rule;
    private transient ValueState<Long> count;
    Match(String rule) { this.rule = rule; }
    public void open(Configuration c) {
      count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
    }
    public void processElement(String v, Context c, Collector<String> out) { out.collect(v); }
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> in = env.socketTextStream("localhost", 9999);
    List<String> rules = List.of(%s);
    for (int i = 0; i < rules.size(); i++) {
      in.keyBy(x -> x).process(new Match(rules.get(i))).uid("rule-" + i).print();
    }
    env.execute();
  }
}
"""


def read(rules: str) -> Translation:
    listed = ", ".join(f'"{rule}"' for rule in rules)
    return translate(extraction.extract(MemoryFiles({FILE: (JOB % listed).encode()}), ENTRY))


@pytest.mark.parametrize(
    ("before", "after", "misassigned"),
    [
        ("abc", "xabc", {"rule-0", "rule-1", "rule-2"}),
        ("abc", "bc", {"rule-0", "rule-1"}),
        ("abc", "bac", {"rule-0", "rule-1"}),
        ("abc", "abcd", set()),
        ("abc", "abc", set()),
    ],
)
def test_ids_that_move_along_a_list(before: str, after: str, misassigned: set[str]) -> None:
    rows = compare_pipelines("job", read(before), read(after)).operators
    found = {
        row.base.uid
        for row in rows
        if row.base is not None and row.verdict(RestorePath.SAVEPOINT) is Verdict.MISASSIGNED
    }
    assert found == misassigned
