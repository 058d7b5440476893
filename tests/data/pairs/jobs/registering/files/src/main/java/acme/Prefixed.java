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

/** The name of its state is made in its constructor, and by a class below. */
public abstract class Prefixed extends Keyed {
  private final String name;
  private ValueState<Long> value;
  Prefixed(String prefix) { name = prefix + "-count"; }
  abstract String second();
  @Override public void open(OpenContext c) throws Exception { value = value(name); value(second()); }
}
