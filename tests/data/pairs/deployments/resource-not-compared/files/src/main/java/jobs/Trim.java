package jobs;
public class Trim implements org.apache.flink.api.common.functions.MapFunction<String, String> {
  @Override public String map(String x) { return x.trim(); }
}
