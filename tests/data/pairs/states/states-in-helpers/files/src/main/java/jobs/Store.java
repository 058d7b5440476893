package jobs;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
final class Store {
  private final RuntimeContext context;
  Store(RuntimeContext context) { this.context = context; }
  void put(String name, double v) throws Exception {
    context.getState(new ValueStateDescriptor<>(name, Double.class)).update(v);
  }
}
