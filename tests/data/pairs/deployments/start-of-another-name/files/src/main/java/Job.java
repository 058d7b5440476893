import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    ParameterTool p = ParameterTool.fromArgs(args);
    String region = System.getenv("REGION");
    env.fromElements(1, 2).keyBy(x -> x).reduce((a, b) -> a + b)
        .uid(region == null ? "sum" : "sum-" + region).setParallelism(p.getInt("sum.parallelism", 4))
        .name(System.getProperty("job.label", "sums")).print();
    env.execute();
  }
}
