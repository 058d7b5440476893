package a;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class Above { void start() { new Starter().start(2); } }