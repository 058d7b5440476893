import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
public class Count extends KeyedProcessFunction<Long, Long, Long> {
  private ValueState<Long> seen;
  public void open(org.apache.flink.configuration.Configuration c) {
    seen = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
  }
  public void processElement(Long x, Context context, org.apache.flink.util.Collector<Long> out) throws Exception {
    seen.update(Maths.twice(x) + 1);
  }
}
