public interface Part {
  void build(org.apache.flink.streaming.api.environment.StreamExecutionEnvironment env);
}
