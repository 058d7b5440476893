package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.api.common.functions.util.FunctionUtils;
public class Metered extends KeyedProcessFunction<String, String, String> {
  private final KeyedProcessFunction<String, String, String> inner;
  Metered(KeyedProcessFunction<String, String, String> inner) { this.inner = inner; }
  @Override public void setRuntimeContext(RuntimeContext t) { super.setRuntimeContext(t); inner.setRuntimeContext(t); }
  @Override public void open(Configuration c) throws Exception { inner.open(c); }
  @Override public void processElement(String x, Context ctx, Collector<String> out) throws Exception { inner.processElement(x, ctx, out); }
}
