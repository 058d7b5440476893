package acme;

import java.util.List;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

public class Branches {
  static final String PREFIX = "seen";
  static final List<String> REGIONS = List.of("north", "south");

  static final String[] UIDS = {"first", "second"};
  static final String[] TOPICS = {"orders", "users"};

  enum Shelf { FRONT, BACK }

  public static class Keep extends KeyedProcessFunction<String, String, String> {
    private final int limit;
    private transient ValueState<Long> last;

    Keep(int limit) { this.limit = limit; }

    @Override public void open(Configuration c) {
      last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Long.class));
    }

    @Override public void processElement(String value, Context context, Collector<String> out) throws Exception {
      if (last.value() == null || last.value() < limit) { last.update(context.timestamp()); }
      out.collect(value);
    }
  }

  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> lines = env.socketTextStream("localhost", 9999).uid("lines");
    int place = 0;
    for (String region : REGIONS) {
      lines.filter(line -> line.startsWith(region)).uid("only-" + place)
          .keyBy(line -> line).process(new Keep(0)).uid("region-" + place++)
          .sinkTo(new DiscardingSink<>());
    }
    for (Shelf shelf : Shelf.values()) {
      lines.filter(line -> line.endsWith(shelf.name())).uid("shelf-" + shelf.ordinal())
          .keyBy(line -> line).process(new Keep(0)).name("on shelf " + shelf).uid("kept-" + shelf.ordinal())
          .sinkTo(new DiscardingSink<>());
    }
    for (int i = 0; i < UIDS.length; i++) {
      String topic = TOPICS[i];
      lines.filter(line -> line.contains(topic)).uid("of-" + UIDS[i])
          .keyBy(line -> line).process(new Keep(0)).uid(UIDS[i]).sinkTo(new DiscardingSink<>());
    }
    lines.keyBy(line -> line.substring(2)).process(new Keep(5)).uid("tails").sinkTo(new DiscardingSink<>());
    lines.keyBy(line -> line.trim()).process(new Keep(5)).uid("trimmed").sinkTo(new DiscardingSink<>());
    lines.keyBy(line -> line).process(new Keep(10)).uid(PREFIX + "-low").sinkTo(new DiscardingSink<>());
    lines.keyBy(line -> line).process(new Keep(20)).uid(PREFIX + "-high").sinkTo(new DiscardingSink<>());
    env.execute("branches");
  }
}
