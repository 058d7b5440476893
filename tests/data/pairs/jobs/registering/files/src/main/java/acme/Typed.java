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

/** The types of its states are given to it. */
public class Typed<T, U> extends Keyed {
  private final Class<T> type;
  private final TypeInformation<U> information;
  private ValueState<T> first;
  private ValueState<U> second;
  Typed(Class<T> type, TypeInformation<U> information) { this.type = type; this.information = information; }
  @Override public void open(OpenContext c) throws Exception {
    first = getRuntimeContext().getState(new ValueStateDescriptor<>("first", type));
    second = getRuntimeContext().getState(new ValueStateDescriptor<>("second", information));
  }
}
