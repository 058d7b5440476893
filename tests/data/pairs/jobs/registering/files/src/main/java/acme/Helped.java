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

/** Other objects register its states. */
public class Helped extends Keyed implements Named {
  static class Holder {
    final ValueState<Long> value;
    Holder(RuntimeContext c, String name) { value = c.getState(new ValueStateDescriptor<>(name, Long.class)); }
    static Holder of(RuntimeContext c, String name) { return new Holder(c, "held-" + name); }
  }
  static class Counter implements Serializable {
    private final String name;
    private transient ValueState<Long> value;
    Counter(String name) { this.name = name; }
    void init(RuntimeContext c) { value = c.getState(new ValueStateDescriptor<>(name + "-n", Long.class)); }
  }
  private final List<Counter> counters = List.of(new Counter("a"), new Counter("z"));
  private transient Holder holder;
  @Override public void open(OpenContext c) throws Exception {
    holder = Holder.of(getRuntimeContext(), label());
    for (Counter x : counters) x.init(getRuntimeContext());
  }
}
