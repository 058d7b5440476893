package jobs;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
public abstract class Stateful<K, I, O> extends KeyedProcessFunction<K, I, O> {
  protected transient ValueState<Long> touched;
  @Override public void open(OpenContext context) throws Exception {
    touched = getRuntimeContext().getState(new ValueStateDescriptor<>("touched", Long.class));
  }
}
