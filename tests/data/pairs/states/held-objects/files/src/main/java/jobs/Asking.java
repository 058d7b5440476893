package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Asking extends KeyedProcessFunction<String, String, String> {
  private final Store store;
  private transient ValueState<Long> kept;
  Asking(Store store) { this.store = store; }
  @Override public void open(Configuration c) { kept = store.of(getRuntimeContext()); }
  @Override public void processElement(String x, Context ctx, Collector<String> out) throws Exception { kept.update(1L); }
}
