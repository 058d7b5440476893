package jobs;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Many {
  public static class Count extends RichMapFunction<String, String> {
    @Override public void open(Configuration c) {
      getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
    }
    @Override public String map(String x) { return x; }
  }
  public static class Last extends RichMapFunction<String, String> {
    @Override public void open(Configuration c) {
      getRuntimeContext().getState(new ValueStateDescriptor<>("last", String.class));
    }
    @Override public String map(String x) { return x; }
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();

    env.socketTextStream("h", 1).uid("orders-source").keyBy(x -> x).map(new Count()).uid("orders").print();
    env.execute("orders");

    env.socketTextStream("h", 1).uid("weather-source").keyBy(x -> x).map(new Last()).uid("weather").print();
    env.execute("weather");

    env.socketTextStream("h", 1).uid("sales-source").keyBy(x -> x).map(new Count()).uid("sales").print();
    env.execute("sales");

  }
}
