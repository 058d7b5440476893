package t;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

public class Job {
  static final String SEEN = "seen";

  public static class Item { public String name; public int size; public Item() {} }

  public static class First extends KeyedProcessFunction<Long, Long, Long> {
    private transient ValueState<Item> seen;
    @Override public void open(OpenContext c) { seen = getRuntimeContext().getState(new ValueStateDescriptor<>(SEEN, Item.class)); }
    @Override public void processElement(Long n, Context c, Collector<Long> out) throws Exception { seen.update(new Item()); }
  }

  public static class Second extends KeyedProcessFunction<Long, Long, Long> {
    private transient ListState<Item> seen;
    @Override public void open(OpenContext c) { seen = getRuntimeContext().getListState(new ListStateDescriptor<>(SEEN, Item.class)); }
    @Override public void processElement(Long n, Context c, Collector<Long> out) throws Exception { seen.add(new Item()); }
  }

  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    var numbers = env.fromSequence(0, 9).uid("numbers");
    numbers.keyBy(n -> n % 3).process(new First()).uid("first-" + args[0]).print().uid("out");
    numbers.keyBy(n -> n % 3).process(new Second()).uid("second-" + args[0]).print().uid("out2");
    env.execute();
  }
}
