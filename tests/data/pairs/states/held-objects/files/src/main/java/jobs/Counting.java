package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Counting extends KeyedProcessFunction<String, String, String> {
  private final String name;
  private transient ValueState<Long> n;
  Counting(String name) { this.name = name; }
  @Override public void open(Configuration c) { n = getRuntimeContext().getState(new ValueStateDescriptor<>(name, Long.class)); }
  @Override public void processElement(String x, Context ctx, Collector<String> out) throws Exception { n.update(1L); out.collect(x); }
}
