package app;
import java.time.Duration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> a = env.socketTextStream("h", 1).map(x -> x).returns(String.class).uid("a");
    DataStream<String> b = env.socketTextStream("h", 2).filter(x -> x != null).uid("b");
    a.keyBy(x -> x).intervalJoin(b.keyBy(x -> x)).between(Duration.ofSeconds(-5), Duration.ofSeconds(5)).process(new Both()).uid("joined").print();
    env.execute();
  }
}
