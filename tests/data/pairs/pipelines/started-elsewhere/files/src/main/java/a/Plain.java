package a;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class Plain { int made() { return 2; } }