package acme;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Count extends KeyedProcessFunction<String, String, Long> {
  private int seen;
  private transient ValueState<Long> count;
  @Override public void open(Configuration c) {
    count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
  }
  @Override public void processElement(String x, Context ctx, Collector<Long> out) throws Exception {
    Long before = count.value();
    count.update(before == null ? 1L : before + 1);
    out.collect(count.value());
  }
}
