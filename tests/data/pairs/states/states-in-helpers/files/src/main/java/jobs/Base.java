package jobs;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
abstract class Base extends KeyedProcessFunction<String, String, String> {
  static final String SEEN = "seen";
  protected transient ValueState<Long> seen;
  @Override public void open(Configuration c) throws Exception { seen = getRuntimeContext().getState(described(SEEN)); }
  protected ValueStateDescriptor<Long> described(String name) { return new ValueStateDescriptor<>(name, Long.class); }
}
