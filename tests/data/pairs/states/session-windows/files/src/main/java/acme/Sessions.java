package acme;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.time.Time;
public class Sessions {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("source").filter(x -> x != null).keyBy(x -> x.trim())
       .window(EventTimeSessionWindows.withGap(Time.minutes(5))).reduce((a, b) -> a).uid("sessions").print().uid("p");
    env.execute();
  }
}
