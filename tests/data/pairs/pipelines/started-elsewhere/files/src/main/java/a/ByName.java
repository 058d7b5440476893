package a;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class ByName { Object made(int n) { return Class.forName("a." + (n + 2)).newInstance(); } }