import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import com.typesafe.config.ConfigFactory;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements(1).uid("in").keyBy(x -> x).reduce((a, b) -> a).uid(ConfigFactory.load().getString("uid")).print().uid("out");
    env.execute();
  }
}
