package jobs;
import java.time.Duration;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;
public class Flow {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    newest(env.socketTextStream("h", 1).uid("source").map(x -> Event.of(x)).returns(Event.class).uid("events"));
    env.execute();
  }
  private static <T> void newest(SingleOutputStreamOperator<T> stream) {
    int seconds = 10;
    stream.map(x -> x).returns(stream.getType()).uid("same")
        .windowAll(TumblingProcessingTimeWindows.of(Duration.ofSeconds(seconds))).reduce((a, b) -> b).uid("newest").print();
  }
}
