package jobs;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static class Count extends RichMapFunction<Long, Long> {
    ValueState<Total> total;
    public void open(Configuration c) {
      total = getRuntimeContext().getState(new ValueStateDescriptor<>("total", Total.class));
    }
    public Long map(Long x) {
      // map
      return x;
    }
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(0, 9).keyBy(x -> x).map(new Count()).uid("count").print();
    env.execute();
  }
}
