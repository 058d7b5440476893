import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import java.util.*;
import com.amazonaws.services.kinesisanalytics.runtime.KinesisAnalyticsRuntime;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    ParameterTool params = ParameterTool.fromArgs(args);
    String mode = params.get("mode");
    var in = env.socketTextStream("h", 1).uid("in");
    in.print();
    Properties given = KinesisAnalyticsRuntime.getApplicationProperties().get("Group");
    Map<String, String> map = new HashMap<>(given.size());
    given.forEach((k, v) -> map.put((String) k, (String) v));
    ParameterTool copied = ParameterTool.fromMap(map);
    if (copied.has("counts")) { in.keyBy(s -> s).sum(0).uid("first").print(); }
    
    env.execute();
  }
}
