"""What a savepoint holds to be committed is lost where the code of a sink no longer commits it."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import java.util.*;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.base.VoidSerializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.TwoPhaseCommitSinkFunction;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").addSink(new Once()).uid("once");
    env.execute();
  }
}
""",
    "Once": """public class Once extends TwoPhaseCommitSinkFunction<String, Tx, Void> {
  public Once() { super(TypeInformation.of(Tx.class).createSerializer(null), VoidSerializer.INSTANCE); }
  @Override protected Tx beginTransaction() { return new Tx(UUID.randomUUID().toString()); }
  @Override protected void invoke(Tx tx, String x, Context c) { tx.lines.add(x); }
  @Override protected void preCommit(Tx tx) { }
  @Override protected void commit(Tx tx) { Store.commit(tx); }
  @Override protected void abort(Tx tx) { }
}
""",
    "Store": """class Store {
  static void commit(Tx tx) { System.out.println(tx.id); }
}
""",
    "Tx": """public class Tx {
  public String id;
  public List<String> lines = new ArrayList<>();
  public Tx() { }
  public Tx(String id) { this.id = id; }
}
""",
}


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("{ }", True),
        ("{ String id = tx.id; System.out.println(id); }", True),
        ("{ if (!tx.lines.isEmpty()) { Store.commit(tx); } }", False),
        ("{ System.out.println(tx.id); Store.commit(tx); }", False),
    ],
)
def test_transactions_that_are_no_longer_committed(after: str, found: bool) -> None:
    expected = {"edit-not-understood"} if found else set()
    assert errors(IMPORTS, FILES, "Once", "{ Store.commit(tx); }", after) == expected
