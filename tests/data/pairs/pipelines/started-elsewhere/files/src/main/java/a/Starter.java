package a;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class Starter { void start(int n) { if (n > 2) new Started().go(); } }