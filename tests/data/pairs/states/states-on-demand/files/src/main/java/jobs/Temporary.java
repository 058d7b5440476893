package jobs;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Temporary extends KeyedProcessFunction<String, String, String> {
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    new Counter(getRuntimeContext(), "words").increment();
  }
  private static final class Counter {
    private final ValueState<Long> state;
    Counter(RuntimeContext context, String name) { state = context.getState(new ValueStateDescriptor<>("t-" + name, Long.class)); }
    void increment() throws Exception { state.update(1L); }
  }
}
