package acme;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Last extends KeyedProcessFunction<Place, Reading, Integer> {
  private transient ValueState<Integer> last;
  @Override public void open(Configuration c) {
    last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Integer.class));
  }
  @Override public void processElement(Reading r, Context ctx, Collector<Integer> out) throws Exception {
    last.update(r.watts);
    out.collect(r.watts);
  }
}
