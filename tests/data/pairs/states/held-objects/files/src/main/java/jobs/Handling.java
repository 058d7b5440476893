package jobs;
import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Handling extends KeyedProcessFunction<String, String, String> {
  private final Map<String, Handler> handlers = new LinkedHashMap<>();
  Handling on(String page, Handler handler) { handlers.put(page, handler); return this; }
  @Override public void open(Configuration c) { handlers.values().forEach(h -> h.open(getRuntimeContext())); }
  @Override public void processElement(String x, Context ctx, Collector<String> out) throws Exception {
    for (Handler h : handlers.values()) h.on(x);
  }
}
