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

/** What it registers is said to a builder. */
public class Built extends Keyed {
  static class Builder {
    private boolean kept;
    private String name = "x";
    Builder kept(boolean kept) { this.kept = kept; return this; }
    Builder name(String name) { this.name = name; return this; }
    Built build() { return new Built(this); }
  }
  private final boolean kept;
  private final String name;
  private ValueState<Long> value;
  Built(Builder b) { kept = b.kept; name = b.name; }
  @Override public void open(OpenContext c) throws Exception { if (kept) { value = value(name); } }
}
