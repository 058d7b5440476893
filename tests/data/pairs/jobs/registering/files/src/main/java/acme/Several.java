package acme;

import java.io.Serializable;
import java.time.Duration;
import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Its states are those of a list, of an enum, and of a mode. */
public class Several extends Keyed {
  enum Kind {
    A("a"), B("b");
    final String name;
    Kind(String name) { this.name = name; }
  }
  private static final String[] NAMES = {"one", "two"};
  private static final boolean ON = true;
  private final Map<String, ValueState<Long>> values = new HashMap<>();
  private final String mode;
  private ValueState<Long> on;
  Several(String mode) { this.mode = mode; }
  @Override public void open(OpenContext c) throws Exception {
    for (String n : NAMES) values.put(n, value(n));
    for (Kind k : Kind.values()) values.put(k.name, value("kind-" + k.name));
    switch (mode) { case "x": value("mode-x"); break; default: value("mode-y"); }
    if (!ON) return;
    on = value("on");
  }
}
