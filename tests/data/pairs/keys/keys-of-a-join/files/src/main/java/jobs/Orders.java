package jobs;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.time.Time;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> orders = env.socketTextStream("h", 1).uid("orders");
    DataStream<String> payments = env.socketTextStream("h", 2).uid("payments");
    int minutes = 5;
    orders.keyBy(x -> x).intervalJoin(payments.keyBy(x -> Keys.of(x))).between(Time.minutes(-1), Time.minutes(minutes))
        .process(new Both()).uid("join").print().uid("out");
    env.execute();
  }
}
