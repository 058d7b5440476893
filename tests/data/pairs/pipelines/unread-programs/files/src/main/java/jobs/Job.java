package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    var env = StreamExecutionEnvironment.getExecutionEnvironment();
    var numbers = env.fromSequence(0, 9);
    numbers.keyBy(x -> x).reduce((a, b) -> a + b).uid("sum").print();
    
    env.execute();
  }
}
