package jobs;
import java.util.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Registry extends KeyedProcessFunction<String, String, String> {
  private transient Map<String, ValueState<Long>> states;
  private ValueState<Long> state(String name) {
    if (states == null) states = new HashMap<>();
    return states.computeIfAbsent(name, n -> getRuntimeContext().getState(new ValueStateDescriptor<>("r-" + n, Long.class)));
  }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    state("total").update(1L);
  }
}
