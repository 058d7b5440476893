package jobs;

import java.util.Map;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

public class Count extends KeyedProcessFunction<String, Visit, Long> {
  private transient ValueState<Long> seen;
  // states

  public void open(Configuration parameters) {
    seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Types.LONG));
    // registered
  }

  public void processElement(Visit visit, Context context, Collector<Long> out) throws Exception {
    seen.update(1L);
    // kept
    out.collect(1L);
  }
}
