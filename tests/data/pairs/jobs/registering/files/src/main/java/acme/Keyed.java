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

/** A function that hands records on. */
public abstract class Keyed extends KeyedProcessFunction<String, String, String> {
  @Override public void processElement(String v, Context c, Collector<String> out) throws Exception { out.collect(v); }
  ValueState<Long> value(String name) { return getRuntimeContext().getState(new ValueStateDescriptor<>(name, Long.class)); }
}
