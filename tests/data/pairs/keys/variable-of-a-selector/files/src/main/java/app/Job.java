package app;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  static final String SALT = System.getenv().getOrDefault("SALT", "s");
  static String salted(String v) { return System.getenv("SALT") + v; }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements("a").uid("lines").map(v -> v + System.getenv("LABEL")).uid("map")
      .keyBy((KeySelector<String, String>) v -> System.getenv("SALT") + v).reduce((a, b) -> a + b).uid("sum");
    env.execute();
  }
}
