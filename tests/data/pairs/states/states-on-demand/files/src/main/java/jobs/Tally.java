package jobs;
import org.apache.flink.api.common.functions.RichFunction;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.*;
public class Tally implements java.io.Serializable {
  private final String name;
  private transient Sums sums;
  Tally(String name) { this.name = name; }
  void open(RichFunction function) { sums = new Sums(function.getRuntimeContext(), name); }
  void add(long n) throws Exception { sums.total().update(n); }
  private static final class Sums {
    private final ValueState<Long> total;
    private final ValueState<Long> newest;
    Sums(RuntimeContext context, String name) {
      total = context.getState(new ValueStateDescriptor<>(name + "-total", Long.class));
      newest = context.getState(new ValueStateDescriptor<>(name + "-newest", Long.class));
    }
    ValueState<Long> total() { return total; }
  }
}
