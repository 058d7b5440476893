package a;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class Own { static int n = 2; static String uid() { return "n" + 2; } }