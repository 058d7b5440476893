package a;
import java.time.Duration;
import java.util.*;
import org.apache.flink.api.common.eventtime.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.serialization.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.connector.file.sink.*;
import org.apache.flink.connector.kafka.sink.*;
import org.apache.flink.connector.kafka.source.*;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.streaming.api.functions.co.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.streaming.api.windowing.evictors.*;
import org.apache.flink.streaming.api.windowing.triggers.*;
import org.apache.flink.streaming.connectors.kafka.*;
import org.apache.flink.util.Collector;
public class Job {
  static class Last extends KeyedProcessFunction<Long, Long, Long> {
    public void open(org.apache.flink.configuration.Configuration c) {
      getRuntimeContext().getState(new ValueStateDescriptor<>("v", Long.class));
    }
    public void processElement(Long x, Context c, Collector<Long> o) {}
  }
  static class All extends KeyedProcessFunction<Long, Long, Long> {
    public void open(org.apache.flink.configuration.Configuration c) {
      getRuntimeContext().getListState(new ListStateDescriptor<>("v", Long.class));
    }
    public void processElement(Long x, Context c, Collector<Long> o) {}
  }
  static class Timed extends KeyedProcessFunction<Long, Long, Long> {
    public void processElement(Long x, Context c, Collector<Long> o) { c.timerService().registerEventTimeTimer(1L); }
  }
  static class LastInMap extends RichMapFunction<Long, Long> {
    public void open(org.apache.flink.configuration.Configuration c) {
      getRuntimeContext().getState(new ValueStateDescriptor<>("v", Long.class));
    }
    public Long map(Long x) { return x; }
  }
  static abstract class Sum implements AggregateFunction<Long, Long, Long> {}
  static class Acc { public long n; }
  static abstract class SumInClass implements AggregateFunction<Long, Acc, Long> {}
  static class Rules extends KeyedBroadcastProcessFunction<Long, Long, Long, Long> {
    public void processElement(Long x, ReadOnlyContext c, Collector<Long> o) {}
    public void processBroadcastElement(Long x, Context c, Collector<Long> o) {}
  }
  static class One extends Sum {}
  static class Other extends SumInClass {}
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<Long> s = env.fromSequence(1, 9).uid("numbers");
    s.print();
    env.execute();
  }
}
