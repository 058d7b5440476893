import java.util.*;
import org.apache.flink.configuration.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  static final ConfigOption<String> OPTION = ConfigOptions.key("sum.suffix").stringType().defaultValue("none");
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements(1, 2).keyBy(x -> x).reduce((a, b) -> a).uid("sum-" + Optional.ofNullable(System.getenv(OPTION.key().replace(".", "_"))).map(t -> t).orElse(OPTION.defaultValue())).print().uid("out");
    env.execute();
  }
}
