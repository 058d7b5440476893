package jobs;
import java.util.*;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Range extends KeyedProcessFunction<String, String, String> {
  private transient Handle<Long> first;
  private transient Handle<Long> last;
  private final Map<String, Handle<Integer>> lengths = new HashMap<>();
  @Override public void open(OpenContext context) {
    first = Handle.of(getRuntimeContext(), "first", Long.class);
    last = Handle.of(getRuntimeContext(), "last", Long.class);
    lengths.put("short", Handle.of(getRuntimeContext(), "of-short", Integer.class));
    lengths.put("long", Handle.of(getRuntimeContext(), "of-long", Integer.class));
  }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    if (first.get() == null) first.set(c.timestamp());
    last.set(c.timestamp());
    lengths.get(x.length() > 3 ? "long" : "short").set(x.length());
  }
}
