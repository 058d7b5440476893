import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    args = new String[] {"", org.apache.flink.api.java.utils.ParameterTool.fromArgs(args).get("suffix")};
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements(1, 2).keyBy(x -> x).reduce((a, b) -> a).uid("sum-" + args[1]).print().uid("out");
    env.execute();
  }
}
