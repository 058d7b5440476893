package jobs;
import java.util.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Computed extends KeyedProcessFunction<String, String, String> {
  private transient Map<String, ValueState<Long>> states;
  private ValueState<Long> state(String name) {
    if (states == null) states = new HashMap<>();
    return states.compute(name, (n, known) -> known == null ? getRuntimeContext().getState(new ValueStateDescriptor<>("c-" + n, Long.class)) : known);
  }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    long length = x.length();
    state("total").update(1L);
    state("length").update(length);
  }
}
