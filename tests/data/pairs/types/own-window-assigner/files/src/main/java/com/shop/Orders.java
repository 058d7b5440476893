package com.shop;
import java.util.*;
import org.apache.flink.api.common.*;
import org.apache.flink.api.common.typeutils.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.streaming.api.windowing.triggers.*;
import org.apache.flink.streaming.api.windowing.windows.*;
public class Orders {
  public static class Days extends WindowAssigner<Object, TimeWindow> {
    public Collection<TimeWindow> assignWindows(Object e, long t, WindowAssignerContext c) { return Collections.singletonList(new TimeWindow(t, t + 10)); }
    public Trigger<Object, TimeWindow> getDefaultTrigger() { return EventTimeTrigger.create(); }
    public Trigger<Object, TimeWindow> getDefaultTrigger(StreamExecutionEnvironment env) { return EventTimeTrigger.create(); }
    public TypeSerializer<TimeWindow> getWindowSerializer(ExecutionConfig c) { return new TimeWindow.Serializer(); }
    public boolean isEventTime() { return true; }
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(0, 100).uid("s").keyBy(x -> x % 3).window(new Days()).reduce((a, b) -> a + b).uid("w").print().uid("p");
    env.execute("orders");
  }
}
