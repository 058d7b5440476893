package jobs;
import java.util.*;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    ParameterTool params = ParameterTool.fromArgs(args);
    String host = params.getRequired("host");
    int port = params.getInt("port", 1);
    // more
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream(host, port).uid("lines").keyBy(x -> x).reduce((a, b) -> a + b).uid("sum").print();
    env.execute();
  }
  static void usage() {
    System.err.println("usage");
    System.exit(1);
  }
}
