import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    ParameterTool params = ParameterTool.fromArgs(args);
    String mode = params.get("mode");
    var in = env.socketTextStream("h", 1).uid("in");
    in.print();
    if (params.getBoolean("a", false)) { in.keyBy(s -> s).sum(0).uid("first").print(); }
    
    env.execute();
  }
}
