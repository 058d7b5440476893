package jobs;
import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Holding extends KeyedProcessFunction<String, String, String> {
  private final List<Counted> counted;
  private final Map<Metric, ValueState<Long>> metrics = new EnumMap<>(Metric.class);
  private final List<ValueState<Long>> sums = new ArrayList<>();
  private transient Ends ends;
  public Holding(List<Counted> counted) { this.counted = List.copyOf(counted); }
  @Override public void open(org.apache.flink.api.common.functions.OpenContext context) {
    RuntimeContext c = getRuntimeContext();
    counted.forEach(each -> each.open(c));
    for (Metric metric : Metric.values()) { metrics.put(metric, state(c, "metric-" + metric.ordinal())); }
    for (String name : List.of("cents", "rides")) { sums.add(state(c, name)); }
    ends = new Ends(state(c, "first"), state(c, "last"));
  }
  private static ValueState<Long> state(RuntimeContext c, String name) { return c.getState(new ValueStateDescriptor<>(name, Long.class)); }
  @Override public void processElement(String x, Context ctx, Collector<String> out) throws Exception {
    metrics.get(Metric.VIEWS).update(sums.get(0).value());
    ends.last().update(ends.first().value());
  }
  private record Ends(ValueState<Long> first, ValueState<Long> last) {}
}
