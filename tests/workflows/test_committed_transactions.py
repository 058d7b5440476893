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
  @Override protected void preCommit(Tx tx) { Store.flush(tx); }
  @Override protected void commit(Tx tx) { Store.commit(tx); }
  @Override protected void abort(Tx tx) { new java.io.File(tx.id + ".tmp").delete(); }
}
""",
    "Store": """class Store {
  static void flush(Tx tx) { java.nio.file.Files.write(java.nio.file.Paths.get(tx.id + ".tmp"), tx.lines); }
  static void commit(Tx tx) { new java.io.File(tx.id + ".tmp").renameTo(new java.io.File(tx.id)); }
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


FLUSH = 'java.nio.file.Files.write(java.nio.file.Paths.get(tx.id + ".tmp"), tx.lines);'
RENAME = 'new java.io.File(tx.id + ".tmp").renameTo(new java.io.File(tx.id));'


@pytest.mark.parametrize(
    ("name", "before", "after", "found"),
    [
        ("Once", "{ Store.commit(tx); }", "{ }", True),
        ("Once", "{ Store.commit(tx); }", "{ String id = tx.id; System.out.println(id); }", True),
        ("Once", "{ Store.commit(tx); }", "{ if (!tx.lines.isEmpty()) { Store.commit(tx); } }", False),
        ("Once", "{ Store.commit(tx); }", "{ System.out.println(tx.id); Store.commit(tx); }", False),
        ("Once", "Store.flush(tx);", "", True),
        ("Once", "tx.lines.add(x);", "tx.lines.clear();", True),
        ("Once", "tx.lines.add(x);", "if (!x.isEmpty()) { tx.lines.add(x); }", False),
        ("Once", "{ Store.commit(tx); }", '{ String name = tx.id + ".tmp"; new java.io.File(name).delete(); }', True),
        ("Once", "{ Store.commit(tx); }", "{ finish(tx); }\n  private void finish(Tx tx) { Store.commit(tx); }", False),
        ("Store", RENAME, 'new java.io.File(tx.id + ".tmp").delete();', True),
        ("Store", RENAME, "java.nio.file.Files.move(old(tx), java.nio.file.Path.of(tx.id));", False),
        ("Store", RENAME, f"{RENAME} new java.io.File(tx.id + '.tmp').delete();", False),
        ("Store", RENAME, "", True),
        ("Store", RENAME, "System.out.println(tx.id);", True),
        ("Store", RENAME, f"System.out.println(tx.id); {RENAME}", False),
        ("Store", FLUSH, "", True),
    ],
)
def test_transactions_that_are_no_longer_written_or_committed(name: str, before: str, after: str, found: bool) -> None:
    expected = {"edit-not-understood"} if found else set()
    assert errors(IMPORTS, FILES, name, before, after) == expected
