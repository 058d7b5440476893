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

/** It asks for one state when a record comes, for another one in operator state, and has handles of one type. */
public class Lazy extends Keyed implements CheckpointedFunction {
  interface Name extends Serializable { String get(); }
  private final Name name;
  private transient ValueState<Long> late;
  private transient ValueState<Long> low;
  private transient ValueState<Long> high;
  private transient ListState<Long> list;
  Lazy(Name name) { this.name = name; }
  @Override public void open(OpenContext c) throws Exception {
    low = value("low");
    high = value("high");
  }
  @Override public void snapshotState(FunctionSnapshotContext c) throws Exception { list.clear(); }
  @Override public void initializeState(FunctionInitializationContext c) throws Exception {
    list = c.getOperatorStateStore().getUnionListState(new ListStateDescriptor<>("list", Long.class));
  }
  @Override public void processElement(String v, Context c, Collector<String> out) throws Exception {
    if (late == null) { late = value(name.get()); }
    c.timerService().registerEventTimeTimer(1L);
    out.collect(v);
  }
}
