import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = com.vendor.Environments.getExecutionEnvironment();
    env.fromSequence(0, 9).uid("in").keyBy(x -> x % 5).reduce((a, b) -> a + Maths.one()).uid("n").print().uid("out");
    env.execute();
  }
}
