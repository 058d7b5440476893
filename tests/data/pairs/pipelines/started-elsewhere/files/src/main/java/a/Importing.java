package a;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import a.Started;
class Importing { int made() { return 2; } }