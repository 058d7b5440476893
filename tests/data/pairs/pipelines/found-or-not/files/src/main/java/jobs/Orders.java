package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).keyBy(x -> x).reduce((x, y) -> y).uid("orders").print();
    env.execute();
  }
}
