package app;
import java.util.*;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  // helpers
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<Order> orders = env.fromElements(new Order());
    orders.keyBy(o -> o.id).reduce((a, b) -> b).uid("last");
    env.execute();
  }
}
