import java.util.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements(1, 2).keyBy(x -> x).reduce((a, b) -> a).uid("sum-" + Optional.ofNullable(System.getenv("sum.suffix".replace(".", "_"))).map(t -> t).orElse("none")).print().uid("out");
    env.execute();
  }
}
