package a;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class ThroughIt { Object made() { return new ByName().made(2); } }