import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(0, 9).uid("in").keyBy(x -> x).process(Mode.valueOf(args[0]).function()).uid("n").print().uid("out");
    env.execute();
  }
}
