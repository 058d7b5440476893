"""Timers lie under the name of their service: an operator that names another one fires none of them."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.*;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").keyBy(x -> x)
        .transform("late", Types.STRING, new Late()).uid("late").print();
    env.execute();
  }
}
""",
    "Late": """public class Late extends AbstractStreamOperator<String>
    implements OneInputStreamOperator<String, String>, Triggerable<String, VoidNamespace> {
  static final String SERVICE = "reminders";
  private transient InternalTimerService<VoidNamespace> timers;
  @Override public void open() throws Exception {
    super.open();
    timers = getInternalTimerService("reminders", VoidNamespaceSerializer.INSTANCE, this);
  }
  @Override public void processElement(StreamRecord<String> r) throws Exception {
    timers.registerEventTimeTimer(VoidNamespace.INSTANCE, r.getTimestamp() + 1000);
    output.collect(r);
  }
  @Override public void onEventTime(InternalTimer<String, VoidNamespace> t) throws Exception { }
  @Override public void onProcessingTime(InternalTimer<String, VoidNamespace> t) throws Exception { }
}
""",
}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('Service("reminders"', 'Service("wake-ups"', {"state-renamed"}),
        ('Service("reminders"', 'Service(System.getenv("SERVICE")', {"type-change-to-check"}),
        ('Service("reminders"', "Service(SERVICE", set()),
        ("+ 1000", "+ 2000", set()),
    ],
)
def test_the_name_of_a_timer_service(before: str, after: str, found: set[str]) -> None:
    assert errors(IMPORTS, FILES, "Late", before, after) == found
