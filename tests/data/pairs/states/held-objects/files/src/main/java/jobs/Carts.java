package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Carts implements Handler {
  private transient MapState<String, Long> seen;
  @Override public void open(RuntimeContext c) { seen = c.getMapState(new MapStateDescriptor<>("carts", String.class, Long.class)); }
  @Override public void on(String x) throws Exception { seen.put(x, 1L); }
}
