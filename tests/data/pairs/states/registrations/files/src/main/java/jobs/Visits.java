package jobs;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.util.Collector;
public class Visits extends Stateful<String, String, String> {
  private static final ValueStateDescriptor<Long> SUM = new ValueStateDescriptor<>("sum", Long.class);
  private transient MapState<String, Long> hubs;
  private transient ValueState<Long> low;
  private transient ValueState<Long> high;
  @Override public void open(OpenContext context) throws Exception {
    super.open(context);
    hubs = getRuntimeContext().getMapState(new MapStateDescriptor<>("hubs", String.class, Long.class));
    low = getRuntimeContext().getState(new ValueStateDescriptor<>("low", Long.class));
    ValueStateDescriptor<Long> top = new ValueStateDescriptor<>("high", Long.class);
    high = getRuntimeContext().getState(top);
  }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    Long before = touched.value();
    Long count = hubs.get(x);
    hubs.put(x, count == null ? 1L : count + 1);
    if (low.value() == null) { low.update(1L); }
    if (high.value() == null) { high.update(1L); }
    ValueState<Long> sum = getRuntimeContext().getState(SUM);
    Long total = sum.value();
    sum.update(total == null ? 1L : total + 1);
    out.collect(x + before);
    touched.update(2L);
  }
}
