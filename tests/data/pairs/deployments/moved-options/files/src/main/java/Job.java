import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements(1).uid("in").keyBy(x -> x).reduce((a, b) -> a).uid(ParameterTool.fromArgs(args).get("uid", "none")).print().uid("out");
    env.execute();
  }
}
