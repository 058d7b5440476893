package jobs;
import com.vendor.Vendor;
import java.util.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.triggers.*;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    KeyedStream<String, String> orders = env.socketTextStream("h", 1).uid("source").keyBy(x -> x);
    orders.process(new Counting("bare")).uid("bare").print();
    orders.process(new Metered(new Counting("n"))).uid("metered").print();
    orders.process(new Metered(new Metered(new Counting("deep")))).uid("twice").print();
    orders.process(new Asking(c -> c.getState(new ValueStateDescriptor<>("last", Long.class)))).uid("asking").print();
    for (String name : new String[] {"first", "second"}) {
      orders.process(new Asking(Stores.named(name))).uid(name).print();
    }
    orders.process(new Handling().on("page", new Pages())).uid("handling").print();
    orders.window(GlobalWindows.create()).trigger(new Logged<>(new Every("seen"))).reduce((a, b) -> a).uid("every").print();
    orders.window(GlobalWindows.create()).trigger(new Logged<>(CountTrigger.of(5))).reduce((a, b) -> a).uid("counted").print();
    orders.process(new Holding(Arrays.asList(new Counted("short"), new Counted("long")))).uid("holding").print();
    env.execute();
  }
}
