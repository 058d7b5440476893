package jobs;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
  public static void main(String[] args) throws Exception {
    Config config = ConfigFactory.load();
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(1);
    env.socketTextStream("host", 1).keyBy(x -> x).reduce((a, b) -> a).uid("orders").print();
    com.lib.Steps.add(env, config);
    env.execute();
  }
}
