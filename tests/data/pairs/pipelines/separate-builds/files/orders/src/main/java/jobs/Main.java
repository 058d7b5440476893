package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Main {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(0, 9).keyBy(x -> x).reduce((a, b) -> a + b).uid("sum").print();
    env.execute();
  }
}
