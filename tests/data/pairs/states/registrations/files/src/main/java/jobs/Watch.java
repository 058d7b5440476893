package jobs;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.util.Collector;
public class Watch extends Stateful<String, String, String> {
  private final int level;
  private transient ValueState<Long> peak;
  private transient Object client;
  public Watch(int level) { this.level = level; }
  @Override public void open(OpenContext context) throws Exception {
    super.open(context);
    peak = getRuntimeContext().getState(new ValueStateDescriptor<>("peak", Long.class));
  }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    if (peak != null) { peak.update(1L); }
    out.collect(x);
  }
}
