package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").keyBy(x -> x).process(new Watch(1)).uid("watch")
      .flatMap(new Batch()).uid("batch").keyBy(x -> x).process(new Visits()).uid("visits").print();
    env.execute();
  }
}
