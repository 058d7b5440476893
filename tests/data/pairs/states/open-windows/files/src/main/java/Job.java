import java.time.Duration;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.streaming.api.windowing.triggers.*;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    KeyedStream<Long, Long> numbers = env.fromSequence(1, 9).uid("numbers").keyBy(x -> x, Types.LONG);
    numbers.window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
        .reduce((a, b) -> a + b).uid("sums").print().uid("out");
    env.execute();
  }
}
