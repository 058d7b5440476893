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

/** Its time-to-live comes through a setter. */
public class Expiring extends Keyed {
  private int hours;
  private ValueState<Long> value;
  Expiring hours(int hours) { this.hours = hours; return this; }
  @Override public void open(OpenContext c) throws Exception {
    ValueStateDescriptor<Long> d = new ValueStateDescriptor<>("value", Long.class);
    if (hours > 0) { d.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(hours)).build()); }
    value = getRuntimeContext().getState(d);
  }
}
